/*
 * request.h -- a request: what came, what goes out, where it stands.
 *
 * References: everything that will come back later (a timer, a Lua thread, a
 * subrequest, a body being read) holds one on r->main, by lun_http_get() and
 * lun_http_put().  The request ends when the last is given back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_REQUEST_H
#define LUN_REQUEST_H

#include "base/buf.h"
#include "http/headers.h"
#include "net/conn.h"
#include "session/regex.h"
#include "session/session.h"

typedef struct lun_request        lun_request;
typedef struct lun_location       lun_location;
typedef struct lun_http_module    lun_http_module;
typedef struct lun_http_protocol  lun_http_protocol;
typedef struct lun_http_engine    lun_http_engine;
typedef struct lun_body           lun_body;
typedef struct lun_subrequest     lun_subrequest;
typedef struct lun_trace          lun_trace;

/* One bit each, as limit_except and Lua's constants have them. */
typedef enum {
    LUN_METHOD_OTHER     = 0x0001,
    LUN_GET              = 0x0002,
    LUN_HEAD             = 0x0004,
    LUN_POST             = 0x0008,
    LUN_PUT              = 0x0010,
    LUN_DELETE           = 0x0020,
    LUN_MKCOL            = 0x0040,
    LUN_COPY             = 0x0080,
    LUN_MOVE             = 0x0100,
    LUN_OPTIONS          = 0x0200,
    LUN_PROPFIND         = 0x0400,
    LUN_PROPPATCH        = 0x0800,
    LUN_LOCK             = 0x1000,
    LUN_UNLOCK           = 0x2000,
    LUN_PATCH            = 0x4000,
    LUN_TRACE            = 0x8000,
    LUN_CONNECT          = 0x10000
} lun_method;

/* "GET" -> LUN_GET; case matters. */
lun_method lun_method_of(lun_str name);
lun_str lun_method_name(lun_method m);

/* A request's phases, beside those that every protocol has. */
enum {
    LUN_POST_READ = LUN_ACCEPTED,
    LUN_SERVER_REWRITE = LUN_SESSION_PHASES,
    LUN_FIND_CONFIG,               /* the core's own */
    LUN_REWRITE,
    LUN_POST_REWRITE,              /* the core's own */
    LUN_POST_ACCESS,               /* the core's own: satisfy */
    LUN_PRECONTENT,
    LUN_CONTENT,
    LUN_PHASES
};

typedef struct {
    lun_header_list   list;
    lun_header       *known[LUN_HIN_COUNT];
    lun_str           host;        /* lower case, without port */
    uint16_t          port;        /* of Host, 0: none */
    uint16_t          refusal;     /* it is bad: what to answer; 0: it isn't */
    int64_t           content_length;      /* -1: not given */
    bool              chunked;
    bool              keep_alive;  /* what the client asked for */
    bool              expect_continue;
    bool              ends_apart;      /* the protocol says where the body
                                          ends, whatever its length says */
    bool              connect;     /* CONNECT on a shared connection: any 2xx
                                      begins a tunnel */
    bool              tunnel;      /* ... it may: the stream has no body, and
                                      may be taken over */
} lun_headers_in;

typedef struct {
    lun_header_list   list;        /* all but those with a field below */
    lun_header       *known[LUN_HOUT_COUNT];
    unsigned          status;      /* 0: not decided yet */
    lun_str           status_line; /* "404 Not Found"; data NULL: by number */
    lun_str           content_type;        /* without charset; may be empty */
    lun_str           charset;
    lun_str           type_line;   /* both, as a server has written them */
    lun_str           charset_wanted;      /* X-Accel-Charset; may be empty */
    int64_t           content_length;      /* -1: unknown */
    int64_t           last_modified;       /* -1: none; seconds */
    int64_t           content_offset;      /* ranges: where the body begins */
    lun_header_list   trailers;    /* sent behind the last chunk */
} lun_headers_out;

/* Nobody has changed what the server has said of type and charset. */
static inline bool
lun_http_type_is_as_written(const lun_headers_out *out)
{
    lun_str  line = out->type_line;

    return line.data != NULL && out->content_type.data == line.data
           && out->charset.data > line.data
           && out->charset.data < line.data + line.len;
}

struct lun_request {
    union {
        lun_session           session;
        struct {
            LUN_SESSION_FIELDS(lun_request, lun_http_engine)
        };
    };
    unsigned                  references;  /* of the main request */
    const lun_http_protocol  *protocol;
    void                     *stream;      /* the protocol's own */
    lun_request              *parent;      /* NULL: this is the main one */
    lun_subrequest           *sub;         /* NULL: it is none and has none */
    lun_trace                *trace;       /* main: accept/trace.h; or NULL */
    struct lun_phase_times   *times;       /* slow_log's; or NULL */
    struct lun_upreq         *upreq;       /* with an upstream, the latest */
    lun_location             *location;
    lun_method                method;
    lun_str                   method_name;
    lun_str                   line;        /* the request line */
    lun_str                   target;      /* as it came, with the query */
    lun_str                   uri;         /* decoded, normalised */
    lun_str                   args;        /* data NULL: no '?' */
    lun_str                   exten;       /* after the last '.' */
    lun_str                   scheme;      /* "http" */
    unsigned                  version;     /* 9, 1000, 1001, 2000,
                                              3000 */
    lun_str                   raw_headers; /* as they came, with the line */
    lun_headers_in            in;
    lun_headers_out           out;
    lun_body                 *body;        /* body.h; NULL: not asked for yet */
    int64_t                   body_size;   /* bytes of it that came */

    lun_phase                 phase;
    unsigned                  handler;     /* the phases room's position */

    lun_chain                    output;   /* waits for the connection */
    lun_buf                     *small_bufs;  /* write.h: used up, for reuse */
    lun_buf                     *bounce;   /* write.c: a part of a file */
    int64_t                   limit_rate;  /* bytes/s; 0: none; if rate_known */
    int64_t                      limit_after;  /* go without; if after_known */
    int64_t                      sent;     /* bytes that the socket took; in
                                           HTTP/2 without header and frames */
    lun_msec                  write_delay; /* blocked by limit_rate so long */
    int64_t                   header_size; /* bytes of the response header */
    void                       (*drained)(lun_request *r, void *data);
    void                        *drained_data;
    void                       (*abort)(lun_request *r, void *data);
    void                        *abort_data;
    const struct lun_takeover   *takeover; /* body.h; NULL: there is none */
    int64_t                      start_sec;  /* when its first byte came */
    uint32_t                     start_msec;
    int64_t                      request_length;
    uint32_t                     counts_at;  /* its zone's cells: see
                                           accept/server_metrics.h */
    uint16_t                     error_status; /* of error_page's redirect */
    uint16_t                     refused;      /* lun_http_refuse()'s, or 0 */
    uint16_t                     access_status;  /* satisfy any: a refusal */
    uint8_t                      redirects_left;  /* uri changes, and one: 11 */
    uint8_t                      limit_req;    /* main: what it has said */
    uint8_t                      held;       /* filters that hold input */
    uint8_t                      held_whole; /* behind postpone: main's */

    unsigned                  internal:1;      /* after an internal redirect */
    unsigned                  uri_changed:1;   /* find the location again */
    unsigned                  error_page:1;    /* is inside an error_page */
    unsigned                  header_only:1;   /* HEAD, 204, 304: no body */
    unsigned                  header_sent:1;
    unsigned                  header_held:1;   /* a filter sends it later */
    unsigned                  chunked_out:1;   /* body goes out chunked */
    unsigned                  expect_trailers:1;   /* chunks, if it can be */
    unsigned                  keepalive:1;     /* connection goes on */
    unsigned                  lingering:1;     /* read on after the answer */
    unsigned                  buffered:1;      /* a filter holds data back */
    unsigned                  allow_ranges:1;
    unsigned                  single_range:1, packed:1, slice:1;
    unsigned                  filter_need_in_memory:1;
    unsigned                  done:1;          /* the whole answer came */
    unsigned                  logged:1;
    unsigned                  ended:1;         /* lun_http_finish has run */
    unsigned                  aborted:1;       /* the client has gone: 499 */
    unsigned                  expect_tested:1;
    unsigned                  waiting:1;       /* a handler said LUN_WAIT */
    unsigned                  no_keepalive:1;
    unsigned                  discard_body:1;  /* in the background */
    unsigned                  blocked:1;       /* output waits to be taken */
    unsigned                  running:1;       /* phases.c is on the stack */
    unsigned                  moved:1;         /* stands elsewhere: go on */
    unsigned                  resumed:1;       /* before it said LUN_WAIT */
    unsigned                  uri_is_new:1;    /* not what `target` says */
    unsigned                  args_are_new:1;  /* nor are these */
    unsigned                  uri_located:1;   /* it found the location */
    unsigned                  not_ours:1;      /* an upstream answers: no 304 */
    unsigned                  eof_came:1;      /* to who may hold it */
    unsigned                  unheld:1;        /* no filter may hold its own */
    unsigned                  pipelined:1;     /* came with the one before */
    unsigned                  uri_in_alias:1;  /* behind an alias by regex */
    unsigned                  rate_known:1;    /* limit_rate: not the conf's */
    unsigned                  after_known:1;   /* the same of limit_after */
    unsigned                  direct:1;        /* its files go past the page
                                                  cache, not by sendfile */
    unsigned                  tally:2;         /* request_metrics.h's */
    unsigned                  cut:1;           /* no more of the answer comes:
                                                  its end is not told */
    unsigned                  post_action:1;   /* that is all of it by now */
    unsigned                  tunnels:1;       /* the answer begins a tunnel */
};

static inline lun_request *
lun_request_of(const lun_session *s)
{
    return lun_container_of(s, lun_request, session);
}

/* A URI that names a folder; an empty one (a redirect's) names none. */
static inline bool
lun_uri_is_folder(lun_str uri)
{
    return uri.len != 0 && uri.data[uri.len - 1] == '/';
}

/*
 * For protocols.  A new one has one reference, stands before the first phase,
 * keeps its server and conf unset; its pool is one that earlier ones left.
 */
lun_request *lun_request_new(lun_http_engine *engine, lun_conn *c,
    const lun_http_protocol *protocol);

/*
 * A subrequest in the memory of its main request, which is all that the two
 * share: with an answer of its own, before the first phase.
 */
lun_request *lun_request_new_child(lun_request *parent);

/* Nothing reads from its memory any more; the log phase runs unless it has. */
void lun_request_free(lun_request *r);

/* Slashes become '/'; finds the extension. */
void lun_request_set_uri(lun_request *r, lun_str uri);

/*
 * Sets a header that came, in place of all of its name or (not `replace`, and
 * it may repeat) beside them; value.data NULL only removes.  Both are views.
 */
void lun_http_set_in(lun_request *r, lun_str name, lun_str value,
    bool replace);

#endif
