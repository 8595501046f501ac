# lua-cjson, against the LuaJIT headers that were built before it.
#
# Numbers are printed and read by its own dtoa, so that neither the locale
# nor the C library of the system shows in the text (MSVCRT writes 1e+020).
# dtoa is used without its locks: a worker runs Lua on one thread only.
#
# SPDX-License-Identifier: BSD-2-Clause

# Its own luaL_setfuncs, for Lua 5.1, would collide with LuaJIT's.
sed -i 's/luaL_setfuncs/cjson_setfuncs/' "$SRC/lua_cjson.c"

flags="-O2 -g -I$SRC -I$LUAJIT/include -DNDEBUG -DUSE_INTERNAL_FPCONV"

compile_all libcjson.a "$flags" \
    "$SRC/lua_cjson.c" "$SRC/strbuf.c" "$SRC/dtoa.c" "$SRC/g_fmt.c"

mkdir -p "$OUT/share/cjson"
cp "$SRC/lua/cjson/util.lua" "$OUT/share/cjson/"
