/*
 * embed.h -- the Lua side, carried inside the executable.
 *
 * The build writes this table from lua/ (lua/lunette/base.lua is named
 * "lunette.base", lua/x/init.lua is "x"), from LuaJIT's jit/ modules and
 * from lua-resty-dns.  It is sorted by name, as strcmp sorts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_EMBED_H
#define LUN_LUA_EMBED_H

#include <stddef.h>

typedef struct {
    const char  *name;
    const char  *data;      /* source text, followed by a zero byte */
    size_t       size;      /* without that byte */
} lun_lua_embedded;

/* Ends with a row whose name is NULL. */
extern const lun_lua_embedded  lun_lua_embedded_files[];

#endif
