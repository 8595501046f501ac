/*
 * ocsp_fetch.h -- asks a responder of OCSP what it says of a certificate.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OCSP_FETCH_H
#define LUN_OCSP_FETCH_H

#include "format/url.h"
#include "net/dns/resolver.h"

typedef struct lun_ocsp_fetch  lun_ocsp_fetch;

/*
 * "http://host:port/path", the port filled in: responders are asked in the
 * clear, since what they say is signed.  NULL: it is one; else what is wrong.
 */
const char *lun_ocsp_url_parse(lun_str text, lun_url *url);

/*
 * The body of the answer, valid during the call; data NULL: there is none,
 * which was logged.  The fetch is over.
 */
typedef void lun_ocsp_fetch_fn(void *data, lun_str answer);

/*
 * Asks `der`, whose answer comes later: an address of the url's host after the
 * other, each for a minute at most; for names no longer than `timeout`.  The
 * url's texts are copied; the resolver has to live until then.  `idle`: nobody
 * waits, and a worker that is told to quit gives it up.
 */
lun_ocsp_fetch *lun_ocsp_fetch_start(const lun_url *url, lun_str der,
    lun_resolver *resolver, lun_msec timeout, const lun_log *log, bool idle,
    lun_ocsp_fetch_fn *done, void *data);

/* There will be no answer. */
void lun_ocsp_fetch_cancel(lun_ocsp_fetch *f);

#endif
