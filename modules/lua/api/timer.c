/*
 * timer.c -- ngx.timer.at and ngx.timer.every.
 *
 * A timer holds its function and arguments in a Lua table until it fires; then
 * it gets a context of its own and runs as a phase of that.  Pending timers do
 * not keep a worker that quits: they fire at once, with `premature`.  So do
 * those of a machine that another has replaced, if they are likely to be set
 * there as well: by init_worker_by_lua, and by handlers of timers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/timer.h"

#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/conf/lua_metrics.h"
#include "os/proc.h"

enum { WHO_SIZE = 128, POOL_SIZE = 2048 };

enum {
    TIMER_PHASES = ~(uint32_t) (LUN_LUA_INIT | LUN_LUA_EXIT_WORKER)
};

typedef struct {
    lun_timer      timer;
    lun_task       task;           /* without a delay: in order */
    lun_list       link;           /* in `waiting` */
    lun_lua_main  *main;
    lun_vm        *vm;
    int            ref;            /* { function, args... } */
    int            args;
    lun_msec       interval;       /* every; 0: once */
    bool           by_session;
    bool           premature;
    size_t         who_len;
    char           who[WHO_SIZE];  /* ", client: ..., server: ..." */
} lua_timer;

/* One run of a timer; lives in the context's pool. */
typedef struct {
    lun_log    log;
    lun_pool  *pool;
    lun_vm    *vm;
    size_t     who_len;
    char       who[WHO_SIZE];
} timer_run;

static lun_list  waiting = { &waiting, &waiting };
static unsigned  pending;
static unsigned  running;

static void fire(lua_timer *t, bool premature);


static bool
is_quitting(const lun_lua_main *main)
{
    return lun_self.exiting || main->gen->exiting;
}


static bool
is_ending(const lua_timer *t)
{
    return is_quitting(t->main)
           || (t->vm->retired && (t->interval != 0 || !t->by_session));
}


unsigned
lun_lua_timers_running(void)
{
    return running;
}


/* --- logs --- */

static char *
phase_context(void *owner, char *p, const char *end)
{
    const uint32_t  *phase = owner;

    return lun_fmt(p, end, ", context: %s", lun_lua_phase_name(*phase));
}


const lun_log *
lun_lua_worker_log(lun_lua_main *main, lun_pool *pool, uint32_t phase)
{
    lun_log   *log = lun_pool_new(pool, lun_log);
    uint32_t  *owner = lun_pool_new(pool, uint32_t);

    *log = main->gen->log;

    /* As nginx's Lua has it. */
    if (phase == LUN_LUA_EXIT_WORKER) {
        return log;
    }

    *owner = phase;
    log->context = phase_context;
    log->owner = owner;
    return log;
}


static char *
timer_context(void *owner, char *p, const char *end)
{
    const timer_run  *run = owner;

    return lun_fmt(p, end, ", context: ngx.timer%.*s", (int) run->who_len,
                   run->who);
}


/* Whose timer it is, or that of whose timer: logs of its runs say so. */
static void
note_who(lua_timer *t, const lun_lua_ctx *ctx)
{
    char               room[64], *p;
    lun_conn          *c;
    const timer_run   *run = ctx->data;

    if (ctx->phase == LUN_LUA_TIMER) {
        t->who_len = run->who_len;
        memcpy(t->who, run->who, run->who_len);
        return;
    }

    if (ctx->session == NULL) {
        return;
    }

    c = ctx->session->conn;
    p = lun_fmt(t->who, t->who + WHO_SIZE, ", client: %.*s, server: %.*s",
                LUN_S(lun_addr_format(ctx->session->remote, false, room,
                                      sizeof(room))),
                LUN_S(c->listener != NULL ? c->listener->text
                                          : LUN_STR("")));
    t->who_len = (size_t) (p - t->who);
}


/* --- running --- */

static void
free_timer(lua_timer *t)
{
    luaL_unref(t->vm->L, LUA_REGISTRYINDEX, t->ref);
    lun_vm_put(t->vm);
    lun_free(t);
}


static void
end_run(timer_run *run)
{
    lun_vm  *vm = run->vm;

    running--;
    lun_metric_sub(lun_lua_timers_at + LUN_LUA_RUNNING, 1);
    lun_debug(&run->log, "%s lua close fake %s connection",
              vm->main->side->subsystem, vm->main->side->subsystem);
    lun_pool_free(run->pool);
    lun_vm_put(vm);
}


static void
on_ended(lun_lua_ctx *ctx)
{
    end_run(ctx->data);
}


static timer_run *
new_run(const lua_timer *t)
{
    lun_pool   *pool = lun_pool_new_sized(POOL_SIZE);
    timer_run  *run = lun_pool_new(pool, timer_run);

    run->pool = pool;
    run->vm = t->vm;
    run->who_len = t->who_len;
    memcpy(run->who, t->who, t->who_len);
    run->log = t->main->gen->log;
    run->log.context = timer_context;
    run->log.owner = run;
    lun_vm_get(t->vm);
    running++;
    lun_metric_add(lun_lua_timers_at + LUN_LUA_RUNNING, 1);
    return run;
}


/* The function, `premature`, and the arguments, on the stack of co. */
static void
push_call(const lua_timer *t, lun_co *co)
{
    int         i;
    lua_State  *L = co->L;

    if (!lua_checkstack(L, t->args + 4)) {
        lua_pushnil(L);
        return;
    }

    lua_rawgeti(L, LUA_REGISTRYINDEX, t->ref);
    lua_rawgeti(L, 1, 1);
    lua_pushboolean(L, t->premature);

    for (i = 0; i < t->args; i++) {
        lua_rawgeti(L, 1, i + 2);
    }

    lua_remove(L, 1);
}


static void
run_timer(const lua_timer *t)
{
    timer_run    *run = new_run(t);
    lun_lua_ctx  *ctx = lun_lua_ctx_new(run->pool, t->vm, &run->log);
    lun_co       *co;

    ctx->phase = LUN_LUA_TIMER;
    ctx->data = run;
    ctx->ended = on_ended;
    co = lun_co_new(ctx);
    push_call(t, co);

    if (lun_co_run_entry(ctx, co, t->args + 1) == LUN_OK) {
        end_run(run);
    }
}


static void
on_timer(lun_timer *timer)
{
    fire(lun_container_of(timer, lua_timer, timer), false);
}


static void
on_task(lun_task *task)
{
    fire(lun_container_of(task, lua_timer, task), false);
}


static void
start_timer(lua_timer *t, lun_msec delay)
{
    pending++;
    lun_metric_add(lun_lua_timers_at + LUN_LUA_PENDING, 1);
    lun_list_push_back(&waiting, &t->link);

    if (delay == 0) {
        lun_loop_post(t->main->gen->loop, &t->task, on_task);
        return;
    }

    t->timer.idle = true;
    lun_timer_start(t->main->gen->loop, &t->timer, delay, on_timer);
}


/* Which function it would have been, as debug.getinfo() has it. */
static void
log_refusal(const lua_timer *t)
{
    lua_State  *L = t->vm->L;
    lua_Debug   info;

    lua_rawgeti(L, LUA_REGISTRYINDEX, t->ref);
    lua_rawgeti(L, -1, 1);
    lua_getinfo(L, ">S", &info);
    lua_pop(L, 1);

    lun_log(LUN_LOG_ALERT, &t->main->gen->log, 0, "lua failed to run timer "
            "with function defined at %s:%d: %u lua_max_running_timers are "
            "not enough", info.source, info.linedefined,
            (unsigned) t->main->top->block.max_running_timers);
}


static void
leave_line(lua_timer *t)
{
    pending--;
    lun_metric_sub(lun_lua_timers_at + LUN_LUA_PENDING, 1);
    lun_list_remove(&t->link);
    lun_timer_stop(&t->timer);
    lun_loop_unpost(&t->task);
}


/* Premature: before its time, because the worker or the machine ends. */
static void
fire(lua_timer *t, bool premature)
{
    bool  again;

    lun_debug(&t->main->gen->log, "lua ngx.timer expired");
    leave_line(t);

    t->premature = premature;
    again = t->interval != 0 && !premature;

    if (running >= (uint64_t) t->main->top->block.max_running_timers) {
        log_refusal(t);

    } else {
        run_timer(t);
    }

    /* The worker may have been told to quit by now. */
    if (again && !is_ending(t)) {
        start_timer(t, t->interval);
        return;
    }

    free_timer(t);
}


static bool
is_of_main(const lua_timer *t, const void *main)
{
    return t->main == main;
}


static bool
is_retired_of(const lua_timer *t, const void *vm)
{
    return t->vm == vm && is_ending(t);
}


/* Those that are set meanwhile have no delay: they come by themselves. */
static void
fire_all(bool (*wanted)(const lua_timer *, const void *), const void *whose)
{
    lun_list  due, *next;

    lun_list_init(&due);

    lun_list_each_safe(&waiting, it) {
        if (wanted(lun_container_of(it, lua_timer, link), whose)) {
            lun_list_remove(it);
            lun_list_push_back(&due, it);
        }
    }

    while ((next = due.next) != &due) {
        fire(lun_container_of(next, lua_timer, link), true);
    }
}


void
lun_lua_timers_quit(const lun_lua_main *main)
{
    lun_debug(&main->gen->log, "lua abort pending timers");
    lun_debug(&main->gen->log, "lua found %u pending timers to be aborted "
              "prematurely", pending);
    fire_all(is_of_main, main);
}


void
lun_lua_timers_retire(const lun_vm *vm)
{
    fire_all(is_retired_of, vm);
}


void
lun_lua_timers_drop(const lun_lua_main *main)
{
    lua_timer  *t;

    lun_list_each_safe(&waiting, it) {
        t = lun_container_of(it, lua_timer, link);

        if (t->main == main) {
            leave_line(t);
            free_timer(t);
        }
    }
}


/* --- what Lua calls --- */

static int
refuse(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}


static lua_timer *
new_timer(lua_State *L, lun_lua_ctx *ctx)
{
    int         i, n = lua_gettop(L);
    lua_timer  *t = lun_calloc(sizeof(lua_timer));

    t->main = ctx->main;
    t->vm = ctx->vm;
    t->args = n - 2;
    t->by_session = ctx->session != NULL;
    lun_vm_get(t->vm);
    note_who(t, ctx);

    lua_createtable(L, n - 1, 0);
    for (i = 2; i <= n; i++) {
        lua_pushvalue(L, i);
        lua_rawseti(L, -2, i - 1);
    }

    t->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return t;
}


/* It would run where nothing new is begun. */
static bool
is_too_late(const lun_lua_ctx *ctx, bool every)
{
    return is_quitting(ctx->main)
           || (ctx->vm->retired && (every || ctx->session == NULL));
}


/* There is no loop for timers before there is a worker. */
static void
check_running(lua_State *L)
{
    if (lun_lua_now.phase == LUN_LUA_INIT) {
        luaL_error(L, "no request");
    }
}


static int
set_timer(lua_State *L, bool every)
{
    int           n = lua_gettop(L);
    lua_timer    *t;
    int64_t       delay;
    lua_Number    asked;
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (n < 2) {
        return luaL_error(L, "expecting at least 2 arguments but got %d", n);
    }

    /* style: number, it must be known from 0 whether it is one at all */
    asked = luaL_checknumber(L, 1);
    delay = lun_number_check_seconds(L, 1);

    if (asked != asked || delay == LUN_NUMBER_MOST || (every && delay < 0)) {
        return luaL_argerror(L, 1, "bad delay");
    }

    delay = lun_max(delay, 0);             /* what is past is due */

    if (every && delay == 0) {
        return luaL_error(L, "delay cannot be zero");
    }

    luaL_argcheck(L, lua_isfunction(L, 2) && !lua_iscfunction(L, 2), 2,
                  "Lua function expected");

    check_running(L);

    if (ctx == NULL || (lun_lua_now.phase & TIMER_PHASES) == 0) {
        return luaL_error(L, "API disabled in the context of %s",
                          lun_lua_phase_name(lun_lua_now.phase));
    }

    if (delay > 0 && is_too_late(ctx, every)) {
        return refuse(L, "process exiting");
    }

    if (pending >= (uint64_t) ctx->main->top->block.max_pending_timers) {
        return refuse(L, "too many pending timers");
    }

    t = new_timer(L, ctx);
    t->interval = every ? (lun_msec) delay : 0;
    start_timer(t, (lun_msec) delay);
    lua_pushinteger(L, 1);
    return 1;
}


static int
timer_at(lua_State *L)
{
    return set_timer(L, false);
}


static int
timer_every(lua_State *L)
{
    return set_timer(L, true);
}


static int
timer_running_count(lua_State *L)
{
    check_running(L);
    lua_pushinteger(L, (lua_Integer) running);
    return 1;
}


static int
timer_pending_count(lua_State *L)
{
    check_running(L);
    lua_pushinteger(L, (lua_Integer) pending);
    return 1;
}


static const luaL_Reg  functions[] = {
    { "timer_at", timer_at },
    { "timer_every", timer_every },
    { "timer_running_count", timer_running_count },
    { "timer_pending_count", timer_pending_count },
    { NULL, NULL }
};


void
lun_lua_timer_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
