/*
 * http_priv.h -- what the rooms of the http floor share and modules don't see:
 * the http block, and where its two halves meet.  http.c, servers, locations
 * and variables make up the configuration; h1, request, phases and output run
 * requests by it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_PRIV_H
#define LUN_HTTP_PRIV_H

#include "config/generation.h"
#include "http/http.h"
#include "http/location.h"
#include "http/module.h"

typedef struct lun_http_main  lun_http_main;
typedef struct lun_var_table  lun_var_table;
typedef struct lun_http_addrs lun_http_addrs;
typedef struct lun_phase_map  lun_phase_map;

/* One per generation; a request has it as r->server->main. */
struct lun_http_main {
    lun_generation         *gen;
    lun_block              *block;         /* http { } */
    lun_http_module *const *modules;       /* in order; ends with NULL */
    unsigned                part_count;    /* length of r->conf, r->states */
    unsigned                value_count;   /* length of r->values */
    bool                   *used;          /* by module index: hooks run */
    void                  **gen_data;      /* by module index */
    lun_var_table          *vars;
    lun_array               servers;       /* of lun_server * */
    lun_http_addrs         *addrs;         /* while reading */
    lun_phase_map          *phases;        /* phases.c's */
};

/* NULL when the configuration has no http block. */
lun_http_main *lun_http_main_of(const lun_generation *gen);

/*
 * The servers of the address that an accepted connection came to.  Asks the
 * system for that address only where several share one socket ("listen 80"
 * and "listen 127.0.0.1:80").  Ask once per connection.
 */
const lun_server_map *lun_http_servers_of(lun_conn *c);

/* --- what the running half gives the configuration --- */

/* root, alias, types, timeouts, error_page, ...: the first of all modules. */
extern lun_http_module  lun_http_core;

/* listener->take: an accepted connection is HTTP/1's. */
lun_listener_fn  lun_h1_take;

/*
 * At the end of the http block: makes main->phases and links the filters, of
 * the modules that are `used`, in the order of main->modules.
 */
lun_rc lun_phases_build(lun_conf *cf, lun_http_main *main);

/* r->location, r->conf, and what of the location's conf a request keeps. */
void lun_http_enter_location(lun_request *r, lun_location *location);

#endif
