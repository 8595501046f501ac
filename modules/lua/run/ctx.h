/*
 * ctx.h -- a context: what a handler runs for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CTX_H
#define LUN_LUA_CTX_H

#include "modules/lua/lua.h"
#include "net/loop.h"

/* What the Lua side sees; the layout is repeated in base.lua. */
typedef struct {
    lun_session  *session;         /* NULL: a context without one */
    lun_request  *request;         /* the same, if it is HTTP's */
    lun_lua_ctx  *ctx;
    lun_co       *co;              /* the coroutine that runs; may be NULL */
    uint32_t      phase;
} lun_lua_current;

extern lun_lua_current  lun_lua_now;

/* For FFI: its address, asked for once. */
LUN_EXPORT lun_lua_current *lun_ffi_current(void);

/* Whose machine it is that asks: "http", "stream". */
LUN_EXPORT const char *lun_ffi_subsystem(void);

/*
 * A context.  A session has one, in its module state, over all its phases;
 * a timer has its own, and so have init_worker and exit_worker.
 */
struct lun_lua_ctx {
    uint32_t            mark;      /* LUN_MARK_LUA_CTX */
    lun_session        *session;   /* NULL: a context without one */
    lun_request        *request;   /* the same, if it is HTTP's */
    lun_vm             *vm;
    lun_lua_main       *main;
    const lun_lua_conf *conf;      /* of the location, or the top block */
    const void         *core;      /* the core's, where there is no session */
    lun_pool           *pool;      /* ends with the context */
    const lun_log      *log;
    uint32_t            phase;     /* the phase it is in now */
    lun_str             life_error;        /* what init_by_lua died of */
    int32_t             ctx_ref;   /* ngx.ctx in the vm's table; LUA_NOREF */

    /* The scheduler's (thread.c). */
    lun_co             *entry;     /* the phase's own coroutine */
    lun_list            cos;       /* every lun_co of it */
    lun_list            ready;     /* those to resume next */
    unsigned            live;      /* entry and light threads not yet ended */
    lun_list            waiting;   /* in vm->waiting: a run waits */
    bool                draining;  /* the scheduler is in its loop */
    bool                leaving;   /* a handler said lun_co_leave() */
    bool                failed;    /* the entry died of an error */
    lun_task            task;      /* resumes what was woken too early */
    void              (*ended)(lun_lua_ctx *ctx);
    void               *data;      /* the timer's, ... */
    void              (*idle)(lun_lua_ctx *ctx);   /* all wait; or NULL */

    /* The runner's (phases.c). */
    uint32_t            running;   /* phase whose entry waits; 0: none */
    bool                completed; /* it has ended meanwhile */
    bool                reading_body;
    bool                body_is_read;
    const char         *body_file; /* ngx.req.set_body_file's, to delete */
    unsigned            capturing; /* coroutines in ngx.location.capture */

    /* What a handler asked for, taken when control comes back. */
    bool                exited;
    int                 exit_code;
    lun_str            *error_page;        /* error_page.c's; NULL: none */
    lun_str             exec_uri;  /* ngx.exec; data NULL: not asked for */
    lun_str             exec_args;
    bool                redirected;        /* ngx.req.set_uri(u, true) */
    lun_str             set_uri;           /* ... and where to */

    /* Output (output.c). */
    lun_lua_out        *out;       /* gathered, not yet handed on */
    lun_lua_out       **out_tail;
    lun_lua_out        *busy;      /* handed on, maybe not yet sent */
    lun_lua_out        *spare;
    bool                buffering; /* HTTP/1.0: all of it, for its length */
    bool                eof;       /* ngx.eof() was called */
    bool                type_is_set;       /* Content-Type, or that of none */
    size_t              out_size;  /* bytes in `out` */
    lun_list            flushing;  /* in ngx.flush(true), by their `ready` */

    struct lun_lua_downstream *downstream; /* of stream: its client */
    void               *turn;      /* balancer.c's, while its code runs */
    int                 abort_ref; /* ngx.on_abort's function; LUA_NOREF */
    lun_list            socks;     /* sock_tcp.c's; not begun: next is NULL */
    unsigned            ended_socks;       /* cosockets that were connected */
    void               *client;    /* ngx.req.socket's lun_cosock */
    bool                raw;       /* the answer is that socket's */

    /* A body that Lua writes: ngx.req.init_body (ffi_body.c). */
    struct lun_lua_body *new_body;

    /* set_by_lua's arguments: ngx.arg[n]. */
    lun_str            *args;
    unsigned            arg_count;

    /* body_filter: ngx.arg[1], ngx.arg[2]. */
    struct lun_lua_filter  *filter;    /* filters.c's; NULL: no body yet */
    lun_buf            *filter_in;
    lun_str             filter_text;       /* what a handler wrote there */
    bool                filter_eof;
    bool                filter_changed;
    bool                filter_failed;
    bool                filter_ended;
    bool                refused;           /* ngx.exit() in a header filter */
};

/* The context of a session, made when it has none; NULL: logged. */
lun_lua_ctx *lun_lua_ctx_of(lun_session *s);

/* The same for a handler that answers; NULL: with this verdict. */
lun_lua_ctx *lun_lua_ctx_or(lun_session *s, lun_verdict *refusal);

/* The loop in which what it waits for happens. */
static inline lun_loop *
lun_lua_loop(const lun_lua_ctx *ctx)
{
    return ctx->main->gen->loop;
}

/* The same, or NULL when it has none. */
static inline lun_lua_ctx *
lun_lua_ctx_at(const lun_session *s)
{
    return lun_session_state(s, &lun_common_lua);
}

/* ngx.ctx is empty from now on. */
void lun_lua_ctx_forget(lun_lua_ctx *ctx);

/*
 * A context without a session; ends with the pool, which is the caller's, as
 * is the reference on the vm.
 */
lun_lua_ctx *lun_lua_ctx_new(lun_pool *pool, lun_vm *vm, const lun_log *log);

/* watchdog.c: what its thread sees of this one. */
typedef struct {
    volatile uint32_t  runs;       /* how often Lua was entered */
    volatile bool      asleep;     /* the thread wants to be woken */
} lun_lua_watched;

extern lun_lua_watched  lun_lua_watch_state;
void lun_lua_watchdog_wake(void);

/* profile.h */
extern bool  lun_lua_profiling;
void lun_lua_profile_entered(void);

/*
 * Makes it the context whose turn it is; returns what was.  Before any Lua
 * runs for it, and back (lun_lua_now = was) right after.
 */
static inline lun_lua_current
lun_lua_enter(lun_lua_ctx *ctx)
{
    lun_lua_current  was = lun_lua_now;

    lun_lua_now = (lun_lua_current) {
        .session = ctx->session,
        .request = ctx->request,
        .ctx = ctx,
        .phase = ctx->phase
    };

    lun_lua_watch_state.runs++;

    if (LUN_UNLIKELY(lun_lua_watch_state.asleep)) {
        lun_lua_watchdog_wake();
    }

    if (LUN_UNLIKELY(lun_lua_profiling)) {
        lun_lua_profile_entered();
    }

    return was;
}

#endif
