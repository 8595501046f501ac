/*
 * lua.h -- the bridge between requests and Lua: machines, contexts, chunks.
 *
 * One machine (lun_vm) serves a worker.  Whatever runs in it does so for a
 * context (lun_lua_ctx): a request's, a timer's, or that of init and
 * init_worker, which have no request.  `lun_lua_now` says whose turn it is;
 * the Lua side reads it through FFI, so that an API call knows its request
 * without a look-up and stays inside a trace.
 *
 * Rooms: vm (machines) - code (chunks) - thread (the only scheduler) - phases
 * (one runner, one row per *_by_lua) - module (directives) - tool (lunette
 * run, spec) - and per API area ffi_<area>.c behind lua/resty/core/<area>.lua.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_H
#define LUN_LUA_H

#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>

#include "http/module.h"

typedef struct lun_vm         lun_vm;
typedef struct lun_lua_ctx    lun_lua_ctx;
typedef struct lun_co         lun_co;
typedef struct lun_chunk      lun_chunk;

/* Phases, a bit each; base.lua has the same numbers. */
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
    LUN_LUA_SSL_STORE      = 0x00800,
    LUN_LUA_SSL_FETCH      = 0x01000,
    LUN_LUA_EXIT_WORKER    = 0x02000,
    LUN_LUA_SSL_HELLO      = 0x04000,
    LUN_LUA_SERVER_REWRITE = 0x08000,
    LUN_LUA_PRECONTENT     = 0x10000,
    LUN_LUA_INIT           = 0x20000,
    LUN_LUA_TOOL           = 0x40000,      /* lunette run: as a timer */
    LUN_LUA_YIELDABLE = LUN_LUA_REWRITE | LUN_LUA_SERVER_REWRITE
        | LUN_LUA_ACCESS | LUN_LUA_CONTENT | LUN_LUA_PRECONTENT
        | LUN_LUA_TIMER | LUN_LUA_TOOL | LUN_LUA_SSL_CERT
        | LUN_LUA_SSL_FETCH | LUN_LUA_SSL_HELLO
};

/* "content_by_lua*", "ngx.timer": as error texts name a phase. */
const char *lun_lua_phase_name(uint32_t phase);

/* What the Lua side sees; the layout is repeated in base.lua. */
typedef struct {
    lun_request  *request;         /* NULL: a context without one */
    lun_lua_ctx  *ctx;
    lun_co       *co;              /* the coroutine that runs; may be NULL */
    uint32_t      phase;
} lun_lua_current;

extern lun_lua_current  lun_lua_now;

/* For FFI: its address, asked for once. */
LUN_EXPORT lun_lua_current *lun_ffi_current(void);

/* Settings of a location (module.c); what any area may need of them. */
typedef struct {
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
    lun_chunk     *set[1];         /* unused slot: set_by_lua is rewrite's */
    lun_chunk     *server_rewrite;
    lun_chunk     *rewrite;
    lun_chunk     *access;
    lun_chunk     *precontent;
    lun_chunk     *content;
    lun_chunk     *header_filter;
    lun_chunk     *body_filter;
    lun_chunk     *log;
} lun_lua_conf;

extern lun_http_module  lun_http_lua;

/* Per generation (lun_http_gen_data): paths, dictionaries, init chunks. */
typedef struct {
    lun_generation  *gen;
    lun_str          package_path;
    lun_str          package_cpath;
    lun_chunk       *init;
    lun_chunk       *init_worker;
    lun_chunk       *exit_worker;
    lun_array        dicts;        /* of lun_shdict * (shdict.h) */
    int64_t          max_pending_timers;
    int64_t          max_running_timers;
    int64_t          regex_cache_max_entries;
    int64_t          regex_match_limit;
    int64_t          thread_cache_max_entries;
    bool             rewrite_no_postpone;
    bool             access_no_postpone;
    lun_vm          *vm;           /* the one that new requests use */
    const lun_lua_conf *top;       /* the http level's, for timers */
} lun_lua_main;

lun_lua_main *lun_lua_main_of(lun_generation *gen);

/*
 * A context.  A request has one, in its module state, over all its phases;
 * `run` counts what keeps the phase from ending.
 */
struct lun_lua_ctx {
    lun_request        *request;
    lun_vm             *vm;
    lun_lua_main       *main;
    const lun_lua_conf *conf;      /* of the location, or the http level */
    lun_pool           *pool;      /* ends with the context */
    const lun_log      *log;
    uint32_t            phase;     /* the phase it is in now */
    int                 ctx_ref;   /* ngx.ctx in the registry; LUA_NOREF */

    lun_co             *entry;     /* the phase's own coroutine */
    lun_list            cos;       /* every lun_co of it */
    lun_list            ready;     /* those to resume next */
    bool                draining;  /* the scheduler is in its loop */

    /* What a handler asked for, taken when control comes back. */
    bool                exited;
    int                 exit_code;
    lun_str             exec_uri;  /* ngx.exec */
    lun_str             exec_args;
    bool                redirected;        /* ngx.req.set_uri(u, true) */

    bool                eof;       /* ngx.eof() was called */
    bool                header_wanted;     /* http10_buffering and friends */
    bool                entered_content;
    bool                on_abort_set;
    void              (*ended)(lun_lua_ctx *ctx, lun_verdict verdict);
    void               *data;      /* the timer's, ... */

    /* body_filter: ngx.arg[1], ngx.arg[2]. */
    lun_buf            *filter_in;
    bool                filter_eof;
    bool                filter_changed;
};

/* The context of a request, made when it has none. */
lun_lua_ctx *lun_lua_ctx_of(lun_request *r);

/* --- vm.c --- */

/* A machine with the API loaded; NULL: logged. */
lun_vm *lun_vm_new(lun_lua_main *main, const lun_log *log);
void lun_vm_get(lun_vm *vm);
void lun_vm_put(lun_vm *vm);       /* the last one closes it */
lua_State *lun_vm_state(lun_vm *vm);

/* --- code.c: a chunk is what a *_by_lua directive holds --- */

/*
 * Inline code; `name` as error texts say it: "content_by_lua(nginx.conf:40)".
 * A file: `path` may hold variables.
 */
lun_chunk *lun_chunk_inline(lun_conf *cf, lun_str code, lun_str name);
lun_chunk *lun_chunk_file(lun_conf *cf, lun_str path, lun_str name);

/*
 * Pushes the compiled function on L (a coroutine of the vm), compiling it if
 * this machine has not yet.  Failure: logged as nginx's Lua says it
 * ("failed to load inlined Lua code: ..."); nothing is pushed.
 * `r` may be NULL for chunks without variables.
 */
lun_rc lun_chunk_push(lun_chunk *chunk, lun_vm *vm, lua_State *L,
    lun_request *r, const lun_log *log);

/* --- phases.c: one runner --- */

/* Runs a chunk that may yield for a request's phase. */
lun_verdict lun_lua_run_phase(lun_request *r, uint32_t phase,
    lun_chunk *chunk);
/* Runs one that may not; results stay on the stack of *L. */
lun_rc lun_lua_run_now(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk,
    int results, lua_State **L);

#endif
