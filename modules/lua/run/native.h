/*
 * native.h -- the C functions that the Lua side gets by
 * require "lunette.native": those that yield or that Lua code runs in, which
 * FFI must not call.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_NATIVE_H
#define LUN_LUA_NATIVE_H

#include "modules/lua/lua.h"

/* Adds its functions to the table on top of L: luaL_register(L, NULL, ...). */
typedef void lun_lua_room(lua_State *L);

/* A line for each room that has some, in native.c; ends with NULL. */
extern lun_lua_room *const  lun_lua_rooms[];

/* Lua's type of what FFI makes; lua.h does not name it. */
enum { LUN_LUA_CDATA = 10 };

/*
 * What a full userdata holds that stands for an object of ours.  Scripts can
 * put any userdata where one is looked for: the kinds are told apart by the
 * address of the name of their metatable.
 */
typedef struct {
    const char  *type;
    void        *object;           /* NULL: not yet, or gone */
} lun_lua_box;

/* Pushes one without an object, of a type made by lun_lua_type(). */
lun_lua_box *lun_lua_box_new(lua_State *L, const char *type);

/* The object in the box at `index`; NULL: none, or it is no such box. */
void *lun_lua_unbox(lua_State *L, int index, const char *type);

/* A metatable of that name, with that __gc. */
void lun_lua_type(lua_State *L, const char *name, lua_CFunction on_gc);

lun_lua_room  lun_lua_output_open;
lun_lua_room  lun_lua_sleep_open;
lun_lua_room  lun_lua_timer_open;
lun_lua_room  lun_lua_log_open;
lun_lua_room  lun_lua_control_open;
lun_lua_room  lun_lua_body_open;
lun_lua_room  lun_lua_sock_open;
lun_lua_room  lun_lua_sock_stream_open;
lun_lua_room  lun_lua_sema_open;
lun_lua_room  lun_lua_pipe_open;
lun_lua_room  lun_lua_worker_thread_open;
lun_lua_room  lun_lua_subreq_open;
lun_lua_room  lun_lua_upstream_open;
lun_lua_room  lun_lua_scripts_open;
lun_lua_room  lun_lua_capi_open;
lun_lua_room  lun_lua_shdict_fetch_open;

#endif
