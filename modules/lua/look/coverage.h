/*
 * coverage.h -- lua_coverage: which lines of Lua a machine has run.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_COVERAGE_H
#define LUN_LUA_COVERAGE_H

#include "modules/lua/lua.h"

/* lua_coverage FILE: a file of the generation's logs. */
lun_set_fn  lun_lua_set_coverage;

/*
 * From now on each line that the machine runs is counted, by a hook: nothing
 * is compiled any more.  LUN_ERROR: logged.
 */
lun_rc lun_lua_coverage_begin(lun_vm *vm, const lun_log *log);

/*
 * Its end: what was counted is appended to the file (lunette/line_hits.lua has
 * the form), within the context of finalizers.
 */
void lun_lua_coverage_end(lun_vm *vm);

#endif
