/*
 * memory_quic_calls.h -- QUIC in memory: what a protocol calls.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMORY_QUIC_CALLS_H
#define LUN_MEMORY_QUIC_CALLS_H

#include "http/h3/h3.h"
#include "net/conn_io.h"

enum { QUIC_STREAMS = 256, QUIC_WINDOW = 65536 };

typedef struct {
    int64_t   id;
    void     *data;                /* the protocol's */
    int64_t   window;              /* what the peer may say */
    int64_t   room;                /* what it takes */
    bool      in_ended, out_ended; /* FIN or reset, of either side */
    bool      stopped;             /* we want no more of it */
    bool      stuck;               /* blocked() */
    bool      closed;
    uint64_t  reset_code, stop_code;
    int64_t   unacked;
} quic_stream;

typedef struct {
    lun_quic     q;
    lun_conn    *c;                /* NULL: closed */
    quic_stream  streams[QUIC_STREAMS];
    size_t       count;
    int64_t      next_uni;
    int64_t      first_room;       /* of a stream */
    size_t       packet;           /* bytes that a piece is taken by */
    bool         keeps_acks;       /* acked() waits for quic_ack() */
    bool         awake;
    bool         ended, gently;    /* lun_quic_end() */
    uint64_t     code;
    bool         lost;
    unsigned     bidi;             /* that were allowed since */
} quic_peer;

static const char  *quic_alpn = "h3";


/* --- TLS, as far as it is asked ------------------------------------------ */

struct ssl_st;
void SSL_get0_alpn_selected(const struct ssl_st *ssl,
    const unsigned char **name, unsigned *len);

void
SSL_get0_alpn_selected(const struct ssl_st *ssl, const unsigned char **name,
    unsigned *len)
{
    *name = (const unsigned char *) quic_alpn;
    *len = (unsigned) strlen(quic_alpn);
}


/* --- what a protocol calls ----------------------------------------------- */

static quic_peer *
quic_peer_of(lun_quic *q)
{
    return lun_container_of(q, quic_peer, q);
}


static quic_stream *
quic_find(quic_peer *p, int64_t id)
{
    size_t  i;

    for (i = 0; i < p->count; i++) {
        if (p->streams[i].id == id) {
            return &p->streams[i];
        }
    }

    return NULL;
}


static quic_stream *
quic_add(quic_peer *p, int64_t id)
{
    quic_stream  *s = &p->streams[p->count++];

    LUN_CHECK(p->count <= QUIC_STREAMS);
    *s = (quic_stream) { .id = id, .window = QUIC_WINDOW,
                         .room = p->first_room };
    s->in_ended = id % 4 == 3;
    s->out_ended = id % 4 == 2;
    return s;
}


lun_quic *
lun_quic_of(const lun_conn *c)
{
    return NULL;
}


lun_str
lun_quic_name(const lun_quic *q, char room[LUN_QUIC_NAME])
{
    return LUN_STR("");
}


void
lun_quic_wake(lun_quic *q)
{
    quic_peer_of(q)->awake = true;
}


lun_rc
lun_quic_open_uni(lun_quic *q, void *stream, int64_t *id)
{
    quic_peer  *p = quic_peer_of(q);

    *id = p->next_uni;
    p->next_uni += 4;
    quic_add(p, *id)->data = stream;
    return LUN_OK;
}


void
lun_quic_consumed(lun_quic *q, int64_t id, size_t n)
{
    quic_stream  *s = quic_find(quic_peer_of(q), id);

    LUN_CHECK(s != NULL && !s->closed);
    s->window += (int64_t) n;
}


void
lun_quic_reset(lun_quic *q, int64_t id, uint64_t code)
{
    quic_stream  *s = quic_find(quic_peer_of(q), id);

    LUN_CHECK(s != NULL && !s->closed && s->reset_code == 0);
    s->reset_code = code;
    s->out_ended = true;
    quic_peer_of(q)->awake = true;
}


void
lun_quic_stop(lun_quic *q, int64_t id, uint64_t code)
{
    quic_stream  *s = quic_find(quic_peer_of(q), id);

    LUN_CHECK(s != NULL && !s->closed);
    s->stop_code = code;
    s->stopped = true;
    s->in_ended = true;            /* the peer answers by a reset */
    quic_peer_of(q)->awake = true;
}


void
lun_quic_allow_bidi(lun_quic *q, unsigned n)
{
    quic_peer_of(q)->bidi += n;
}


void
lun_quic_allow_uni(lun_quic *q, unsigned n)
{
}


void
lun_quic_end(lun_quic *q, uint64_t code, bool gently)
{
    quic_peer  *p = quic_peer_of(q);

    if (!p->ended || p->gently) {
        p->ended = true;
        p->gently = gently;
        p->code = code;
        p->awake = true;
    }
}

#endif
