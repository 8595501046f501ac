/*
 * upreq.h -- a request that is answered by another server: what it needs to
 * choose one, speak to it, and pass its answer on.
 *
 * Of the language that is spoken this room knows nothing: a
 * lun_upstream_protocol makes the request and reads the answer (HTTP/1:
 * modules/http/proxy/proxy.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_H
#define LUN_HTTP_UPREQ_H

#include "session/upstream/balance.h"
#include "session/upstream/tries.h"
#include "http/upstream/upreq_conf.h"
#include "http/upstream/upreq_stage.h"

typedef struct lun_upreq       lun_upreq;
typedef struct lun_upstream_protocol  lun_upstream_protocol;

/* Where it goes: a block or an address of the configuration, or a name. */
typedef struct {
    lun_upstream            *upstream;     /* NULL: see host and port */
    const lun_upstream_tls  *tls;          /* NULL: it goes in plain text */
    lun_str                  host;
    uint16_t                 port;
    bool                     port_given;
} lun_upreq_target;

/* What is asked of a server, and done with its answer, for who keeps that. */
typedef struct {
    bool     keep;                 /* bodies go to the hooks; the client may
                                      leave, or be none */
    bool     as_is;                /* ... and all the same it is no answer of
                                      ours */
    bool     get;                  /* GET in place of a HEAD */
    bool     whole;                /* no conditions but those below, and no
                                      ranges */
    bool     no_client;            /* nothing is passed on to the request */
    lun_str  etag;                 /* If-None-Match; data NULL: none */
    lun_str  last_modified;        /* If-Modified-Since; the same */
} lun_upreq_fetch;

/* The header of the answer, as it came. */
typedef struct {
    lun_header_list   list;
    lun_header_list   trailers;    /* of NAME_pass_trailers; pool NULL: none */
    unsigned          status;
    lun_str           status_line; /* data NULL: by number */
    int64_t           length;      /* of the body; -1: unknown */
    int64_t           head_length; /* what its header says; -1: nothing */
    bool              framed;      /* the protocol marks the body's end: that
                                      of the connection is none */
    bool              may_end;     /* ... but it may be by now */
    bool              keep;        /* its connection may serve others */
    bool              complete;    /* all of it has come */
    bool              accel;       /* it may have X-Accel-... */
    bool              unheard;     /* no server has looked at the request */
} lun_upreq_answer;

typedef enum {
    LUN_UPSTREAM_DONE,             /* header: it is complete; body: its end */
    LUN_UPSTREAM_MORE,
    LUN_UPSTREAM_DATA,             /* body: a piece */
    LUN_UPSTREAM_INTERIM,          /* header: that was a 103, or so: go on */
    LUN_UPSTREAM_BAD               /* said in the log */
} lun_upstream_verdict;

/* What stands on the wire around a piece of the request's body. */
typedef struct {
    lun_str  before;
    lun_str  after;
    char     room[32];             /* for texts that are made */
} lun_upreq_frame;

/*
 * A language.  It sees bytes, never a connection; x->protocol_data is its own.
 * README.md tells how one is written.
 */
struct lun_upstream_protocol {
    lun_str             schema;    /* "http://": for the log */
    lun_str             tls_schema;        /* the same over TLS */
    /*
     * Who says the same may use a connection that was kept; data NULL: the
     * schema says it.
     */
    lun_str             language;
    /*
     * read_header keeps nothing where it came: what it needs of *pos .. end
     * it copies, see lun_upreq_gather().  For bytes that come in records.
     */
    bool                reassembles;
    /* It asks with GET in place of a HEAD if x->fetch.get says so. */
    bool                converts_head;
    /* Nothing is asked: who is connected to it is through (a CONNECT). */
    bool                tunnels;
    /* Its servers name themselves and the time, where that is passed on. */
    bool                dates_itself;
    /*
     * Once, before the first server is chosen: the request in front of its
     * body, a list of bufs that are sent anew to each server.  x->body is
     * what will follow, and may be replaced; x->body_is_plain says that it
     * goes out as it is, without `frame`.
     */
    lun_rc            (*make)(lun_upreq *x, lun_buf **head);
    /*
     * What an answer is kept by where NAME_cache_key says nothing; asked
     * before `make`.  NULL: then none is kept.
     */
    lun_str           (*key)(lun_upreq *x);
    /*
     * It connects in its own way, and TLS is a part of that: a connection
     * whose handshake follows, which comes from `from` (NULL: as the system
     * likes).  NULL: *err.  No hook: over TCP.
     */
    lun_conn         *(*connect)(lun_upreq *x, const lun_addr *from,
                          lun_err *err);
    /*
     * Requests have connections in common: `join` makes x's part of one that
     * stands, itself a connection; `part` closes that, and returns the whole
     * if nobody uses it now, and others may.  NULL: each has its own.
     */
    lun_conn         *(*join)(lun_upreq *x, lun_conn *c);
    lun_conn         *(*part)(lun_upreq *x);
    /*
     * Before each sending: x->conn stands, and x->head and x->head_last may be
     * replaced by what goes out on it.  NULL: there is nothing to be done.
     */
    void              (*begin)(lun_upreq *x);
    /*
     * The next `size` bytes of the body, `last`: none follow.  Returns of how
     * many f->before and f->after (zeroed) are the frame; it is called again
     * for the others.  0 of more than none: not now, lun_upreq_send_more().
     * `size` 0 and `last`: nothing (more) comes.  NULL: a body goes out as it
     * is.
     */
    int64_t           (*frame)(lun_upreq *x, int64_t size, bool last,
                          lun_upreq_frame *f);
    /* Before each answer: what is known of one is forgotten. */
    void              (*reset)(lun_upreq *x);
    /*
     * Bytes of the answer's header, from *pos on, which moves over what was
     * used; they stay where they are (but see `reassembles`).  Fills
     * x->answer.
     */
    lun_upstream_verdict  (*read_header)(lun_upreq *x, const char **pos,
                          const char *end);
    /*
     * The same of the body, after a header, until it says DONE or MORE (all
     * is used); answer.length < 0: any byte.  A piece is part of *pos .. end.
     */
    lun_upstream_verdict  (*read_body)(lun_upreq *x, const char **pos,
                          const char *end, lun_str *piece);
    /*
     * How many bytes come next that are the body and nothing else, `past` of
     * which have gone by without read_body.  0, or NULL: that is not known.
     */
    int64_t           (*pass_by)(lun_upreq *x, size_t past);
    /*
     * A header of the answer that is not simply passed on; true: handled.
     * NULL: there is none.
     */
    bool              (*pass_header)(lun_upreq *x, const lun_header *h);
};

/*
 * What is shared by all stages; what one of them knows for itself is in a
 * struct of its own, which no other room reads.
 */
struct lun_upreq {
    uint32_t                      mark;
    lun_upreq_stage               stage;
    lun_request                  *r;
    const lun_upreq_conf         *conf;
    const lun_upstream_protocol  *protocol;
    void                         *protocol_data;
    lun_str                       uri;     /* for the log */

    lun_upreq_target              target;
    lun_upreq_fetch               fetch;
    void                         *hooks_data[LUN_UPREQ_HOOKS];
                                           /* upreq_hooks.h */

    /* The server that it is at. */
    lun_balance                   balance;
    lun_conn                     *conn;
    lun_upstream_try             *try;

    /* The request. */
    lun_buf                      *head;    /* what `make` has made, up to */
    lun_buf                      *head_last;
    lun_buf                      *body;    /* that is here; NULL: none */
    bool                          body_is_plain;
    bool                          streamed;        /* it comes piecemeal: */
    lun_str                       came;    /* ... that much before the rest */
    bool                          upgrade; /* 101 is welcome */

    /* The answer. */
    lun_upreq_answer              answer;
    bool                          buffered;        /* its body will be */
    bool                          conditional;     /* a 304 may be ours */

    lun_resolve_request          *query;   /* upreq_resolve.c's */
    struct lun_upreq_choosing    *choosing;        /* upreq_choose.c's */
    struct lun_upreq_input       *input;   /* upreq_input.c's */
    struct lun_upreq_sending     *sending; /* upreq_send.c's */
    struct lun_upreq_gathering   *gathering;       /* upreq_stream.c's */
    struct lun_upreq_reading     *reading; /* upreq_header.c's */
    struct lun_upreq_buffer      *buffer;  /* upreq_buffer.c's */
    struct lun_upreq_passing     *passing; /* upreq_body.c's */
    struct lun_upreq_tunnel      *tunnel;  /* upreq_tunnel.c's */

    unsigned                      asked;   /* of the hooks: they wait for an
                                              end */
    bool                          served;  /* by lun_upreq_serve() */
};

/* A new one for the request, which it becomes the upstream request of. */
lun_upreq *lun_upreq_new(lun_request *r, const lun_upreq_conf *conf,
    const lun_upstream_protocol *protocol);

/*
 * Before it starts: the request's body will be sent while it comes, if
 * NAME_request_buffering is off, and its length is known or need not be.
 */
void lun_upreq_stream(lun_upreq *x, bool needs_length);

/*
 * From a content handler: reads the body that is to be sent, and starts, for a
 * verdict of the handler.  lun_http_finish() comes later by itself.
 */
lun_verdict lun_upreq_start(lun_upreq *x);

/* All of the request is out. */
bool lun_upreq_is_sent(const lun_upreq *x);

/* For `join`: others may have their streams on that connection, too. */
void lun_upreq_offer(lun_upreq *x, lun_conn_share *share);
/* For protocols: `frame` has bytes to wrap again. */
void lun_upreq_send_more(lun_upreq *x);
/* The same while it does not read: at once; x may be over then. */
void lun_upreq_resume_sending(lun_upreq *x);
/*
 * For protocols, while they read: a copy of these few bytes goes out between
 * two frames.  ERROR: the server does not read those before.
 */
lun_rc lun_upreq_reply(lun_upreq *x, lun_str bytes);
enum { LUN_UPREQ_REPLY = 32 };

/* In `get` of a balance: the request is made anew, of what is known now. */
lun_rc lun_upreq_remake(lun_upreq *x);
/*
 * Who may share a connection with it speaks the same language, and TLS by the
 * same settings, to the same name: a text that says which.
 */
lun_str lun_upreq_conn_key(lun_session *s);
/* ", upstream: "http://127.0.0.1:80/x"" for the request's log context. */
char *lun_upreq_log(const lun_request *r, char *p, const char *end);
const char *lun_upreq_stage_name(const lun_upreq *x);      /* for a dump */

/* $upstream_...; a table of the module "upstream vars". */
extern lun_http_module  lun_http_upreq;

#endif
