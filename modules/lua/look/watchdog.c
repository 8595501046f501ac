/*
 * watchdog.c -- Lua that holds its worker up, told while it does.
 *
 * The loop counts each time that Lua is entered (ctx.h), and does no more. A
 * thread of its own looks at that count: where it stays the same, with Lua
 * running, for too long, the loop's thread is interrupted and gets a debug
 * hook, which is called at the next instruction and has the stack. Compiled
 * code looks at no hook: a loop of it is told of when it ends.
 *
 * When nothing has run for a while the thread waits to be woken, and an idle
 * worker is not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/watchdog.h"

#include "base/check.h"
#include "modules/lua/look/debugger.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "os/proc.h"
#include "os/thread.h"
#include "os/time.h"


enum {
    LOOKS    = 4,                  /* in the time of a warning */
    QUIET    = 8,                  /* looks that find nothing: it sleeps */
    TRACE    = 3000                /* bytes of a line */
};

lun_lua_watched  lun_lua_watch_state;

static struct {
    lun_monitor       *monitor;
    lun_msec           limit;
    _Atomic uint32_t   late;       /* the run that is to be told of */
    _Atomic lun_msec   since;      /* when it was seen first */
    lua_Hook           hook;       /* whose place ours has taken */
    int                mask, count;
} dog;

static uint32_t  blocks_at;

const lun_metric  lun_lua_watchdog_metrics[] = {
    { .name = "lua_blocks", .kind = LUN_COUNTER, .at = &blocks_at,
      .help = "runs of Lua that held their worker up for longer than "
              "lua_block_warning" },
    { 0 }
};


/* --- in the loop's thread ------------------------------------------------ */

static void
log_block(const lun_lua_ctx *ctx, lua_State *L, lun_msec held)
{
    const char  *text;

    luaL_traceback(L, L, NULL, 0);
    text = lua_tostring(L, -1);
    lun_log(LUN_LOG_WARN, ctx->log, 0, "lua has held the worker up for %"
            PRIu64 " ms in %s, %.*s", held, lun_lua_phase_name(ctx->phase),
            TRACE, text != NULL ? text : "");
    lua_pop(L, 1);
}


static void
on_hook(lua_State *L, lua_Debug *at)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_msec            held = lun_time_monotonic() - atomic_load(&dog.since);

    (void) lua_sethook(L, dog.hook, dog.mask, dog.count);

    /* It may have ended just when it was looked at. */
    if (ctx != NULL && atomic_load(&dog.late) == lun_lua_watch_state.runs) {
        log_block(ctx, L, held);
        lun_metric_add(blocks_at, 1);
    }
}


/* The loop's thread stands still: no more than a signal handler may do. */
static void
on_interrupt(void)
{
    lua_State          *L;
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (ctx == NULL || ctx->vm->L == NULL
        || atomic_load(&dog.late) != lun_lua_watch_state.runs)
    {
        return;
    }

    L = ctx->vm->L;                /* hooks are the machine's */

    if (lua_gethook(L) != on_hook) {
        dog.hook = lua_gethook(L);
        dog.mask = lua_gethookmask(L);
        dog.count = lua_gethookcount(L);
        (void) lua_sethook(L, on_hook, LUA_MASKCOUNT, 1);
    }
}


void
lun_lua_watchdog_wake(void)
{
    lun_monitor_enter(dog.monitor);
    lun_lua_watch_state.asleep = false;
    lun_monitor_send(dog.monitor);
    lun_monitor_leave(dog.monitor);
}


/* --- the thread that looks ----------------------------------------------- */

/* Nothing runs: until the loop enters Lua again. */
static void
sleep_long(void)
{
    lun_lua_watch_state.asleep = true;

    while (lun_lua_watch_state.asleep) {
        lun_monitor_wait(dog.monitor);
    }
}


/*
 * A thread beside the loop: while a handler computes nothing else can look.
 * `runs` changes with every turn of Lua, so the same number for too long is one
 * turn.
 */
static void
watch(void *data)
{
    uint32_t  run, seen = 0;
    unsigned  quiet = 0;
    lun_msec  now, since = 0;

    lun_monitor_enter(dog.monitor);

    for ( ;; ) {
        lun_monitor_wait_for(dog.monitor, dog.limit / LOOKS);
        run = lun_lua_watch_state.runs;
        now = lun_time_monotonic();

        if (run != seen) {
            seen = run;
            since = now;
            quiet = 0;

        } else if (lun_lua_now.ctx == NULL) {
            if (++quiet >= QUIET) {
                sleep_long();
            }

        } else if (now - since >= dog.limit && atomic_load(&dog.late) != run) {
            atomic_store(&dog.since, since);
            atomic_store(&dog.late, run);
            (void) lun_thread_interrupt(on_interrupt);
        }
    }
}


void
lun_lua_watchdog_start(const lun_lua_main *main)
{
    lun_err   err;
    lun_msec  limit = main->top->block.block_warning;

    /* A tool is nobody's worker; a debugger holds it up as one likes. */
    if (limit == 0 || lun_self.quit == NULL || lun_lua_debugging) {
        return;
    }

    if (dog.monitor != NULL) {
        dog.limit = lun_min(dog.limit, limit);
        return;
    }

    dog.limit = limit;
    dog.monitor = lun_monitor_new();
    err = lun_thread_watched();

    if (err == 0) {
        err = lun_thread_start(watch, NULL);
    }

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &main->gen->log, err,
                "lua_block_warning: no thread to watch with");
    }
}
