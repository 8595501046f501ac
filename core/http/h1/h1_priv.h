/*
 * h1_priv.h -- what the HTTP/1 rooms share: h1.c (the conversation), h1_in.c
 * (reading a header), h1_serve.c, h1_out.c (writing an answer), h1_end.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H1_PRIV_H
#define LUN_HTTP_H1_PRIV_H

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/engine.h"
#include "format/chunked.h"
#include "format/h1_parse.h"
#include "http/write.h"
#include "net/conn_input.h"

/*
 * A buffer beside the connection's own: large_client_header_buffers, or for
 * a chunked body.  `from .. to` is the part of the request's header that the
 * buffer before it holds.
 */
typedef struct lun_h1_buffer  lun_h1_buffer;
struct lun_h1_buffer {
    lun_h1_buffer  *next;          /* the one before it in time */
    const char     *from;
    const char     *to;
    size_t          size;
    char            data[];
};

/* How the request that a turn is about has come out. */
typedef enum {
    LUN_H1_GOES_ON,                /* it is being served */
    LUN_H1_ENDED,                  /* the connection is free for the next */
    LUN_H1_CLOSED                  /* the connection has gone */
} lun_h1_outcome;

/* An HTTP/1 request's side of the connection; lives in the request's pool. */
typedef struct {
    uint32_t              mark;    /* LUN_MARK_H1 */
    lun_conn             *c;
    lun_request          *r;
    const lun_listen_addr *listen;
    const lun_core_conf  *conf;    /* the default server's */
    lun_h1_outcome       *outcome; /* a turn is on the stack */

    lun_h1_parser         parser;
    const char           *from;    /* the header's part of this buffer */
    lun_h1_buffer        *buffers; /* the latest first */
    unsigned              buffer_count;

    lun_conn_input        own;     /* is_set: c->in is one of `buffers` */

    lun_task              task;    /* the next turn, when others come first */
    char                 *body_base;       /* where the header ended */
    lun_msec              linger_end;

    lun_chunked           chunked; /* the place in a body in chunks */
    lun_str               arrived; /* of the body, in its own room */
    lun_conn_input        saved;   /* is_set: c->in is the body's room */

    unsigned              in_headers:1;    /* the request line is through */
    unsigned              host_given:1;    /* by the request line */
    unsigned              to_nowhere:1;    /* ... which nobody looks at */
    unsigned              finishing:1;     /* the course is over */
    unsigned              timed_out:1;     /* the client was too slow */
    unsigned              takeover_room:1; /* c->in was made for the takeover */
} lun_h1;

/* In a state that has a request; and of one whose course goes on. */
static inline lun_h1 *
lun_h1_of(const lun_conn *c)
{
    lun_h1  *h1 = c->data;

    LUN_CHECK_MARK(h1, LUN_MARK_H1);
    LUN_CHECK(h1->c == c);
    return h1;
}

static inline lun_h1 *
lun_h1_of_request(const lun_request *r)
{
    lun_h1  *h1 = r->stream;

    LUN_CHECK_MARK(h1, LUN_MARK_H1);
    return h1;
}

/* --- h1_in.c --- */

/* How far a header has come. */
typedef enum {
    LUN_H1_HEADER_MORE,            /* wait for the rest */
    LUN_H1_HEADER_READY,           /* the request is there, but for its body */
    LUN_H1_HEADER_REFUSED          /* logged; r->in.refusal is the answer */
} lun_h1_progress;

/* Looks at what has come. */
lun_h1_progress lun_h1_read_header(lun_h1 *h1);

/* What has come, up to the end of its first line: for logs. */
lun_str lun_h1_first_line(const lun_conn *c);

/* Its line has not come whole, or is none: what there is of it, for logs. */
void lun_h1_note_line(lun_h1 *h1);

/* The connection gets an empty buffer of that size; the old one stays. */
void lun_h1_new_buffer(lun_h1 *h1, size_t size);

/*
 * The connection gets its own input buffer back, with what has come of the
 * next request.  The others are to be freed when nobody looks at the request
 * any more.
 */
void lun_h1_detach_input(lun_h1 *h1);
void lun_h1_free_buffers(lun_h1_buffer *b);

/* --- h1.c --- */

extern const char  lun_h1_reading_headers[];       /* for the log */

/* For states: its request. */
lun_conn_fn  lun_h1_dump;

/* For lun_http_protocol.begin. */
lun_conn_fn  lun_h1_begin;

/* "client timed out", with the state's words. */
void lun_h1_timed_out(lun_conn *c);

/* A request has ended outside of a turn: the next, or keepalive. */
void lun_h1_after(lun_conn *c);

/* --- h1_serve.c --- */

/*
 * The header is there, and the request has outlived the turn that read it;
 * its answer waits for the client (r->blocked); its body is not all there; it
 * has a takeover.  Each enters the state that follows, unless what matters
 * more is in its way.
 */
void lun_h1_serve(lun_h1 *h1);
void lun_h1_wait_for_output(lun_h1 *h1);
void lun_h1_wait_for_body(lun_h1 *h1);
void lun_h1_take_over(lun_h1 *h1);

/*
 * Nothing can be sent to the client any more.  Whoever waits for it is told;
 * others find out when they next send something.  May end the request.
 */
void lun_h1_fail(lun_h1 *h1);

/* --- h1_takeover.c --- */

/*
 * Makes sure of `size` bytes from in.pos on, where what has come is moved
 * to if need be.  Not while it reads.
 */
lun_conn *lun_h1_hand_over(lun_request *r);
void lun_h1_make_room(lun_request *r, size_t size);

/* --- h1_end.c --- */

/*
 * The course of the request is over: the protocol's `finish`.  Called again
 * as often as something that it still has to wait for has happened.
 */
void lun_h1_finish(lun_request *r);
void lun_h1_drop(lun_request *r);

/* The answer is out, and the connection only listens: it is idle. */
extern const lun_conn_state  lun_h1_lingering;

/* --- h1_out.c --- */

lun_rc lun_h1_send_header(lun_request *r);
lun_rc lun_h1_send_body(lun_request *r, lun_buf *in);
lun_rc lun_h1_send_continue(lun_request *r);
void lun_h1_send_hints(lun_request *r, const lun_header_list *hints);

#endif
