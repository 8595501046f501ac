/*
 * lua_metrics.h -- scripts, counted: memory of machines, timers, and what
 * coroutines wait for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_METRICS_H
#define LUN_LUA_METRICS_H

#include "modules/lua/run/vm.h"
#include "shm/metric.h"

/* Cells of lun_lua_timers_at. */
enum { LUN_LUA_PENDING, LUN_LUA_RUNNING };

extern uint32_t  lun_lua_timers_at;

/* Rows, and what each worker says of itself in the tree. */
void lun_lua_want_metrics(lun_generation *gen);

/* The gauge's cell for a coroutine that waits for `what`, a constant. */
uint32_t lun_lua_waits_at(const char *what);

/* What the machine's memory is by now; and that it is gone. */
void lun_lua_measure(lun_vm *vm);
void lun_lua_measure_end(lun_vm *vm);

#endif
