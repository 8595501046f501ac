/*
 * memory_quic.h -- QUIC in memory, for what stands on it: streams without
 * packets, loss or keys.  The peer says bytes of a stream, and gets those that
 * the protocol gives; windows and resets are as a real one has them.
 *
 * Include it behind memory_http.h, whose listeners connections come to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMORY_QUIC_H
#define LUN_MEMORY_QUIC_H

#include "memory_quic_calls.h"

/* What the peer gets. */
static void quic_heard(quic_peer *p, int64_t id, const char *bytes, size_t n,
    bool fin);


static void
quic_on_close(lun_conn *c)
{
    ((quic_peer *) c->io_data)->c = NULL;
}


static const lun_conn_io  quic_io = {
    .traits = LUN_IO_SHARED, .close = quic_on_close
};


static void
quic_begin(quic_peer *p, unsigned listener)
{
    lun_listener  *l = lun_listen_at(http_gen->listeners, listener);

    *p = (quic_peer) { .next_uni = 3, .first_room = 1 << 30, .packet = 1200 };
    p->c = lun_conn_new_bare(lp, 0, &http_gen->log);
    p->c->io = &quic_io;
    p->c->io_data = p;
    p->c->listener = l;
    p->c->remote = l->addr;
    p->c->local = l->addr;
    p->c->local_known = true;
    p->q = (lun_quic) { .mark = LUN_MARK_QUIC, .c = p->c,
                        .protocol = &lun_h3_quic };
    p->q.protocol->begin(&p->q);
}


/* Both sides are through, and all is acknowledged. */
static void
quic_close_some(quic_peer *p)
{
    size_t        i;
    quic_stream  *s;

    for (i = 0; i < p->count && p->c != NULL; i++) {
        s = &p->streams[i];

        if (!s->closed && s->in_ended && s->out_ended
            && (s->unacked == 0 || s->reset_code != 0))
        {
            s->closed = true;
            p->q.protocol->stream_closed(&p->q, s->id, s->data);
        }
    }
}


static void
quic_ack(quic_peer *p)
{
    size_t        i;
    int64_t       n;
    quic_stream  *s;

    for (i = 0; i < p->count; i++) {
        s = &p->streams[i];
        n = s->unacked;

        if (n != 0 && !s->closed) {
            s->unacked = 0;
            p->q.protocol->acked(&p->q, s->id, s->data, (size_t) n);
        }
    }
}


static size_t
quic_gather(const lun_quic_piece *piece, char *to, size_t most)
{
    size_t  i, n, size = 0;

    for (i = 0; i < piece->n && size < most; i++) {
        n = lun_min(piece->slices[i].len, most - size);
        memcpy(to + size, piece->slices[i].data, n);
        size += n;
    }

    return size;
}


/* One packet with a part of a piece. */
static void
quic_send(quic_peer *p, const lun_quic_piece *piece)
{
    char          bytes[65536];
    bool          fin;
    size_t        i, n, whole = 0;
    quic_stream  *s = quic_find(p, piece->id);

    LUN_CHECK(s != NULL && !s->closed && !s->out_ended && !s->stuck);
    LUN_CHECK(s->data == piece->data);

    for (i = 0; i < piece->n; i++) {
        whole += piece->slices[i].len;
    }

    n = lun_min(lun_min(p->packet, sizeof(bytes)), (size_t) s->room);

    if (n == 0 && whole != 0) {
        s->stuck = true;
        p->q.protocol->blocked(&p->q, s->id, s->data);
        return;
    }

    n = quic_gather(piece, bytes, n);
    fin = piece->fin && n == whole;
    LUN_CHECK(n != 0 || fin);
    s->room -= (int64_t) n;
    s->unacked += (int64_t) n;
    s->out_ended = fin;
    quic_heard(p, s->id, bytes, n, fin);
    p->q.protocol->took(&p->q, s->id, s->data, n, fin);
}


static void
quic_lose(quic_peer *p)
{
    if (!p->lost && p->c != NULL) {
        p->lost = true;
        p->c->eof = true;
        p->q.protocol->lost(&p->q);
    }
}


/* Turns, and all that goes, until nobody has anything to say. */
static void
quic_run(quic_peer *p)
{
    lun_quic_piece  piece;

    do {
        wire_run();                /* what the loop has to do */

        if (p->c == NULL || p->lost) {
            return;
        }

        p->awake = false;
        p->q.protocol->turn(&p->q);

        while (p->c != NULL && !(p->ended && !p->gently)) {
            memset(&piece, 0, sizeof(piece));

            if (!p->q.protocol->next(&p->q, &piece)) {
                break;
            }

            quic_send(p, &piece);
        }

        if (!p->keeps_acks) {
            quic_ack(p);
        }

        quic_close_some(p);

        if (p->ended) {
            quic_lose(p);
        }
    } while (p->awake && p->c != NULL);
}


/* false: the connection ends. */
static bool
quic_say(quic_peer *p, int64_t id, const void *bytes, size_t n, bool fin)
{
    quic_stream  *s = quic_find(p, id);

    if (p->c == NULL || p->lost || p->ended) {
        return false;
    }

    if (s == NULL) {
        s = quic_add(p, id);
    }

    if (s->in_ended) {
        return true;
    }

    LUN_CHECK((int64_t) n <= s->window);
    s->window -= (int64_t) n;
    s->in_ended = fin;

    if (p->q.protocol->received(&p->q, id, &s->data, bytes, n, fin)
        != LUN_OK)
    {
        LUN_CHECK(p->ended);
        return false;
    }

    return true;
}


static TAP_UNUSED void
quic_say_reset(quic_peer *p, int64_t id, uint64_t code)
{
    quic_stream  *s = quic_find(p, id);

    if (s != NULL && !s->in_ended && p->c != NULL && !p->ended) {
        s->in_ended = true;
        p->q.protocol->was_reset(&p->q, id, s->data, code);
    }
}


static TAP_UNUSED void
quic_say_stop(quic_peer *p, int64_t id, uint64_t code)
{
    quic_stream  *s = quic_find(p, id);

    if (s != NULL && !s->out_ended && p->c != NULL && !p->ended) {
        s->out_ended = true;
        s->reset_code = code;
        p->q.protocol->was_stopped(&p->q, id, s->data, code);
    }
}


/* The peer takes so many bytes more of a stream. */
static TAP_UNUSED void
quic_open(quic_peer *p, int64_t id, int64_t n)
{
    quic_stream  *s = quic_find(p, id);

    s->room += n;

    if (s->stuck && !s->closed) {
        s->stuck = false;
        p->q.protocol->may_send(&p->q, id, s->data);
    }
}

#endif
