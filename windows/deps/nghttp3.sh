# nghttp3, the state machine of HTTP/3 over any QUIC, and sfparse with it.
#
# The crate's text files have CRLF ends.
#
# SPDX-License-Identifier: BSD-2-Clause

number=$(project_version nghttp3 "$SRC/CMakeLists.txt")

mkdir -p "$OUT/include/nghttp3"
unix < "$SRC/lib/includes/nghttp3/nghttp3.h" > "$OUT/include/nghttp3/nghttp3.h"
fill_version "$number" < "$SRC/lib/includes/nghttp3/version.h.in" \
    > "$OUT/include/nghttp3/version.h"

# Assertions name files: from the source's folder, whatever that is called.
cd "$SRC"
flags="-O2 -g -I$OUT/include -Ilib -Ilib/sfparse
    -DNGHTTP3_STATICLIB -DBUILDING_NGHTTP3"
case $SYS in
windows)
    flags="$flags -DHAVE_WINSOCK2_H -D_WIN32_WINNT=0x0A00" ;;
*)
    flags="$flags -DHAVE_ARPA_INET_H -DHAVE_UNISTD_H -DHAVE_ENDIAN_H
        -DHAVE_BYTESWAP_H -D_GNU_SOURCE
        -DHAVE_DECL_BE64TOH=1 -DHAVE_DECL_BSWAP_64=1" ;;
esac

compile_all libnghttp3.a "$flags" lib/*.c lib/sfparse/sfparse.c
