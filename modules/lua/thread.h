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
 *         return lun_co_wait(co, on_cancel, data);
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

struct lun_co {
    lun_list           link;       /* in ctx->cos */
    lun_list           ready;      /* in ctx->ready */
    lua_State         *L;
    int                ref;        /* keeps L alive */
    lun_lua_ctx       *ctx;
    lun_co            *parent;     /* who resumed or spawned it */
    lun_co_status      status;
    bool               is_thread;  /* ngx.thread.spawn */
    bool               is_wrap;    /* coroutine.wrap: errors pass through */
    bool               ok;         /* how a zombie ended */
    int                results;    /* on L, to pass at the next resume */
    lun_co_cancel_fn  *cancel;
    void              *cancel_data;
    lun_co            *waiter;     /* in ngx.thread.wait for this one */
};

/*
 * First line of a waiting API function: the running coroutine.  Throws
 * "API disabled in the context of ..." outside `phases`.
 */
lun_co *lun_co_enter(lua_State *L, uint32_t phases);

/* Last line: returns what the lua_CFunction must return. */
int lun_co_wait(lun_co *co, lun_co_cancel_fn *cancel, void *data);

/*
 * Makes it ready; the `results` topmost values of co->L become the results of
 * the call that waited.  Resumes at once when called from the loop, later
 * when the scheduler is already at work.  The request may be gone when it
 * returns.
 */
void lun_co_wake(lun_co *co, int results);

/*
 * Starts a phase: the function on top of L (with `args` below it already
 * moved there) runs as ctx->entry.  The verdict is LUN_WAIT when it waits;
 * ctx->ended(ctx, verdict) then comes later.
 */
lun_verdict lun_co_run_entry(lun_lua_ctx *ctx, lun_co *co, int args);

/* A fresh coroutine of the machine (recycled if there is one). */
lun_co *lun_co_new(lun_lua_ctx *ctx);

/* Ends everything that the context still runs, calling cancels. */
void lun_co_kill_all(lun_lua_ctx *ctx);

/*
 * The handler asked to leave (ngx.exit, exec, redirect, ...): called by the
 * API function as `return lun_co_leave(L)` after setting ctx fields.
 */
int lun_co_leave(lua_State *L);

/* coroutine.* and ngx.thread.*: fills the tables. */
void lun_co_open_lib(lua_State *L);

#endif
