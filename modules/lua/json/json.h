/*
 * json.h -- cjson: JSON for Lua, with the interface of lua-cjson and what
 * OpenResty has added to it.
 *
 * Nothing here yields or calls Lua code.  Failures throw.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_JSON_H
#define LUN_LUA_JSON_H

#include <lua.h>

/* What require "cjson" and require "cjson.safe" call. */
int lun_json_open(lua_State *L);
int lun_json_open_safe(lua_State *L);

#endif
