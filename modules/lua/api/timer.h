/*
 * timer.h -- ngx.timer.*, and the log of what runs without a request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_TIMER_H
#define LUN_LUA_TIMER_H

#include "modules/lua/lua.h"

/* It was told to quit: its pending timers run now, prematurely. */
void lun_lua_timers_quit(const lun_lua_main *main);

/*
 * The machine is retired: its timers end prematurely, now.  But one that a
 * session has set (not `every`) keeps its time.
 */
void lun_lua_timers_retire(const lun_vm *vm);

/* The process ends: forgets those that are pending, and their functions. */
void lun_lua_timers_drop(const lun_lua_main *main);

/* How many handlers run: while there are any, a tool is not done. */
unsigned lun_lua_timers_running(void);

/* For init_worker_by_lua and its like: "..., context: init_worker_by_lua*". */
const lun_log *lun_lua_worker_log(lun_lua_main *main, lun_pool *pool,
    uint32_t phase);

#endif
