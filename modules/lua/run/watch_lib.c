/*
 * watch_lib.c -- lua_code_cache watch, inside a machine: require, loadfile and
 * dofile tell what they read; lunette.scripts tells what has become of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/watch.h"

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/vm.h"

enum { FILE_SEARCHER = 3 };        /* behind package.preload and our own */


/* Where require would find the module; NULL: nowhere.  Left on the stack. */
static const char *
find_module(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
    lua_getfield(L, -1, "package");
    lua_getfield(L, -1, "searchpath");
    lua_pushvalue(L, 1);
    lua_getfield(L, -3, "path");
    lua_call(L, 2, 1);
    return lua_tostring(L, -1);
}


/* In the place of the searcher for Lua files, which is its first upvalue. */
static int
search_file(lua_State *L)
{
    lun_vm        *vm = lua_touserdata(L, lua_upvalueindex(2));
    const char    *path;
    lun_lua_file  *file = NULL;

    luaL_checkstring(L, 1);
    path = find_module(L);

    if (path != NULL) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->module_table);
        lua_getfield(L, -1, path);

        if (lua_isfunction(L, -1)) {
            return 1;
        }

        file = lun_lua_watch_note(vm->main, path, LUN_LUA_MODULE);
    }

    /* A module that does not compile throws here. */
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lun_lua_watch_good(file);
    return 1;
}


static int
load_data(lua_State *L)
{
    lun_vm  *vm = lua_touserdata(L, lua_upvalueindex(2));

    if (lua_type(L, 1) == LUA_TSTRING) {
        (void) lun_lua_watch_note(vm->main, lua_tostring(L, 1), LUN_LUA_DATA);
    }

    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}


/* A function of ours around the one on top. */
static void
wrap(lun_vm *vm, lua_CFunction f)
{
    lua_pushlightuserdata(vm->L, vm);
    lua_pushcclosure(vm->L, f, 2);
}


void
lun_lua_watch_open(lun_vm *vm)
{
    size_t              i;
    lua_State          *L = vm->L;
    static const char  *const  readers[] = { "loadfile", "dofile" };

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaders");
    lua_rawgeti(L, -1, FILE_SEARCHER);
    wrap(vm, search_file);
    lua_rawseti(L, -2, FILE_SEARCHER);
    lua_pop(L, 2);

    for (i = 0; i < LUN_ARRAY_LEN(readers); i++) {
        lua_getglobal(L, readers[i]);
        wrap(vm, load_data);
        lua_setglobal(L, readers[i]);
    }
}


/* generation, error or nil, changed_at or nil */
static int
scripts_status(lua_State *L)
{
    const char  *error;
    double       changed_at;

    lua_pushinteger(L, (lua_Integer) lun_lua_watch_status(
                           lun_lua_now.ctx->main->watch, &error, &changed_at));
    lua_pushstring(L, error);

    if (changed_at > 0) {
        lua_pushnumber(L, changed_at);
    } else {
        lua_pushnil(L);
    }

    return 3;
}


static const luaL_Reg  functions[] = {
    { "scripts_status", scripts_status },
    { NULL, NULL }
};


void
lun_lua_scripts_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
