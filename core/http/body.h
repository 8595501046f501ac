/*
 * body.h -- a request's body: read to memory or a temporary file, discarded,
 * or taken by a sink as it comes.
 *
 * Where it comes from is the protocol's business: its pull_body() gives the
 * next bytes, without any coding, where they are, and reads only when it is
 * asked for more than there is.  Who does not pull holds the client back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_BODY_H
#define LUN_HTTP_BODY_H

#include "http/protocol.h"

typedef void lun_body_fn(lun_request *r);

/*
 * Who takes a body as it comes, by lun_body_pull(), and says by himself how
 * long he waits for it.  The request may end in these.
 */
typedef struct {
    /* After AGAIN: there is more, or the end, or it has failed. */
    void  (*on_bytes)(lun_request *r);
    /* The client has gone, or will send no more; true: it mattered. */
    bool  (*on_gone)(lun_request *r);
} lun_body_sink;

struct lun_body {
    lun_chain     bufs;            /* the body, in memory and/or in the file */
    lun_fd        file;            /* LUN_FD_NONE: all in memory */
    lun_str       file_path;       /* ends with a zero byte */
    bool          delete_file;     /* when it is closed */
    int64_t       file_size;
    int64_t       size;            /* bytes so far */
    int64_t       left;            /* still to come; -1: its end will tell */
    const lun_body_sink *sink;     /* lun_body_open(); NULL: memory, or none */
    bool          awaited;         /* the last pull said AGAIN */
    lun_body_fn  *done;
    lun_body_fn  *on_fail;         /* in place of finishing the request */
    bool          ends;            /* pull_body: no bytes follow these */
    bool          complete;        /* nothing more of it is to come */
    bool          starting;        /* lun_body_read() is on the stack */
    bool          discarding;
    bool          failed;          /* it will never be complete */
    unsigned      status;          /* that it failed with */
    bool          in_file_only;    /* client_body_in_file_only */
    bool          single_buffer;   /* client_body_in_single_buffer */
    char         *room;            /* client_body_buffer_size bytes */
    size_t        room_size;
    size_t        room_used;
};

/*
 * Reads the whole body, then calls done(r), maybe before it returns (check
 * the verdict): LUN_LEAVE when it is complete and done has been called;
 * LUN_WAIT when done will be called later; LUN_STATUS + 413 and the like.
 * Asked twice, or by a subrequest, it is complete at once.  Sends "100
 * Continue" when asked for.
 * If reading fails later the request is finished with 400, 408 or 413, unless
 * r->main->body->on_fail is set by then: that is called instead.
 */
lun_verdict lun_body_read(lun_request *r, lun_body_fn *done);

/*
 * Reads and drops it, in the background; keep-alive stays possible.  LEAVE, or
 * LUN_STATUS + 400 and the like when it is malformed or too large.
 */
lun_verdict lun_body_discard(lun_request *r);

/*
 * The body, which nobody has asked for, goes to a sink.  ERROR: "100 Continue"
 * could not be said.
 */
lun_rc lun_body_open(lun_request *r, const lun_body_sink *sink);

/*
 * For sinks.  OK: the next bytes, which stay until the next pull, or its end,
 * if there are none; AGAIN: on_bytes follows; ERROR: it has failed, which was
 * logged, with b->status.
 */
lun_rc lun_body_pull(lun_request *r, lun_str *bytes);

/*
 * The sink has pulled all of it, and gives it back: as if it had been read.
 * `text` lives as long as the request.
 */
void lun_body_keep(lun_request *r, lun_str text);

/* The sink wants no more of it; what is left will be discarded. */
void lun_body_close(lun_request *r);

/*
 * A takeover has all of a client's bytes, both ways (a tunnel, a raw socket),
 * as a connection: HTTP/1's own, or one that stands for a stream (mux_conn.h).
 * It reads and writes there itself, and never closes it: that ends with the
 * request.  What it writes is memory that lives as long.  The request may end
 * in these.
 */
typedef struct lun_takeover {
    void  (*on_read)(lun_request *r);      /* bytes have come */
    void  (*on_written)(lun_request *r);   /* lun_conn_write() is done */
    bool  (*on_gone)(lun_request *r);      /* none will come; true: it cared */
} lun_takeover;

/*
 * Begins: it may, and r->body must be none, or complete.  The answer is the
 * takeover's from now on; of one on a shared connection the header is out.
 */
lun_conn *lun_body_hand_over(lun_request *r, const lun_takeover *takeover);

/* Whether there may be a takeover: a shared connection is nobody's. */
static inline bool
lun_body_may_hand_over(const lun_request *r)
{
    return r->protocol->hand_over != NULL
           && (!r->protocol->frames_body || r->in.tunnel);
}

/* The request has ended: if it is still being read, nobody waits for it. */
void lun_body_abandon(lun_request *r);

/* Whether it has one that nobody has asked for yet. */
static inline bool
lun_body_untouched(const lun_request *r)
{
    return r->body == NULL && (r->in.chunked || r->in.content_length > 0
                               || r->in.ends_apart);
}

/* The body's bytes in one piece (r->pool); from the file if need be. */
lun_str lun_body_text(lun_request *r);

/*
 * For ngx.req.set_body_data / init_body: replaces it, in.content_length as
 * well; `data` lives as long as the request.  _set_file gives it a file to
 * close at the request's end.
 */
void lun_body_set(lun_request *r, lun_str data);
void lun_body_set_file(lun_request *r, lun_fd file, lun_str path,
    int64_t size);

/* --- for protocols --- */

/* More of it is to come, whoever wants it. */
static inline bool
lun_body_is_open(const lun_request *r)
{
    return r->body != NULL && !r->body->complete && !r->body->failed;
}

/* A sink takes it, or has taken it. */
static inline bool
lun_body_streams(const lun_request *r)
{
    return r->body != NULL && r->body->sink != NULL;
}

/* More of it is to come, to memory or to be dropped. */
static inline bool
lun_body_wants(const lun_request *r)
{
    return lun_body_is_open(r) && r->body->sink == NULL;
}

/*
 * Bytes of it have come, or its end: pull_body() has them.  May end the
 * request (hold a reference).
 */
void lun_body_came(lun_request *r);

/*
 * Where the next bytes may be put directly, no more than *size, to be pulled
 * from there.  NULL: not this body.
 */
char *lun_body_room(lun_request *r, size_t *size);

/* It cannot be had: 400 when the client has left, 408 when it is too slow. */
void lun_body_fail(lun_request *r, unsigned status);

#endif
