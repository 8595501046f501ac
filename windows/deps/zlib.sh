# zlib, without its gz* file functions, which nobody here calls.
#
# SPDX-License-Identifier: BSD-2-Clause

files=
for file in "$SRC"/*.c; do
    case $file in
    */gz*.c) ;;
    *) files="$files $file" ;;
    esac
done

compile_all libz.a "-O3 -g -I$SRC" $files
cp "$SRC/zlib.h" "$SRC/zconf.h" "$OUT/include/"
