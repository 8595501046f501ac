/*
 * srv.h -- a service to the addresses that have it: SRV records, RFC 2782,
 * and the hosts that they name.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SRV_H
#define LUN_SRV_H

#include "net/dns/resolver.h"

typedef struct lun_srv_request  lun_srv_request;

typedef struct {
    lun_addr   addr;               /* with the service's port */
    uint16_t   weight;
    uint16_t   priority;
} lun_srv_addr;

enum { LUN_SRV_ADDRS = 128 };  /* what is beyond is not looked at */

/*
 * In the order of the records; what they name twice is there twice, and a host
 * that does not exist has none: there may be none at all.  Valid during the
 * call, from the loop or from lun_srv_resolve() itself, once; `good_for`
 * as of lun_resolve_good_for().
 */
typedef void lun_srv_fn(void *data, lun_resolve_verdict verdict,
    const lun_srv_addr *addrs, size_t count, lun_msec good_for);

/*
 * "_http._tcp.example.com".  One host that cannot be asked for fails all of
 * it.  NULL: answered already.  A worker that quits does not wait for it.
 */
lun_srv_request *lun_srv_resolve(lun_resolver *r, lun_str name,
    lun_srv_fn *done, void *data);
/* As lun_resolve_limit(). */
void lun_srv_limit(lun_srv_request *q, lun_msec timeout);
/* Due even if the resolver has ended before. */
void lun_srv_cancel(lun_srv_request *q);

#endif
