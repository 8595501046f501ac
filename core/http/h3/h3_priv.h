/*
 * h3_priv.h -- what the HTTP/3 rooms share: h3.c (the connection), h3_end.c
 * (its end), h3_wire.c (streams of QUIC, and what comes on those of requests),
 * h3_frames.c (numbers and frames, as bytes),
 * h3_fields.c (headers that come), h3_uni.c (streams that go one way: settings
 * and QPACK's table), h3_out.c (answers), h3_send.c (bytes that go),
 * h3_stream.c (a stream of ../mux), hq.c (HTTP/0.9).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_PRIV_H
#define LUN_HTTP_H3_PRIV_H

#include <nghttp3/nghttp3.h>

#include "http/h3/h3.h"
#include "http/h3/h3_conf.h"
#include "http/h3/h3_frames.h"
#include "http/h3/h3_queue.h"
#include "http/mux/account.h"
#include "http/mux/field_out.h"
#include "http/mux/line.h"
#include "http/mux/mux.h"

typedef struct lun_h3         lun_h3;
typedef struct lun_h3_wire    lun_h3_wire;
typedef struct lun_h3_stream  lun_h3_stream;

typedef enum {
    LUN_H3_WIRE_REQUEST,
    LUN_H3_WIRE_NEW,                   /* the client's, of a type that has not
                                          come */
    LUN_H3_WIRE_CONTROL,
    LUN_H3_WIRE_ENCODER,
    LUN_H3_WIRE_DECODER,
    LUN_H3_WIRE_IGNORED,
    LUN_H3_WIRE_OWN                    /* which we have opened */
} lun_h3_wire_kind;

/* What may come next on a request's. */
typedef enum {
    LUN_H3_AT_HEADER,
    LUN_H3_AT_BODY,
    LUN_H3_AT_END,                     /* trailers have come */
    LUN_H3_AT_NOTHING                  /* nobody wants it: it is dropped */
} lun_h3_place;

/*
 * A stream of QUIC's, with what was given to it: it lives until QUIC has done
 * with it, the request that it was opened for may be gone.
 */
struct lun_h3_wire {
    lun_h3                        *h3;
    lun_list                       link;       /* in h3->wires */
    int64_t                        id;
    lun_h3_stream                 *stream;     /* NULL: there is none */
    uint8_t                        kind;
    uint8_t                        at;

    /* What comes. */
    lun_h3_frames                  frames;
    lun_varint                     number;     /* a type; settings */
    uint64_t                       setting;
    nghttp3_qpack_stream_context  *fields;     /* a header that comes */
    size_t                         block;      /* bytes of it so far */
    lun_list                       waiting;    /* in h3->waiting: for QPACK */
    char                          *kept;       /* what came meanwhile */
    size_t                         kept_len;
    size_t                         kept_room;

    /* What goes. */
    lun_h3_queue                   queue;
    lun_line_place                 sender;     /* in h3->senders */
    size_t                         turn;       /* sent in this turn of it */
    lun_timer                      timer;      /* send_timeout: while it is
                                                  stuck */
    unsigned                       fin:1;      /* the client has said all */
    unsigned                       ends:1;     /* none follow those queued */
    unsigned                       ended:1;    /* ... which QUIC was told */
    unsigned                       cut:1;      /* it was reset */
    unsigned                       stuck:1;    /* without a window */
    unsigned                       skips:1;    /* the rest of this header */
    unsigned                       odd:1;      /* half of a setting has come */
    unsigned                       counted:1;  /* in h3->open */
};

enum { LUN_H3_UPDATE = 64 };           /* of PRIORITY_UPDATE, and one more */

struct lun_h3 {
    lun_mux                 mux;       /* first */
    lun_quic               *q;
    const lun_h3_conf      *conf;      /* the server's that TLS chose */
    lun_task                task;      /* a turn without QUIC, which is lost */
    lun_list                wires;
    unsigned                open;      /* of requests, until QUIC is done */

    nghttp3_qpack_decoder  *decoder;
    lun_list                waiting;
    unsigned                waiting_count;
    lun_h3_wire            *control;   /* ours; NULL: it is not open yet */
    lun_h3_wire            *decoding;  /* ours: what we say of the table */
    lun_line                senders;
    lun_msec                data_went; /* when a stream had sent something */

    int64_t                 next_id;   /* of requests: behind the last one */
    uint64_t                goaway;    /* what we have said; 0: nothing */
    size_t                  update_len;
    char                    update[LUN_H3_UPDATE];

    lun_account             account;
    unsigned                refused;
    lun_timer               drain;     /* before a worker's end: GOAWAY */
    unsigned                hq:1;
    unsigned                busy:1;    /* a turn is on the stack */
    unsigned                again:1;   /* it has more to do */
    unsigned                leaving:1; /* no new requests */
    unsigned                left:1;    /* the client has said GOAWAY */
    unsigned                quitting:1;
    unsigned                ended:1;   /* QUIC was told to end it */
    unsigned                flooded:1;
    unsigned                timed_out:1;
    unsigned                has_control:1, has_encoder:1, has_decoder:1;
    unsigned                has_settings:1;
};

struct lun_h3_stream {
    lun_mux_stream  m;                 /* first */
    lun_h3_wire    *wire;              /* NULL: QUIC has done with it */
    int64_t         recv_most;         /* bytes that may be ahead of who takes
                                          the body */
};

static inline lun_h3 *
lun_h3_of(const lun_mux_stream *s)
{
    return lun_container_of(s->mux, lun_h3, mux);
}

static inline lun_h3_stream *
lun_h3_stream_of(lun_mux_stream *s)
{
    return lun_container_of(s, lun_h3_stream, m);
}

static inline const lun_log *
lun_h3_log(const lun_h3 *h3)
{
    return &h3->mux.c->log;
}

/* --- h3.c --- */

/* Something is to be done, by the next turn or the present one. */
void lun_h3_wake(lun_h3 *h3);

/* Nothing comes or goes any more. */
void lun_h3_break(lun_h3 *h3);

/* --- h3_end.c --- */

/*
 * The worker was told to quit.  Requests that are on their way are served for
 * a moment; then the client is told which was the last.
 */
void lun_h3_quit(lun_h3 *h3);

/* No requests beyond those that have come: GOAWAY. */
void lun_h3_leave(lun_h3 *h3);

/* The client does not play by the rules, which is logged with `what`. */
void lun_h3_end(lun_h3 *h3, uint64_t code, const char *what);

/* One more request, and maybe the last: keepalive_requests and the like. */
void lun_h3_count_request(lun_h3 *h3);

/* Work that the client causes, in bytes; and payload, which pays. */
void lun_h3_charge(lun_h3 *h3, uint64_t cost);
void lun_h3_credit(lun_h3 *h3, size_t payload);
void lun_h3_flood(lun_h3 *h3, const char *what);

/* --- h3_wire.c --- */

/* One that we open: AGAIN, or NULL, if the client does not allow it yet. */
lun_h3_wire *lun_h3_open_wire(lun_h3 *h3, uint64_t type);

/* Bytes that have come, or were kept: frames of a request. */
void lun_h3_take(lun_h3_wire *w, const char *bytes, size_t n, bool fin);

/* For lun_quic_protocol. */
lun_rc lun_h3_received(lun_quic *q, int64_t id, void **stream,
    const char *bytes, size_t n, bool fin);
void lun_h3_was_reset(lun_quic *q, int64_t id, void *stream, uint64_t code);
void lun_h3_was_stopped(lun_quic *q, int64_t id, void *stream,
    uint64_t code);
void lun_h3_stream_closed(lun_quic *q, int64_t id, void *stream);

void lun_h3_free_wire(lun_h3_wire *w);

/* --- h3_fields.c --- */

/* For the blocks of this connection; NULL: it ends. */
nghttp3_qpack_decoder *lun_h3_decoder(lun_h3 *h3);

/*
 * A piece of a header or of trailers, whose frame ends with it (`last`), or
 * does not; says how much of it was used.  Less: it waits for QPACK's table.
 */
size_t lun_h3_take_fields(lun_h3_wire *w, lun_str piece, bool last);

/* The header has come whole; `ended`: so has the request. */
void lun_h3_end_fields(lun_h3_wire *w, bool ended);

/* Of what waits for the table some may go on. */
void lun_h3_go_on(lun_h3 *h3);

/* No more of that header is of any use. */
void lun_h3_drop_fields(lun_h3_wire *w);

void lun_h3_fields_fini(lun_h3 *h3);

/* --- h3_uni.c --- */

/* Bytes of a stream that goes one way. */
void lun_h3_take_uni(lun_h3_wire *w, const char *bytes, size_t n, bool fin);

/* Our control stream with its SETTINGS, as soon as it may be opened. */
void lun_h3_open_control(lun_h3 *h3);

/* What is to be said to QPACK's encoder. */
void lun_h3_tell_encoder(lun_h3 *h3);

void lun_h3_put_goaway(lun_h3 *h3, uint64_t id);

/* --- h3_out.c --- */

lun_rc lun_h3_send_header(lun_request *r);
lun_rc lun_h3_send_continue(lun_request *r);
void lun_h3_send_hints(lun_request *r, const lun_header_list *hints);

/* More of its output goes into frames, if it has any. */
void lun_h3_fill(lun_h3_stream *s);

/* --- h3_send.c --- */

/* It has something to send, or may have. */
void lun_h3_may_send(lun_h3_wire *w);

/* For lun_quic_protocol. */
bool lun_h3_next(lun_quic *q, lun_quic_piece *piece);
void lun_h3_took(lun_quic *q, int64_t id, void *stream, size_t n, bool fin);
void lun_h3_acked(lun_quic *q, int64_t id, void *stream, size_t n);
void lun_h3_blocked(lun_quic *q, int64_t id, void *stream);
void lun_h3_opened(lun_quic *q, int64_t id, void *stream);

/* --- h3_stream.c --- */

lun_h3_stream *lun_h3_new_stream(lun_h3_wire *w);

/* Both directions of it are given up. */
void lun_h3_reset(lun_h3_stream *s, uint64_t code);

/* Closed, if both sides have said all. */
void lun_h3_check_closed(lun_h3_stream *s);

extern const lun_mux_kind  lun_h3_mux, lun_hq_mux;

/* --- hq.c --- */

/* Bytes of a request of HTTP/0.9. */
void lun_hq_take(lun_h3_wire *w, const char *bytes, size_t n, bool fin);

#endif
