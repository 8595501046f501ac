/*
 * h3_link.h -- a connection to a server of HTTP/3, as its streams share it.
 *
 * Each stream is a connection to whoever uses it, as in ../h2/h2_link.h: it is
 * read and written like one, has its state and its time-out, and its end is
 * not that of the others.  What is written are frames of HTTP/3, head and all;
 * what is read are those that came, and behind the last of them, or where the
 * server gives a stream up, a frame of no meaning: so that whoever reads looks
 * once more, and asks for what there is to know.
 *
 * Bytes of a stream that does not read wait here, no more than its window lets
 * through; what is written waits here until the server has acknowledged it.
 *
 * A link lives in the memory of its connection.  That is the link's as long as
 * there are streams; without one it may be kept.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_LINK_H
#define LUN_HTTP_H3_LINK_H

#include "base/bytes.h"
#include "http/h3/h3_frames.h"
#include "http/h3/h3_queue.h"
#include "net/conn_pool.h"
#include "net/quic/quic.h"

typedef struct lun_h3_link         lun_h3_link;
typedef struct lun_h3_link_wire    lun_h3_link_wire;
typedef struct lun_h3_link_stream  lun_h3_link_stream;

/* A stream of QUIC's, whatever it is for. */
struct lun_h3_link_wire {
    lun_list       of_link;
    lun_list       sender;         /* it has something to send, and may */
    lun_h3_link   *link;
    int64_t        id;
    uint8_t        kind;           /* h3_link_priv.h */
    bool           in_quic;        /* which may still name it */
    bool           ends;           /* behind what is queued */
    bool           ended;          /* ... and that is sent */
    lun_h3_queue   queue;
};

/* A request's. */
struct lun_h3_link_stream {
    lun_h3_link_wire  w;           /* first */
    lun_list          due;         /* a handler of its is to be called */
    lun_conn         *conn;        /* NULL: nobody uses it any more */
    lun_msec          began;

    /* What comes. */
    lun_h3_frames     frames;      /* where its bytes are among frames */
    lun_bytes         in;          /* that wait */
    size_t            real;        /* of those, and not of our making */
    size_t            filled;      /* bytes at conn->in.last, not yet told */
    uint64_t          code;        /* of the server's RESET_STREAM */

    /* What goes. */
    int64_t           owed;        /* bytes of frames that are to be written */
    lun_slice         slice;       /* of a write; data NULL: */
    lun_fd            file;        /* ... of a file */
    int64_t           at;

    bool              last;        /* with what is owed the request ends */
    bool              waits;       /* a write, for room */
    bool              got_all;
    bool              was_reset;
    bool              was_stopped; /* nobody takes the rest of the request */
    bool              unheard;     /* the server will not look at it */
    bool              broken;      /* it ended within a frame */
};

struct lun_h3_link {
    lun_quic         *q;
    lun_conn         *c;           /* NULL: gone, and serve() frees this */
    lun_list          wires;
    lun_list          senders;     /* in turn */
    lun_list          due;
    size_t            count;       /* of streams that somebody uses */
    size_t            most;        /* of them */
    size_t            left;        /* streams that only QUIC still has */
    lun_conn_share    share;
    lun_task          task;
    unsigned          serving;     /* calls of serve() under way */
    unsigned          idle_frames; /* that have told us nothing */
    lun_msec          heard;       /* when the server said anything */
    bool              has_control, has_encoder, has_decoder;
    bool              goes_away;   /* no stream may follow */
    bool              over;        /* the connection has ended, or failed */
};

/* --- h3_link.c --- */

/*
 * A connection to a server, whose handshake the caller begins.  No more than
 * `most` streams at a time.  NULL: *err.
 */
lun_conn *lun_h3_link_connect(lun_loop *loop, const lun_quic_conf *conf,
    size_t most, const lun_addr *to, const lun_addr *from, const lun_log *log,
    lun_err *err);
/* The link of a connection, which is new, pooled, or has streams. */
lun_h3_link *lun_h3_link_of(lun_conn *c);
/* One more stream, with `size` of its input. */
lun_h3_link_stream *lun_h3_link_open(lun_h3_link *l, size_t size,
    const lun_log *log);
/*
 * Closes a stream, for which the server was `too_slow`, or not.  Returns the
 * connection, if that was the last one and others may still use it; otherwise
 * NULL: it has other streams, or is closed.
 */
lun_conn *lun_h3_link_part(lun_h3_link_stream *s, bool too_slow);
/* The server takes no more than it has: the link gets no other stream. */
void lun_h3_link_retire(lun_h3_link *l);

/* --- h3_link_io.c: what is written to a stream --- */

/*
 * So many bytes of frames will be written next, beside those that are owed;
 * `last`: and with them the request ends.
 */
void lun_h3_link_owe(lun_h3_link_stream *s, int64_t size, bool last);

/* --- and read from it --- */

/* The server has ended it, and nothing is left to be read but `here` bytes. */
bool lun_h3_link_has_ended(const lun_h3_link_stream *s, size_t here);
/* The server has given it up; what came before was read. */
static inline bool
lun_h3_link_was_reset(const lun_h3_link_stream *s)
{
    return s->was_reset || s->unheard;
}

#endif
