/*
 * number.h -- numbers of Lua on their way to C.
 *
 * A lua_Number may be NaN, endless, or more than a type of C holds, and its
 * conversion is undefined then.  Every size, count, time and index that a
 * script hands to a lua_CFunction comes through here, within bounds that its
 * caller knows; base.to_int() of lua/lunette/base.lua is for those that go
 * through FFI.  `make style` looks for conversions elsewhere.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_NUMBER_H
#define LUN_LUA_NUMBER_H

#include <lua.h>

#include "base/base.h"

/* The most that a double counts one by one; of milliseconds, 285,000 years. */
#define LUN_NUMBER_MOST  ((int64_t) 1 << 53)

/*
 * The whole part of n, or the nearer end of low ... high; NaN is `low`.  Both
 * ends have to be numbers that a double holds.
 */
int64_t lun_number_to_int(lua_Number n, int64_t low, int64_t high);

/* That of the value at `index`; what is no number counts as 0. */
int64_t lun_number_at(lua_State *L, int index, int64_t low, int64_t high);

/* That of the index-th argument: throws, as luaL_checknumber() does. */
int64_t lun_number_check(lua_State *L, int index, int64_t low, int64_t high);

/*
 * Seconds of the index-th argument, in milliseconds: -1 is all that is below
 * 0, and NaN; LUN_NUMBER_MOST all that is above.  Throws as above.
 */
int64_t lun_number_check_seconds(lua_State *L, int index);

#endif
