/*
 * capi.h -- the functions of ngx_lua that lua-resty-core declares to LuaJIT,
 * and other libraries with it, over ours: a part of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CAPI_H
#define LUN_LUA_CAPI_H

#include "modules/lua/lua.h"

/* capi_text.c */

LUN_EXPORT void ngx_http_lua_ffi_md5_bin(const unsigned char *src, size_t len,
    unsigned char *dst);
LUN_EXPORT void ngx_http_lua_ffi_md5(const unsigned char *src, size_t len,
    unsigned char *dst);
LUN_EXPORT int ngx_http_lua_ffi_sha1_bin(const unsigned char *src, size_t len,
    unsigned char *dst);
LUN_EXPORT unsigned ngx_http_lua_ffi_crc32_short(const unsigned char *src,
    size_t len);
LUN_EXPORT unsigned ngx_http_lua_ffi_crc32_long(const unsigned char *src,
    size_t len);
LUN_EXPORT size_t ngx_http_lua_ffi_encode_base64(const unsigned char *src,
    size_t len, unsigned char *dst, int no_padding);
LUN_EXPORT int ngx_http_lua_ffi_decode_base64(const unsigned char *src, size_t
    len, unsigned char *dst, size_t *dlen);
LUN_EXPORT int ngx_http_lua_ffi_decode_base64mime(const unsigned char *src,
    size_t len, unsigned char *dst, size_t *dlen);
LUN_EXPORT size_t ngx_http_lua_ffi_uri_escaped_length(const unsigned char *src,
    size_t len, int type);
LUN_EXPORT void ngx_http_lua_ffi_escape_uri(const unsigned char *src, size_t
    len, unsigned char *dst, int type);
LUN_EXPORT size_t ngx_http_lua_ffi_unescape_uri(const unsigned char *src,
    size_t len, unsigned char *dst);
LUN_EXPORT void ngx_http_lua_ffi_str_replace_char(unsigned char *buf, size_t
    len, const unsigned char find, const unsigned char replace);
LUN_EXPORT double ngx_http_lua_ffi_now(void);
LUN_EXPORT long ngx_http_lua_ffi_time(void);
LUN_EXPORT long ngx_http_lua_ffi_monotonic_msec(void);
LUN_EXPORT void ngx_http_lua_ffi_update_time(void);
LUN_EXPORT void ngx_http_lua_ffi_today(unsigned char *buf);
LUN_EXPORT void ngx_http_lua_ffi_localtime(unsigned char *buf);
LUN_EXPORT void ngx_http_lua_ffi_utctime(unsigned char *buf);
LUN_EXPORT int ngx_http_lua_ffi_cookie_time(unsigned char *buf, long t);
LUN_EXPORT void ngx_http_lua_ffi_http_time(unsigned char *buf, long t);
LUN_EXPORT void ngx_http_lua_ffi_parse_http_time(const unsigned char *str,
    size_t len, long *time);
LUN_EXPORT int ngx_http_lua_ffi_worker_pid(void);
LUN_EXPORT int ngx_http_lua_ffi_worker_id(void);
LUN_EXPORT int ngx_http_lua_ffi_worker_count(void);
LUN_EXPORT int ngx_http_lua_ffi_worker_exiting(void);
LUN_EXPORT int ngx_http_lua_ffi_get_process_type(void);
LUN_EXPORT int ngx_http_lua_ffi_master_pid(void);
LUN_EXPORT void ngx_http_lua_ffi_process_signal_graceful_exit(void);

/* capi_turn.c */

LUN_EXPORT int ngx_http_lua_ffi_get_ctx_ref(void *r, int *in_ssl_phase, int
    *ssl_ctx_ref);
LUN_EXPORT int ngx_http_lua_ffi_set_ctx_ref(void *r, int ref);
LUN_EXPORT int ngx_http_lua_ffi_get_resp_status(void *r);
LUN_EXPORT int ngx_http_lua_ffi_set_resp_status(void *r, int status);
LUN_EXPORT int ngx_http_lua_ffi_set_resp_status_and_reason(void *r, int status,
    const char *reason, size_t len);
LUN_EXPORT int ngx_http_lua_ffi_bypass_if_checks(void *r);
LUN_EXPORT int ngx_http_lua_ffi_headers_sent(void *r);
LUN_EXPORT int ngx_http_lua_ffi_is_subrequest(void *r);
LUN_EXPORT int ngx_http_lua_ffi_req_is_internal(void *r);
LUN_EXPORT double ngx_http_lua_ffi_req_start_time(void *r);
LUN_EXPORT int ngx_http_lua_ffi_req_get_method(void *r);
LUN_EXPORT int ngx_http_lua_ffi_req_set_method(void *r, int method);
LUN_EXPORT int ngx_http_lua_ffi_get_phase(void *r, char **err);
LUN_EXPORT int ngx_http_lua_ffi_var_get(void *r, const char *name, size_t
    name_len, char *lowcase_buf, int capture_id, char **value, size_t
    *value_len, char **err);
LUN_EXPORT int ngx_http_lua_ffi_var_set(void *r, const unsigned char *name,
    size_t name_len, unsigned char *lowcase_buf, const unsigned char *value,
    size_t value_len, unsigned char *errbuf, size_t *errlen);
LUN_EXPORT int ngx_http_lua_ffi_raw_log(void *r, int level, const unsigned char
    *s, size_t s_len);

#endif
