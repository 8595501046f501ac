/*
 * lua.h -- the bridge between sessions and Lua: machines, contexts, chunks.
 *
 * Each protocol has a machine (lun_vm) in a worker.  Whatever runs in it does
 * so for a context (lun_lua_ctx): a session's, a timer's, or that of init and
 * init_worker, which have no session.  `lun_lua_now` says whose turn it is;
 * the Lua side reads it through FFI, so that an API call knows its session
 * without a look-up and stays inside a trace.  What only HTTP has asks for a
 * request.
 *
 * Rooms: ctx (contexts) - vm (machines) - code (chunks) - thread (the only
 * scheduler) - phases (one runner, one row per *_by_lua) - module (directives)
 * - tool (lunette run, spec) - and per API area ffi_<area>.c behind
 * lua/resty/core/<area>.lua.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_H
#define LUN_LUA_H

#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>

#include <openssl/types.h>

#include "http/module.h"

typedef struct lun_vm         lun_vm;
typedef struct lun_lua_ctx    lun_lua_ctx;
typedef struct lun_co         lun_co;
typedef struct lun_chunk      lun_chunk;
typedef struct lun_lua_watch  lun_lua_watch;
typedef struct lun_lua_out    lun_lua_out;     /* output.c */
typedef struct lun_lua_side   lun_lua_side;    /* side.h */

/* Phases, a bit each, as base.lua and (below INIT) lua-resty-core have them. */
enum {
    LUN_LUA_SET            = 0x00001,
    LUN_LUA_REWRITE        = 0x00002,
    LUN_LUA_ACCESS         = 0x00004,
    LUN_LUA_CONTENT        = 0x00008,
    LUN_LUA_LOG            = 0x00010,
    LUN_LUA_HEADER_FILTER  = 0x00020,
    LUN_LUA_BODY_FILTER    = 0x00040,
    LUN_LUA_TIMER          = 0x00080,
    LUN_LUA_INIT_WORKER    = 0x00100,
    LUN_LUA_BALANCER       = 0x00200,
    LUN_LUA_SSL_CERT       = 0x00400,
    LUN_LUA_SSL_SESSION_STORE = 0x00800,
    LUN_LUA_SSL_SESSION_FETCH = 0x01000,
    LUN_LUA_EXIT_WORKER    = 0x02000,
    LUN_LUA_SSL_CLIENT_HELLO = 0x04000,
    LUN_LUA_SERVER_REWRITE = 0x08000,
    LUN_LUA_PROXY_SSL_VERIFY = 0x10000,
    LUN_LUA_PRECONTENT     = 0x20000,
    LUN_LUA_PROXY_SSL_CERT = 0x40000,
    LUN_LUA_INIT           = 0x80000,
    LUN_LUA_TOOL           = 0x100000,     /* lunette run: as a timer */
    LUN_LUA_PREREAD        = 0x200000,     /* stream's */
    LUN_LUA_YIELDABLE = LUN_LUA_REWRITE | LUN_LUA_SERVER_REWRITE
        | LUN_LUA_ACCESS | LUN_LUA_CONTENT | LUN_LUA_PRECONTENT
        | LUN_LUA_PREREAD | LUN_LUA_TIMER | LUN_LUA_TOOL | LUN_LUA_SSL_CERT
        | LUN_LUA_SSL_SESSION_FETCH | LUN_LUA_SSL_CLIENT_HELLO
        | LUN_LUA_PROXY_SSL_CERT | LUN_LUA_PROXY_SSL_VERIFY
};

/* "content_by_lua*", "ngx.timer": as error texts name a phase. */
const char *lun_lua_phase_name(uint32_t phase);

/* lua_ssl_*: what cosockets' TLS is made of (sock/sock_ssl_conf.c). */
typedef struct {
    uint32_t    protocols;
    lun_str     ciphers;
    lun_str     trusted;           /* paths; "": none */
    lun_str     crl, key_log;
    int64_t     verify_depth;
    lun_array  *certificates;      /* of lun_str */
    lun_array  *keys;
    lun_array  *commands;          /* of lun_pair */
} lun_lua_ssl;

/* Settings that only the protocol's block has: main->top->block. */
typedef struct {
    lun_str        package_path, package_cpath;
    lun_chunk     *init, *init_worker, *exit_worker;
    int64_t        max_pending_timers, max_running_timers;
    int64_t        regex_cache_max_entries, regex_match_limit;
    int64_t        thread_cache_max_entries;
    int64_t        thread_max;     /* machines for threads (worker_thread.c) */
    int64_t        trim_after;     /* requests; 0: never */
    lun_msec       block_warning;  /* 0: none */
    struct lun_log_file *coverage; /* lua_coverage; or NULL */
    bool           sa_restart, own_core;   /* never the user's resty.core */
} lun_lua_block_conf;

/*
 * Settings of a location, or of a stream server (module.c); what any area may
 * need of them.
 */
typedef struct {
    lun_lua_block_conf  block;
    bool           code_cache;
    bool           need_request_body;
    bool           http10_buffering;
    bool           transform_underscores;
    bool           check_client_abort;
    bool           use_default_type;
    bool           socket_log_errors;
    lun_msec       socket_connect_timeout;
    lun_msec       socket_send_timeout;
    lun_msec       socket_read_timeout;
    lun_msec       socket_keepalive_timeout;
    size_t         socket_buffer_size;
    int64_t        socket_pool_size;
    int64_t        balancer_keepalive;     /* an upstream block's */
    lun_lua_ssl    ssl;
    SSL_CTX       *ssl_ctx;        /* NULL: nothing but defaults */
    lun_chunk     *server_rewrite;
    lun_chunk     *rewrite;
    lun_chunk     *access;
    lun_chunk     *precontent;
    lun_chunk     *preread;
    lun_chunk     *content;
    lun_chunk     *header_filter;
    lun_chunk     *body_filter;
    lun_chunk     *log;
    lun_chunk     *ssl_hello;      /* a server's, as is the next */
    lun_chunk     *ssl_cert;
    lun_chunk     *ssl_fetch;      /* the http block's, as is the next */
    lun_chunk     *ssl_store;
    lun_chunk     *proxy_ssl_cert;         /* a location's, as is the next */
    lun_chunk     *proxy_ssl_verify;
    bool           skip_default_verify;
} lun_lua_conf;

/* Directives and settings, of both protocols; a session's context. */
extern lun_module       lun_common_lua;
extern lun_http_module  lun_http_lua;      /* HTTP's handlers and filters */

static inline const lun_lua_conf *
lun_lua_conf_of(const lun_session *s)
{
    return lun_session_conf(s, &lun_common_lua);
}

/* Per engine: machines, dictionaries, and what they share. */
typedef struct {
    lun_generation  *gen;
    bool             captures;     /* some code may ask other locations */
    lun_engine      *engine;
    const lun_lua_side *side;
    lun_array        dicts;        /* of lun_zone * (lun_shdict_of) */
    unsigned         thread_count;
    lun_list         thread_spares;
    int64_t          trim_count;   /* requests since the last trim */
    bool             trims;        /* also without log_by_lua: it was asked */
    bool             rewrite_no_postpone, access_no_postpone;
    bool             precontent_no_postpone, preread_no_postpone;
    struct lun_lua_errlog *errlog; /* lua_capture_error_log; or NULL */
    unsigned         chunks;       /* how many there are: the ids */
    lun_chunk       *last_chunk;   /* and all those before it */
    lun_vm          *vm;           /* the one that new requests use */
    lun_list         vms;          /* all of them (lun_vm) */
    lun_lua_watch   *watch;        /* lua_code_cache watch; or NULL */
    const lun_lua_conf *top;       /* the top block's, for timers */
    const void      *core;         /* the same of the protocol's core */
    lun_pool        *pool;         /* after the machines: the next two */
    SSL_CTX         *ssl_ctx;      /* of cosockets for whom nothing is set */
    struct lun_resolver *resolver; /* theirs where there is no such block */
} lun_lua_main;

lun_lua_main *lun_lua_main_of(lun_engine *e);

/*
 * Makes main->vm, which ends with the generation.  LUN_ERROR: logged; `log`
 * NULL is the default log.
 */
lun_rc lun_lua_main_open(lun_lua_main *main, const lun_log *log);

/* --- vm.c --- */

/* A machine with the API loaded; NULL: logged. */
lun_vm *lun_vm_new(lun_lua_main *main, const lun_log *log);
void lun_vm_get(lun_vm *vm);
void lun_vm_put(lun_vm *vm);       /* the last one closes it */

/* The process ends: closes what contexts of requests still hold. */
void lun_vm_close_all(lun_lua_main *main);
/* Runs init_by_lua in it.  LUN_ERROR: logged. */
lun_rc lun_vm_run_init(lun_vm *vm);

/* --- worker_thread.c: ngx.run_worker_thread --- */

/* Waits for the jobs in threads of this generation. */
void lun_lua_worker_thread_drain(const lun_lua_main *main);
/* Its end: closes the machines, once the jobs have ended. */
void lun_lua_worker_thread_close(lun_lua_main *main);

/* --- code.c: a chunk is what a *_by_lua directive holds --- */

/*
 * Inline code; `name` as error texts say it: "content_by_lua(nginx.conf:40)".
 * A file: `path` may hold variables.
 */
lun_chunk *lun_chunk_inline(lun_conf *cf, lun_str code, lun_str name);
lun_chunk *lun_chunk_file(lun_conf *cf, lun_str path, lun_str name);

/*
 * Pushes the compiled function on L (a coroutine of the vm), compiling it if
 * this machine has not yet.  Returns 0, or the status to answer with (500,
 * 404 for a file that is not there): logged as nginx's Lua says it ("failed
 * to load inlined Lua code: ..."), nothing is pushed.
 * `s` may be NULL for chunks without variables.
 */
unsigned lun_chunk_push(lun_chunk *chunk, lun_vm *vm, lua_State *L,
    lun_session *s, const lun_log *log);

/* The inline code named "=content_by_lua(...)"; data NULL: there is none. */
lun_str lun_chunk_code(const lun_lua_main *main, const char *name);

/* Pushes a table of all inline code: { [name without its "="] = code }. */
void lun_chunk_push_inlines(const lun_lua_main *main, lua_State *L);

/*
 * Compiles a file for this machine ahead of its use, as a handler or as a
 * module.  Returns 0, or a status with a message on top of the main stack.
 */
unsigned lun_chunk_keep_file(lun_vm *vm, lun_str path, bool handler);

/*
 * Runs one of init_by_lua and its like.  LUN_ERROR: the message is on top of
 * the main stack.
 */
lun_rc lun_chunk_try_life(lun_chunk *chunk, lun_lua_ctx *ctx, uint32_t phase);

/*
 * The same; an error is logged, with the name: "init_by_lua error: ...".
 */
lun_rc lun_chunk_run_life(lun_chunk *chunk, lun_lua_ctx *ctx, uint32_t phase,
    const char *name);

/* --- phases.c: one runner --- */
/*
 * Runs a chunk that may not yield, on the machine's main stack: `results`
 * values stay on it, from the returned index on (at least one); the caller
 * pops them with lua_settop(*L, index - 1).  0: failed, logged, nothing to pop.
 */
int lun_lua_run_now(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk,
    int results, lua_State **L);

#endif
