/*
 * entry.h -- makes a handler's function one that can be compiled whole.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_ENTRY_H
#define LUN_LUA_ENTRY_H

#include "modules/lua/lua.h"

/*
 * The function on top of L was loaded from `code` and has not run yet.  It is
 * replaced by one that does the same but takes no arguments, unless it makes
 * use of them ("...") or `code` is bytecode.
 */
void lun_entry_fix(lua_State *L, lun_str code);

#endif
