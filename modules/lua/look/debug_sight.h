/*
 * debug_sight.h -- what an agent of the debugger sees of its machine.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_DEBUG_SIGHT_H
#define LUN_LUA_DEBUG_SIGHT_H

#include "modules/lua/run/thread.h"

/* Functions for an agent; their upvalue is the lun_vm. */
extern const luaL_Reg  lun_debug_sights[];

/* That of the thread T, if a context has it; L is any other of the machine. */
lun_co *lun_debug_co_of(const lun_vm *vm, lua_State *L, lua_State *T);

#endif
