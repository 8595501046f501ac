/*
 * server.h -- a server { } of whatever protocol: its names, and which server
 * of an address a name belongs to.
 *
 * A protocol's own struct begins with LUN_SERVER_FIELDS.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SERVER_H
#define LUN_SERVER_H

#include "session/pattern.h"

typedef struct lun_server_name  lun_server_name;
typedef struct lun_server_link  lun_server_link;
typedef struct lun_server_map   lun_server_map;

struct lun_server_name {
    lun_str            name;       /* lower case */
    lun_pattern       *regex;      /* "~...": name has no ~ */
    lun_server_name   *next;
};

#define LUN_SERVER_FIELDS                                                     \
    lun_block         *block;                                                 \
    void             **conf;       /* block->confs, after inheritance */      \
    lun_str            name;       /* the first server_name, or "" */         \
    lun_server_name   *names;      /* a list, in the order given */           \
    lun_server_name   *last_name;  /* of that list */                         \
    lun_str            address;    /* the first `listen`, as written */       \
    lun_str            status_zone;        /* "": its name is one; "off" */   \
    uint32_t           counts_at;  /* the zone's cells: its protocol's */     \
    uint32_t           tls_cell;   /* of them, the first of four of TLS */    \
    bool               ssl;        /* it listens for TLS */                   \
    uint16_t           quic_port;  /* where it listens for QUIC, or 0 */      \
    bool               listens;    /* it has said where */

struct lun_server {
    LUN_SERVER_FIELDS
};

/* The servers of an address, in the order of the text. */
struct lun_server_link {
    lun_server       *server;
    lun_server_link  *next;
};

/* --- while reading: server_name (the block's owner is its lun_server) --- */

lun_set_fn  lun_set_server_name;

/* A server block has ended: what it did not say. */
void lun_server_conf_end(lun_conf *cf, lun_server *server);

/* The names of servers that share an address; `text` is that address. */
lun_rc lun_server_conf_names(lun_conf *cf, lun_server_map *map,
    const lun_server_link *servers, lun_str text);

/* --- while serving --- */

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
 * `host` is lower case, without port or final dot; may capture.  s NULL: there
 * is no session yet.
 */
lun_server *lun_server_find(lun_session *s, const lun_server_map *map,
    lun_str host);

#endif
