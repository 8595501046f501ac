/*
 * thread.c -- the scheduler by itself: contexts without a request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/run/thread.c"
#include "t/fuzz/loop.h"
#include "tap.h"
#include "thread_help.h"

static lun_lua_conf    conf = { .block.thread_cache_max_entries = 4 };
static lun_generation  generation = { .loop = &served_loop };
static lun_lua_main    lua_main = { .gen = &generation,
                                    .top = &conf,
                                    .vms = { &lua_main.vms, &lua_main.vms } };
static lun_vm         *vm;

/* What the Lua functions below left. */
static lun_co         *waiting;
static int             cancels;
static int             ends;
static char            said[256];


static void
on_cancel(void *data)
{
    cancels++;
    ok(data == &cancels, "a cancel gets what was given to the wait");
}


static int
wait_(lua_State *L)
{
    waiting = lun_co_enter(L, LUN_LUA_YIELDABLE);
    return lun_co_wait(waiting, "a test", on_cancel, &cancels);
}


/* Has its answer before it waits. */
static int
at_once(lua_State *L)
{
    lun_co  *co = lun_co_enter(L, LUN_LUA_YIELDABLE);

    lua_pushliteral(L, "at");
    lua_pushliteral(L, "once");
    lun_co_wake(co, 2);
    return lun_co_wait(co, "a test", on_cancel, &cancels);
}


static int
say(lua_State *L)
{
    size_t  used = strlen(said);

    snprintf(said + used, sizeof(said) - used, "%s,", lua_tostring(L, 1));
    return 0;
}


static int
leave(lua_State *L)
{
    return lun_co_leave(L);
}


static void
on_ended(lun_lua_ctx *ctx)
{
    ends += ctx->entry == NULL;
}


static lun_lua_ctx *
new_ctx(void)
{
    lun_lua_ctx  *ctx;

    ctx = lun_lua_ctx_new(lun_pool_new_sized(1024), vm, NULL);
    ctx->phase = LUN_LUA_TIMER;
    ctx->ended = on_ended;
    said[0] = '\0';
    waiting = NULL;
    cancels = ends = 0;
    return ctx;
}


static lun_rc
run(lun_lua_ctx *ctx, const char *code)
{
    lun_co  *co = lun_co_new(ctx);

    if (luaL_loadstring(co->L, code) != 0) {
        diag("%s", lua_tostring(co->L, -1));
        return LUN_ERROR;
    }

    return lun_co_run_entry(ctx, co, 0);
}


static void
test_ends(void)
{
    lua_State    *L;
    lun_lua_ctx  *ctx = new_ctx();

    is_int(run(ctx, "say('x')"), LUN_OK, "what does not wait ends");
    is_str(said, "x,", "it has run");
    ok(!ctx->failed && ctx->entry == NULL, "without a failure");
    is_int(vm->spare_count, 1, "its coroutine is kept");

    L = lun_container_of(vm->spares.next, lun_co, link)->L;
    is_int(run(ctx, "say('y')"), LUN_OK, "another run");
    ok(L == lun_container_of(vm->spares.next, lun_co, link)->L,
       "has used the same one");

    is_int(run(ctx, "leave() say('no')"), LUN_OK, "one that leaves ends");
    is_int(vm->spare_count, 0, "its coroutine is not kept");
    is_str(said, "x,y,", "and goes no further");
    lun_pool_free(ctx->pool);
}


static void
test_waits(void)
{
    lun_lua_ctx  *ctx = new_ctx();

    is_int(run(ctx, "say(wait() .. wait())"), LUN_AGAIN, "what waits goes on");
    lua_pushliteral(waiting->L, "a");
    lun_co_wake(waiting, 1);
    is_int(ends, 0, "woken once, it waits again");
    lua_pushliteral(waiting->L, "b");
    lun_co_wake(waiting, 1);
    is_str(said, "ab,", "results are those of the wake");
    is_int(ends, 1, "its end is told");
    is_int(cancels, 0, "nothing was cancelled");

    is_int(run(ctx, "local a, b = at_once() say(a .. b)"), LUN_OK,
           "woken before it waits, it does not wait");
    is_str(said, "ab,atonce,", "and has the results");
    lun_pool_free(ctx->pool);
}


static void
test_cancels(void)
{
    lun_lua_ctx  *ctx = new_ctx();

    is_int(run(ctx, "wait()"), LUN_AGAIN, "waits");
    lun_pool_free(ctx->pool);
    is_int(cancels, 1, "the end of the context cancels the wait");
    is_int(ends, 0, "and is no end of a run");

    ctx = new_ctx();
    is_int(run(ctx, "local t = ngx.thread.spawn(function () wait() end) "
                    "say(tostring(ngx.thread.kill(t)))"),
           LUN_OK, "a thread is killed");
    is_int(cancels, 1, "which cancels its wait");
    is_str(said, "1,", "kill says so");

    is_int(run(ctx, "ngx.thread.spawn(function () "
                    "coroutine.wrap(function () wait() end)() end) leave()"),
           LUN_OK, "leaving ends coroutines of threads");
    is_int(cancels, 2, "and what they wait for");
    lun_pool_free(ctx->pool);
}


static void
test_is_not_entered_twice(void)
{
    lun_co           *co;
    lun_lua_ctx      *ctx = new_ctx(), *other;
    lun_lua_current   was;

    is_int(run(ctx, "wait() say('late')"), LUN_AGAIN, "waits");
    co = waiting;
    other = lun_lua_ctx_new(lun_pool_new_sized(1024), vm, NULL);

    was = lun_lua_enter(other);
    lun_co_wake(co, 0);
    is_str(said, "", "nothing is resumed while other Lua runs");
    lun_lua_now = was;

    lun_loop_turn(&served_loop, 0);
    is_str(said, "late,", "the loop's turn does it");
    is_int(ends, 1, "and tells the end");
    lun_pool_free(other->pool);
    lun_pool_free(ctx->pool);
}


static void
test_fails(void)
{
    lun_lua_ctx  *ctx = new_ctx();

    is_int(run(ctx, "ngx.thread.spawn(function () wait() end) error('x')"),
           LUN_OK, "an error ends the run");
    ok(ctx->failed, "as a failure");
    is_int(cancels, 1, "and its threads");

    is_int(run(ctx, "local t = ngx.thread.spawn(function () error('y') end) "
                    "say(tostring((ngx.thread.wait(t))))"),
           LUN_OK, "an error of a thread");
    ok(!ctx->failed, "is not one of the run");
    is_str(said, "false,", "and is told to who waits for it");
    lun_pool_free(ctx->pool);
}


static void
ignore(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
}


int
main(void)
{
    static lun_log_target  quiet = { .level = LUN_LOG_EMERG, .write = ignore };
    static lun_log         log = { .level = LUN_LOG_EMERG, .targets = &quiet };

    lun_log_set_default(&log);
    lun_loop_init(&served_loop);
    vm = make_vm(&lua_main);
    lua_register(vm->L, "wait", wait_);
    lua_register(vm->L, "at_once", at_once);
    lua_register(vm->L, "say", say);
    lua_register(vm->L, "leave", leave);

    test_ends();
    test_waits();
    test_cancels();
    test_is_not_entered_twice();
    test_fails();

    lun_vm_put(vm);
    return done_testing();
}
