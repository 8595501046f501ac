/*
 * h3_send.c -- bytes that go: QUIC asks whose, as long as the path takes some.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include "base/check.h"


enum { TURN = 16384 };             /* bytes, before it is the next one's turn */


static bool
has_something(const lun_h3_wire *w)
{
    return w->queue.unsent != 0 || (w->ends && !w->ended);
}


static bool
holds_all(const lun_quic_piece *piece, size_t size)
{
    size_t  i;

    for (i = 0; i < piece->n; i++) {
        size -= piece->slices[i].len;
    }

    return size == 0;
}


void
lun_h3_may_send(lun_h3_wire *w)
{
    if (!w->cut && !w->stuck && !lun_line_has(&w->sender)
        && !w->h3->mux.broken)
    {
        lun_line_enter(&w->h3->senders, &w->sender);
        lun_h3_wake(w->h3);
    }
}


/*
 * The line is by priority; who has nothing to send leaves it, and comes back
 * when it has (lun_h3_may_send).
 */
bool
lun_h3_next(lun_quic *q, lun_quic_piece *piece)
{
    lun_h3       *h3 = q->data;
    lun_h3_wire  *w;

    if (h3 == NULL) {
        return false;
    }

    while (!lun_list_empty(&h3->senders.places)) {
        w = lun_container_of(h3->senders.places.next, lun_h3_wire,
                             sender.link);

        if (w->stream != NULL) {
            lun_h3_fill(w->stream);
        }

        if (w->cut || !has_something(w)) {
            lun_line_leave(&w->sender);
            continue;
        }

        piece->id = w->id;
        piece->data = w;
        piece->n = lun_h3_queue_slices(&w->queue, piece->slices,
                                       LUN_QUIC_SLICES);
        piece->fin = w->ends && holds_all(piece, w->queue.unsent);
        return true;
    }

    return false;
}


void
lun_h3_took(lun_quic *q, int64_t id, void *stream, size_t n, bool fin)
{
    lun_h3       *h3 = q->data;
    lun_h3_wire  *w = stream;

    lun_h3_queue_sent(&w->queue, n);
    w->ended = w->ended || fin;
    h3->data_went = lun_clock.mono;

    if (w->ended) {
        lun_line_leave(&w->sender);
        return;
    }

    w->turn += n;

    if (w->turn >= TURN && lun_line_has(&w->sender)) {
        w->turn = 0;
        lun_line_leave(&w->sender);
        lun_line_enter(&h3->senders, &w->sender);
    }
}


void
lun_h3_acked(lun_quic *q, int64_t id, void *stream, size_t n)
{
    lun_h3_wire  *w = stream;

    lun_h3_queue_acked(&w->queue, n);
}


/*
 * The client takes nothing of what it asked for, whether the request waits for
 * that or is over.
 */
static void
stuck_too_long(lun_timer *timer)
{
    lun_h3_wire  *w = lun_container_of(timer, lun_h3_wire, timer);

    if (w->cut || w->h3->ended) {
        return;
    }

    lun_log(LUN_LOG_INFO, lun_h3_log(w->h3), lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");

    if (w->stream != NULL && !w->stream->m.closed) {
        w->stream->m.timed_out = 1;
        w->ends = 0;
        lun_h3_reset(w->stream, LUN_H3_REQUEST_CANCELLED);

    } else {
        w->cut = 1;
        lun_quic_reset(w->h3->q, w->id, LUN_H3_REQUEST_CANCELLED);
    }
}


void
lun_h3_blocked(lun_quic *q, int64_t id, void *stream)
{
    lun_h3_wire          *w = stream;
    const lun_core_conf  *conf = w->h3->mux.conf;

    w->stuck = 1;
    lun_line_leave(&w->sender);

    if (w->stream != NULL) {
        conf = lun_core_conf_of(w->stream->m.r);
    }

    lun_timer_start(q->c->loop, &w->timer, conf->send_timeout,
                    stuck_too_long);
}


void
lun_h3_opened(lun_quic *q, int64_t id, void *stream)
{
    lun_h3_wire  *w = stream;

    w->stuck = 0;
    lun_timer_stop(&w->timer);
    lun_h3_may_send(w);
}
