/*
 * proxy_handshake.h -- proxy_ssl_certificate_by_lua, proxy_ssl_verify_by_lua:
 * Lua that runs in a handshake with a server of an upstream.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SSL_PROXY_HANDSHAKE_H
#define LUN_LUA_SSL_PROXY_HANDSHAKE_H

#include "modules/lua/lua.h"
#include "session/upstream/upstream_tls.h"

extern const lun_upstream_tls_hooks  lun_lua_upstream_handshake;

/* The connection of the handshake that Lua runs in; NULL: of none. */
lun_conn *lun_lua_upstream_conn(void);

/* The machines go: handlers that wait will not run again. */
void lun_lua_upstream_handshakes_drop(const lun_lua_main *main);

/* --- ffi_proxy_ssl.c, for ngx/ssl/proxysslcert.lua and its kin --- */

/* The SSL; NULL: *why. */
LUN_EXPORT void *lun_ffi_proxy_ssl_pointer(const char **why);
LUN_EXPORT int lun_ffi_proxy_ssl_version(const char **why);
LUN_EXPORT int lun_ffi_proxy_ssl_clear(const char **why);
LUN_EXPORT int lun_ffi_proxy_ssl_set_cert(void *chain, const char **why);
LUN_EXPORT int lun_ffi_proxy_ssl_set_key(void *key, const char **why);
LUN_EXPORT int lun_ffi_proxy_ssl_set_result(int result, const char **why);
/* What is thought of the certificate, or LUN_FFI_ERROR. */
LUN_EXPORT int lun_ffi_proxy_ssl_result(const char **why);
/* The caller's, a chain of one; NULL: *why. */
LUN_EXPORT void *lun_ffi_proxy_ssl_cert(const char **why);

#endif
