/*
 * capi.h -- the functions of ngx_lua that lua-resty-core declares to LuaJIT,
 * and other libraries with it, over ours: a part of them.
 *
 *     capi.h           texts, times, workers; the request; phases; balancer
 *     capi_objects.h   dictionaries, regular expressions, headers
 *     capi_ssl.h       TLS
 *
 * Names and signatures are an interface that is not ours: what is `unsigned
 * char *` there may be `char *` here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CAPI_H
#define LUN_LUA_CAPI_H

#include "modules/lua/run/vm.h"

#include "modules/lua/run/ctx.h"

/* Results, as lua-resty-core knows them. */
enum {
    LUN_CAPI_OK          = 0,
    LUN_CAPI_ERROR       = -1,
    LUN_CAPI_AGAIN       = -2,
    LUN_CAPI_DONE        = -4,
    LUN_CAPI_DECLINED    = -5,
    LUN_CAPI_NO_CTX      = -100,
    LUN_CAPI_BAD_CONTEXT = -101
};

/* ngx_http_lua_ffi_str_t */
typedef struct {
    int          len;              /* -1: it is no text */
    const char  *data;
} lun_capi_str;

/* ngx_http_lua_ffi_table_elt_t */
typedef struct {
    lun_capi_str  key;
    lun_capi_str  value;
} lun_capi_pair;

/*
 * ERROR, and why in `err`; *errlen: the room there, and then what stands in it.
 */
int lun_capi_fail(char *err, size_t *errlen, const char *why);

/*
 * The caller, or what may be one, declares the function without its last
 * arguments, which then must not be touched: variable ones are not.
 */
static inline bool
lun_capi_is_short(lun_grown function)
{
    return lun_lua_now.ctx == NULL || lun_lua_now.ctx->vm->is_short[function];
}

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
LUN_EXPORT int ngx_stream_lua_ffi_get_resp_status(void *r);
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

LUN_EXPORT int ngx_stream_lua_ffi_req_dst_addr(void *r, char *buf, size_t
    *buf_size, char *errbuf, size_t *errbuf_size);

/* capi_phase.c */

LUN_EXPORT int ngx_http_lua_ffi_exit(void *r, int status, char *err, size_t
    *errlen);
LUN_EXPORT void ngx_http_lua_ffi_get_setby_param(void *r, int idx, const char
    **data, size_t *len);
LUN_EXPORT int ngx_http_lua_ffi_get_body_filter_param_body(void *r, const char
    **data_p, size_t *len_p);
LUN_EXPORT int ngx_http_lua_ffi_copy_body_filter_param_body(void *r, char
    *data);
LUN_EXPORT int ngx_http_lua_ffi_get_body_filter_param_eof(void *r);
LUN_EXPORT int ngx_http_lua_ffi_ndk_lookup_directive(const char *var_data,
    size_t var_len, const void **func);
LUN_EXPORT int ngx_http_lua_ffi_ndk_set_var_get(void *r, const void *func,
    const char *arg_data, size_t arg_len, lun_capi_str *value);
LUN_EXPORT int ngx_http_lua_ffi_get_conf_env(const char *name, char **env_buf,
    size_t *name_len);
LUN_EXPORT int ngx_http_lua_ffi_errlog_set_filter_level(int level, char *err,
    size_t *errlen);
LUN_EXPORT int ngx_http_lua_ffi_errlog_get_msg(const char **log, int
    *loglevel, char *err, size_t *errlen, double *log_time);
LUN_EXPORT int ngx_http_lua_ffi_errlog_get_sys_filter_level(void *r);
LUN_EXPORT int ngx_http_lua_ffi_worker_pids(int *pids, size_t *pids_len);
LUN_EXPORT int ngx_http_lua_ffi_enable_privileged_agent(const char **err,
    unsigned connections);

/* capi_balancer.c */

/* (..., const char *host, ptrdiff_t host_len, const char **err), or no host. */
LUN_EXPORT int ngx_http_lua_ffi_balancer_set_current_peer(void *r, const char
    *addr, size_t addr_len, int port, const void *fifth, ...);
LUN_EXPORT int ngx_stream_lua_ffi_balancer_set_current_peer(void *r, const char
    *addr, size_t addr_len, int port, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_enable_keepalive(void *r, unsigned
    long timeout, unsigned max_requests, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_set_more_tries(void *r, int count,
    const char **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_get_last_failure(void *r, int
    *status, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_set_timeouts(void *r, long
    connect_timeout, long send_timeout, long read_timeout, const char **err);
LUN_EXPORT int ngx_stream_lua_ffi_balancer_set_timeouts(void *r, long
    connect_timeout, long timeout, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_recreate_request(void *r, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_set_upstream_tls(void *r, int on,
    const char **err);
LUN_EXPORT int ngx_http_lua_ffi_balancer_bind_to_local_addr(void *r, const
    char *addr, size_t addr_len, char *errbuf, size_t *errbuf_size);

#endif
