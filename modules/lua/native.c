/*
 * native.c -- the rooms that have C functions for the Lua side, and what they
 * share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/native.h"

lun_lua_room *const  lun_lua_rooms[] = {
    lun_lua_output_open,
    lun_lua_sleep_open,
    lun_lua_timer_open,
    lun_lua_log_open,
    lun_lua_control_open,
    lun_lua_body_open,
    lun_lua_sock_open,
    lun_lua_sema_open,
    lun_lua_pipe_open,
    lun_lua_apart_open,
    lun_lua_subreq_open,
    lun_lua_scripts_open,
    NULL
};


void
lun_lua_type(lua_State *L, const char *name, lua_CFunction on_gc)
{
    luaL_newmetatable(L, name);
    lua_pushcfunction(L, on_gc);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
}
