/*
 * native.c -- the rooms that have C functions for the Lua side, and what they
 * share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/native.h"

lun_lua_room *const  lun_lua_rooms[] = {
    lun_lua_output_open,
    lun_lua_sleep_open,
    lun_lua_timer_open,
    lun_lua_log_open,
    lun_lua_control_open,
    lun_lua_body_open,
    lun_lua_sock_open,
    lun_lua_sock_stream_open,
    lun_lua_sema_open,
    lun_lua_pipe_open,
    lun_lua_worker_thread_open,
    lun_lua_subreq_open,
    lun_lua_upstream_open,
    lun_lua_scripts_open,
    lun_lua_capi_open,
    lun_lua_shdict_fetch_open,
    NULL
};


lun_lua_box *
lun_lua_box_new(lua_State *L, const char *type)
{
    lun_lua_box  *box = lua_newuserdata(L, sizeof(lun_lua_box));

    box->type = type;
    box->object = NULL;
    lua_pushlightuserdata(L, (void *) (uintptr_t) type);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_setmetatable(L, -2);
    return box;
}


void *
lun_lua_unbox(lua_State *L, int index, const char *type)
{
    const lun_lua_box  *box = lua_touserdata(L, index);

    /* A light userdata has no size. */
    if (box == NULL || lua_objlen(L, index) != sizeof(lun_lua_box)
        || box->type != type)
    {
        return NULL;
    }

    return box->object;
}


void
lun_lua_type(lua_State *L, const char *name, lua_CFunction on_gc)
{
    luaL_newmetatable(L, name);
    lua_pushcfunction(L, on_gc);
    lua_setfield(L, -2, "__gc");

    /* For boxes: by its address it is found without making a string. */
    lua_pushlightuserdata(L, (void *) (uintptr_t) name);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
}
