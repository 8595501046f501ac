/*
 * delay.h -- a request that has to wait before it goes on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_DELAY_H
#define LUN_HTTP_DELAY_H

#include "http/request.h"

/* The request goes on, or ends. */
typedef void lun_http_delayed_fn(lun_request *r);

/*
 * In a phase handler, whose verdict (LUN_WAIT) it returns: then(r) is called
 * `delay` ms after the wake-up that is being served, from the loop.  A client
 * that leaves before ends the request with 499, logged, and then is not called.
 */
lun_verdict lun_http_delay(lun_request *r, lun_msec delay,
    lun_http_delayed_fn *then);

#endif
