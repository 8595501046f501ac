/*
 * thread.c -- the scheduler of a context's coroutines.
 *
 * Nothing here recurses: whatever a coroutine wants of another one, it yields
 * here and says so in co->op; drain() resumes one after the other until none
 * is ready.  A coroutine that is woken while any Lua runs is left to the end
 * of the loop's turn.
 *
 * The functions that Lua calls are in thread_lib.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/thread.h"

#include "base/check.h"
#include "modules/lua/api/error_page.h"
#include "modules/lua/capi/nginx_stat.h"
#include "modules/lua/look/debugger.h"
#include "modules/lua/look/profile.h"
#include "modules/lua/run/output.h"
#include "modules/lua/run/thread_priv.h"
#include "modules/lua/run/vm.h"
#include "os/stat_cache.h"

enum { BACKTRACE_SIZE = 3500, BACKTRACE_DEPTH = 20 };


/* Why a run ended, as logs say it. */
static const char *
error_name(int rc)
{
    switch (rc) {

    case LUA_ERRRUN:
        return "runtime error";

    case LUA_ERRSYNTAX:
        return "syntax error";

    case LUA_ERRMEM:
        return "memory allocation error";

    case LUA_ERRERR:
        return "error handler error";

    default:
        return "unknown error";
    }
}


lun_str
lun_co_error_text(lua_State *L)
{
    lun_str  text;

    /* A number would be turned into a string in place: fine, it is ours. */
    if (lua_gettop(L) != 0 && lua_isstring(L, -1)) {
        text.data = lua_tolstring(L, -1, &text.len);
        return text;
    }

    return LUN_STR("unknown reason");
}


/* Appends what luaL_traceback says of L1, without its first line. */
static char *
trace(char *p, const char *end, lua_State *L, lua_State *L1)
{
    const char  *text;

    luaL_traceback(L, L1, NULL, 0);
    text = strchr(lua_tostring(L, -1), '\n');

    if (text != NULL) {
        p = lun_fmt(p, end, "%s", text);
    }

    lua_pop(L, 1);
    return p;
}


void
lun_co_forget_failed(lun_co *co)
{
    if (co->failed_co != NULL) {
        luaL_unref(co->vm->L, LUA_REGISTRYINDEX, co->fallen_ref);
        co->failed_co = NULL;
    }
}


void
lun_co_note_failed(lua_State *L, lun_co *co, lun_co *failed_co)
{
    lun_co_forget_failed(co);

    if (!failed_co->fell) {
        return;                    /* it was dead before it was resumed */
    }

    failed_co->fell = false;
    lua_pushvalue(L, 1);
    co->fallen_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    co->failed_co = failed_co;
    co->fallen_error = lua_tostring(L, 2);
}


/*
 * Those whose error it was, the first one to die first, but no more than
 * `most` of the last ones; *n are counted.
 */
static char *
trace_failed(char *p, const char *end, const lun_co *co, const char *error,
    int most, int *n)
{
    if (co->failed_co == NULL || co->fallen_error != error || most == 0) {
        return p;
    }

    p = trace_failed(p, end, co->failed_co, error, most - 1, n);
    p = lun_fmt(p, end, "\ncoroutine %d:", (*n)++);
    return trace(p, end, co->vm->L, co->failed_co->L);
}


static void
log_abort(lun_lua_ctx *ctx, lun_co *co, int rc)
{
    int       i = 0;
    char      room[BACKTRACE_SIZE], *p, *end;
    lun_co   *at;
    lun_str   text;

    text = lun_co_error_text(co->L);
    end = room + sizeof(room);
    p = trace_failed(room, end, co, text.data, BACKTRACE_DEPTH, &i);

    for (at = co; at != NULL && i < BACKTRACE_DEPTH; i++) {
        p = lun_fmt(p, end, "\ncoroutine %d:", i);
        p = trace(p, end, ctx->vm->L, at->L);
        at = at->parent;
    }

    lun_log(LUN_LOG_ERR, ctx->log, 0,
            "lua %s thread aborted: %s: %.*s\nstack traceback:%.*s",
            co->kind == LUN_CO_ENTRY ? "entry" : "user",
            error_name(rc), LUN_S(text), (int) (p - room), room);
}


/* --- births and deaths --- */

static const char *const  statuses[] = {
    [LUN_CO_READY]     = "ready",
    [LUN_CO_RUNNING]   = "running",
    [LUN_CO_WAITING]   = "waiting",
    [LUN_CO_SUSPENDED] = "suspended",
    [LUN_CO_NORMAL]    = "normal",
    [LUN_CO_ZOMBIE]    = "zombie",
    [LUN_CO_DEAD]      = "dead"
};


const char *
lun_co_status_name(const lun_co *co)
{
    return statuses[co->status];
}


void
lun_co_say_turn(const lun_co *co, lun_co_status status)
{
    lun_debug(co->ctx != NULL ? co->ctx->log : NULL,
              "lua coroutine %p: %s -> %s%s%s", (const void *) co,
              statuses[co->status], statuses[status],
              status == LUN_CO_WAITING ? " for " : "",
              status == LUN_CO_WAITING ? co->what : "");
}


/*
 * A coroutine costs more to make than most handlers to run: those that ended
 * well are kept.
 */
lun_co *
lun_co_new(lun_lua_ctx *ctx)
{
    lun_vm  *vm = ctx->vm;
    lun_co  *co;

    if (!lun_list_empty(&vm->spares)) {
        co = lun_container_of(vm->spares.next, lun_co, link);
        lun_list_remove(&co->link);
        vm->spare_count--;
        lun_debug(ctx->log, "lua reusing cached lua thread %p (ref %d)",
                  (void *) co->L, co->ref);

    } else {
        co = lun_calloc(sizeof(lun_co));
        co->mark = LUN_MARK_LUA_CO;
        co->vm = vm;
        co->kind = LUN_CO_ENTRY;
        co->status = LUN_CO_SUSPENDED;
        lun_list_init(&co->link);
        lun_list_init(&co->ready);
        co->L = lua_newthread(vm->L);
        lun_co_bind(vm->L, co);
        co->ref = luaL_ref(vm->L, LUA_REGISTRYINDEX);
    }

    co->ctx = ctx;
    lun_co_turn(co, LUN_CO_READY);
    lun_list_push_back(&ctx->cos, &co->link);
    return co;
}


static void
free_entry(lun_co *co)
{
    lua_State  *L = co->vm->L;

    /* Who still holds the thread finds no lun_co behind it. */
    lua_rawgeti(L, LUA_REGISTRYINDEX, co->vm->co_table);
    lua_rawgeti(L, LUA_REGISTRYINDEX, co->ref);
    lua_pushnil(L);
    lua_rawset(L, -3);
    lua_pop(L, 1);

    lun_co_forget_failed(co);
    luaL_unref(L, LUA_REGISTRYINDEX, co->ref);
    co->mark = LUN_MARK_DEAD;
    lun_free(co);
}


/* The entry is over: kept for the next request if its stack is whole. */
static void
put_entry(lun_co *co)
{
    lun_vm   *vm = co->vm;
    int64_t   most = vm->main->top->block.thread_cache_max_entries;

    if (lua_status(co->L) != 0 || vm->spare_count >= (unsigned) most) {
        free_entry(co);
        return;
    }

    lun_debug(co->ctx->log, "lua caching unused lua thread %p (ref %d)",
              (void *) co->L, co->ref);
    lua_settop(co->L, 0);
    lun_co_forget_failed(co);
    co->ctx = NULL;
    co->parent = NULL;
    co->has_spawned = false;
    lun_list_push_front(&vm->spares, &co->link);
    vm->spare_count++;
}


void
lun_co_unused(lun_co *co)
{
    lun_list_remove(&co->link);
    put_entry(co);
}


void
lun_co_close(lun_vm *vm)
{
    while (!lun_list_empty(&vm->spares)) {
        lun_co  *co = lun_container_of(vm->spares.next, lun_co, link);

        lun_list_remove(&co->link);
        lun_free(co);
    }

    vm->spare_count = 0;
}


/* A zombie of that parent, or NULL; others are told that it has gone. */
static lun_co *
leave_children(lun_co *co)
{
    lun_list_each(&co->ctx->cos, it) {
        lun_co  *child = lun_container_of(it, lun_co, link);

        if (child->parent != co) {
            continue;
        }

        child->parent = NULL;
        child->waiter = NULL;

        if (child->status == LUN_CO_ZOMBIE) {
            return child;
        }
    }

    return NULL;
}


/* Nobody is left who could wait for its threads. */
void
lun_co_orphan(lun_co *co)
{
    lun_co  *zombie;

    if (!co->has_spawned || co->ctx == NULL) {
        return;
    }

    while ((zombie = leave_children(co)) != NULL) {
        lun_co_destroy(zombie);
    }
}


void
lun_co_destroy(lun_co *co)
{
    lun_co_cancel_fn  *cancel = co->cancel;

    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);

    /* What it waits for is undone while it still counts as waiting. */
    co->cancel = NULL;
    if (cancel != NULL) {
        cancel(co->cancel_data);
    }

    lun_timer_stop(&co->timer);
    lun_loop_unpost(&co->task);
    lun_list_remove(&co->ready);
    lun_list_remove(&co->link);
    lun_co_orphan(co);
    lun_co_turn(co, LUN_CO_DEAD);

    if (co->kind == LUN_CO_ENTRY) {
        put_entry(co);
        return;
    }

    co->ctx = NULL;
    luaL_unref(co->vm->L, LUA_REGISTRYINDEX, co->ref);
    co->ref = LUA_NOREF;
}


void
lun_co_kill_all(lun_lua_ctx *ctx)
{
    while (!lun_list_empty(&ctx->cos)) {
        lun_co_destroy(lun_container_of(ctx->cos.next, lun_co, link));
    }

    ctx->entry = NULL;
    ctx->live = 0;
    lun_list_remove(&ctx->waiting);
    lun_loop_unpost(&ctx->task);
}


/* --- one step --- */

static void
ready_front(lun_co *co, int results)
{
    lun_co_turn(co, LUN_CO_READY);
    co->results = results;
    lun_list_push_front(&co->ctx->ready, &co->ready);
}


static void
ready_back(lun_co *co, int results)
{
    lun_co_turn(co, LUN_CO_READY);
    co->results = results;
    lun_list_push_back(&co->ctx->ready, &co->ready);
}


/*
 * Hands the n topmost values of co, behind a boolean, to one that waits for
 * it, which goes on at once.
 */
static void
hand_over(lun_co *co, lun_co *to, bool good, int n)
{
    if (!lua_checkstack(to->L, n + 1)) {
        lua_settop(co->L, 0);
        lua_pushboolean(to->L, 0);
        lua_pushliteral(to->L, "too many results");
        ready_front(to, 2);
        return;
    }

    lua_pushboolean(to->L, good);
    lua_xmove(co->L, to->L, n);
    ready_front(to, n + 1);
}


/* A light thread has ended with its n topmost values. */
static void
end_thread(lun_lua_ctx *ctx, lun_co *co, bool good, int n)
{
    lun_co  *waiter = co->waiter;

    ctx->live--;

    if (waiter == NULL) {
        if (co->parent == NULL || co->parent->status == LUN_CO_DEAD) {
            lun_co_destroy(co);
            return;
        }

        lun_co_turn(co, LUN_CO_ZOMBIE);
        co->ok = good;
        co->results = n;
        return;
    }

    /* It waited for any of several: the first one ends the wait. */
    lun_list_each(&ctx->cos, it) {
        lun_co  *other = lun_container_of(it, lun_co, link);

        if (other->waiter == waiter) {
            other->waiter = NULL;
        }
    }

    hand_over(co, waiter, good, n);
    lun_co_destroy(co);
}


static void
on_return(lun_lua_ctx *ctx, lun_co *co)
{
    int      n = lua_gettop(co->L);
    lun_co  *parent;

    switch (co->kind) {

    case LUN_CO_USER:
        parent = co->parent;
        hand_over(co, parent, true, n);
        lun_co_destroy(co);
        return;

    case LUN_CO_THREAD:
        end_thread(ctx, co, true, n);
        return;

    case LUN_CO_ENTRY:
        /* Its light threads may go on; the phase ends with the last. */
        lua_settop(co->L, 0);
        lun_co_turn(co, LUN_CO_DEAD);
        ctx->live--;
        return;
    }
}


static void
on_error(lun_lua_ctx *ctx, lun_co *co, int rc)
{
    switch (co->kind) {

    case LUN_CO_USER:
        co->fell = true;
        hand_over(co, co->parent, false, 1);
        lun_co_destroy(co);
        return;

    case LUN_CO_THREAD:
        log_abort(ctx, co, rc);
        end_thread(ctx, co, false, 1);
        return;

    case LUN_CO_ENTRY:
        log_abort(ctx, co, rc);
        lun_lua_error_page_make(ctx, ctx->phase, co,
                                lun_co_error_text(co->L));
        ctx->failed = true;
        ctx->leaving = true;
        return;
    }
}


static void
on_yield(lun_co *co)
{
    int      n;
    lun_co  *parent;

    switch (co->op) {

    case LUN_CO_OP_WAIT:
    case LUN_CO_OP_LEAVE:
        return;

    case LUN_CO_OP_RESUME:
        ready_front(co->target, co->target->results);
        return;

    case LUN_CO_OP_SPAWN:
        /* The new thread runs first; its maker gets it as a result. */
        ready_back(co, 1);
        ready_front(co->target, co->target->results);
        return;

    case LUN_CO_OP_YIELD:
        break;
    }

    if (co->kind != LUN_CO_USER) {
        /* Nobody to yield to: lets the others run. */
        lua_settop(co->L, 0);
        ready_back(co, 0);
        return;
    }

    n = lua_gettop(co->L);
    parent = co->parent;
    co->parent = NULL;
    lun_co_turn(co, LUN_CO_SUSPENDED);
    hand_over(co, parent, true, n);
}


/*
 * After each resume the world may be another: the request moved, its coroutines
 * gone.  The op that the coroutine left says what is to be done with it.
 */
static void
step(lun_lua_ctx *ctx, lun_co *co)
{
    int  rc, n;

    LUN_CHECK(co->ctx == ctx && co->status == LUN_CO_READY);

    n = co->results;
    co->results = 0;
    co->op = LUN_CO_OP_YIELD;
    lun_co_turn(co, LUN_CO_RUNNING);
    lun_lua_now.co = co;

    if (LUN_UNLIKELY(lun_lua_profiling)) {
        lun_lua_profile_resumed(co);
    }

    if (LUN_UNLIKELY(lun_lua_debugging)) {
        lun_lua_debug_resumed(co);
    }

    lun_nginx_stat_look();
    rc = lua_resume(co->L, n);
    lun_stat_cache_invalidate();

    if (rc == LUA_YIELD) {
        if (!ctx->leaving) {
            on_yield(co);
        }

    } else if (rc == 0) {
        on_return(ctx, co);

    } else {
        on_error(ctx, co, rc);
    }
}


/* Resumes until nobody is ready; true: the run is over. */
static bool
drain(lun_lua_ctx *ctx)
{
    lun_lua_current  was = lun_lua_enter(ctx);

    ctx->draining = true;

    do {
        while (!ctx->leaving && !lun_list_empty(&ctx->ready)) {
            lun_co  *co = lun_container_of(ctx->ready.next, lun_co, ready);

            lun_list_remove(&co->ready);
            step(ctx, co);
        }

        if (ctx->leaving || ctx->live == 0) {
            break;
        }

        /* All wait: what they have said goes out now. */
        lun_lua_now.co = NULL;
        lun_lua_send(ctx);

        if (LUN_UNLIKELY(ctx->idle != NULL)) {
            ctx->idle(ctx);
        }

    } while (!lun_list_empty(&ctx->ready));

    ctx->draining = false;
    lun_lua_now = was;
    lun_lua_measure(ctx->vm);
    return ctx->leaving || ctx->live == 0;
}


static void
end_run(lun_lua_ctx *ctx)
{
    lun_co_kill_all(ctx);
    ctx->leaving = false;
}


lun_rc
lun_co_run_entry(lun_lua_ctx *ctx, lun_co *co, int args)
{
    LUN_CHECK_MARK(ctx, LUN_MARK_LUA_CTX);
    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);
    LUN_CHECK(ctx->entry == NULL && !ctx->draining);

    ctx->entry = co;
    ctx->live = 1;
    ctx->leaving = false;
    ctx->failed = false;

    if (LUN_UNLIKELY(lun_lua_debugging)) {
        lun_lua_debug_wrap(co->vm, co->L, lua_gettop(co->L) - args);
    }

    ready_back(co, args);

    if (!drain(ctx)) {
        lun_list_push_back(&ctx->vm->waiting, &ctx->waiting);
        return LUN_AGAIN;
    }

    end_run(ctx);
    return LUN_OK;
}


/* From the loop: goes on with a run that waited. */
static void
go_on(lun_lua_ctx *ctx)
{
    LUN_CHECK_MARK(ctx, LUN_MARK_LUA_CTX);

    if (ctx->entry != NULL && drain(ctx)) {
        end_run(ctx);
        ctx->ended(ctx);
    }
}


static void
on_task(lun_task *task)
{
    go_on(lun_container_of(task, lun_lua_ctx, task));
}


/* Somebody of the context is ready. */
static void
kick(lun_lua_ctx *ctx)
{
    LUN_CHECK_MARK(ctx, LUN_MARK_LUA_CTX);

    if (ctx->draining) {
        return;
    }

    if (lun_lua_now.ctx != NULL) {
        lun_loop_post(lun_lua_loop(ctx), &ctx->task, on_task);
        return;
    }

    go_on(ctx);
}


/* --- for API functions --- */

lun_co *
lun_co_enter(lua_State *L, uint32_t phases)
{
    lun_co  *co = lun_lua_now.co;

    if (lun_lua_now.phase == LUN_LUA_INIT) {
        luaL_error(L, "no request found");
    }

    if ((lun_lua_now.phase & phases) == 0) {
        luaL_error(L, "API disabled in the context of %s",
                   lun_lua_phase_name(lun_lua_now.phase));
    }

    if (co == NULL || co->L != L) {
        luaL_error(L, "no co ctx found");
    }

    return co;
}


int
lun_co_wait(lun_co *co, const char *what, lun_co_cancel_fn *cancel, void *data)
{
    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);
    LUN_CHECK(co->status == LUN_CO_RUNNING);

    if (co->woken) {
        co->woken = false;
        return co->results;
    }

    /* Inside require() or a callback of C: what was begun must not end. */
    if (!lua_isyieldable(co->L)) {
        if (cancel != NULL) {
            cancel(data);
        }

        lun_timer_stop(&co->timer);
        lun_loop_unpost(&co->task);
        lun_list_remove(&co->ready);
        return lua_yield(co->L, 0);            /* throws */
    }

    co->op = LUN_CO_OP_WAIT;
    co->what = what;
    lun_co_turn(co, LUN_CO_WAITING);
    co->cancel = cancel;
    co->cancel_data = data;

    if (LUN_UNLIKELY(lun_lua_profiling)) {
        lun_lua_profile_wait(co);
    }

    return lua_yield(co->L, 0);
}


void
lun_co_wake(lun_co *co, int results)
{
    lun_lua_ctx  *ctx = co->ctx;

    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);

    if (co->status == LUN_CO_RUNNING) {
        co->woken = true;
        co->results = results;
        return;
    }

    LUN_CHECK(co->status == LUN_CO_WAITING);

    co->cancel = NULL;
    ready_back(co, results);
    kick(ctx);
}


int
lun_co_leave(lua_State *L)
{
    lun_co  *co = lun_lua_now.co;

    if (co == NULL || co->L != L) {
        return luaL_error(L, "no co ctx found");
    }

    co->op = LUN_CO_OP_LEAVE;
    co->ctx->leaving = true;
    return lua_yield(L, 0);
}


void
lun_co_quit(lun_lua_ctx *ctx)
{
    ctx->leaving = true;
    kick(ctx);
}


void
lun_co_spawn(lun_lua_ctx *ctx, lua_State *from)
{
    lun_co  *co = lun_co_make(ctx, ctx->vm->L, LUN_CO_THREAD);

    /* The thread is on the main stack, and goes from there to its ref. */
    lua_pop(ctx->vm->L, 1);
    lua_xmove(from, co->L, 1);
    co->parent = ctx->entry;
    ctx->entry->has_spawned = true;
    ctx->live++;
    ready_back(co, 0);
    kick(ctx);
}
