/*
 * stock_core.h -- lua-resty-core of the user's, in the place of ours.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_STOCK_CORE_H
#define LUN_LUA_STOCK_CORE_H

#include "modules/lua/run/vm.h"

/*
 * Loads the one that lua_package_path names, if it names one that can be had,
 * over ours, which is there already.  LUN_ERROR: it failed; logged.
 */
lun_rc lun_stock_core_load(lun_vm *vm, const lun_log *log);

/* The machine has one, and `name` is that of a file that may be its. */
bool lun_stock_core_has(lua_State *L, const char *name);

#endif
