/*
 * sticky_priv.h -- what the rooms of `sticky` share:
 *
 *     upstream_sticky  the directive; who was where before goes there again
 *     sticky_cookie    Set-Cookie: a server's id for the client to keep
 *     sticky_learn     ids that sessions of the servers' own have, in a zone
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STICKY_PRIV_H
#define LUN_STICKY_PRIV_H

#include "http/module.h"
#include "session/upstream/round_robin.h"

typedef enum { LUN_STICKY_COOKIE, LUN_STICKY_ROUTE, LUN_STICKY_LEARN }
    lun_sticky_mode;

typedef struct {
    lun_str      name;             /* of the variable: "cookie_NAME" */
    lun_str      cookie;           /* NAME */
    int64_t      expires;          /* s; -1: never; INT64_MAX: at the end */
    lun_script  *domain;           /* NULL: none */
    lun_str      path;
    lun_script  *samesite;         /* NULL: not said */
    bool         secure;
    bool         httponly;
} lun_sticky_cookie;

typedef struct {
    lun_array    create;           /* of lun_script * */
    lun_array    lookup;
    lun_zone    *zone;
    lun_msec     timeout;
    bool         header;           /* learns before an answer's body */
} lun_sticky_learn;

typedef struct {
    lun_sticky_mode    mode;
    lun_upstream      *upstream;
    lun_array          routes;     /* of lun_script * */
    lun_sticky_cookie  cookie;
    lun_sticky_learn   learn;
} lun_sticky;

/* The first that is not empty, of scripts; "": none is. */
lun_str lun_sticky_first(lun_session *s, const lun_array *scripts);

/* --- sticky_cookie.c --- */

/* The words of `sticky cookie name ...`. */
lun_rc lun_sticky_read_cookie(lun_conf *cf, lun_sticky_cookie *c);
/* The server's id, that came with the request; "": none. */
lun_str lun_sticky_cookie_id(lun_session *s, const lun_sticky_cookie *c);
/* The client is told. */
void lun_sticky_set_cookie(lun_request *r, const lun_sticky_cookie *c,
    lun_str id);

/* --- sticky_learn.c --- */

/* The words of `sticky learn ...`. */
lun_rc lun_sticky_read_learn(lun_conf *cf, lun_sticky_learn *l);
/* A session has a server, by a hash of its id; 0: it is not known. */
uint64_t lun_sticky_find(const lun_sticky *st, lun_str session);
/* It has that one from now on; or it only lives longer, if it has. */
void lun_sticky_learn_it(const lun_sticky *st, lun_str session, uint64_t id);
void lun_sticky_prolong(const lun_sticky *st, lun_str session, uint64_t id);

#endif
