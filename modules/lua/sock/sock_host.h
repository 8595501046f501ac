/*
 * sock_host.h -- hosts as scripts name them, and who knows their addresses.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_HOST_H
#define LUN_LUA_SOCK_HOST_H

#include "modules/lua/run/ctx.h"
#include "net/dns/resolver.h"

bool lun_sock_host_is_unix(lun_str host);

/*
 * The name or address in `host`, without the port that may be behind it, which
 * goes to *port; `host` itself, if it is a path.  Returns what is wrong with
 * it ("invalid port"), or NULL.
 */
const char *lun_sock_host_read(lun_str host, lun_str *name, uint16_t *port);

/*
 * Who is asked for `name`, and how long: the resolver of the location, or of
 * the block; of tools (lunette run) the system's, if they have none.  NULL: the
 * name is no address, and there is none.
 */
lun_resolver *lun_sock_host_resolver(const lun_lua_ctx *ctx, lun_str name,
    lun_msec *timeout);

#endif
