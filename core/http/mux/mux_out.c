/*
 * mux_out.c -- an answer's body on a connection that requests share: it waits
 * in r->output until the frames have room for some of it, and the client has
 * send_timeout to take that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/mux.h"

#include "base/check.h"
#include "http/output.h"
#include "http/write.h"


/* --- when it goes -------------------------------------------------------- */

static void output_too_late(lun_timer *timer);

/*
 * send_timeout: from the last byte that went, or from when there was something
 * to send, whether the client has a window for it or not.
 */
static void
start_send_timer(lun_mux_stream *s)
{
    lun_timer_start(s->mux->c->loop, &s->send_timer,
                    lun_core_conf_of(s->r)->send_timeout, output_too_late);
}


void
lun_mux_limit_output(lun_mux_stream *s)
{
    start_send_timer(s);
}


/* limit_rate's. */
static void
delay_over(lun_timer *timer)
{
    lun_mux_stream  *s = lun_container_of(timer, lun_mux_stream, send_timer);

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    start_send_timer(s);           /* the window may have gone meanwhile */
    s->mux->kind->may_send(s);
}


/* The client takes nothing of what it asked for, unless others go first. */
static void
output_too_late(lun_timer *timer)
{
    lun_mux_stream  *s = lun_container_of(timer, lun_mux_stream, send_timer);

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    if (s->mux->kind->has_to_wait(s)) {
        start_send_timer(s);
        return;
    }

    lun_log(LUN_LOG_INFO, &s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    s->timed_out = 1;
    s->mux->kind->reset(s, LUN_MUX_PROTOCOL);
}


void
lun_mux_output_went(lun_mux_stream *s)
{
    if (s->r->write_delay != 0) {
        lun_timer_start(s->mux->c->loop, &s->send_timer, s->r->write_delay,
                        delay_over);

    } else if (s->r->output.head != NULL
               && (s->conn == NULL || s->finishing))
    {
        start_send_timer(s);
    }

    if (s->r->output.head == NULL) {
        lun_mux_ready(s);
    }
}


bool
lun_mux_is_whole(const lun_mux_stream *s)
{
    return s->conn != NULL ? s->ended
                           : s->r->done && !lun_http_holds(s->r);
}


/* --- for the lun_http_protocol ------------------------------------------- */

static void
queue(lun_mux_stream *s, lun_buf *in)
{
    lun_buf  *b, *next;

    for (b = in; b != NULL; b = next) {
        next = b->next;

        if (s->no_body) {
            b->pos = b->last;
            b->file_pos = b->file_last;

        } else if (lun_buf_size(b) > 0 || lun_buf_special(b)) {
            lun_chain_push(&s->r->output, b);
        }
    }
}


/*
 * AGAIN says that the output is still here; the protocol asks for it when
 * windows and the connection allow, and never gets more than it can send.
 */
lun_rc
lun_mux_send_body(lun_request *r, lun_buf *in)
{
    lun_mux_stream  *s = r->stream;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    if (!lun_mux_may_send(s)) {
        return LUN_ERROR;
    }

    queue(s, in);

    if (s->no_body) {
        return LUN_OK;
    }

    if (r->blocked && r->write_delay != 0) {
        return LUN_AGAIN;
    }

    if (in == NULL ? r->output.head == NULL : !lun_http_worth_sending(r)) {
        return LUN_OK;
    }

    r->blocked = 1;

    if (!lun_timer_runs(&s->send_timer)) {
        start_send_timer(s);
    }

    s->mux->kind->may_send(s);
    return LUN_AGAIN;
}
