/*
 * location.h -- servers and locations: their config blocks, and which one a
 * request belongs to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_LOCATION_H
#define LUN_HTTP_LOCATION_H

#include "base/array.h"
#include "base/hash.h"
#include "http/request.h"
#include "session/pattern.h"

typedef struct lun_location_map  lun_location_map;
typedef struct lun_server_map    lun_server_map;

typedef enum {
    LUN_MATCH_PREFIX,
    LUN_MATCH_EXACT,               /* = */
    LUN_MATCH_FINAL_PREFIX,        /* ^~ */
    LUN_MATCH_REGEX,               /* ~ and ~* */
    LUN_MATCH_NAMED,               /* @name */
    LUN_MATCH_NONE                 /* an "if", a limit_except: never searched */
} lun_match;

struct lun_location {
    lun_match          match;
    lun_str            name;       /* "/img/", "\.php$", "@back" */
    lun_pattern       *regex;
    bool               caseless;
    lun_block         *block;
    void             **conf;       /* block->confs, after inheritance */
    lun_location_map  *inner;      /* nested ones; NULL: none */
    const lun_http_module  *answers;   /* its content is that module's alone */
    uint32_t           limit_except;   /* methods that may pass; 0: all */
    lun_location      *limit_except_to;        /* where the others go */
    bool               has_slash_redirect; /* proxied "/x/": "/x" gets a 301 */
};

typedef struct lun_server_name  lun_server_name;
struct lun_server_name {
    lun_str            name;       /* lower case */
    lun_pattern       *regex;      /* "~...": name has no ~ */
    lun_server_name   *next;
};

struct lun_server {
    lun_block         *block;
    void             **conf;
    lun_location_map  *locations;  /* NULL: none */
    lun_hash          *named;      /* NULL: none */
    lun_str            name;       /* the first server_name, or "" */
    lun_server_name   *names;      /* a list, in the order given */
    lun_server_name   *last_name;  /* of that list */
    lun_location      *self;       /* the pseudo location of the server level */
    bool               listens;    /* it has said where */
};

/* Adds while reading; duplicate: reported. */
lun_rc lun_location_add(lun_conf *cf, lun_location_map **map,
    lun_location *loc);
/* After reading: builds the search structures. */
void lun_location_map_finish(lun_conf *cf, lun_location_map *map);

/*
 * nginx's rules: =, longest prefix, ^~, regexes in order, nesting.  A regex
 * captures.  NULL: none fits, or (*failed, logged) a regex could not be run.
 * It is has_slash_redirect's when the result's name is one byte longer.
 */
lun_location *lun_location_find(lun_request *r, const lun_server *server,
    lun_str uri, bool *failed);
lun_location *lun_location_find_named(const lun_server *server, lun_str name);

/* Servers of one address: exact names, wildcards, regexes, the default. */
lun_server_map *lun_server_map_new(lun_pool *pool);

typedef enum {
    LUN_NAME_ADDED,
    LUN_NAME_TAKEN,                /* by another server, or by this one */
    LUN_NAME_INVALID               /* a star where none may be */
} lun_name_verdict;

/* "a.b", "*.a.b", ".a.b", "a.*"; lower case. */
lun_name_verdict lun_server_map_add(lun_server_map *map, lun_str name,
    lun_server *server);
void lun_server_map_add_regex(lun_server_map *map, lun_pattern *pattern,
    lun_server *server);
void lun_server_map_set_default(lun_server_map *map, lun_server *server);
lun_server *lun_server_map_default(const lun_server_map *map);
/*
 * `host` is lower case, without port or final dot; may capture.  r NULL: there
 * is no request yet.
 */
lun_server *lun_server_find(lun_request *r, const lun_server_map *map,
    lun_str host);

#endif
