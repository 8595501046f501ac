/*
 * capi_wait.h -- what waits, as lua-resty-core declares it: semaphores, pipes,
 * handshakes of cosockets.
 *
 * A function of C that LuaJIT calls can't wait, nor touch the coroutine that
 * calls it.  Those of nginx's Lua begin something, say AGAIN, and their caller
 * says coroutine._yield().  Here the first of both only notes a job, and the
 * other one, which is ours, does it: lua/lunette/capi_jobs.lua, with the same
 * functions that ngx.semaphore and the like wait in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CAPI_WAIT_H
#define LUN_LUA_CAPI_WAIT_H

#include "modules/lua/capi/capi.h"
#include "modules/lua/api/pipe.h"
#include "modules/lua/api/sema.h"
#include "modules/lua/sock/sock_inside.h"

/* --- jobs (capi_wait.c) --- */

/* A kind of job: `name` is that of the function in capi_jobs.lua. */
typedef struct {
    const char  *name;
    int        (*push)(lua_State *L, void *data);  /* its arguments */
    void       (*drop)(void *data);                /* and the memory */
} lun_capi_job;

/* "API disabled in the context of ...": this phase's name. */
void lun_capi_tell_phase(char *err, size_t *errlen);

/* OK: the present coroutine may wait; else what the caller is to return. */
int lun_capi_may_wait(char *err, size_t *errlen);

/* AGAIN: `data` is the job's from now on.  One that nobody began is dropped. */
int lun_capi_wait(const lun_capi_job *job, void *data);

/* The caller yields for another reason. */
void lun_capi_forget_job(void);

/* What jobs have come to, for those who then ask for it by FFI. */
int lun_capi_keep_read(lua_State *L);      /* capi_pipe.c */
int lun_capi_keep_written(lua_State *L);
int lun_capi_keep_session(lua_State *L);   /* capi_sock.c */
int lun_capi_dict_box(lua_State *L);       /* capi_shdict.c */
void lun_capi_pipe_open(lua_State *L);

/* --- semaphores (capi_wait.c) --- */

LUN_EXPORT int ngx_http_lua_ffi_sema_new(lun_sema **psem, int n, const char
    **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_sema_post(lun_sema *sem, int n);
LUN_EXPORT int ngx_http_lua_ffi_sema_count(lun_sema *sem);
LUN_EXPORT int ngx_http_lua_ffi_sema_wait(void *r, lun_sema *sem, int wait_ms,
    char *errstr, size_t *errlen);
LUN_EXPORT void ngx_http_lua_ffi_sema_gc(lun_sema *sem);

/* --- pipes (capi_pipe.c) --- */

/* ngx_http_lua_ffi_pipe_proc_t; times are milliseconds, 0 is for ever. */
typedef struct {
    int         pid;
    uintptr_t   write_timeout;
    uintptr_t   stdout_read_timeout;
    uintptr_t   stderr_read_timeout;
    uintptr_t   wait_timeout;
    void       *pipe;              /* NULL: not started, or destroyed */
} lun_capi_proc;

LUN_EXPORT int ngx_http_lua_ffi_pipe_spawn(void *r, lun_capi_proc *proc, const
    char *file, const char **argv, int merge_stderr, size_t buffer_size, const
    char **environ_, char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_proc_read(void *r, lun_capi_proc *proc,
    int from_stderr, int reader_type, size_t length, char **buf, size_t
    *buf_size, char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_get_read_result(void *r, lun_capi_proc
    *proc, int from_stderr, char **buf, size_t *buf_size, char *errbuf, size_t
    *errbuf_size);
LUN_EXPORT ptrdiff_t ngx_http_lua_ffi_pipe_proc_write(void *r, lun_capi_proc
    *proc, const char *data, size_t len, char *errbuf, size_t *errbuf_size);
LUN_EXPORT ptrdiff_t ngx_http_lua_ffi_pipe_get_write_result(void *r,
    lun_capi_proc *proc, char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_proc_shutdown_stdin(lun_capi_proc *proc,
    char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_proc_shutdown_stdout(lun_capi_proc *proc,
    char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_proc_shutdown_stderr(lun_capi_proc *proc,
    char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_proc_wait(void *r, lun_capi_proc *proc,
    char **reason, int *status, char *errbuf, size_t *errbuf_size);
LUN_EXPORT int ngx_http_lua_ffi_pipe_proc_kill(lun_capi_proc *proc, int
    signal, char *errbuf, size_t *errbuf_size);
LUN_EXPORT void ngx_http_lua_ffi_pipe_proc_destroy(lun_capi_proc *proc);

/* --- cosockets (capi_sock.c); u: what a socket's table has first --- */

LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_getoption(void *u, int opt, int
    *val, char *err, size_t *errlen);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_setoption(void *u, int opt, int
    val, char *err, size_t *errlen);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_getfd(void *r, void *u, const char
    **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_get_ssl_pointer(void *r, void *u,
    void **pssl, const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_get_ssl_ctx(void *r, void *u, void
    **pctx, const char **errmsg);
LUN_EXPORT int ngx_http_lua_socket_tcp_get_ssl_session(void *r, void *u, void
    **session, const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_settrustedstore(void *r, void *u,
    void *store, const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_sslhandshake(void *r, void *u, void
    *sess, int enable_session_reuse, const lun_str *server_name, int verify,
    int ocsp_status_req, void *chain, void *pkey, const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_socket_tcp_get_sslhandshake_result(void *r,
    void *u, void **sess, const char **errmsg, int *openssl_error_code);

#endif
