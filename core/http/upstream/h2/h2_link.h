/*
 * h2_link.h -- a connection to a server of HTTP/2, as its streams share it.
 *
 * Each stream is a connection to whoever uses it: it is read and written like
 * one, has its state and its time-out, and its end is not that of the others.
 * It reads the frames of its stream as they came, and writes a request's
 * header as frames, then the body's bytes, which are framed here.
 *
 * What comes for a stream that does not read waits here, no more than its
 * window lets through: no stream waits for another one to read.  Those that
 * want to write do so in turn, a frame at a time.
 *
 * A link lives in the memory of its connection.  That is the link's as long as
 * there are streams; without one it may be kept, and still answers a server's
 * frames.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H2_LINK_H
#define LUN_HTTP_H2_LINK_H

#include "base/bytes.h"
#include "format/h2_wire.h"
#include "net/conn_pool.h"

typedef struct lun_h2_link    lun_h2_link;
typedef struct lun_link_stream  lun_link_stream;

enum {
    LUN_H2_STREAM_WINDOW = 262144, /* of ours, for each stream */
    LUN_H2_MOST_WAITING = 65536    /* bytes to be sent: then streams wait */
};

struct lun_link_stream {
    lun_list       of_link;
    lun_list       due;            /* a handler of its is to be called */
    lun_list       turn;           /* it waits for room to write */
    lun_h2_link   *link;           /* NULL: it is closed */
    lun_conn      *conn;
    void         (*on_window)(lun_conn *c);
    uint32_t       id;             /* 0: it has not begun */
    int64_t        window;         /* for what is sent */
    lun_msec       began;

    size_t         filled;         /* bytes at conn->in.last, not yet told */
    lun_bytes   in;             /* ... that did not fit there */
    const char    *what;           /* is wrong with what came */
    unsigned       hints;          /* interim answers */

    size_t         head;           /* bytes of frames that are to be written */
    int64_t        framed;         /* of the body, that windows let through */
    lun_slice      slice;          /* of a write; data NULL: */
    lun_fd         file;           /* ... of a file */
    int64_t        at;
    lun_task       closing;

    bool           opened;         /* its window, or the connection's */
    bool           ends;           /* with what is framed */
    bool           sent_all;
    bool           got_all;
    bool           last_frame;     /* said so */
    bool           was_reset;
};

struct lun_h2_link {
    lun_conn        *c;            /* NULL: gone, and serve() frees this */
    lun_frames       frames;
    lun_link_stream   *to;           /* whose frame comes; NULL: nobody's */
    lun_list         streams;
    lun_list         due;
    lun_list         turn;
    size_t           count;        /* of streams */
    size_t           most;         /* ... that the server takes */
    lun_conn_share   share;
    lun_task         task;
    unsigned         serving;      /* calls of serve() under way */

    int64_t          window;       /* for what is sent */
    int64_t          initial;      /* of streams, as SETTINGS say */
    int64_t          asked;        /* what it is after the frame */
    int64_t          received;     /* of ours, not given back */
    int64_t          late;         /* what ended streams may still bring */
    uint32_t         next_id;
    uint32_t         block;        /* whose header block is not complete */
    int64_t          credit;       /* frames that it may send for nothing */
    lun_msec         credited;     /* when that was counted */
    lun_msec         heard;        /* when the server said anything */

    lun_bytes     out;          /* to be sent */
    lun_bytes     going;        /* being written */
    const char      *what;         /* it has done wrong; NULL: nothing */
    char             text[48];
    bool             was_set;      /* SETTINGS have come */
    bool             goes_away;    /* no stream may follow */
    bool             over;         /* the connection has ended, or failed */
};

/* --- h2_link.c --- */

/* The link of a connection, which is new, pooled, or has streams. */
lun_h2_link *lun_h2_link_of(lun_conn *c);
/*
 * One more stream.  on_window is told when there may be more room in a window
 * for it to send; `size` of its input.
 */
lun_link_stream *lun_h2_link_open(lun_h2_link *l, size_t size,
    const lun_log *log, lun_conn_fn *on_window);
/*
 * Closes a stream, for which the server was `too_slow`, or not.  Returns the
 * connection, if that was the last one and others may still use it; otherwise
 * NULL: it has other streams, or is closed.
 */
lun_conn *lun_h2_link_part(lun_link_stream *s, bool too_slow);

/*
 * It begins now, and s->head is to be set: so many bytes of frames will be
 * written next.  Whether it is the connection's first.
 */
bool lun_link_stream_begin(lun_link_stream *s, bool bodiless);
/* Of so many bytes of the body: how many may be sent.  `last`: none follow. */
int64_t lun_link_stream_frame(lun_link_stream *s, int64_t size, bool last);
/* Whether windows let some of its body through. */
static inline bool
lun_link_stream_may_send(const lun_link_stream *s)
{
    return s->window > 0 && s->link->window > 0;
}

/* So many bytes of its window are free again. */
void lun_link_stream_give_back(lun_link_stream *s, int64_t n);
/* The server takes no more than it has: the link gets no other stream. */
void lun_h2_link_retire(lun_h2_link *l);
/* What is wrong with what came, behind the last byte of it; NULL: nothing. */
const char *lun_link_stream_wrong(const lun_link_stream *s);

/* --- h2_link_out.c --- */

extern const lun_conn_io  lun_link_stream_io;

/* Something is to be said, or told, at the end of this turn of the loop. */
void lun_h2_link_post(lun_h2_link *l);
/* A stream's body ends, without bytes that a frame of it would have. */
void lun_link_stream_end(lun_link_stream *s);
/* A frame of the link's own, and its content. */
void lun_h2_link_say(lun_h2_link *l, unsigned type, unsigned flags,
    uint32_t stream, const void *data, size_t len);
/*
 * Sends what the socket takes; the rest, if that is wanted, as it takes more.
 * Whether nothing is left.
 */
bool lun_h2_link_flush(lun_h2_link *l, bool write);
/* Calls the handlers that are due, and sends.  The link may be gone then. */
void lun_h2_link_serve(lun_h2_link *l);

/* --- h2_link_in.c --- */

/* All that has come: it is the streams' now, or done. */
void lun_h2_link_take(lun_h2_link *l, const char *pos, const char *end);
/*
 * What a frame costs that brings nothing, and what one that does is worth.
 * ERROR: the server has sent too many.
 */
lun_rc lun_h2_link_spend(lun_h2_link *l, int64_t n);
void lun_h2_link_earn(lun_h2_link *l);
/* The server has done that wrong: no stream can go on. */
void lun_h2_link_refuse(lun_h2_link *l, const char *what);
/* There is more room in the window of the connection: all may look again. */
void lun_h2_link_open_windows(lun_h2_link *l);
void lun_link_stream_refuse(lun_link_stream *s, const char *what);

static inline void
lun_link_stream_due(lun_link_stream *s)
{
    if (lun_list_empty(&s->due)) {
        lun_list_push_back(&s->link->due, &s->due);
    }
}

#endif
