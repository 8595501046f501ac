/*
 * json.c -- any bytes as JSON, in any of cjson's settings: what is read can
 * be written, and what was written is read as the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/json/json.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
set(lua_State *L, const char *name, bool on)
{
    lua_getfield(L, 1, name);
    lua_pushboolean(L, on);
    lua_call(L, 1, 1);
    lua_pop(L, 1);
}


/* The machine, with a table of functions in its first slot. */
static lua_State *
machine(uint8_t how)
{
    static lua_State  *L;

    if (L == NULL) {
        L = luaL_newstate();
        luaL_openlibs(L);
        lua_pushcfunction(L, lun_json_open);
        lua_call(L, 0, 1);
    }

    lua_settop(L, 1);
    set(L, "encode_sort_keys", true);
    set(L, "encode_invalid_numbers", true);
    set(L, "encode_sparse_array", true);
    set(L, "decode_array_with_array_mt", true);
    set(L, "decode_json_null", false);
    set(L, "encode_keep_buffer", how & 1);
    set(L, "decode_allow_comment", how & 2);
    set(L, "decode_invalid_numbers", how & 4);
    set(L, "encode_escape_forward_slash", how & 8);
    lua_getfield(L, 1, "encode_indent");
    lua_pushstring(L, how & 16 ? " " : "");
    lua_call(L, 1, 0);

    return L;
}


/* The value on top becomes what the function makes of it. */
static bool
apply(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    lua_insert(L, -2);
    return lua_pcall(L, 1, 1, 0) == 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        *copy;
    size_t       len, again;
    lua_State   *L;
    const char  *first, *second;

    if (size == 0) {
        return 0;
    }

    L = machine(data[0]);

    /* In memory of its own, so that ASan sees its end. */
    copy = malloc(size);
    memcpy(copy, data + 1, size - 1);
    lua_pushlstring(L, copy, size - 1);
    free(copy);

    if (!apply(L, "decode")) {
        LUN_CHECK(lua_isstring(L, -1));
        return 0;
    }

    LUN_CHECK(apply(L, "encode"));
    first = lua_tolstring(L, -1, &len);

    /* Infinity and its like are read only if that is allowed. */
    lua_pushvalue(L, -1);
    if ((data[0] & 4) == 0) {
        return 0;
    }

    LUN_CHECK(apply(L, "decode") && apply(L, "encode"));
    second = lua_tolstring(L, -1, &again);
    LUN_CHECK(len == again && memcmp(first, second, len) == 0);

    return 0;
}
