/*
 * handshake.h -- ssl_client_hello_by_lua and ssl_certificate_by_lua: Lua that
 * runs in a handshake.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SSL_HANDSHAKE_H
#define LUN_LUA_SSL_HANDSHAKE_H

#include "modules/lua/lua.h"
#include "session/server_tls.h"

extern const lun_handshake_hooks  lun_lua_handshake;

/*
 * The client's connection of the present context: of its session, or of the
 * handshake; NULL: it has none (a timer's).
 */
lun_conn *lun_lua_client(void);

/*
 * ngx.ctx that handlers of the present request's connection have left, as a
 * reference; LUA_NOREF: none.
 */
int lun_lua_handshake_table(void);

/*
 * The machines go, and connections do not yet: their tables go with them, and
 * handlers that wait will not run again.
 */
void lun_lua_handshakes_drop(const lun_lua_main *main);

#endif
