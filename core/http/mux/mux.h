/*
 * mux.h -- requests that share a connection: what HTTP/2 and HTTP/3 have in
 * common, between a protocol's frames and the requests.
 *
 * A protocol embeds a lun_mux in its connection and a lun_mux_stream, first,
 * in its streams (r->stream), and gives a lun_mux_kind: what frames do for
 * streams.  The stream of frames and the request end in either order: a client
 * may reset a stream whose handler still works, a handler may finish before
 * the client has sent its body.  The request is freed when both are through.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_MUX_H
#define LUN_HTTP_MUX_H

#include "http/mux/body_window.h"
#include "http/mux/field_in.h"

typedef struct lun_mux         lun_mux;
typedef struct lun_mux_stream  lun_mux_stream;
typedef struct lun_mux_conn    lun_mux_conn;

/* Why a stream is reset. */
typedef enum {
    LUN_MUX_NO_ERROR,                  /* the answer is whole; the client's
                                          body is not wanted any more */
    LUN_MUX_PROTOCOL,
    LUN_MUX_INTERNAL,
    LUN_MUX_CANCEL                     /* a tunnel that did not end in order */
} lun_mux_reason;

typedef struct {
    lun_str  version;                  /* " HTTP/2.0" */

    /* There is something to do: a turn comes, or the present one goes on. */
    void  (*wake)(lun_mux *m);
    /* n bytes of a body are used up: the client may send as many again. */
    void  (*consumed)(lun_mux_stream *s, size_t n);
    /* It may send that many ahead, if that is more than it may. */
    void  (*widen)(lun_mux_stream *s, size_t size);
    /* It may have output to send, if it is not waiting for its turn. */
    void  (*may_send)(lun_mux_stream *s);
    /* That none of it went is no fault of its client: others go first. */
    bool  (*has_to_wait)(const lun_mux_stream *s);
    /* The stream ends, and no output of it goes out any more. */
    void  (*reset)(lun_mux_stream *s, lun_mux_reason why);
    /* The request, and with it the stream, is freed in a moment. */
    void  (*forget)(lun_mux_stream *s);
} lun_mux_kind;

struct lun_mux {
    uint32_t                mark;      /* LUN_MARK_MUX */
    const lun_mux_kind     *kind;
    lun_conn               *c;
    const lun_listen_addr  *listen;
    const lun_core_conf    *conf;      /* the server's that TLS chose, or the
                                          address's default */
    lun_list                streams;   /* requests, until they are freed */
    lun_list                ready;     /* those with something to do */
    size_t                  stream_count;
    size_t                  over;      /* of these: only to be freed */
    unsigned                headers;   /* that have begun, and not ended */
    lun_msec                idle_from; /* when the last request ended */
    unsigned                broken:1;  /* nothing comes or goes any more */
    unsigned                served:1;  /* has had a request */
    unsigned                connects:1;    /* clients may say :protocol */
};

/* A request's side of the connection; lives in the request's pool. */
struct lun_mux_stream {
    uint32_t         mark;             /* LUN_MARK_MUX_STREAM */
    lun_mux         *mux;
    lun_request     *r;
    int64_t          id;
    lun_list         link;
    lun_list         ready;
    lun_log          log;
    lun_timer        body_timer;       /* client_body_timeout; before that,
                                          client_header_timeout */
    lun_timer        send_timer;       /* send_timeout, or limit_rate's */
    lun_field_in     in;
    lun_body_window  body;
    lun_mux_conn    *conn;             /* mux_conn.h; NULL: nobody has taken it
                                          over */

    /* What the frames say ... */
    unsigned         complete:1;       /* the header has come whole */
    unsigned         in_closed:1;      /* the client has said all */
    unsigned         out_closed:1;     /* so have we */
    unsigned         reset:1;          /* we have taken it back */
    unsigned         closed:1;         /* for the frames it is no more */
    /* ... and the request. */
    unsigned         started:1;
    unsigned         no_body:1;        /* the header said it all */
    unsigned         starved:1;        /* no output, and that is not its end */
    unsigned         finishing:1;      /* the course is over */
    unsigned         over:1;           /* ... and the stream is closed */
    unsigned         lost:1;           /* closed before it had its answer */
    unsigned         timed_out:1;
    unsigned         ended:1;          /* who has taken it over has said all */
};

/* All zero before. */
void lun_mux_init(lun_mux *m, const lun_mux_kind *kind, lun_conn *c,
    const lun_listen_addr *listen, const lun_server *server);

/* A request of that protocol, whose header begins to come. */
lun_mux_stream *lun_mux_new_stream(lun_mux *m,
    const lun_http_protocol *protocol, unsigned version, int64_t id);

/* Headers that have not come whole have their time from now on. */
void lun_mux_await_header(lun_mux *m);

/* The header is there: the request begins with the stream's next step. */
void lun_mux_complete(lun_mux_stream *s);

/* Bytes of the body.  ERROR: there is no memory for them. */
lun_rc lun_mux_keep_body(lun_mux_stream *s, const char *data, size_t len);

/* n bytes of it are used up: the client may send as many again. */
void lun_mux_used(lun_mux_stream *s, size_t n);

/* Whoever takes it as it comes is there: the client has a window for that. */
void lun_mux_open_window(lun_mux_stream *s);

/* For the frames the stream is no more. */
void lun_mux_closed(lun_mux_stream *s);

/* The stream is to be looked at. */
void lun_mux_ready(lun_mux_stream *s);

/* The connection is lost: all streams are. */
void lun_mux_break(lun_mux *m);

/*
 * The steps of streams that are ready, `most` of them; says how many there
 * were.  Handlers run in here, and only here.
 */
unsigned lun_mux_run(lun_mux *m, unsigned most);

/* --- for the lun_http_protocol ------------------------------------------- */

lun_rc  lun_mux_pull_body(lun_request *r, lun_str *bytes);
void    lun_mux_watch(lun_request *r);
void    lun_mux_finish(lun_request *r);

lun_rc  lun_mux_send_body(lun_request *r, lun_buf *in);

/* Some of r->output has gone, into frames, or nothing may yet. */
void    lun_mux_output_went(lun_mux_stream *s);

/* The client has send_timeout for what waits, from now on. */
void    lun_mux_limit_output(lun_mux_stream *s);

/* Nothing will be behind r->output. */
bool    lun_mux_is_whole(const lun_mux_stream *s);

/* Whether output of it may still be queued. */
static inline bool
lun_mux_may_send(const lun_mux_stream *s)
{
    return !s->closed && !s->reset && !s->mux->broken;
}

#endif
