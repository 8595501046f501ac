/*
 * delay.c -- a request that has to wait.
 *
 * It is the only one that holds a reference meanwhile, beside the course of
 * the request itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/delay.h"

#include "base/check.h"
#include "http/body.h"
#include "http/output.h"


typedef struct {
    lun_request          *r;
    lun_timer             timer;
    lun_http_delayed_fn  *then;
} delayed;


static void
on_timer(lun_timer *timer)
{
    delayed      *d = lun_container_of(timer, delayed, timer);
    lun_request  *r = d->r;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_http_on_abort(r, NULL, NULL);
    d->then(r);
    lun_http_put(r);
}


static void
on_gone(lun_request *r, void *data)
{
    delayed  *d = data;

    lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed connection");
    lun_timer_stop(&d->timer);
    lun_http_finish(r, LUN_STATUS + 499);
    lun_http_put(r);
}


static void
stop_timer(void *data)
{
    delayed  *d = data;

    lun_timer_stop(&d->timer);
}


lun_verdict
lun_http_delay(lun_request *r, lun_msec delay, lun_http_delayed_fn *then)
{
    delayed  *d = lun_pool_new(r->pool, delayed);

    LUN_CHECK(then != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    d->r = r;
    d->then = then;
    lun_http_get(r);
    lun_timer_start(r->conn->loop, &d->timer, delay, on_timer);
    lun_pool_on_end(r->pool, stop_timer, d);
    lun_http_on_abort(r, on_gone, d);

    return LUN_WAIT;
}
