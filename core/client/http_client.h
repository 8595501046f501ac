/*
 * http_client.h -- asks an HTTP server: one question, one answer.
 *
 *     static void
 *     on_answer(void *data, const lun_http_client_answer *a)
 *     {
 *         if (a->verdict == LUN_HTTP_ANSWERED && a->status == 200) { a->body }
 *     }
 *
 *     client = lun_http_client_new(pool, loop, &(lun_http_client_options) {
 *                  .timeout = 10000 }, log);
 *     ask = lun_http_client_ask(client, &(lun_http_client_question) {
 *                  .url = LUN_STR("https://ca.example/directory"),
 *                  .done = on_answer, .data = me });
 *
 * Nothing of a request or a session is needed; a loop is.  https is verified,
 * by the system's authorities unless others are given.  Names are asked of the
 * system's servers and hosts file unless a resolver is given.  Redirects are
 * not followed, bodies not decoded, answers limited in size and in time.
 *
 * What goes wrong is logged here, once, as [error], with what the log's owner
 * adds to it; the answer's verdict says it to the program.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CLIENT_H
#define LUN_HTTP_CLIENT_H

#include "client/http_answer.h"
#include "net/dns/resolver.h"
#include "net/tls/tls_ctx.h"

typedef struct lun_http_client  lun_http_client;
typedef struct lun_http_ask     lun_http_ask;

/* What all questions of a client have in common; all may be zero. */
typedef struct {
    lun_resolver        *resolver; /* lives as long; NULL: the system's names */
    const lun_tls_file  *trusted;  /* lives as long; NULL: the system's */
    bool                 insecure; /* https of anybody is good enough */
    SSL_CTX             *ctx;      /* lives as long, says it instead, and had
                                      lun_tls_reuse_init(); NULL: its own */
    lun_str              tls_name; /* who is meant; "": the url's host */
    bool                 tls_nameless;     /* ... which is not told (SNI) */
    const char          *peer;     /* "OCSP responder": who it is, for the log;
                                      NULL: "HTTP server" */
    const char          *role;     /* "responder": what its host is called
                                      there; NULL: "server"; "": it is not */
    const char          *doing;    /* "requesting ..."; NULL: the log's own */
    const char          *user_agent;       /* NULL: none */
    lun_msec             resolve_timeout;  /* 0: 30 s */
    lun_msec             connect_timeout;  /* of each address, and again of
                                              its handshake; 0: 10 s */
    lun_msec             answer_timeout;   /* since it stands; 0: no other */
    lun_msec             timeout;  /* of all of it; 0: 60 s */
    size_t               header_size;      /* bytes; 0: 16 KB */
    uint64_t             body_size;        /* bytes; 0: 1 MB */
    size_t               keep;     /* idle connections; 0: each is closed */
    lun_msec             keep_for; /* 0: 60 s */
    bool                 http2;    /* that is spoken, over a connection for
                                      each question; http: at once, https: the
                                      server has to agree */
} lun_http_client_options;

typedef enum {
    LUN_HTTP_ANSWERED,             /* whatever its status is */
    LUN_HTTP_BAD_QUESTION,         /* url, a field: nobody was asked */
    LUN_HTTP_UNRESOLVED,           /* the name has no address */
    LUN_HTTP_UNREACHED,            /* no address could be connected to */
    LUN_HTTP_UNTRUSTED,            /* no TLS, or not with who was meant */
    LUN_HTTP_TIMED_OUT,
    LUN_HTTP_LOST,                 /* before the answer was whole */
    LUN_HTTP_INVALID,              /* it is not HTTP */
    LUN_HTTP_TOO_LARGE,
    LUN_HTTP_STOPPED               /* .idle: the worker quits.  Not logged */
} lun_http_client_verdict;

/* Valid during the call. */
typedef struct {
    lun_http_client_verdict  verdict;
    const lun_http_answer   *http; /* status, line, fields; NULL: not one
                                      header has come */
    unsigned                 status;       /* 0: the same */
    lun_str                  body; /* "" if it was taken in pieces */
} lun_http_client_answer;

typedef void lun_http_client_fn(void *data, const lun_http_client_answer *a);

/* A piece of the body, whose header is in `http`.  false: no more of it is
   wanted: the question is over, and .done not called. */
typedef bool lun_http_client_piece_fn(void *data, const lun_http_answer *http,
    lun_str piece);

/* All texts are copied. */
typedef struct {
    lun_str                    method;     /* "": GET, or POST with a body */
    lun_str                    url;        /* "https://host:port/path?args" */
    const lun_addr            *address;    /* who is asked; NULL: url's host.
                                              A unix socket, or a server whose
                                              address is known */
    const lun_http_field      *fields;     /* not Host, Connection, or what
                                              says where the body ends */
    size_t                     field_count;
    lun_str                    body;
    bool                       has_body;   /* even if it is empty */
    bool                       idle;       /* a worker that quits gives it up,
                                              and does not wait for it */
    bool                       fresh;      /* no connection that was kept */
    const lun_log             *log;        /* NULL: the client's; its owner
                                              lives until the question ends */
    lun_http_client_piece_fn  *piece;      /* NULL: the body is gathered */
    lun_http_client_fn        *done;
    void                      *data;
} lun_http_client_question;

/*
 * Lives in the pool, and asks from that loop; at its end questions are
 * cancelled.  The system's authorities are read with the first https.
 */
lun_http_client *lun_http_client_new(lun_pool *pool, lun_loop *loop,
    const lun_http_client_options *options, const lun_log *log);

/* Asks; done() comes later, from the loop, once. */
lun_http_ask *lun_http_client_ask(lun_http_client *client,
    const lun_http_client_question *question);

/* done() will not come.  Not in done(), and not in piece(). */
void lun_http_client_cancel(lun_http_ask *ask);

/* Questions that have no answer yet. */
size_t lun_http_client_open_count(const lun_http_client *client);

/* "answered", "timed out": for logs and pages of status. */
const char *lun_http_client_text(lun_http_client_verdict verdict);

#endif
