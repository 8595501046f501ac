/*
 * thread.h -- the scheduler: the only room that resumes a coroutine.
 *
 * Three kinds of coroutine live in a context: the phase's entry, user
 * coroutines (coroutine.create), and light threads (ngx.thread.spawn).  All
 * yield to the scheduler only: a user coroutine that waits for a socket does
 * not disturb the one that resumed it, which simply stays unresumed.
 *
 * An API function that waits is a lua_CFunction in this shape:
 *
 *     static int
 *     sleep_(lua_State *L)
 *     {
 *         lun_co  *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
 *         ... start something that ends in lun_co_wake(co, n) ...
 *         return lun_co_wait(co, "ngx.sleep", on_cancel, data);
 *     }
 *
 * Whatever was started must be undone in on_cancel: it is called once when
 * the coroutine dies before it was woken (exit, abort, kill).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_THREAD_H
#define LUN_LUA_THREAD_H

#include "modules/lua/lua.h"

typedef void lun_co_cancel_fn(void *data);

typedef enum {
    LUN_CO_READY,
    LUN_CO_RUNNING,
    LUN_CO_WAITING,                /* for lun_co_wake() */
    LUN_CO_SUSPENDED,              /* coroutine.yield, or not begun */
    LUN_CO_NORMAL,                 /* has resumed another */
    LUN_CO_ZOMBIE,                 /* light thread: ended, not waited for */
    LUN_CO_DEAD
} lun_co_status;

typedef enum { LUN_CO_ENTRY, LUN_CO_USER, LUN_CO_THREAD } lun_co_kind;

/* Why it gave control back. */
typedef enum {
    LUN_CO_OP_YIELD,               /* coroutine.yield */
    LUN_CO_OP_WAIT,
    LUN_CO_OP_RESUME,
    LUN_CO_OP_SPAWN,
    LUN_CO_OP_LEAVE
} lun_co_op;

/*
 * An entry's lun_co lives as long as its lua_State, and both are used again;
 * those of the other kinds are userdata that go with the Lua object.
 */
struct lun_co {
    uint32_t           mark;       /* LUN_MARK_LUA_CO */
    lun_list           link;       /* in ctx->cos */
    lun_list           ready;      /* in ctx->ready */
    lua_State         *L;
    int                ref;        /* keeps L alive; LUA_NOREF: Lua does */
    lun_vm            *vm;
    lun_lua_ctx       *ctx;        /* NULL once it is dead */
    lun_co            *parent;     /* who resumed or spawned it */
    lun_co            *target;     /* whom it resumes or has spawned */
    lun_co            *waiter;     /* in ngx.thread.wait for this one */
    lun_co            *failed_co;  /* lun_co_note_failed(); alive by its ref */
    int                fallen_ref;
    const char        *fallen_error;
    lun_co_status      status;
    lun_co_kind        kind;
    lun_co_op          op;
    const char        *what;       /* it waits for: the API's name */
    uint32_t           waits_at;   /* where that is counted */
    bool               ok;         /* how a zombie ended */
    bool               woken;      /* before it waited */
    bool               fell;       /* of an error that nobody has seen yet */
    bool               has_spawned;
    bool               has_job;    /* see lun_capi_wait() */
    int                results;    /* on L, to pass at the next resume */
    lun_co_cancel_fn  *cancel;
    void              *cancel_data;
    struct {                       /* profile.c's: since when it waits */
        void          *stack;
        uint64_t       since;      /* us */
        unsigned       run;        /* 0: it is not counted */
    } profiled;
    int                stood_at;   /* debugger.c's: a line, or 0 */
    lun_timer          timer;      /* free for the function that waits */
    lun_task           task;       /* likewise */
};

/*
 * First line of a waiting API function: the running coroutine.  Throws
 * "API disabled in the context of ..." outside `phases`.
 */
lun_co *lun_co_enter(lua_State *L, uint32_t phases);

/*
 * Last line: returns what the lua_CFunction must return.  If it was woken
 * meanwhile, that is the results, at once.  `what` is for the log: the name
 * by which scripts call it.
 */
int lun_co_wait(lun_co *co, const char *what, lun_co_cancel_fn *cancel,
    void *data);

/*
 * Makes it ready; the `results` topmost values of co->L become the results of
 * the call that waited.  Resumes at once when called from the loop; soon, when
 * any Lua is running.  The request may be gone when it returns.
 */
void lun_co_wake(lun_co *co, int results);

/*
 * Starts a phase: runs the function on co->L with the `args` values above it
 * as ctx->entry.  LUN_AGAIN: it waits, and ctx->ended(ctx) comes later.
 * LUN_OK: it has ended, in the way that ctx->failed, exited, ... tell.
 */
lun_rc lun_co_run_entry(lun_lua_ctx *ctx, lun_co *co, int args);

/* A fresh coroutine of the machine (recycled if there is one), to run as
 * entry; or back unused. */
lun_co *lun_co_new(lun_lua_ctx *ctx);
void lun_co_unused(lun_co *co);

/*
 * A light thread of the context, from outside: the function on top of the
 * main stack is taken (ngx.on_abort).  Runs soon.
 */
void lun_co_spawn(lun_lua_ctx *ctx, lua_State *from);

/* Ends everything that the context still runs, calling cancels. */
void lun_co_kill_all(lun_lua_ctx *ctx);

/*
 * The handler asked to leave (ngx.exit, exec, redirect, ...): called by the
 * API function as `return lun_co_leave(L)` after setting ctx fields.  FFI
 * functions set ctx->leaving, and their Lua side yields.
 */
int lun_co_leave(lua_State *L);

/* Ends the run as soon as no Lua runs, as if a handler had left. */
void lun_co_quit(lun_lua_ctx *ctx);

/* The message on top of L, or what stands for one; valid while it is there. */
lun_str lun_co_error_text(lua_State *L);

/* A line in the log for each coroutine of a run that waits (co_dump.c). */
void lun_co_dump(const lun_generation *gen);

/*
 * A machine's bookkeeping: makes its tables; frees the entries kept for use.
 * The functions of coroutine.* and ngx.thread.* go into the table on top.
 */
void lun_co_open(lua_State *L, lun_vm *vm);
void lun_co_close(lun_vm *vm);

#endif
