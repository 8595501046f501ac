/*
 * thread_lib.c -- coroutine.* and ngx.thread.*, as Lua calls them.
 *
 * Only where a coroutine of the scheduler runs: lua/resty/core/coroutine.lua
 * sends all other calls (init_by_lua, filters) to LuaJIT's own functions.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/thread_priv.h"

#include "base/check.h"
#include "modules/lua/look/debugger.h"
#include "modules/lua/run/native.h"
#include "modules/lua/api/subreq.h"
#include "modules/lua/run/vm.h"

#define META  "lunette.co"


/* --- from a thread to its lun_co --- */

/* The lun_co of the thread at `index` of L; NULL: it has none. */
static lun_co *
find(lua_State *L, int index, lun_vm *vm)
{
    lun_co  *co;

    lua_pushvalue(L, index);
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->co_table);
    lua_insert(L, -2);
    lua_rawget(L, -2);
    co = lua_touserdata(L, -1);
    lua_pop(L, 2);
    return co;
}


void
lun_co_bind(lua_State *L, lun_co *co)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, co->vm->co_table);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, co);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}


/* A userdata, whose end is that of its thread. */
static lun_co *
new_userdata(lua_State *L, lun_vm *vm)
{
    lun_co  *co;

    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->co_table);
    lua_pushvalue(L, -2);
    co = lua_newuserdata(L, sizeof(lun_co));
    memset(co, 0, sizeof(lun_co));
    co->mark = LUN_MARK_LUA_CO;
    lun_list_init(&co->link);
    lun_list_init(&co->ready);
    co->vm = vm;
    co->ref = LUA_NOREF;
    luaL_getmetatable(L, META);
    lua_setmetatable(L, -2);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    return co;
}


lun_co *
lun_co_make(lun_lua_ctx *ctx, lua_State *L, lun_co_kind kind)
{
    lun_co     *co;
    lua_State  *T;

    T = lua_newthread(L);
    co = new_userdata(L, ctx->vm);
    co->L = T;
    co->kind = kind;
    co->status = LUN_CO_SUSPENDED;
    co->ctx = ctx;
    lun_list_push_back(&ctx->cos, &co->link);

    if (kind == LUN_CO_THREAD) {
        lua_pushvalue(L, -1);
        co->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    }

    return co;
}


static int
on_collected(lua_State *L)
{
    lun_co  *co = lua_touserdata(L, 1);

    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);

    lun_co_orphan(co);
    lun_co_forget_failed(co);
    lun_timer_stop(&co->timer);
    lun_list_remove(&co->ready);
    lun_list_remove(&co->link);
    return 0;
}


/* A thread that the standard library made: ours from now on. */
static lun_co *
adopt(lua_State *L, int index, lun_lua_ctx *ctx)
{
    lun_co     *co;
    lua_State  *T = lua_tothread(L, index);

    lua_pushvalue(L, index);
    co = new_userdata(L, ctx->vm);
    lua_pop(L, 1);
    co->L = T;
    co->kind = LUN_CO_USER;

    if (lua_status(T) > LUA_YIELD
        || (lua_status(T) == 0 && lua_gettop(T) == 0))
    {
        co->status = LUN_CO_DEAD;
        return co;
    }

    co->status = LUN_CO_SUSPENDED;
    co->ctx = ctx;
    lun_list_push_back(&ctx->cos, &co->link);
    return co;
}


static lun_co *
check_co(lua_State *L, int index, lun_lua_ctx *ctx, const char *wanted)
{
    lun_co  *co;

    if (!lua_isthread(L, index)) {
        luaL_argerror(L, index, wanted);
    }

    co = find(L, index, ctx->vm);
    return co != NULL ? co : adopt(L, index, ctx);
}


/* Those who give control to another; where that is not possible, it throws. */
static void
check_yieldable(lua_State *L)
{
    if (!lua_isyieldable(L)) {
        (void) lua_yield(L, 0);
    }
}


/* The coroutine that calls; all functions here need one. */
static lun_co *
caller(lua_State *L)
{
    lun_co  *co = lun_lua_now.co;

    if (co == NULL || co->L != L) {
        luaL_error(L, "no co ctx found");
    }

    return co;
}


static void
check_function(lua_State *L)
{
    luaL_argcheck(L, lua_isfunction(L, 1) && !lua_iscfunction(L, 1), 1,
                  "Lua function expected");
}


/* --- coroutine.* --- */

static int
co_create(lua_State *L)
{
    lun_co  *co, *self = caller(L);

    check_function(L);
    co = lun_co_make(self->ctx, L, LUN_CO_USER);
    lua_pushvalue(L, 1);
    lua_xmove(L, co->L, 1);
    return 1;
}


static const char *
status_name(const lun_co *co)
{
    switch (co->status) {

    case LUN_CO_READY:
    case LUN_CO_RUNNING:
    case LUN_CO_WAITING:
        return "running";

    case LUN_CO_SUSPENDED:
        return "suspended";

    case LUN_CO_NORMAL:
        return "normal";

    case LUN_CO_ZOMBIE:
        return "zombie";

    case LUN_CO_DEAD:
        break;
    }

    return "dead";
}


static int
co_status(lua_State *L)
{
    lun_co  *self = caller(L);

    lua_pushstring(L, status_name(check_co(L, 1, self->ctx,
                                              "coroutine expected")));
    return 1;
}


static int
co_running(lua_State *L)
{
    lua_pushthread(L);
    return 1;
}


static int
co_resume(lua_State *L)
{
    int      n;
    lun_co  *co, *self = caller(L);

    co = check_co(L, 1, self->ctx, "coroutine expected");

    if (co->status != LUN_CO_SUSPENDED || co->kind != LUN_CO_USER) {
        lua_pushboolean(L, 0);
        lua_pushfstring(L, "cannot resume %s coroutine", status_name(co));
        return 2;
    }

    check_yieldable(L);
    n = lua_gettop(L) - 1;
    if (!lua_checkstack(co->L, n)) {
        return luaL_error(L, "too many arguments to resume");
    }

    /* Made by another request of this machine: it is this one's now. */
    if (co->ctx != self->ctx) {
        lun_list_remove(&co->link);
        lun_list_push_back(&self->ctx->cos, &co->link);
        co->ctx = self->ctx;
    }

    lua_xmove(L, co->L, n);
    co->results = n;
    co->parent = self;
    self->target = co;
    self->op = LUN_CO_OP_RESUME;
    lun_co_turn(self, LUN_CO_NORMAL);

    /* The thread stays on this stack: nothing else may hold it. */
    return lua_yield(L, 1);
}


static int
co_yield(lua_State *L)
{
    /* The scheduler reads any yield without an op as coroutine.yield. */
    return lua_yield(L, lua_gettop(L));
}


/* (thread, error), of coroutine.wrap: before it throws the error on. */
static int
co_failed(lua_State *L)
{
    lun_co  *self = caller(L);

    lun_co_note_failed(L, self, check_co(L, 1, self->ctx,
                                         "coroutine expected"));
    return 0;
}


/* --- ngx.thread.* --- */

static int
thread_spawn(lua_State *L)
{
    int      n;
    lun_co  *co, *self = lun_co_enter(L, LUN_LUA_YIELDABLE);

    check_function(L);
    check_yieldable(L);
    n = lua_gettop(L);
    co = lun_co_make(self->ctx, L, LUN_CO_THREAD);

    if (!lua_checkstack(co->L, n)) {
        return luaL_error(L, "too many arguments to spawn");
    }

    lua_insert(L, 1);
    lua_xmove(L, co->L, n);
    co->results = n - 1;
    co->parent = self;
    co->ctx->live++;

    if (LUN_UNLIKELY(lun_lua_debugging)) {
        lun_lua_debug_wrap(co->vm, co->L, 1);
    }

    self->has_spawned = true;
    self->target = co;
    self->op = LUN_CO_OP_SPAWN;
    return lua_yield(L, 1);
}


/* A zombie's end: what it left behind, on L. */
static int
reap(lua_State *L, lun_co *co)
{
    int  n = co->results;

    luaL_checkstack(L, n + 1, "too many results");
    lua_pushboolean(L, co->ok);
    lua_xmove(co->L, L, n);
    lun_co_destroy(co);
    return n + 1;
}


/*
 * All are checked before any is waited for: an error in the third must not
 * leave the first two with a waiter.
 */
static int
thread_wait(lua_State *L)
{
    int      i, n;
    lun_co  *co, *self = lun_co_enter(L, LUN_LUA_YIELDABLE);

    n = lua_gettop(L);
    if (n == 0) {
        return luaL_error(L, "at least one coroutine should be specified");
    }

    for (i = 1; i <= n; i++) {
        co = check_co(L, i, self->ctx, "lua thread expected");

        if (co->kind != LUN_CO_THREAD) {
            return luaL_error(L, "attempt to wait on a coroutine that is not "
                              "a user thread");
        }

        if (co->parent != self && co->status != LUN_CO_DEAD) {
            return luaL_error(L, "only the parent coroutine can wait on the "
                              "thread");
        }
    }

    for (i = 1; i <= n; i++) {
        co = find(L, i, self->vm);

        if (co->status == LUN_CO_ZOMBIE) {
            return reap(L, co);
        }

        if (co->status == LUN_CO_DEAD && i == n) {
            lua_pushnil(L);
            lua_pushliteral(L, "already waited or killed");
            return 2;
        }
    }

    check_yieldable(L);

    for (i = 1; i <= n; i++) {
        co = find(L, i, self->vm);

        if (co->status != LUN_CO_DEAD) {
            co->waiter = self;
        }
    }

    return lun_co_wait(self, "ngx.thread.wait", NULL, NULL);
}


static bool
is_below(const lun_co *co, const lun_co *top)
{
    for (co = co->parent; co != NULL; co = co->parent) {
        if (co == top) {
            return true;
        }
    }

    return false;
}


/* A user coroutine that runs on behalf of that thread. */
static lun_co *
find_below(lun_lua_ctx *ctx, const lun_co *top)
{
    lun_list_each(&ctx->cos, it) {
        lun_co  *co = lun_container_of(it, lun_co, link);

        if (co->kind == LUN_CO_USER && co->status != LUN_CO_SUSPENDED
            && is_below(co, top))
        {
            return co;
        }
    }

    return NULL;
}


static void
kill_thread(lun_lua_ctx *ctx, lun_co *co)
{
    lun_co  *below;

    while ((below = find_below(ctx, co)) != NULL) {
        lun_co_destroy(below);
    }

    ctx->live--;
    lun_co_destroy(co);
}


static int
refuse(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}


/*
 * One that waits for subrequests can't be killed, as in OpenResty: they would
 * come back to nobody.
 */
static int
thread_kill(lua_State *L)
{
    lun_co  *co, *self = lun_co_enter(L, LUN_LUA_YIELDABLE);

    co = check_co(L, 1, self->ctx, "lua thread expected");

    if (co->kind != LUN_CO_THREAD) {
        return refuse(L, "not user thread");
    }

    if (co->status == LUN_CO_DEAD) {
        return refuse(L, "already waited or killed");
    }

    if (co->parent != self) {
        return refuse(L, "killer not parent");
    }

    if (co->status == LUN_CO_ZOMBIE) {
        lun_co_destroy(co);
        return refuse(L, "already terminated");
    }

    if (lun_lua_is_capturing(co)) {
        return refuse(L, "pending subrequests");
    }

    kill_thread(self->ctx, co);
    lua_pushinteger(L, 1);
    return 1;
}


static const luaL_Reg  functions[] = {
    { "co_create", co_create },
    { "co_resume", co_resume },
    { "co_yield", co_yield },
    { "co_status", co_status },
    { "co_running", co_running },
    { "co_fallen", co_failed },
    { "thread_spawn", thread_spawn },
    { "thread_wait", thread_wait },
    { "thread_kill", thread_kill },
    { NULL, NULL }
};


void
lun_co_open(lua_State *L, lun_vm *vm)
{
    lun_lua_type(L, META, on_collected);

    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    vm->co_table = luaL_ref(L, LUA_REGISTRYINDEX);

    luaL_register(L, NULL, functions);
}
