/*
 * capi_turn.c -- functions of ngx_lua that libraries declare to LuaJIT by
 * their own names: the request whose turn it is.
 *
 * `r` is what get_request() of resty.core.base gives, and is not looked into:
 * Lua runs for one request at a time, and it is that one.  Without one, or
 * without what a function needs of it, the result is as in lua-resty-core.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi.h"

#include "modules/lua/ffi/ffi.h"
#include "stream/stream_session.h"


enum {
    HANDSHAKES = LUN_LUA_SSL_CERT | LUN_LUA_SSL_CLIENT_HELLO
        | LUN_LUA_SSL_SESSION_FETCH | LUN_LUA_SSL_SESSION_STORE
};


/* --- ngx.ctx: places in the registry's ngx_lua_ctx_tables --- */

int
ngx_http_lua_ffi_get_ctx_ref(void *r, int *in_ssl_phase, int *ssl_ctx_ref)
{
    if (lun_lua_now.ctx == NULL) {
        return LUN_CAPI_NO_CTX;
    }

    if (in_ssl_phase != NULL) {
        *in_ssl_phase = (lun_lua_now.phase & HANDSHAKES) != 0;
    }

    if (ssl_ctx_ref != NULL) {
        *ssl_ctx_ref = lun_ffi_ctx_handshake();
    }

    return lun_ffi_ctx_ref();
}


int
ngx_http_lua_ffi_set_ctx_ref(void *r, int ref)
{
    if (lun_lua_now.ctx == NULL) {
        return LUN_CAPI_NO_CTX;
    }

    lun_ffi_set_ctx_ref(ref);
    return LUN_CAPI_OK;
}


/* --- the answer --- */

int
ngx_http_lua_ffi_get_resp_status(void *r)
{
    return lun_lua_now.request != NULL ? lun_ffi_status()
                                       : LUN_CAPI_BAD_CONTEXT;
}


/* What the log will say; 0: it is not decided yet. */
int
ngx_stream_lua_ffi_get_resp_status(void *r)
{
    return lun_lua_now.session != NULL && lun_lua_now.request == NULL
           ? lun_stream_session_of(lun_lua_now.session)->status
           : LUN_CAPI_BAD_CONTEXT;
}


int
ngx_http_lua_ffi_set_resp_status(void *r, int status)
{
    return ngx_http_lua_ffi_set_resp_status_and_reason(r, status, NULL, 0);
}


int
ngx_http_lua_ffi_set_resp_status_and_reason(void *r, int status,
    const char *reason, size_t len)
{
    if (lun_lua_now.request == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    return lun_ffi_set_status_line(status, reason, len) == 0
           ? LUN_CAPI_OK : LUN_CAPI_DECLINED;
}


int
ngx_http_lua_ffi_bypass_if_checks(void *r)
{
    if (lun_lua_now.request == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    lun_ffi_bypass_if_checks();
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_headers_sent(void *r)
{
    return lun_lua_now.request != NULL ? lun_ffi_headers_sent()
                                       : LUN_CAPI_BAD_CONTEXT;
}


/* --- the request --- */

int
ngx_http_lua_ffi_is_subrequest(void *r)
{
    return lun_lua_now.request != NULL ? lun_ffi_is_subrequest()
                                       : LUN_CAPI_BAD_CONTEXT;
}


int
ngx_http_lua_ffi_req_is_internal(void *r)
{
    return lun_lua_now.request != NULL
           ? lun_ffi_req_is_internal(lun_lua_now.request)
           : LUN_CAPI_BAD_CONTEXT;
}


double
ngx_http_lua_ffi_req_start_time(void *r)
{
    return lun_lua_now.session != NULL ? lun_ffi_session_start_time() : 0;
}


/* One of ngx.HTTP_... */
int
ngx_http_lua_ffi_req_get_method(void *r)
{
    return lun_lua_now.request != NULL ? (int) lun_lua_now.request->method
                                       : LUN_CAPI_BAD_CONTEXT;
}


int
ngx_http_lua_ffi_req_set_method(void *r, int method)
{
    if (lun_lua_now.request == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    return lun_ffi_req_set_method(lun_lua_now.request, method) == LUN_OK
           ? LUN_CAPI_OK : LUN_CAPI_DECLINED;
}


int
ngx_http_lua_ffi_get_phase(void *r, char **err)
{
    if (lun_lua_now.ctx == NULL) {
        *err = (char *) (uintptr_t) "no request context";
        return LUN_CAPI_ERROR;
    }

    return lun_lua_now.phase == LUN_LUA_TOOL ? LUN_LUA_TIMER
                                             : (int) lun_lua_now.phase;
}


/* --- variables --- */

/* `name` NULL: a group of the last match, by its number. */
int
ngx_http_lua_ffi_var_get(void *r, const char *name, size_t name_len,
    char *lowcase_buf, int capture_id, char **value, size_t *value_len,
    char **err)
{
    int           rc;
    lun_str       text = LUN_STR("");
    lun_session  *s = lun_lua_now.session;

    if (s == NULL) {
        *err = (char *) (uintptr_t) "API disabled in the current context";
        return LUN_CAPI_ERROR;
    }

    rc = name != NULL ? lun_ffi_var_get(s, name, name_len, &text)
                      : lun_ffi_var_capture(s, capture_id, &text);
    *value = (char *) (uintptr_t) text.data;
    *value_len = text.len;
    return rc == LUN_OK ? LUN_CAPI_OK : LUN_CAPI_DECLINED;
}


/* *errlen: the room in errbuf, and then what stands there. */
int
ngx_http_lua_ffi_var_set(void *r, const unsigned char *name, size_t name_len,
    unsigned char *lowcase_buf, const unsigned char *value, size_t value_len,
    unsigned char *errbuf, size_t *errlen)
{
    int           rc;
    char         *p = (char *) errbuf, *end = p + *errlen;
    lun_str       text = lun_str_of((const char *) name, name_len);
    lun_session  *s = lun_lua_now.session;

    if (s == NULL) {
        return lun_capi_fail(p, errlen, "API disabled in the current context");
    }

    rc = lun_ffi_var_set(s, text.data, text.len, (const char *) value,
                         value_len);

    if (rc == LUN_VAR_SET) {
        return LUN_CAPI_OK;
    }

    if (rc == LUN_VAR_READ_ONLY) {
        p = lun_fmt(p, end, "variable \"%.*s\" not changeable", LUN_S(text));

    } else {
        p = lun_fmt(p, end, "variable \"%.*s\" not found for writing; maybe "
                    "it is a built-in variable that is not changeable or you "
                    "forgot to use \"set $%.*s '';\" in the config file to "
                    "define it first", LUN_S(text), LUN_S(text));
    }

    *errlen = (size_t) (p - (char *) errbuf);
    return LUN_CAPI_ERROR;
}


/* --- the log --- */

int
ngx_http_lua_ffi_raw_log(void *r, int level, const unsigned char *s,
    size_t s_len)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;
    const lun_log      *log = ctx != NULL ? ctx->log : NULL;

    /* init_by_lua has none. */
    if (log == NULL) {
        log = lun_log_default();
    }

    if (level < 0 || level > (int) LUN_LOG_DEBUG) {
        return LUN_CAPI_ERROR;
    }

    if (level <= (int) log->level) {
        lun_log_text((lun_log_level) level, log,
                     lun_str_of((const char *) s, s_len));
    }

    return LUN_CAPI_OK;
}


int
ngx_stream_lua_ffi_req_dst_addr(void *r, char *buf, size_t *buf_size,
    char *errbuf, size_t *errbuf_size)
{
    return lun_lua_now.session != NULL
           && lun_ffi_original_addr(buf, buf_size) == LUN_OK
           ? LUN_CAPI_OK
           : lun_capi_fail(errbuf, errbuf_size, "failed to get origin addr");
}
