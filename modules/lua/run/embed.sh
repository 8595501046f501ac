#!/bin/sh
# Writes the C table of embed.h: every .lua file below the folders given,
# named as require() names it. The assembler reads the files themselves.
# The spec runner stays outside: `lunette spec` finds it beside the program.
#
# SPDX-License-Identifier: BSD-2-Clause

set -eu
LC_ALL=C
export LC_ALL

cat << 'END'
/* Written by modules/lua/run/embed.sh; not to be edited. */

#include "modules/lua/run/embed.h"

#ifdef _WIN32
#define SECTION  ".section .rdata,\"dr\"\n"
#else
#define SECTION  ".section .rodata\n"
#endif

#define EMBED(n, file)                                                        \
    __asm__(SECTION                                                           \
            ".globl lun_lua_text_" #n "\n"                                    \
            ".balign 16\n"                                                    \
            "lun_lua_text_" #n ":\n"                                          \
            ".incbin \"" file "\"\n"                                          \
            ".byte 0\n"                                                       \
            ".text\n");                                                       \
    extern const char  lun_lua_text_ ## n[]

END

for root in "$@"; do
    [ ! -d "$root" ] || (cd "$root" &&
        find . -name '*.lua' ! -path './lunette/spec*') |
    while read -r file; do
        file=${file#./}
        name=${file%.lua}
        name=${name%/init}
        echo "$(echo "$name" | tr / .) $root/$file $(wc -c < "$root/$file")"
    done
done | sort -u -k 1,1 | awk '
{
    printf "EMBED(%d, \"%s\");\n", NR, $2
    rows = rows sprintf("    { \"%s\", lun_lua_text_%d, %d },\n", $1, NR, $3)
}
END {
    print "\nconst lun_lua_embedded  lun_lua_embedded_files[] = {"
    print rows "    { NULL, NULL, 0 }"
    print "};"
}'
