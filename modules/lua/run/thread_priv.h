/*
 * thread_priv.h -- what the scheduler (thread.c) and the functions that Lua
 * calls (thread_lib.c) share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_THREAD_PRIV_H
#define LUN_LUA_THREAD_PRIV_H

#include "modules/lua/conf/lua_metrics.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/thread.h"

/* Notes that the thread on top of L is co's. */
void lun_co_bind(lua_State *L, lun_co *co);

/*
 * A new USER or THREAD one, suspended; its thread is left on top of L.  A
 * THREAD keeps itself alive until it is buried.
 */
lun_co *lun_co_make(lun_lua_ctx *ctx, lua_State *L, lun_co_kind kind);

/* Changes its status, and says so: that in a function of its own. */
void lun_co_say_turn(const lun_co *co, lun_co_status status);

static inline void
lun_co_turn(lun_co *co, lun_co_status status)
{
    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);

    if (LUN_UNLIKELY(co->ctx == NULL
                     || lun_log_wants(co->ctx->log, LUN_LOG_DEBUG)))
    {
        lun_co_say_turn(co, status);
    }

    if (co->status == LUN_CO_WAITING) {
        lun_metric_sub(co->waits_at, 1);
    }

    if (status == LUN_CO_WAITING) {
        co->waits_at = lun_lua_waits_at(co->what);
        lun_metric_add(co->waits_at, 1);
    }

    co->status = status;
}

const char *lun_co_status_name(const lun_co *co);

/* It is dead: cancels, unlinks, lets go of its thread. */
void lun_co_destroy(lun_co *co);

/*
 * The thread at index 1 of L has died of the error at index 2, which is thrown
 * on in the coroutine that has resumed it: if nobody catches it there, its
 * trace begins in that thread.
 */
void lun_co_note_failed(lua_State *L, lun_co *co, lun_co *failed_co);
void lun_co_forget_failed(lun_co *co);

/* Its threads have no parent any more. */
void lun_co_orphan(lun_co *co);

#endif
