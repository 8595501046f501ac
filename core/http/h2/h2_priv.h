/*
 * h2_priv.h -- what the HTTP/2 rooms share: h2.c (the connection), h2_end.c
 * (its end), h2_account.c (what it costs), h2_frames.c (what nghttp2 says),
 * h2_in.c (headers of requests), h2_stream.c (the life of a request), h2_out.c
 * (answers), h2_memory.c (nghttp2's memory).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H2_PRIV_H
#define LUN_HTTP_H2_PRIV_H

#include <nghttp2/nghttp2.h>

#include "http/conf/core_conf.h"
#include "http/engine.h"
#include "http/h2/h2_conf.h"
#include "net/conn_input.h"

typedef struct lun_h2         lun_h2;
typedef struct lun_h2_stream  lun_h2_stream;

struct lun_h2 {
    uint32_t                mark;      /* LUN_MARK_H2 */
    lun_conn               *c;
    nghttp2_session        *session;
    const lun_listen_addr  *listen;
    const lun_core_conf    *conf;      /* the default server's */
    const lun_h2_conf      *h2_conf;
    lun_list                streams;   /* requests, until they are freed */
    lun_list                ready;     /* those with something to do */
    size_t                  stream_count;
    size_t                  over;      /* of these: only to be freed */
    lun_h2_stream          *recent;    /* nghttp2 has it, and spoke of it last;
                                          or NULL */
    lun_task                task;      /* the next turn */

    lun_conn_input          own;       /* is_set: it reads into a larger one */
    char                   *out;       /* frames on their way, or NULL */
    size_t                  out_pos;
    size_t                  out_len;
    const uint8_t          *frame;     /* nghttp2's, not in `out` yet */
    size_t                  frame_len;
    size_t                  burst;     /* sent in this turn */
    uint8_t                 settings[9 + 3 * 6];   /* the frame we begin with */

    unsigned                headers;   /* header blocks that have begun */
    int64_t                 debt;      /* h2_account.c's, in bytes ... */
    lun_msec                charged;   /* ... as of lun_clock.mono */
    unsigned                fresh;     /* streams of one turn's input */
    unsigned                refused;
    uint8_t                 first[4];  /* of the frame behind the preface */
    uint8_t                 begun;     /* bytes of the preface and of these */
    int32_t                 last_id;   /* of the streams that have begun ... */
    int32_t                 last_cut;  /* ... and of those that we reset while
                                          the client was still speaking */

    lun_timer               drain;     /* before a worker's end: GOAWAY */
    lun_msec                idle_from; /* when the last request ended */
    lun_msec                linger_end;
    size_t                  lingered;  /* bytes dropped at the end */
    unsigned                busy:1;    /* a turn is on the stack */
    unsigned                again:1;   /* it has more to do */
    unsigned                crowded:1; /* a frame had no room in `out` */
    unsigned                broken:1;  /* nothing comes or goes any more */
    unsigned                leaving:1; /* GOAWAY is out, or queued */
    unsigned                quitting:1;
    unsigned                served:1;  /* has had a request */
    unsigned                heeds:1;   /* the client knows our SETTINGS */
    unsigned                ended:1;   /* ... the last one */
    unsigned                flooded:1; /* ended, and not to be read on */
    unsigned                timed_out:1;
};

#define LUN_H2_PREFACE  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

/* A request's side of the connection; lives in the request's pool. */
struct lun_h2_stream {
    uint32_t            mark;          /* LUN_MARK_H2_STREAM */
    lun_h2             *h2;
    lun_request        *r;
    int32_t             id;
    lun_list            link;
    lun_list            ready;
    lun_log             log;
    lun_timer           body_timer;    /* client_body_timeout */
    lun_timer           send_timer;    /* send_timeout, or limit_rate's */

    /* The header, while it comes. */
    size_t              header_size;
    lun_str             authority;
    lun_str             cookie;
    size_t              cookie_room;
    unsigned            malformed:1;   /* ... and it ends with RST_STREAM */

    /* The body, as far as nobody has taken it. */
    char               *body;
    size_t              body_len;
    size_t              body_room;
    size_t              body_held;     /* bytes of the last pull */
    char               *body_taken;    /* where a sink's are */
    int64_t             body_came;

    unsigned            fields:1;      /* after the pseudo-headers */
    unsigned            has_scheme:1;
    unsigned            has_host:1;    /* "host", not ":authority" */
    unsigned            complete:1;    /* the header has come whole */
    unsigned            started:1;
    unsigned            in_closed:1;   /* the client has said all */
    unsigned            out_closed:1;  /* so have we */
    unsigned            no_body:1;     /* the header said it all */
    unsigned            deferred:1;    /* nghttp2 waits for output */
    unsigned            wide:1;        /* its window has been opened */
    unsigned            finishing:1;   /* the course is over */
    unsigned            closed:1;      /* for nghttp2 it is no more */
    unsigned            over:1;        /* ... and for its handler, too */
    unsigned            lost:1;        /* ... before it had its answer */
    unsigned            reset:1;       /* RST_STREAM is queued */
    unsigned            timed_out:1;
};

/* --- h2.c --- */

/* Something is to be done, by the next turn or the present one. */
void lun_h2_wake(lun_h2 *h2);

/* The stream is to be looked at. */
void lun_h2_ready(lun_h2_stream *s);

/* For lun_http_protocol. */
bool lun_h2_enabled(const lun_listen_addr *listen);
lun_http_guess lun_h2_guess(const char *data, size_t size);
lun_conn_fn  lun_h2_begin;

enum {
    LUN_H2_FRAME_HEAD = 9,
    LUN_H2_FILE_LEAST = 4096,      /* of a file that goes its own way */
    LUN_H2_FILE_MOST = 16384       /* ... and of one frame */
};

/*
 * Where `size` bytes may be put behind the frames that are on their way.
 * NULL: not before these are gone, or it is the others' turn.
 */
char *lun_h2_make_room(lun_h2 *h2, size_t size);
/*
 * Sends what the socket takes of these; `more` follows at once.  OK: none is
 * left; AGAIN: some are.
 */
lun_rc lun_h2_send_out(lun_h2 *h2, bool more);

/* --- h2_end.c --- */

/*
 * The worker was told to quit.  Requests that are on their way are served for
 * a moment; then the client is told which was the last.
 */
void lun_h2_quit(lun_h2 *h2);

/* No request is left, nothing is to be said; it may be gone by then. */
void lun_h2_close(lun_h2 *h2);

/* No requests beyond those that have come: GOAWAY. */
void lun_h2_leave(lun_h2 *h2);

/* The client does not play by the rules: the last GOAWAY. */
void lun_h2_end(lun_h2 *h2, uint32_t code);

/* One more request, and maybe the last: keepalive_requests and the like. */
void lun_h2_account(lun_h2 *h2);

/* --- h2_account.c --- */

/*
 * Work that the client causes, in bytes; payload, of headers and bodies,
 * pays.  Too much debt is a flood.
 */
void lun_h2_charge(lun_h2 *h2, uint64_t cost);
void lun_h2_charge_frame(lun_h2 *h2, const nghttp2_frame_hd *hd);
void lun_h2_credit(lun_h2 *h2, size_t payload);

/*
 * Logs what the client did, once, and ends the connection: nothing more of it
 * is read, requests that it has are aborted.
 */
void lun_h2_flood(lun_h2 *h2, const char *what);

/* --- h2_memory.c --- */

/* For sessions of nghttp2's. */
extern nghttp2_mem  lun_h2_memory;

/* --- h2_frames.c --- */

/* NULL: no memory. */
nghttp2_session *lun_h2_session(lun_h2 *h2);

/* Bytes that have come; below 0: an error of nghttp2's. */
ssize_t lun_h2_feed(lun_h2 *h2, lun_str bytes);

/*
 * Has nghttp2 make its next frame, h2->frame, which is valid until the next
 * call.  Its size; 0: there is none; below 0: an error of nghttp2's.
 */
ssize_t lun_h2_next_frame(lun_h2 *h2);

/* --- h2_in.c --- */

lun_h2_stream *lun_h2_new_stream(lun_h2 *h2, int32_t id);
void lun_h2_take_field(lun_h2_stream *s, lun_str name, lun_str value);
/* One of those behind the body.  Nobody asks for them, but they have rules. */
void lun_h2_take_trailer(lun_h2_stream *s, lun_str name);
/* All fields are there. */
void lun_h2_complete(lun_h2_stream *s);

/* --- h2_stream.c --- */

/* What is to be done with a stream; it may be gone afterwards. */
void lun_h2_step(lun_h2_stream *s);

/* Bytes of a body.  ERROR: there is no memory for them. */
lun_rc lun_h2_keep_body(lun_h2_stream *s, const char *data, size_t len);

void lun_h2_reset(lun_h2_stream *s, uint32_t code);

/* That a stream was reset: frames of it may be on their way. */
static inline void
lun_h2_cut(lun_h2 *h2, int32_t id)
{
    h2->last_cut = lun_max(h2->last_cut, id);
}

/* --- h2_out.c --- */

lun_rc lun_h2_send_header(lun_request *r);
lun_rc lun_h2_send_body(lun_request *r, lun_buf *in);
lun_rc lun_h2_send_continue(lun_request *r);
/* nghttp2's: a frame of a file's part, which read_output() has promised. */
int lun_h2_send_file(nghttp2_session *session, nghttp2_frame *frame,
    const uint8_t *head, size_t size, nghttp2_data_source *source, void *data);
void lun_h2_send_hints(lun_request *r, const lun_header_list *hints);

#endif
