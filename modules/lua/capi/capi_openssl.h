/*
 * capi_openssl.h -- the functions of lua-resty-openssl's auxiliary module: what
 * is inside a client's connection, or a cosocket, that speaks TLS.
 *
 * Each gives 0, or -1: it does not, or there is none.  A socket is what its
 * table has first.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CAPI_OPENSSL_H
#define LUN_LUA_CAPI_OPENSSL_H

#include "modules/lua/lua.h"

LUN_EXPORT int ngx_http_lua_resty_openssl_aux_get_request_ssl(void *r,
    void **ssl);
LUN_EXPORT int ngx_http_lua_resty_openssl_aux_get_request_ssl_ctx(void *r,
    void **ctx);
LUN_EXPORT int ngx_http_lua_resty_openssl_aux_get_socket_ssl(void *u,
    void **ssl);
LUN_EXPORT int ngx_http_lua_resty_openssl_aux_get_socket_ssl_ctx(void *u,
    void **ctx);
LUN_EXPORT int ngx_stream_lua_resty_openssl_aux_get_request_ssl(void *r,
    void **ssl);
LUN_EXPORT int ngx_stream_lua_resty_openssl_aux_get_request_ssl_ctx(void *r,
    void **ctx);
LUN_EXPORT int ngx_stream_lua_resty_openssl_aux_get_socket_ssl(void *u,
    void **ssl);
LUN_EXPORT int ngx_stream_lua_resty_openssl_aux_get_socket_ssl_ctx(void *u,
    void **ctx);

#endif
