# LuaJIT, static, as OpenResty builds it: with the Lua 5.2 extensions, and the
# limits of its branch.
#
# On Windows LUA_BUILD_AS_DLL makes each API function carry an export
# directive, so that lunette.exe exports them to C modules. The Lua half of
# the JIT (jit.dump, jit.v, ...) is installed beside the library.
# With the address sanitizer the allocator is malloc, which it can watch.
#
# SPDX-License-Identifier: BSD-2-Clause

flags="-DLUAJIT_ENABLE_LUA52COMPAT"
set -- CROSS=                       # ours is in the environment

case $SYS in
windows)
    set -- TARGET_SYS=Windows CROSS="$CROSS" HOST_CC=gcc \
        TARGET_FLAGS=-DLUA_BUILD_AS_DLL
    ;;
linux-asan)
    flags="$flags -DLUAJIT_USE_SYSMALLOC -fno-omit-frame-pointer"
    ;;
esac

# The limits of OpenResty's branch: large programs have more traces than LuaJIT
# keeps of its own accord, and modules with more than 60 upvalues.
limit() {
    sed -i "$2" "$SRC/src/$1"
    grep -q "$3" "$SRC/src/$1" || { echo "luajit: no $3" >&2; exit 1; }
}

for each in maxtrace=8000 maxrecord=16000 minstitch=3 maxmcode=40960; do
    limit lj_jit.h "s/\\(${each%=*},[^0-9]*\\)[0-9]*)/\\1${each#*=})/" \
        "${each%=*},[^0-9]*${each#*=})"
done
limit lj_def.h 's/\(LJ_MAX_UPVAL[^0-9]*\)[0-9]*/\1120/' \
    'LJ_MAX_UPVAL[^0-9]*120'

cp "$SRC/../luajit_relver.txt" "$SRC/.relver"

make -C "$SRC/src" -j"$JOBS" BUILDMODE=static XCFLAGS="$flags" "$@" \
    libluajit.a
make -C "$SRC/src" BUILDMODE=static XCFLAGS="$flags" "$@" jit/vmdef.lua

mkdir -p "$OUT/share/jit"
cp "$SRC/src/libluajit.a" "$OUT/lib/"
cp "$SRC/src/lua.h" "$SRC/src/lauxlib.h" "$SRC/src/lualib.h" \
    "$SRC/src/luaconf.h" "$SRC/src/luajit.h" "$OUT/include/"
cp "$SRC"/src/jit/*.lua "$OUT/share/jit/"
