/*
 * acme_flow.h -- what an authority is asked, one question after the other,
 * until there is a certificate (RFC 8555).
 *
 *     DIRECTORY -> ACCOUNT -> ORDER -> AUTHORIZATION (of each name: what shows
 *       that it is ours is published) -> CHALLENGE (of each: look!)
 *       -> VALIDATION (of each) -> POLL -> FINALIZE -> POLL -> CERTIFICATE
 *       -> ALTERNATE -> END
 *
 * It knows no connection, no timer and no file: its owner asks
 * lun_acme_flow_next() what to do, does that, and gives the answer to
 * lun_acme_flow_take().  A flow that has ended, however it did, has taken its
 * challenges back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_FLOW_H
#define LUN_ACME_FLOW_H

#include "modules/http/acme/order/acme_document.h"
#include "modules/http/acme/order/acme_jws.h"
#include "net/tls/key_pair.h"

typedef enum {
    LUN_ACME_ASK,                  /* f->question */
    LUN_ACME_WAIT,                 /* f->wait seconds, then ask again */
    LUN_ACME_KEY,                  /* one of f->kind is to be made */
    LUN_ACME_PUBLISH,              /* what was to be published is to be there */
    LUN_ACME_DONE,
    LUN_ACME_FAILED                /* f->error */
} lun_acme_step;

/* What is wanted of the authority. */
typedef enum {
    LUN_ACME_ISSUE,
    LUN_ACME_LOOK,                 /* when it is to be renewed (RFC 9773) */
    LUN_ACME_REVOKE,
    LUN_ACME_ROLL                  /* f->next_key is to be the account's */
} lun_acme_purpose;

enum { LUN_ACME_ALTERNATES = 4 };  /* chains that are looked at */

typedef struct {
    const char  *method;           /* "HEAD", "GET", "POST" */
    lun_str      url;
    lun_str      body;             /* of a POST: application/jose+json */
    const char  *accept;           /* or NULL */
} lun_acme_question;

typedef struct {
    unsigned  status;
    lun_str   nonce;               /* Replay-Nonce */
    lun_str   location;
    lun_str   retry_after;
    lun_str   alternates[LUN_ACME_ALTERNATES];     /* Link: rel="alternate" */
    size_t    alternate_count;
    lun_str   body;
} lun_acme_reply;

typedef struct lun_acme_flow  lun_acme_flow;

typedef enum {
    LUN_ACME_SHOWN,
    LUN_ACME_SHOWN_LATER,
    LUN_ACME_NOT_SHOWN             /* no room, or nobody can be answered */
} lun_acme_shown;

/* What an owner does for it; texts are valid during the call. */
typedef struct {
    /* The account's URL, which is good for next time; empty: it is not. */
    void  (*account)(lun_acme_flow *f, lun_str kid);
    /* Whoever asks for that token of that name is answered from now on, or
       from lun_acme_flow_shown() on. */
    lun_acme_shown  (*publish)(lun_acme_flow *f, lun_str name, lun_str token,
                        lun_str authorization);
    void  (*withdraw)(lun_acme_flow *f, lun_str name, lun_str token);
    /* What another process needs to go on with the order; empty: it is over. */
    void  (*ordered)(lun_acme_flow *f, lun_str url, lun_str key);
} lun_acme_flow_user;

/* A challenge that was published. */
typedef struct {
    lun_str  name, token;
} lun_acme_published;

struct lun_acme_flow {
    /* The owner's: lun_acme_flow_init() has made the rest. */
    lun_pool                  *pool;       /* lives as long as the flow */
    const lun_acme_flow_user  *user;
    void                      *data;
    lun_acme_purpose           purpose;
    lun_str                    uri;        /* of the directory */
    const lun_acme_key        *key;        /* the account's */
    lun_str                    kid;        /* its URL; empty: not known */
    const lun_acme_key        *next_key;   /* ROLL */
    bool                       may_be_rolled;      /* ... it may know that one
                                              already */
    const lun_str             *contacts;
    size_t                     contact_count;
    bool                       agrees;
    lun_str                    binding_kid, binding_key;   /* or empty */
    lun_str                    profile;
    bool                       profile_required;
    lun_str                    chain;      /* whose; empty: the first */
    lun_str                    challenge;  /* "http-01" */
    int64_t                    settle;     /* seconds between the last that was
                                              published and the first look */
    const lun_str             *names;
    size_t                     count;
    lun_key_kind               kind;
    lun_str                    replaces;   /* id of RFC 9773 */
    lun_str                    order_url;  /* to go on with; or empty */
    lun_str                    order_key;
    lun_str                    certificate;        /* REVOKE: its DER */

    /* What it says. */
    lun_acme_question          question;
    int64_t                    wait;
    lun_str                    error;
    bool                       refused;    /* by the authority */
    int64_t                    retry_after;        /* seconds; 0: not said */
    lun_str                    pem;        /* the chain, and its key */
    lun_str                    key_pem;
    lun_acme_window            window;     /* end 0: there is none */

    /* Its own. */
    unsigned                   stage;
    bool                       failed;
    bool                       is_signed;  /* the question */
    bool                       for_nonce;
    lun_str                    payload;
    lun_str                    nonce;
    unsigned                   nonces;     /* that were not good */
    bool                       second_account;
    bool                       resumed;
    bool                       ordered;    /* by this flow */
    int64_t                    deadline;
    int64_t                    now;
    unsigned                   polls;
    int64_t                    later;      /* seconds until it goes on */
    size_t                     index;
    lun_acme_directory         directory;
    lun_acme_order             order;
    lun_acme_authorization     authorization;
    bool                       showing;    /* the owner is at it */
    lun_str                    challenges[LUN_ACME_NAMES];     /* URLs, by
                                              authorization; or empty */
    lun_acme_published         published[LUN_ACME_NAMES];
    size_t                     published_count;
    lun_str                    alternates[LUN_ACME_ALTERNATES];
    size_t                     alternate_count;
};

/* All zero but for the pool, which it does not end. */
lun_acme_flow *lun_acme_flow_new(lun_pool *pool);

/* What to do at that moment (seconds since the epoch, of any clock). */
lun_acme_step lun_acme_flow_next(lun_acme_flow *f, int64_t now);

/* The answer to f->question. */
void lun_acme_flow_take(lun_acme_flow *f, const lun_acme_reply *reply);

/* What was to be published is there; `fault`: it never will. */
void lun_acme_flow_shown(lun_acme_flow *f, const char *fault);

/* The key that is to be made, in PEM; empty: there can be none. */
void lun_acme_flow_take_key(lun_acme_flow *f, lun_str pem);

/* There is none: it could not be asked, for that reason. */
void lun_acme_flow_lost(lun_acme_flow *f, lun_str why);

/* Before it is forgotten in the middle: challenges are taken back, and the
   order can be gone on with. */
void lun_acme_flow_leave(lun_acme_flow *f);

/* What it is doing, for the log. */
const char *lun_acme_flow_doing(const lun_acme_flow *f);

#endif
