# lua-resty-dns: a Lua file, which is embedded with two changes. An answer that
# is shorter than it says is an error, and what reads answers cannot throw.
#
# SPDX-License-Identifier: BSD-2-Clause

file=$OUT/share/resty/dns/resolver.lua

cp -R "$SRC/lib/resty" "$OUT/share/"
sed -i -e '/^local byte = string.byte$/a\
local guard = require "lunette.dns_guard"' \
    -e 's/^local function parse_response(/local function read_response(/' \
    -e 's/= parse_response(\(.*\))$/= guard(read_response, \1)/' \
    -e '/^        pos = pos + 10$/a\
\
        if pos + len - 1 > #buf then\
            return nil, "the response ends too early"\
        end' "$file"

test "$(grep -c 'guard(read_response' "$file")" = 2
test "$(grep -c 'the response ends too early' "$file")" = 1
