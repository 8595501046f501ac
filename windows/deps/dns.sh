# lua-resty-dns: a Lua file, which is embedded as it is.
#
# SPDX-License-Identifier: BSD-2-Clause

cp -R "$SRC/lib/resty" "$OUT/share/"
