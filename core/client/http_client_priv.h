/*
 * http_client_priv.h -- what the files of the client share.
 *
 *     http_client    clients; whom a question goes to: addresses, TLS
 *     http_exchange  what is sent, what comes of it, how it ends
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CLIENT_PRIV_H
#define LUN_HTTP_CLIENT_PRIV_H

#include "base/check.h"
#include "client/client_metrics.h"
#include "client/h2_exchange.h"
#include "client/http_client.h"
#include "client/http_question.h"
#include "net/dial/dial.h"
#include "net/errand.h"

enum { LUN_HTTP_ASK_ADDRS = 8 };   /* of a name that are tried */

struct lun_http_client {
    lun_pool                *pool;
    lun_loop                *loop;
    lun_log                  log;
    lun_http_client_options  o;
    lun_resolver            *resolver;     /* NULL: not yet any */
    SSL_CTX                 *ctx;          /* same */
    bool                     unready;      /* nobody can be trusted */
    uint64_t                 number;       /* no other has had it */
    lun_list                 asks;
    size_t                   count;
};

/* What states of a connection have for limits. */
typedef struct {
    lun_msec  connect, answer;
} lun_http_ask_limits;

struct lun_http_ask {
    lun_errand                 errand;     /* connections hold it, too */
    lun_http_client           *client;
    lun_list                   link;       /* while it is open */
    const char                *role;       /* the client may end before */
    lun_log_context_fn        *context;    /* the caller's */
    void                      *context_owner;
    lun_http_ask_limits        limits;
    lun_http_client_piece_fn  *piece;
    lun_http_client_fn        *done;
    void                      *data;
    lun_task                   task;       /* its end, later */
    lun_http_client_verdict    verdict;    /* of that; of the last address */
    lun_url                    url;
    lun_str                    text;       /* what is sent; of HTTP/2 */
    size_t                     sent;       /* ... what has gathered */
    lun_str                    block, question_body;       /* of HTTP/2 */
    lun_h2_exchange           *h2;         /* NULL: it is not, or not yet */
    char                      *going;      /* its text, malloc'ed */
    lun_dial                   dial;
    lun_addr                   addrs[LUN_HTTP_ASK_ADDRS];
    size_t                     count, next;
    uint64_t                   reused;     /* times that it was kept before */
    lun_http_answer            http;
    char                      *body;       /* malloc'ed */
    size_t                     body_len, body_room;
    unsigned                   idle:1;
    unsigned                   starting:1; /* no answer may come yet */
    unsigned                   safe:1;     /* may be sent a second time */
    unsigned                   kept:1;     /* its connection was */
    unsigned                   heard:1;    /* something came of it */
    unsigned                   fresh:1;    /* none that was kept any more */
};

/* --- http_client.c --- */

/* The next address, or the verdict of the last one. */
void lun_http_ask_connect(lun_http_ask *a);

/* --- http_exchange.c --- */

/* A connection holds the question's memory no longer. */
lun_conn_fn  lun_http_ask_on_free;
/* Nothing comes of it any more, and that is its outcome.  Its memory stays for
   who holds it. */
void lun_http_ask_close(lun_http_ask *a, unsigned outcome);
/* It ends with that verdict: now, or after the call that asks. */
void lun_http_ask_fail(lun_http_ask *a, lun_http_client_verdict verdict);
/* The worker quits: it ends if nobody waits for it. */
void lun_http_ask_quit(lun_http_ask *a);
extern const lun_errand_kind  lun_http_ask_kind;
lun_log_context_fn  lun_http_ask_put_context;
const char *lun_http_ask_peer(const lun_http_ask *a);

/* Who may go on with a connection or a TLS session: the same host at the same
   address. */
lun_str lun_http_ask_label(const lun_http_ask *a);
/* A connection to the address at hand that was kept; false: there is none. */
bool lun_http_ask_use_kept(lun_http_ask *a);
/* The dial is up. */
void lun_http_ask_exchange(lun_http_ask *a);

#endif
