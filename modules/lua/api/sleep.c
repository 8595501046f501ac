/*
 * sleep.c -- ngx.sleep.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <math.h>

#include "modules/lua/run/native.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/thread.h"


static void
wake(lun_co *co)
{
    const lun_request  *r = co->ctx->request;

    lun_debug(co->ctx->log, "lua sleep timer expired: \"%.*s?%.*s\"",
              LUN_S(r != NULL ? r->uri : LUN_STR_NULL),
              LUN_S(r != NULL ? r->args : LUN_STR_NULL));
    lun_co_wake(co, 0);
}


static void
on_timer(lun_timer *timer)
{
    wake(lun_container_of(timer, lun_co, timer));
}


static void
on_task(lun_task *task)
{
    wake(lun_container_of(task, lun_co, task));
}


static void
on_cancel(void *data)
{
    lun_co  *co = data;

    lun_debug(co->ctx->log, "lua clean up the timer for pending ngx.sleep");
    lun_timer_stop(&co->timer);
    lun_loop_unpost(&co->task);
}


/* ngx.sleep(seconds): yields; where handlers may wait. */
static int
sleep_(lua_State *L)
{
    int         n = lua_gettop(L);
    lun_co     *co;
    int64_t     delay;

    if (n != 1) {
        return luaL_error(L, "attempt to pass %d arguments, but accepted 1", n);
    }

    delay = lun_number_check_seconds(L, 1);

    if (delay < 0 || delay == LUN_NUMBER_MOST) {
        /* style: number, for a text */
        return luaL_error(L, "invalid sleep duration \"%f\"",
                          trunc(lua_tonumber(L, 1) * 1000));
    }

    co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_debug(co->ctx->log, "lua ready to sleep for %" PRId64 " ms", delay);

    /* No time at all: after whatever else this turn of the loop has to do. */
    if (delay == 0) {
        lun_loop_post(lun_lua_loop(co->ctx), &co->task, on_task);
    } else {
        lun_timer_start(lun_lua_loop(co->ctx), &co->timer, (lun_msec) delay,
                        on_timer);
    }

    return lun_co_wait(co, "ngx.sleep", on_cancel, co);
}


static const luaL_Reg  functions[] = {
    { "sleep", sleep_ },
    { NULL, NULL }
};


void
lun_lua_sleep_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
