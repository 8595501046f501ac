/*
 * body.h -- a request's body: read to memory or a temporary file, or
 * discarded.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_BODY_H
#define LUN_HTTP_BODY_H

#include "http/h1/chunked.h"
#include "http/protocol.h"

typedef void lun_body_fn(lun_request *r);

struct lun_body {
    lun_chain     bufs;            /* the body, in memory and/or in the file */
    lun_fd        file;            /* LUN_FD_NONE: all in memory */
    lun_str       file_path;       /* ends with a zero byte */
    bool          delete_file;     /* when it is closed */
    int64_t       file_size;
    int64_t       size;            /* bytes so far */
    int64_t       left;            /* still to come; -1: chunked */
    lun_chunked   chunked;
    lun_body_fn  *done;
    lun_body_fn  *on_fail;         /* in place of finishing the request */
    bool          complete;        /* nothing more of it is to come */
    bool          starting;        /* lun_body_read() is on the stack */
    bool          discarding;
    /* a takeover reads it: lun_body_hand_over() */
    bool          taken_over;
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
 * A takeover reads what comes from r->conn->in itself: the body, whose
 * r->body->left bytes it keeps to, or, if it writes as well, whatever comes
 * until the connection ends.  The request may end while it is called.
 */
typedef struct lun_takeover {
    void  (*on_read)(lun_request *r);      /* bytes have come */
    void  (*on_written)(lun_request *r);   /* lun_conn_write() is done; or NULL:
                                              it does not write */
    bool  (*on_gone)(lun_request *r);      /* none will come; true: it cared */
} lun_takeover;

/*
 * Begins: r->body must be none, or complete for one that writes.  ERROR:
 * "100 Continue" could not be said.
 */
lun_rc lun_body_hand_over(lun_request *r, const lun_takeover *takeover);

/*
 * Whether a body of no known length gets larger than it may by so many bytes;
 * that is logged, and the answer is a 413.
 */
bool lun_body_too_large(const lun_request *r, size_t more);

/* The takeover has used up n bytes of the body. */
void lun_body_took(lun_request *r, size_t n);

/* The takeover ends; what it leaves of the body will be discarded. */
void lun_body_take_back(lun_request *r);

/* The request has ended: if it is still being read, nobody waits for it. */
void lun_body_abandon(lun_request *r);

/* Whether it has one that nobody has asked for yet. */
static inline bool
lun_body_untouched(const lun_request *r)
{
    return r->body == NULL && (r->in.chunked || r->in.content_length > 0);
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

/* Whether bytes of it are to come and somebody waits for them. */
static inline bool
lun_body_wants(const lun_request *r)
{
    return r->body != NULL && !r->body->complete && !r->body->failed
           && !r->body->taken_over;
}

/*
 * Bytes have come: takes those that are the body's, and may end the request
 * (hold a reference).  They stay where they are until the request ends.
 */
void lun_body_on_bytes(lun_request *r, const char **pos, const char *end);

/* A protocol that frames bodies: one of unknown length has come whole. */
void lun_body_on_end(lun_request *r);

/*
 * Where the next bytes may be put directly, no more than *size: *pos of
 * lun_body_on_bytes() then begins there.  NULL: not this body.
 */
char *lun_body_room(lun_request *r, size_t *size);

/* It cannot be had: 400 when the client has left, 408 when it is too slow. */
void lun_body_fail(lun_request *r, unsigned status);

#endif
