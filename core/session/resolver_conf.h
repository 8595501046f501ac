/*
 * resolver_conf.h -- resolver: who is asked for the addresses of names.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RESOLVER_CONF_H
#define LUN_RESOLVER_CONF_H

#include "net/dns/resolver.h"
#include "session/session.h"

/* A resolver directive, and what a worker made of it. */
typedef struct lun_name_servers {
    lun_resolver_options  options;
    lun_resolver         *resolver;
} lun_name_servers;

/* The field is a lun_name_servers *. */
lun_set_fn  lun_set_resolver;

/*
 * The resolver of that directive (NULL: the system's servers), one per worker.
 * Levels that inherit it may differ in resolver_timeout: lun_resolve_limit().
 */
lun_resolver *lun_name_servers_resolver(lun_engine *e, lun_name_servers *ns);

#endif
