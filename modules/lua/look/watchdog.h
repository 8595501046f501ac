/*
 * watchdog.h -- lua_block_warning: who holds the loop up is named.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_WATCHDOG_H
#define LUN_LUA_WATCHDOG_H

#include "modules/lua/run/ctx.h"

extern const lun_metric  lun_lua_watchdog_metrics[];

/*
 * A worker is up: from now on Lua that runs for longer than the shortest
 * lua_block_warning of its engines, without ending or waiting, is told of in
 * the error log, once for each run, with its stack.  The thread that looks
 * sleeps while no Lua runs.
 */
void lun_lua_watchdog_start(const lun_lua_main *main);

#endif
