/*
 * h3_end.c -- how an HTTP/3 connection ends: GOAWAY, and the close; and what a
 * client costs until then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3.h"

#include "base/check.h"
#include "http/h3/h3_priv.h"


enum { GRACE = 500 };              /* ms for requests that are on their way */

static uint32_t  floods_at;

const lun_metric  lun_h3_metrics[] = {
    { .name = "http3_floods", .kind = LUN_COUNTER, .at = &floods_at,
      .help = "Connections of HTTP/3 that were ended for what they asked for" },
    { 0 }
};


/* --- the account --------------------------------------------------------- */

void
lun_h3_flood(lun_h3 *h3, const char *what)
{
    LUN_CHECK(what != NULL);

    if (!h3->ended) {
        h3->flooded = 1;
        lun_metric_add(floods_at, 1);
        lun_h3_end(h3, LUN_H3_EXCESSIVE_LOAD, what);
    }
}


void
lun_h3_charge(lun_h3 *h3, uint64_t cost)
{
    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);

    if (lun_account_charge(&h3->account, cost)) {
        lun_h3_flood(h3, "http3 flood detected");
    }
}


void
lun_h3_credit(lun_h3 *h3, size_t payload)
{
    lun_account_credit(&h3->account, payload);
}


/* --- the end ------------------------------------------------------------- */

void
lun_h3_end(lun_h3 *h3, uint64_t code, const char *what)
{
    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);

    if (h3->mux.broken) {
        return;
    }

    if (what != NULL && !h3->ended) {
        lun_log(LUN_LOG_INFO, lun_h3_log(h3), 0, "%s", what);
    }

    h3->ended = 1;
    h3->leaving = 1;
    lun_quic_end(h3->q, code, false);
}


void
lun_h3_leave(lun_h3 *h3)
{
    if (!h3->mux.broken && !h3->ended) {
        h3->leaving = 1;
        lun_h3_put_goaway(h3, (uint64_t) h3->next_id);
        lun_h3_wake(h3);
    }
}


static void
on_drain(lun_timer *timer)
{
    lun_h3_leave(lun_container_of(timer, lun_h3, drain));
}


void
lun_h3_quit(lun_h3 *h3)
{
    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);

    if (h3->leaving || h3->quitting || h3->mux.broken) {
        return;
    }

    h3->quitting = 1;
    lun_timer_start(h3->mux.c->loop, &h3->drain,
                    lun_max((lun_msec) GRACE, h3->mux.conf->keepalive_least),
                    on_drain);
}


void
lun_h3_count_request(lun_h3 *h3)
{
    const lun_conn       *c = h3->mux.c;
    const lun_core_conf  *conf = h3->mux.conf;

    if (h3->mux.listen->engine->gen->exiting) {
        lun_h3_quit(h3);

    } else if (!h3->leaving
               && (conf->keepalive.timeout == 0
                   || c->requests >= (uint64_t) conf->keepalive_requests
                   || lun_clock.mono - c->start_time > conf->keepalive_time))
    {
        lun_h3_leave(h3);
    }
}
