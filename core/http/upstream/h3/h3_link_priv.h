/*
 * h3_link_priv.h -- what the files of a link share: h3_link.c (its life, and
 * that of its streams), h3_link_io.c (a stream as a connection), h3_link_uni.c
 * (what the server says of the connection).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_LINK_PRIV_H
#define LUN_HTTP_H3_LINK_PRIV_H

#include "http/upstream/h3/h3_link.h"

enum {
    LUN_H3_LINK_REQUEST,
    LUN_H3_LINK_OWN,               /* our control stream */
    LUN_H3_LINK_PEER               /* one that the server has opened */
};

/* The frame of no meaning that stands for an end: a reserved type, no content
   (RFC 9114, 7.2.8). */
#define LUN_H3_LINK_MARK  "\x21\x00"
enum { LUN_H3_LINK_MARK_LEN = 2 };

/* --- h3_link.c --- */

void lun_h3_link_count_room(lun_h3_link *l);
/* The server has done that wrong: no stream can go on. */
void lun_h3_link_refuse(lun_h3_link *l, uint64_t code, const char *what);
void lun_h3_link_wire_init(lun_h3_link_wire *w, lun_h3_link *l, uint8_t kind,
    int64_t id);
/* It has something to send, or its end. */
void lun_h3_link_may_send(lun_h3_link_wire *w);

/* --- h3_link_io.c --- */

extern const lun_conn_io  lun_h3_link_io;

/* Something is to be told at the end of this turn of the loop. */
void lun_h3_link_post(lun_h3_link *l);
/* Calls the handlers that are due.  The link may be gone then. */
void lun_h3_link_serve(lun_h3_link *l);
void lun_h3_link_due(lun_h3_link_stream *s);
/* What has come of it. */
void lun_h3_link_take(lun_h3_link_stream *s, const char *bytes, size_t n,
    bool fin);
/* It was reset, or will not be looked at: whoever reads is told. */
void lun_h3_link_tell(lun_h3_link_stream *s);

static inline lun_h3_link_stream *
lun_h3_link_stream_of(lun_h3_link_wire *w)
{
    return lun_container_of(w, lun_h3_link_stream, w);
}

/* --- h3_link_uni.c --- */

/* A stream that the server has opened; NULL: it may not (it was refused). */
lun_h3_link_wire *lun_h3_link_peer_new(lun_h3_link *l, int64_t id);
void lun_h3_link_peer_take(lun_h3_link_wire *w, const char *bytes, size_t n,
    bool fin);
void lun_h3_link_peer_free(lun_h3_link_wire *w);
/* The connection cannot do without it. */
bool lun_h3_link_peer_is_critical(const lun_h3_link_wire *w);

#endif
