/*
 * http_conf.h -- what the rooms of the http block share while it is read:
 * http.c, server_conf.c, listen_conf.c, location_conf.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CONF_H
#define LUN_HTTP_CONF_H

#include "http/engine.h"

/* The servers of an address, in the order of the text. */
typedef struct lun_server_link  lun_server_link;
struct lun_server_link {
    lun_server       *server;
    lun_server_link  *next;
};

lun_set_fn  lun_set_server_name;
lun_set_fn  lun_set_listen;
lun_set_fn  lun_set_location;

/* A server block has ended: what it did not say. */
void lun_server_conf_end(lun_conf *cf, lun_server *server);
lun_rc lun_listen_conf_end(lun_conf *cf, lun_server *server);

/* The names of servers that share an address; `text` is that address. */
lun_rc lun_server_conf_names(lun_conf *cf, lun_server_map *map,
    const lun_server_link *servers, lun_str text);

/* The http block has ended: listeners for all addresses. */
lun_rc lun_listen_conf_finish(lun_conf *cf);

/* Everything has inherited: whoever listens for TLS must be able to. */
lun_rc lun_listen_conf_check(const lun_http_engine *e);

/* $name of the core, and families such as $http_*. */
extern const lun_variable  lun_core_variables[];
extern const lun_variable  lun_family_variables[];
extern const lun_variable  lun_proxied_variables[];

#endif
