/*
 * thread_help.h -- a machine for tests of the scheduler: without the API, but
 * with coroutine.wrap and ngx.thread.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_THREAD_HELP_H
#define LUN_THREAD_HELP_H

#include "modules/lua/run/vm.h"
#include "tap.h"


static lun_vm *
make_vm(lun_lua_main *lua_main)
{
    static const char  glue[] =
        "local native = ...\n"
        "ngx = { thread = { spawn = native.thread_spawn,\n"
        "                   wait = native.thread_wait,\n"
        "                   kill = native.thread_kill } }\n"
        "function coroutine.wrap(f)\n"
        "    local co = native.co_create(f)\n"
        "    return function (...) return native.co_resume(co, ...) end\n"
        "end\n";

    lun_vm     *vm = lun_calloc(sizeof(lun_vm));
    lua_State  *L = luaL_newstate();

    luaL_openlibs(L);
    lun_list_push_back(&lua_main->vms, &vm->link);
    vm->references = 1;
    vm->L = L;
    vm->main = lua_main;
    vm->pool = lun_pool_new_sized(256);
    lun_list_init(&vm->spares);
    lun_list_init(&vm->waiting);
    lun_list_init(&vm->owned);
    lua_newtable(L);
    vm->ctx_table = luaL_ref(L, LUA_REGISTRYINDEX);

    ok(luaL_loadstring(L, glue) == 0, "the glue compiles");
    lua_newtable(L);
    lun_co_open(L, vm);
    ok(lua_pcall(L, 1, 0, 0) == 0, "and runs");
    return vm;
}

#endif
