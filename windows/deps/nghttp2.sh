# nghttp2, the HTTP/2 state machine: its library only, which needs nothing.
#
# SPDX-License-Identifier: BSD-2-Clause

ver=$OUT/include/nghttp2/nghttp2ver.h
mkdir -p "$OUT/include/nghttp2"
cp "$SRC/lib/includes/nghttp2/nghttp2.h" "$OUT/include/nghttp2/"
sed -e 's/@PACKAGE_VERSION@/1.64.0/' -e 's/@PACKAGE_VERSION_NUM@/0x014000/' \
    "$SRC/lib/includes/nghttp2/nghttp2ver.h.in" > "$ver"

# Assertions name files: from the source's folder, whatever that is called.
cd "$SRC"
flags="-O2 -g -I$OUT/include -Ilib/includes -Ilib
    -DNGHTTP2_STATICLIB -DBUILDING_NGHTTP2"
case $SYS in
windows)
    flags="$flags -DHAVE_WINDOWS_H -DHAVE_GETTICKCOUNT64 -D_WIN32_WINNT=0x0A00"
    ;;
*)
    flags="$flags -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H
        -DHAVE_CLOCK_GETTIME -DHAVE_DECL_CLOCK_MONOTONIC=1"
    ;;
esac

compile_all libnghttp2.a "$flags" lib/*.c
