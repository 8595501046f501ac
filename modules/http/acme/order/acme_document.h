/*
 * acme_document.h -- what an authority says (RFC 8555, 7.1; RFC 9773; RFC
 * 7807), out of JSON; and what is said to it.
 *
 * All that comes in is an authority's word: sizes are bounded, URLs have to be
 * of the scheme that the directory has, tokens of the alphabet that they may
 * have.  A reader answers with false for anything else.  Texts are the
 * document's, or in the pool.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_DOCUMENT_H
#define LUN_ACME_DOCUMENT_H

#include "base/pool.h"

enum {
    LUN_ACME_NAMES = 100,          /* of a certificate, at most */
    LUN_ACME_CHALLENGES = 16,      /* of an authorization that are looked at */
    LUN_ACME_URL = 2048            /* bytes, at most */
};

typedef enum {
    LUN_ACME_PENDING,
    LUN_ACME_READY,
    LUN_ACME_PROCESSING,
    LUN_ACME_VALID,
    LUN_ACME_INVALID,              /* and revoked, deactivated, expired */
    LUN_ACME_NO_STATUS
} lun_acme_status;

typedef struct {
    lun_str  new_nonce, new_account, new_order, revoke_cert, key_change;
    lun_str  renewal_info;         /* empty: it has none */
    lun_str  terms;                /* a URL; or empty */
    lun_str  caa;                  /* its name in DNS records; or empty */
    bool     wants_binding;        /* externalAccountRequired */
    bool     has_profile;          /* the one that was asked for */
} lun_acme_directory;

typedef struct {
    lun_str  type;                 /* without "urn:ietf:params:acme:error:" */
    lun_str  detail;               /* may be empty */
} lun_acme_problem;

typedef struct {
    lun_acme_status   status;
    lun_str           finalize, certificate;
    lun_str           authorizations[LUN_ACME_NAMES];
    size_t            count;
    lun_acme_problem  problem;     /* type empty: none */
} lun_acme_order;

typedef struct {
    lun_acme_status   status;
    lun_str           identifier;
    bool              wildcard;
    lun_acme_status   challenge;   /* of the kind that was asked for; */
    lun_str           url, token;  /* empty: there is none */
    lun_acme_problem  problem;     /* of that, or of another that failed */
} lun_acme_authorization;

/* When a certificate may be renewed, in seconds since the epoch. */
typedef struct {
    int64_t  start, end;
    lun_str  explanation;          /* a URL; or empty */
} lun_acme_window;

bool lun_acme_read_directory(lun_pool *pool, lun_str text, lun_str uri,
    lun_str profile, lun_acme_directory *d);
bool lun_acme_read_order(lun_pool *pool, lun_str text, lun_str uri,
    lun_acme_order *o);
bool lun_acme_read_authorization(lun_pool *pool, lun_str text, lun_str uri,
    lun_str kind, lun_acme_authorization *a);
bool lun_acme_read_window(lun_pool *pool, lun_str text, lun_acme_window *w);
bool lun_acme_read_problem(lun_pool *pool, lun_str text, lun_acme_problem *p);

/* Whether an authority with the directory `uri` may send us there. */
bool lun_acme_may_follow(lun_str uri, lun_str url);

/* A nonce is in base64url; so is a token, and it is of a file's name. */
bool lun_acme_is_token(lun_str text);

/* For people: "detail (type)", what cannot be printed replaced. */
lun_str lun_acme_problem_text(lun_pool *pool, const lun_acme_problem *p);

/* --- what is said --- */

typedef struct {
    const lun_str  *contacts;      /* URLs */
    size_t          contact_count;
    bool            agrees;        /* to the terms */
    lun_str         binding;       /* a JWS; empty: none */
} lun_acme_account_wish;

lun_str lun_acme_new_account(lun_pool *pool, const lun_acme_account_wish *w);

typedef struct {
    const lun_str  *names;
    size_t          count;
    lun_str         profile;       /* empty: the authority's choice */
    lun_str         replaces;      /* RFC 9773, 5; empty: none */
} lun_acme_order_wish;

lun_str lun_acme_new_order(lun_pool *pool, const lun_acme_order_wish *w);

#endif
