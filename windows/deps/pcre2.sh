# PCRE2, 8-bit, with Unicode and the JIT, as its NON-AUTOTOOLS-BUILD says.
# Three files are included by others and are not compiled alone.
#
# SPDX-License-Identifier: BSD-2-Clause

flags="-O2 -g -I$SRC/src -I$SRC/deps -I$SRC/include
    -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC
    -DSUPPORT_PCRE2_8 -DSUPPORT_UNICODE -DSUPPORT_JIT -DSTDC_HEADERS
    -DHAVE_STDLIB_H -DHAVE_MEMMOVE"
[ "$SYS" = windows ] && flags="$flags -DHAVE_WINDOWS_H"

files=
for file in "$SRC"/src/*.c; do
    case $file in
    *_jit_match.c | *_jit_misc.c | *_ucptables.c) ;;
    *) files="$files $file" ;;
    esac
done

compile_all libpcre2-8.a "$flags" $files
cp "$SRC/include/pcre2.h" "$OUT/include/"
