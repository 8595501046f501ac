/*
 * ffi_log.c -- ngx.log, for lua/resty/core/log.lua.
 *
 * The Lua side asks lun_ffi_log_level() first, inside its trace; only a line
 * that will be written leaves it for native.log.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "modules/lua/run/native.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/number.h"

enum { LINE_SIZE = LUN_LOG_LINE };


static const lun_log *
present_log(void)
{
    return lun_lua_now.ctx != NULL ? lun_lua_now.ctx->log : NULL;
}


/* The most talkative level that would be written; any phase. */
int
lun_ffi_log_level(void)
{
    const lun_log  *log = present_log();

    return (int) (log != NULL ? log : lun_log_default())->level;
}


/*
 * A script asked for at most `max` of what there were more of; `seen` 0: nobody
 * knows how many.  At debug level.
 */
void
lun_ffi_log_limit(const char *what, int seen, int max)
{
    if (seen > 0) {
        lun_debug(present_log(), "lua exceeding %s limit %d > %d", what, seen,
                  max);
    } else {
        lun_debug(present_log(), "lua hit %s limit %d", what, max);
    }
}


static const char *
base_name(const char *path)
{
    const char  *p, *name = path;

    for (p = path; *p != '\0'; p++) {
        if (*p == '/' || *p == '\\') {
            name = p + 1;
        }
    }

    return name;
}


/*
 * "[lua] file.lua:12: f(): ", where the caller of ngx.log stands; in stream
 * behind "stream ".
 */
static char *
put_place(char *p, const char *end, lua_State *L, int depth)
{
    lua_Debug           ar;
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    p = lun_fmt(p, end, "%s[lua] ",
                ctx != NULL ? ctx->main->side->prefix : "");

    if (lua_getstack(L, depth, &ar) == 0) {
        return p;
    }

    lua_getinfo(L, "Snl", &ar);
    p = lun_fmt(p, end, "%s:%d: ", base_name(ar.short_src), ar.currentline);

    if (*ar.namewhat != '\0' && *ar.what == 'L') {
        p = lun_fmt(p, end, "%s(): ", ar.name);
    }

    return p;
}


static char *
put_text(char *p, const char *end, lua_State *L, int i)
{
    size_t       len;
    const char  *s = lua_tolstring(L, i, &len);

    len = lun_min(len, (size_t) (end - p));
    return lun_copy(p, s, len);
}


/* The texts count what is logged, without the level, from 1. */
static char *
put_value(char *p, const char *end, lua_State *L, int i)
{
    switch (lua_type(L, i)) {

    case LUA_TNUMBER:
    case LUA_TSTRING:
        return put_text(p, end, L, i);

    case LUA_TNIL:
        return lun_fmt(p, end, "nil");

    case LUA_TBOOLEAN:
        return lun_fmt(p, end, lua_toboolean(L, i) ? "true" : "false");

    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(L, i) == NULL) {
            return lun_fmt(p, end, "null");
        }

        break;

    case LUA_TTABLE:
        if (!luaL_callmeta(L, i, "__tostring")) {
            luaL_error(L, "bad argument #%d to 'log' (expected table to have "
                       "__tostring metamethod)", i - 2);
        }

        p = put_text(p, end, L, -1);
        lua_pop(L, 1);
        return p;
    }

    luaL_error(L, "bad argument #%d to 'log' (string, number, boolean, or nil "
               "expected, got %s)", i - 2, luaL_typename(L, i));
    return p;
}


/*
 * native.log(depth, level, ...): `depth` is the caller's on the stack.  Any
 * phase.
 */
static int
log_(lua_State *L)
{
    int           i, n = lua_gettop(L);
    char          line[LINE_SIZE], *p, *end;
    int64_t       level = lun_number_at(L, 2, LUN_LOG_STDERR, LUN_LOG_DEBUG);

    end = line + sizeof(line);
    p = put_place(line, end, L, (int) lun_number_at(L, 1, 0, INT32_MAX));

    for (i = 3; i <= n; i++) {
        p = put_value(p, end, L, i);
    }

    lun_log_text((lun_log_level) level, present_log(),
                 lun_str_of(line, (size_t) (p - line)));
    return 0;
}


static const luaL_Reg  functions[] = {
    { "log", log_ },
    { NULL, NULL }
};


void
lun_lua_log_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
