/*
 * number.c -- numbers of Lua on their way to C.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/run/number.c"

#include <math.h>
#include <lualib.h>

#include "tap.h"


static void
test_ends(void)
{
    size_t  i;

    static const struct {
        lua_Number  n;
        int64_t     low, high, is;
    } cases[] = {
        { NAN, 0, 9, 0 }, { NAN, -7, 9, -7 }, { -NAN, 3, 9, 3 },
        { INFINITY, 0, 9, 9 }, { -INFINITY, 0, 9, 0 },
        { 0, 0, 9, 0 }, { -0.0, 0, 9, 0 }, { 9, 0, 9, 9 }, { 8, 0, 9, 8 },
        { 8.99, 0, 9, 8 }, { 9.01, 0, 9, 9 }, { 0.99, 0, 9, 0 },
        { -0.99, -1, 9, 0 }, { -1, -1, 9, -1 }, { -1.5, -9, 9, -1 },
        { 0x1p31, INT32_MIN, INT32_MAX, INT32_MAX },
        { 0x1p31 - 1, INT32_MIN, INT32_MAX, INT32_MAX },
        { 0x1p31 - 2, INT32_MIN, INT32_MAX, INT32_MAX - 1 },
        { -0x1p31, INT32_MIN, INT32_MAX, INT32_MIN },
        { -0x1p31 - 1, INT32_MIN, INT32_MAX, INT32_MIN },
        { 0x1p32, INT32_MIN, INT32_MAX, INT32_MAX },
        { 0x1p32 + 5, 0, 65535, 65535 },
        { 0x1p53, 0, LUN_NUMBER_MOST, LUN_NUMBER_MOST },
        { 0x1p53 - 1, 0, LUN_NUMBER_MOST, LUN_NUMBER_MOST - 1 },
        { 0x1p63, INT64_MIN, INT64_MAX, INT64_MAX },
        { 0x1p63 - 1024, INT64_MIN, INT64_MAX, INT64_MAX - 1023 },
        { -0x1p63, INT64_MIN, INT64_MAX, INT64_MIN },
        { 1e308, INT64_MIN, INT64_MAX, INT64_MAX },
        { -1e308, INT64_MIN, INT64_MAX, INT64_MIN },
        { 5, 5, 5, 5 }, { 4, 5, 5, 5 }, { 6, 5, 5, 5 }
    };

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        ok(lun_number_to_int(cases[i].n, cases[i].low, cases[i].high)
           == cases[i].is, "%.17g of %.17g ... %.17g", cases[i].n,
           (double) cases[i].low, (double) cases[i].high);
    }
}


static void
test_stack(void)
{
    lua_State  *L = luaL_newstate();

    lua_pushnumber(L, 7.5);
    lua_pushliteral(L, "12");
    lua_pushliteral(L, "x");
    lua_pushnil(L);

    ok(lun_number_at(L, 1, 0, 100) == 7, "of a number");
    ok(lun_number_at(L, 2, 0, 100) == 12, "of a number's text");
    ok(lun_number_at(L, 3, -1, 100) == 0, "another text is 0");
    ok(lun_number_at(L, -1, -1, 100) == 0, "nil is 0");
    ok(lun_number_check(L, 1, 0, 5) == 5, "an argument");
    ok(lua_gettop(L) == 4, "the stack is as it was");
    lua_close(L);
}


static int64_t
msec_of(lua_State *L, lua_Number seconds)
{
    lua_settop(L, 0);
    lua_pushnumber(L, seconds);
    return lun_number_check_seconds(L, 1);
}


static void
test_seconds(void)
{
    lua_State  *L = luaL_newstate();

    ok(msec_of(L, 1.5) == 1500, "seconds");
    ok(msec_of(L, 0) == 0, "none");
    ok(msec_of(L, -0.0004) == 0, "less than a millisecond ago");
    ok(msec_of(L, -0.001) == -1, "a millisecond ago");
    ok(msec_of(L, -1e300) == -1, "long ago");
    ok(msec_of(L, NAN) == -1, "never");
    ok(msec_of(L, 0x1p53) == LUN_NUMBER_MOST, "in a long time");
    ok(msec_of(L, INFINITY) == LUN_NUMBER_MOST, "for ever");
    lua_close(L);
}


static int
check_argument(lua_State *L)
{
    lua_pushnumber(L, (lua_Number) lun_number_check(L, 1, 0, 9));
    return 1;
}


static void
test_throw(void)
{
    lua_State  *L = luaL_newstate();

    lua_pushcfunction(L, check_argument);
    lua_pushnil(L);
    ok(lua_pcall(L, 1, 1, 0) == LUA_ERRRUN
       && strstr(lua_tostring(L, -1), "number expected, got nil") != NULL,
       "nil is no argument");
    lua_close(L);
}


int
main(void)
{
    test_ends();
    test_stack();
    test_seconds();
    test_throw();
    return done_testing();
}
