/*
 * shake.h -- ssl_client_hello_by_lua and ssl_certificate_by_lua: Lua that runs
 * while hands are shaken.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SSL_SHAKE_H
#define LUN_LUA_SSL_SHAKE_H

#include "http/engine.h"
#include "modules/lua/lua.h"

extern const lun_http_shaking  lun_lua_shaking;

/*
 * The client's connection of the present context: of its request, or of the
 * handshake; NULL: it has none (a timer's).
 */
lun_conn *lun_lua_client(void);

/* In a handshake: of the server that is spoken to. */
const lun_server *lun_lua_shake_server(void);

#endif
