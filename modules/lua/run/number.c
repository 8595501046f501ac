/*
 * number.c -- numbers of Lua on their way to C.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/number.h"

#include <lauxlib.h>

#include "base/check.h"


int64_t
lun_number_to_int(lua_Number n, int64_t low, int64_t high)
{
    LUN_CHECK(low <= high);

    /* This way round NaN is `low`. */
    if (!(n > (lua_Number) low)) {
        return low;
    }

    return n >= (lua_Number) high ? high : (int64_t) n;
}


int64_t
lun_number_at(lua_State *L, int index, int64_t low, int64_t high)
{
    return lun_number_to_int(lua_tonumber(L, index), low, high);
}


int64_t
lun_number_check(lua_State *L, int index, int64_t low, int64_t high)
{
    return lun_number_to_int(luaL_checknumber(L, index), low, high);
}


int64_t
lun_number_check_seconds(lua_State *L, int index)
{
    return lun_number_to_int(luaL_checknumber(L, index) * 1000, -1,
                             LUN_NUMBER_MOST);
}
