/*
 * dns_updater.h -- asks the server of a zone to set or take back a record
 * (format/dns_update.h), over TCP.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DNS_UPDATER_H
#define LUN_DNS_UPDATER_H

#include "format/dns_update.h"
#include "net/dns/resolver.h"

typedef struct lun_dns_updater  lun_dns_updater;

/* `fault` is NULL if it is done; else what went wrong, valid during the
   call.  The question is over. */
typedef void lun_dns_updater_fn(void *data, const char *fault);

typedef struct {
    lun_str                host;   /* a name, or an address */
    uint16_t               port;
    lun_resolver          *resolver;       /* for names; lives as long */
    lun_msec               timeout;        /* of connecting, and of answering */
    lun_dns_update         update; /* its `now` is set when it is signed */
    const lun_log         *log;    /* lives as long */
    lun_dns_updater_fn    *done;
    void                  *data;
} lun_dns_updater_wish;

/* All texts are copied.  done() comes once, later, from the loop; who quits
   does not wait for it. */
lun_dns_updater *lun_dns_updater_ask(lun_loop *loop,
    const lun_dns_updater_wish *q);

/* done() will not come.  Not in done(). */
void lun_dns_updater_cancel(lun_dns_updater *a);

#endif
