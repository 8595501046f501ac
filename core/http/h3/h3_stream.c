/*
 * h3_stream.c -- a request on a stream of HTTP/3, as ../mux and requests see
 * it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include "base/check.h"
#include "http/mux/mux_conn.h"


lun_h3_stream *
lun_h3_new_stream(lun_h3_wire *w)
{
    lun_h3         *h3 = w->h3;
    lun_h3_stream  *s;

    s = lun_h3_stream_of(h3->hq
            ? lun_mux_new_stream(&h3->mux, &lun_hq_protocol, 9, w->id)
            : lun_mux_new_stream(&h3->mux, &lun_h3_protocol, 3000, w->id));
    s->wire = w;
    s->recv_most = (int64_t) h3->conf->stream_buffer_size;

    return s;
}


static void
close_stream(lun_h3_stream *s)
{
    if (s->wire != NULL && !s->wire->ends) {
        lun_line_leave(&s->wire->sender);
    }

    lun_mux_closed(&s->m);
}


void
lun_h3_check_closed(lun_h3_stream *s)
{
    if (s->m.in_closed && s->m.out_closed && !s->m.closed) {
        close_stream(s);
    }
}


/* What is queued of it is not sent, but for an answer that was whole. */
void
lun_h3_reset(lun_h3_stream *s, uint64_t code)
{
    lun_h3       *h3 = lun_h3_of(&s->m);
    lun_h3_wire  *w = s->wire;

    LUN_CHECK_MARK(&s->m, LUN_MARK_MUX_STREAM);

    if (s->m.closed || h3->mux.broken) {
        return;
    }

    s->m.reset = 1;

    /* The client made us do it, or did not take what it had asked for. */
    if (!s->m.finishing) {
        lun_h3_charge(h3, LUN_ACCOUNT_IN_VAIN);
    }

    if (w != NULL && !h3->ended) {
        if (!s->m.in_closed) {
            w->at = LUN_H3_AT_NOTHING;
            lun_h3_drop_fields(w);
            lun_quic_stop(h3->q, w->id, code);
        }

        if (!w->ends && !w->cut) {
            w->cut = 1;
            lun_line_leave(&w->sender);
            lun_quic_reset(h3->q, w->id, code);
        }
    }

    close_stream(s);
}


/* --- for the mux --------------------------------------------------------- */

static void
wake(lun_mux *m)
{
    lun_h3_wake(lun_container_of(m, lun_h3, mux));
}


static void
consumed(lun_mux_stream *s, size_t n)
{
    lun_h3       *h3 = lun_h3_of(s);
    lun_h3_wire  *w = lun_h3_stream_of(s)->wire;

    if (w != NULL && n != 0 && !h3->ended) {
        lun_quic_consumed(h3->q, w->id, n);
        lun_h3_wake(h3);
    }
}


static void
widen(lun_mux_stream *s, size_t size)
{
    lun_h3_stream  *own = lun_h3_stream_of(s);
    int64_t         by = (int64_t) size - own->recv_most;

    if (by > 0) {
        own->recv_most += by;
        consumed(s, (size_t) by);
    }
}


static void
may_send(lun_mux_stream *s)
{
    lun_h3_wire  *w = lun_h3_stream_of(s)->wire;

    if (w != NULL && lun_mux_may_send(s) && !s->out_closed) {
        lun_h3_may_send(w);
    }
}


/* It stands in line, and others send, or it waits for the path. */
static bool
has_to_wait(const lun_mux_stream *s)
{
    const lun_h3_stream  *own = lun_container_of(s, lun_h3_stream, m);
    const lun_h3         *h3 = lun_container_of(s->mux, lun_h3, mux);

    return own->wire != NULL && lun_line_has(&own->wire->sender)
           && lun_clock.mono - h3->data_went
              < lun_core_conf_of(s->r)->send_timeout;
}


static void
reset(lun_mux_stream *s, lun_mux_reason why)
{
    static const uint64_t  codes[] = {
        [LUN_MUX_NO_ERROR] = LUN_H3_NO_ERROR,
        [LUN_MUX_PROTOCOL] = LUN_H3_REQUEST_CANCELLED,
        [LUN_MUX_INTERNAL] = LUN_H3_INTERNAL_ERROR,
        [LUN_MUX_CANCEL] = LUN_H3_REQUEST_CANCELLED
    };

    lun_h3_reset(lun_h3_stream_of(s), s->in.malformed ? LUN_H3_MESSAGE_ERROR
                                                      : codes[why]);
}


/* What it has queued goes on without it. */
static void
forget(lun_mux_stream *m)
{
    lun_h3         *h3 = lun_h3_of(m);
    lun_h3_stream  *s = lun_h3_stream_of(m);

    if (s->wire == NULL) {
        if (!h3->mux.broken && !h3->ended) {
            lun_quic_allow_bidi(h3->q, 1);
        }

        return;
    }

    lun_h3_drop_fields(s->wire);
    s->wire->stream = NULL;
}


#define KIND(version_)                                                        \
    .version  = LUN_STR_INIT(version_),                                       \
    .wake     = wake,                                                         \
    .consumed = consumed,                                                     \
    .widen    = widen,                                                        \
    .may_send = may_send,                                                     \
    .has_to_wait = has_to_wait,                                               \
    .reset    = reset,                                                        \
    .forget   = forget

const lun_mux_kind  lun_h3_mux = { KIND(" HTTP/3.0") };
const lun_mux_kind  lun_hq_mux = { KIND("") };


/* --- the protocol -------------------------------------------------------- */

static bool
is_enabled(const lun_listen_addr *listen, const lun_server *server)
{
    const lun_h3_conf  *conf = server->conf[lun_http_h3.index];

    return conf->enabled;
}


static const lun_str  names[] = { LUN_STR_INIT("h3"), LUN_STR_NULL };

const lun_http_protocol  lun_h3_protocol = {
    .names         = names,
    .enabled       = is_enabled,
    .stream_size   = sizeof(lun_h3_stream),
    .frames_body   = true,
    .send_header   = lun_h3_send_header,
    .send_body     = lun_mux_send_body,
    .pull_body     = lun_mux_pull_body,
    .send_continue = lun_h3_send_continue,
    .send_hints    = lun_h3_send_hints,
    .hand_over     = lun_mux_hand_over,
    .make_room     = lun_mux_make_room,
    .watch         = lun_mux_watch,
    .finish        = lun_mux_finish,
    .drop          = lun_mux_finish,
};
