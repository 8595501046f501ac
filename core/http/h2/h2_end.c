/*
 * h2_end.c -- how an HTTP/2 connection ends: GOAWAY, and the close.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2.h"

#include "base/check.h"
#include "http/h2/h2_priv.h"


enum {
    GRACE  = 500,                  /* ms for requests that are on their way */
    LINGER = 1024 * 1024           /* bytes that are dropped after the end */
};


/* --- GOAWAY -------------------------------------------------------------- */

void
lun_h2_end(lun_h2 *h2, unsigned code)
{
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (h2->ended) {
        return;
    }

    h2->ended = 1;
    h2->leaving = 1;
    lun_h2_put_goaway(h2, h2->last_served, code);
}


void
lun_h2_leave(lun_h2 *h2)
{
    if (h2->leaving || h2->mux.broken) {
        return;
    }

    h2->leaving = 1;
    lun_h2_put_goaway(h2, h2->last_served, LUN_H2_NO_ERROR);
}


static void
on_drain(lun_timer *timer)
{
    lun_h2_leave(lun_container_of(timer, lun_h2, drain));
}


void
lun_h2_quit(lun_h2 *h2)
{
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (!h2->leaving && !h2->quitting && !h2->mux.broken) {
        h2->quitting = 1;
        lun_timer_start(h2->mux.c->loop, &h2->drain,
                        lun_max((lun_msec) GRACE,
                                h2->mux.conf->keepalive_least),
                        on_drain);
    }
}


void
lun_h2_account(lun_h2 *h2)
{
    const lun_conn       *c = h2->mux.c;
    const lun_core_conf  *conf = h2->mux.conf;

    if (h2->mux.listen->engine->gen->exiting) {
        lun_h2_quit(h2);

    } else if (conf->keepalive.timeout == 0
               || c->requests >= (uint64_t) conf->keepalive_requests
               || lun_clock.mono - c->start_time > conf->keepalive_time)
    {
        lun_h2_leave(h2);
    }
}


/* --- the close ----------------------------------------------------------- */

/*
 * No request is left, so what comes now was under way or is nothing that we
 * want: lingering_timeout is the end of it, however much comes meanwhile.
 */
static void
drop_input(lun_conn *c)
{
    lun_h2    *h2 = c->data;
    lun_msec   now = lun_clock.mono;

    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);
    h2->lingered += (size_t) (c->in.last - c->in.start);

    if (h2->linger_end <= now || h2->lingered > LINGER) {
        lun_conn_close(c);
        return;
    }

    c->in.pos = c->in.start;
    c->in.last = c->in.start;
    lun_conn_limit(c, h2->linger_end - now);
    lun_conn_want(c);
}


static const lun_conn_state  lingering = {
    .name       = "h2 lingering",
    .doing      = "closing client connection",
    .on_read    = drop_input,
    .on_timeout = lun_conn_close,
    .on_gone    = lun_conn_close,
    .timeout    = LUN_TIMEOUT(lun_core_conf, lingering_timeout),
};


/*
 * Were the socket closed while the client still sends, our last frames, which
 * say why, could be lost to the reset.
 */
static void
linger(lun_h2 *h2)
{
    lun_conn  *c = h2->mux.c;

    h2->linger_end = lun_clock.mono + lun_min(h2->mux.conf->lingering_time,
                                              h2->mux.conf->lingering_timeout);
    (void) lun_conn_end(c);
    lun_conn_enter(c, &lingering);
    lun_conn_set_idle(c, true);

    if (!lun_conn_reading(c)) {
        drop_input(c);
    }
}


void
lun_h2_close(lun_h2 *h2)
{
    lun_conn  *c = h2->mux.c;

    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);
    LUN_CHECK(h2->mux.stream_count == 0);

    lun_loop_unpost(&h2->task);
    lun_timer_stop(&h2->drain);

    if (h2->timed_out && h2->mux.conf->reset_timedout_connection) {
        lun_conn_abort(c);

    } else if (c->eof || c->gone || h2->timed_out || lun_conn_writing(c)
               || h2->mux.conf->lingering_close == LUN_LINGER_OFF)
    {
        lun_conn_close(c);         /* and, then or later, on_free() */

    } else {
        linger(h2);
    }
}
