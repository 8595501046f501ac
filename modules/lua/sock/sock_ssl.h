/*
 * sock_ssl.h -- TLS of cosockets.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_SSL_H
#define LUN_LUA_SOCK_SSL_H

#include "modules/lua/sock/sock.h"
#include "net/tls/tls.h"

/* What lua_ssl_* say where `ctx` is; the generation's.  NULL: logged. */
SSL_CTX *lun_lua_ssl_ctx(const lun_lua_ctx *ctx);

/*
 * (object, session or nil or false, name or nil, verify, status, chain or nil,
 * key or nil): the session as light userdata, which is the caller's to free;
 * true if he said false.
 */
int lun_cosock_ssl(lua_State *L);

/* Lets go of what was kept of it for FFI. */
void lun_cosock_ssl_forget(lun_cosock *s);

LUN_EXPORT void lun_ffi_ssl_free_session(void *session);

#endif
