/*
 * ffi.h -- the prototypes of the bridge core's FFI functions.
 *
 * Each file of lua/resty/core declares those it calls to LuaJIT as well.  All
 * are plain, do not yield and run no Lua; numbers have fixed widths.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_FFI_H
#define LUN_LUA_FFI_H

#include "modules/lua/lua.h"

/* filters.c, for arg.lua */
LUN_EXPORT void lun_ffi_arg_body(lun_str *text);
LUN_EXPORT void lun_ffi_arg_set_body(const char *data, size_t len);
LUN_EXPORT int lun_ffi_arg_eof(void);
LUN_EXPORT void lun_ffi_arg_set_eof(int eof);
LUN_EXPORT int lun_ffi_arg_set(unsigned n, lun_str *text);

/* ffi_output.c, for output.lua */
LUN_EXPORT int lun_ffi_output(const char *data, size_t len, int newline);

/* sema.c, for ngx/semaphore.lua; box: what native.sema_new() has made */
LUN_EXPORT void lun_ffi_sema_post(void *box, int n);
LUN_EXPORT double lun_ffi_sema_count(void *box);

/* ffi_control.c, for control.lua */
LUN_EXPORT int lun_ffi_exit(int status, const char **why);
LUN_EXPORT int lun_ffi_exec(const char *uri, size_t uri_len, const char *args,
    size_t args_len, const char **why);
LUN_EXPORT int lun_ffi_redirect(const char *uri, size_t len, int status,
    const char **why);

/* ffi_log.c, for log.lua */
LUN_EXPORT int lun_ffi_log_level(void);
LUN_EXPORT void lun_ffi_log_limit(const char *what, int seen, int max);

/* ffi_ctx.c, for ctx.lua */
LUN_EXPORT int lun_ffi_ctx_ref(void);
LUN_EXPORT void lun_ffi_set_ctx_ref(int ref);
LUN_EXPORT int lun_ffi_ctx_handshake(void);

/* ffi_misc.c, for misc.lua and phase.lua */
LUN_EXPORT int lun_ffi_status(void);
LUN_EXPORT int lun_ffi_set_status(int status);
LUN_EXPORT int lun_ffi_set_status_line(int status, const char *reason,
    size_t len);
LUN_EXPORT void lun_ffi_bypass_if_checks(void);
LUN_EXPORT int lun_ffi_headers_sent(void);
LUN_EXPORT int lun_ffi_is_subrequest(void);
LUN_EXPORT double lun_ffi_session_start_time(void);
LUN_EXPORT int lun_ffi_original_addr(char *room, size_t *size);

/* ffi_worker.c, for worker.lua and ngx/process.lua */
LUN_EXPORT int lun_ffi_worker_id(void);
LUN_EXPORT int lun_ffi_worker_count(void);
LUN_EXPORT int lun_ffi_worker_exiting(void);
LUN_EXPORT int64_t lun_ffi_worker_pid(void);
LUN_EXPORT int lun_ffi_worker_pids(int64_t *pids, int room);
LUN_EXPORT int lun_ffi_process_type(void);
LUN_EXPORT void lun_ffi_process_want_agent(int connections);
LUN_EXPORT int64_t lun_ffi_process_master(void);
LUN_EXPORT void lun_ffi_process_quit(void);
LUN_EXPORT void lun_ffi_prefix(lun_str *text);
LUN_EXPORT void lun_ffi_configure_arguments(lun_str *text);
LUN_EXPORT void lun_ffi_port_counts(uint64_t *counts);

/* ffi_metric.c, for lunette/metrics.lua: a lun_metric as a script has it */
typedef struct {
    const char      *name, *help, *unit, *labels;
    const uint64_t  *bounds;
    uint32_t         kind;         /* of lun_metric_kind */
    uint32_t         scale;
} lun_ffi_metric;

LUN_EXPORT uint32_t lun_ffi_metric_make(const lun_ffi_metric *given,
    const lun_str *values, const char **why);
LUN_EXPORT void lun_ffi_metric_add(uint32_t at, uint64_t n);
LUN_EXPORT void lun_ffi_metric_set(uint32_t at, uint64_t n);
LUN_EXPORT void lun_ffi_metric_observe(uint32_t at, const uint64_t *bounds,
    uint64_t value);

/* trace.c, for ngx/trace.lua; ids are bytes */
LUN_EXPORT int lun_ffi_trace_root(const lun_request *r, char *id);
LUN_EXPORT int lun_ffi_trace_parent(const lun_request *r, const char *id,
    char *text);
LUN_EXPORT int lun_ffi_trace_start(lun_request *r, const char *parent,
    const char *name, size_t len, int kind, char *id);
LUN_EXPORT void lun_ffi_span_text(lun_request *r, const char *id,
    const char *key, size_t len, const char *text, size_t text_len);
LUN_EXPORT void lun_ffi_span_number(lun_request *r, const char *id,
    const char *key, size_t len, double n);
LUN_EXPORT void lun_ffi_span_flag(lun_request *r, const char *id,
    const char *key, size_t len, int flag);
LUN_EXPORT void lun_ffi_span_name(lun_request *r, const char *id,
    const char *name, size_t len);
LUN_EXPORT void lun_ffi_span_fail(lun_request *r, const char *id,
    const char *why, size_t len);
LUN_EXPORT void lun_ffi_span_finish(lun_request *r, const char *id);

/* balancer.c, for ngx/balancer.lua */
LUN_EXPORT int lun_ffi_balancer_set_peer(const char *addr, size_t len,
    int port, const char *host, size_t host_len, const char **why);
LUN_EXPORT int lun_ffi_balancer_keepalive(int64_t idle, uint32_t requests,
    const char **why);
LUN_EXPORT int lun_ffi_balancer_more_tries(int count, const char **why);
LUN_EXPORT int lun_ffi_balancer_last_failure(int *status, const char **why);
LUN_EXPORT int lun_ffi_balancer_timeouts(int64_t connect, int64_t send,
    int64_t read, const char **why);
LUN_EXPORT int lun_ffi_balancer_recreate(const char **why);
LUN_EXPORT int lun_ffi_balancer_tls(int on, const char **why);
LUN_EXPORT int lun_ffi_balancer_bind(const char *addr, size_t len,
    const char **why);

/* ffi_time.c, for time.lua and capi */
/* lun_ffi_time_text's `what`; time.lua has the same numbers. */
enum { LUN_FFI_DAY, LUN_FFI_DAY_AND_TIME };
LUN_EXPORT void lun_ffi_clock_update(void);
LUN_EXPORT size_t lun_ffi_time_text(int local, int what, char *dst);
LUN_EXPORT size_t lun_ffi_http_time(int64_t sec, char *dst);
LUN_EXPORT size_t lun_ffi_cookie_time(int64_t sec, char *dst);
LUN_EXPORT int lun_ffi_parse_http_time(const char *s, size_t len,
    int64_t *sec);

/* ffi_uri.c, for uri.lua and capi */
LUN_EXPORT size_t lun_ffi_uri_escaped_len(const char *s, size_t len, int type);
LUN_EXPORT void lun_ffi_uri_escape(const char *s, size_t len, int type,
    char *dst);
LUN_EXPORT size_t lun_ffi_uri_unescape(const char *s, size_t len, char *dst);

/* ffi_base64.c, for base64.lua and capi */
LUN_EXPORT size_t lun_ffi_base64_encode(const char *s, size_t len, int url,
    int padding, char *dst);
LUN_EXPORT int lun_ffi_base64_decode(const char *s, size_t len, int url,
    int mime, char *dst, size_t *used);

/* ffi_var.c, for var.lua and capi */
LUN_EXPORT int lun_ffi_var_get(lun_session *s, const char *name, size_t len,
    lun_str *value);
LUN_EXPORT int lun_ffi_var_capture(lun_session *s, int n, lun_str *value);
LUN_EXPORT int lun_ffi_var_set(lun_session *s, const char *name, size_t len,
    const char *value, size_t value_len);

/* ffi_request.c, for request.lua and capi */
LUN_EXPORT int lun_ffi_req_set_method(lun_request *r, int method);
LUN_EXPORT double lun_ffi_req_start_time(lun_request *r);
LUN_EXPORT int lun_ffi_req_is_internal(lun_request *r);

#endif
