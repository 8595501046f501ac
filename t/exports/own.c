/*
 * own.c -- a C module as users have them, with functions of names that parts
 * of the program have as well.  Each of its calls has to reach its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <lauxlib.h>

/* lua-cjson's, as OpenResty's cjson.so has them; ours; of zlib and nghttp2. */
#define OWN(each)                                                             \
    each(strbuf_new) each(strbuf_init) each(strbuf_free) each(strbuf_resize)  \
    each(strbuf_set_increment) each(strbuf_append_fmt)                        \
    each(strbuf_append_string) each(strbuf_free_to_string)                    \
    each(fpconv_g_fmt) each(fpconv_strtod) each(dtoa) each(freedtoa)          \
    each(gethex) each(luaopen_cjson) each(luaopen_cjson_safe)                 \
    each(lun_malloc) each(lun_free) each(lun_log_write) each(lun_panic)       \
    each(lj_err_throw) each(lj_gc_step)

#define DECLARE(name)  int name(int n);
#define DEFINE(name)   int name(int n) { return n + 1; }
#define CALL(name)     if (name(41) != 42) return luaL_error(L, #name);

OWN(DECLARE)
OWN(DEFINE)

#ifdef _WIN32
__declspec(dllexport)
#endif
int luaopen_own(lua_State *L);

int
luaopen_own(lua_State *L)
{
    OWN(CALL)
    lua_pushliteral(L, "its own");
    return 1;
}
