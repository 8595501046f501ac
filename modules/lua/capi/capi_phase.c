/*
 * capi_phase.c -- what a phase is given, and how it is left; the captured
 * error log; workers; as lua-resty-core declares them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi.h"

#include "base/fmt.h"
#include "http/rewrite.h"
#include "modules/lua/api/errlog.h"
#include "modules/lua/capi/capi_wait.h"
#include "modules/lua/ffi/ffi.h"

enum {
    PIDS_MOST = 1024,
    EXIT      = LUN_LUA_YIELDABLE | LUN_LUA_HEADER_FILTER | LUN_LUA_BALANCER
        | LUN_LUA_SSL_SESSION_STORE      /* where ngx.exit() may be said */
};


int
lun_capi_fail(char *err, size_t *errlen, const char *why)
{
    char  *p = lun_fmt(err, err + *errlen, "%s", why);

    *errlen = (size_t) (p - err);
    return LUN_CAPI_ERROR;
}


/* OK: now yield; DONE: the phase runs to its end. */
int
ngx_http_lua_ffi_exit(void *r, int status, char *err, size_t *errlen)
{
    int          rc;
    const char  *why = NULL;

    if (lun_lua_now.ctx == NULL) {
        return lun_capi_fail(err, errlen, "no request ctx found");
    }

    if ((lun_lua_now.phase & EXIT) == 0) {
        lun_capi_tell_phase(err, errlen);
        return LUN_CAPI_ERROR;
    }

    lun_capi_forget_job();
    rc = lun_ffi_exit(status, &why);

    if (rc < 0) {
        return lun_capi_fail(err, errlen, why);
    }

    return rc == 0 ? LUN_CAPI_OK : LUN_CAPI_DONE;
}


/* --- ngx.arg --- */

void
ngx_http_lua_ffi_get_setby_param(void *r, int idx, const char **data,
    size_t *len)
{
    lun_str  text = LUN_STR_NULL;

    if (lun_lua_now.phase == LUN_LUA_SET && idx > 0) {
        (void) lun_ffi_arg_set((unsigned) idx, &text);
    }

    *data = text.data;
    *len = text.len;
}


int
ngx_http_lua_ffi_get_body_filter_param_body(void *r, const char **data_p,
    size_t *len_p)
{
    lun_str  text = LUN_STR_NULL;

    if (lun_lua_now.phase == LUN_LUA_BODY_FILTER) {
        lun_ffi_arg_body(&text);
    }

    *data_p = text.data;
    *len_p = text.len;
    return LUN_CAPI_OK;
}


/* For those who were told AGAIN, which nobody is here. */
int
ngx_http_lua_ffi_copy_body_filter_param_body(void *r, char *data)
{
    lun_str  text = LUN_STR_NULL;

    if (lun_lua_now.phase != LUN_LUA_BODY_FILTER) {
        return LUN_CAPI_ERROR;
    }

    lun_ffi_arg_body(&text);
    (void) lun_copy_str(data, text);
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_get_body_filter_param_eof(void *r)
{
    return lun_lua_now.phase == LUN_LUA_BODY_FILTER && lun_ffi_arg_eof();
}


/* --- ndk.set_var, os.getenv --- */

int
ngx_http_lua_ffi_ndk_lookup_directive(const char *var_data, size_t var_len,
    const void **func)
{
    *func = lun_text_function_of(lun_str_of(var_data, var_len));
    return *func != NULL ? LUN_CAPI_OK : LUN_CAPI_DECLINED;
}


int
ngx_http_lua_ffi_ndk_set_var_get(void *r, const void *func,
    const char *arg_data, size_t arg_len, lun_capi_str *value)
{
    lun_rc   rc;
    lun_str  out = LUN_STR("");

    if (lun_lua_now.ctx == NULL) {
        return LUN_CAPI_ERROR;
    }

    rc = lun_text_run(func, lun_lua_now.request, lun_lua_now.ctx->pool,
                      lun_str_of(arg_data, arg_len), &out);
    value->data = out.data;
    value->len = (int) out.len;

    return rc == LUN_OK ? LUN_CAPI_OK : LUN_CAPI_ERROR;
}


/* The process's environment is what `env` has made it, from the beginning. */
int
ngx_http_lua_ffi_get_conf_env(const char *name, char **env_buf,
    size_t *name_len)
{
    return LUN_CAPI_DECLINED;
}


/* --- ngx.errlog --- */

static const char  no_errlog[] =
    "directive \"lua_capture_error_log\" is not set";


int
ngx_http_lua_ffi_errlog_set_filter_level(int level, char *err, size_t *errlen)
{
    if (level < 0 || level > (int) LUN_LOG_DEBUG) {
        *errlen = (size_t) (lun_fmt(err, err + *errlen, "bad log level: %d",
                                    level) - err);
        return LUN_CAPI_ERROR;
    }

    return lun_ffi_errlog_set_level(level) == LUN_OK
           ? LUN_CAPI_OK : lun_capi_fail(err, errlen, no_errlog);
}


/* The length of a line, good until the next; DECLINED: there is none. */
int
ngx_http_lua_ffi_errlog_get_msg(const char **log, int *loglevel, char *err,
    size_t *errlen, double *log_time)
{
    int                        n;
    static _Thread_local char  line[LUN_LOG_LINE];

    n = lun_ffi_errlog_take(line, loglevel, log_time);
    *log = line;

    if (n < 0) {
        return lun_capi_fail(err, errlen, no_errlog);
    }

    return n > 0 ? n : LUN_CAPI_DECLINED;
}


int
ngx_http_lua_ffi_errlog_get_sys_filter_level(void *r)
{
    return lun_ffi_log_level();
}


/* --- workers --- */

/* *pids_len: the room, and then how many stand there. */
int
ngx_http_lua_ffi_worker_pids(int *pids, size_t *pids_len)
{
    int      i, n;
    int64_t  all[PIDS_MOST];

    n = lun_ffi_worker_pids(all, PIDS_MOST);
    n = (int) lun_min((size_t) lun_max(n, 0), *pids_len);

    for (i = 0; i < n; i++) {
        pids[i] = (int) all[i];
    }

    *pids_len = (size_t) n;
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_enable_privileged_agent(const char **err,
    unsigned connections)
{
    if (lun_lua_now.phase != LUN_LUA_INIT) {
        *err = "API disabled in the current context";
        return LUN_CAPI_ERROR;
    }

    lun_ffi_process_want_agent((int) lun_min(connections,
                                             (unsigned) INT_MAX));
    return LUN_CAPI_OK;
}
