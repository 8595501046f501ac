/*
 * location.h -- locations: their config blocks, and which one a request
 * belongs to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_LOCATION_H
#define LUN_HTTP_LOCATION_H

#include "base/array.h"
#include "base/hash.h"
#include "http/request.h"
#include "session/pattern.h"
#include "session/server.h"

typedef struct lun_location_map  lun_location_map;

typedef enum {
    LUN_MATCH_PREFIX,
    LUN_MATCH_EXACT,               /* = */
    LUN_MATCH_FINAL_PREFIX,        /* ^~ */
    LUN_MATCH_REGEX,               /* ~ and ~* */
    LUN_MATCH_PREDICATE,           /* $variable */
    LUN_MATCH_NAMED,               /* @name */
    LUN_MATCH_NONE                 /* an "if", a limit_except: never searched */
} lun_match;

struct lun_location {
    lun_match          match;
    lun_str            name;       /* "/img/", "\.php$", "$is_api", "@back" */
    lun_pattern       *regex;
    unsigned           predicate;  /* the variable's index */
    bool               caseless;
    lun_block         *block;
    void             **conf;       /* block->confs, after inheritance */
    lun_location_map  *inner;      /* nested ones; NULL: none */
    const lun_http_module  *answers;   /* its content is that module's alone */
    uint32_t           limit_except;   /* methods that may pass; 0: all */
    lun_location      *limit_except_to;        /* where the others go */
    bool               has_slash_redirect; /* proxied "/x/": "/x" gets a 301 */
};

/* A server, and what is HTTP's alone. */
typedef struct {
    union {
        lun_server         head;
        struct {
            LUN_SERVER_FIELDS
        };
    };
    lun_location_map  *locations;  /* NULL: none */
    lun_hash          *named;      /* NULL: none */
    lun_location      *self;       /* the pseudo location of the server level */
    uint32_t         (*choose_counts)(lun_request *r);     /* or NULL */
    void              *choosing;   /* its own */
    bool               takes_connect;      /* HTTP/1.1's CONNECT is done */
} lun_http_server;

static inline lun_http_server *
lun_http_server_of(const lun_server *server)
{
    return lun_container_of(server, lun_http_server, head);
}

/* Adds while reading; duplicate: reported. */
lun_rc lun_location_add(lun_conf *cf, lun_location_map **map,
    lun_location *loc);
/* After reading: builds the search structures. */
void lun_location_map_finish(lun_conf *cf, lun_location_map *map);

/*
 * nginx's rules: =, longest prefix, ^~, regexes in order, predicates in order,
 * nesting.  A regex captures.  NULL: none fits, or (*failed, logged) a regex
 * could not be run.  It is has_slash_redirect's when the result's name is one
 * byte longer.
 */
lun_location *lun_location_find(lun_request *r, const lun_server *server,
    lun_str uri, bool *failed);
lun_location *lun_location_find_named(const lun_server *server, lun_str name);

#endif
