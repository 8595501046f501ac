/*
 * h2_stream.c -- a stream of HTTP/2, as ../mux and requests see it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"
#include "http/h2/h2.h"
#include "http/mux/mux_conn.h"


static lun_h2_stream **
bucket_of(lun_h2 *h2, uint32_t id)
{
    return &h2->buckets[(id >> 1) & (LUN_H2_BUCKETS - 1)];
}


lun_h2_stream *
lun_h2_new_stream(lun_h2 *h2, uint32_t id)
{
    lun_h2_stream  *s, **at = bucket_of(h2, id);

    s = lun_h2_stream_of(lun_mux_new_stream(&h2->mux, &lun_h2_protocol, 2000,
                                            id));
    lun_line_begin(&h2->senders, &s->sender, id);
    s->next = *at;
    *at = s;
    s->send_window = h2->peer_window;
    s->recv_window = h2->own_window;
    s->recv_most = h2->own_window;
    h2->open++;

    return s;
}


void
lun_h2_stream_closed(lun_h2_stream *s)
{
    lun_h2  *h2 = lun_h2_of(&s->m);

    LUN_CHECK(h2->open > 0);

    h2->open--;
    lun_line_leave(&s->sender);
    lun_mux_closed(&s->m);
}


void
lun_h2_check_closed(lun_h2_stream *s)
{
    if (s->m.in_closed && s->m.out_closed && !s->m.closed) {
        lun_h2_stream_closed(s);
    }
}


void
lun_h2_reset(lun_h2_stream *s, unsigned code)
{
    lun_h2  *h2 = lun_h2_of(&s->m);

    LUN_CHECK_MARK(&s->m, LUN_MARK_MUX_STREAM);

    if (s->m.closed || h2->mux.broken) {
        return;
    }

    s->m.reset = 1;

    /* Frames of it may be on their way. */
    if (!s->m.in_closed) {
        h2->last_cut = lun_max(h2->last_cut, (uint32_t) s->m.id);
    }

    /* The client made us do it, or did not take what it had asked for. */
    if (!s->m.finishing) {
        lun_h2_charge(h2, LUN_ACCOUNT_IN_VAIN);
    }

    if (!h2->ended) {
        lun_h2_put_reset(h2, (uint32_t) s->m.id, code);
    }

    lun_h2_stream_closed(s);
}


/* --- for the mux --------------------------------------------------------- */

static void
wake(lun_mux *m)
{
    lun_h2_wake(lun_container_of(m, lun_h2, mux));
}


static void
consumed(lun_mux_stream *s, size_t n)
{
    lun_h2_stream_consumed(lun_h2_stream_of(s), n);
}


static void
widen(lun_mux_stream *s, size_t size)
{
    lun_h2_stream_widen(lun_h2_stream_of(s), size);
}


static void
reset(lun_mux_stream *s, lun_mux_reason why)
{
    static const unsigned  codes[] = {
        [LUN_MUX_NO_ERROR] = LUN_H2_NO_ERROR,
        [LUN_MUX_PROTOCOL] = LUN_H2_PROTOCOL_ERROR,
        [LUN_MUX_INTERNAL] = LUN_H2_INTERNAL_ERROR,
        [LUN_MUX_CANCEL] = LUN_H2_CANCEL
    };

    lun_h2_reset(lun_h2_stream_of(s), codes[why]);
}


static void
may_send(lun_mux_stream *s)
{
    lun_h2_may_send(lun_h2_stream_of(s));
}


static bool
has_to_wait(const lun_mux_stream *s)
{
    return lun_h2_has_to_wait(lun_container_of(s, lun_h2_stream, m));
}


/* Frames of it that are still coming are nobody's from now on. */
static void
forget(lun_mux_stream *m)
{
    lun_h2          *h2 = lun_h2_of(m);
    lun_h2_stream   *s = lun_h2_stream_of(m), **at;

    if (!m->closed) {
        h2->open--;
    }

    if (h2->data == s) {
        h2->data = NULL;
    }

    if (h2->block.stream == s) {
        h2->block.stream = NULL;
        h2->block.use = LUN_H2_BLOCK_DROPPED;
    }

    lun_line_leave(&s->sender);

    for (at = bucket_of(h2, (uint32_t) m->id); *at != s; at = &(*at)->next);

    *at = s->next;
}


const lun_mux_kind  lun_h2_mux = {
    .version  = LUN_STR_INIT(" HTTP/2.0"),
    .wake     = wake,
    .consumed = consumed,
    .widen    = widen,
    .may_send = may_send,
    .has_to_wait = has_to_wait,
    .reset    = reset,
    .forget   = forget,
};


/* --- the protocol -------------------------------------------------------- */

static const lun_str  names[] = { LUN_STR_INIT("h2"), LUN_STR_NULL };

const lun_http_protocol  lun_h2_protocol = {
    .names         = names,
    .enabled       = lun_h2_enabled,
    .guess         = lun_h2_guess,
    .begin         = lun_h2_begin,
    .stream_size   = sizeof(lun_h2_stream),
    .frames_body   = true,
    .send_header   = lun_h2_send_header,
    .send_body     = lun_mux_send_body,
    .pull_body     = lun_mux_pull_body,
    .send_continue = lun_h2_send_continue,
    .send_hints    = lun_h2_send_hints,
    .hand_over     = lun_mux_hand_over,
    .make_room     = lun_mux_make_room,
    .watch         = lun_mux_watch,
    .finish        = lun_mux_finish,
    .drop          = lun_mux_finish,
};
