# ngtcp2, QUIC's state machine, and of its crypto helpers what is the same for
# every TLS library; ours for OpenSSL is core/net/quic/quic_crypto.c.
#
# The crate's text files have CRLF ends.  Addresses are of types that no system
# has: what uses them is the same on both (`ngtcp2_flags` in ./deps).
#
# SPDX-License-Identifier: BSD-2-Clause

number=$(project_version ngtcp2 "$SRC/CMakeLists.txt")

mkdir -p "$OUT/include/ngtcp2"
for head in "$SRC"/lib/includes/ngtcp2/*.h \
    "$SRC/crypto/includes/ngtcp2/ngtcp2_crypto.h"; do
    unix < "$head" > "$OUT/include/ngtcp2/${head##*/}"
done
fill_version "$number" < "$SRC/lib/includes/ngtcp2/version.h.in" \
    > "$OUT/include/ngtcp2/version.h"

# Assertions name files: from the source's folder, whatever that is called.
cd "$SRC"
flags="-O2 -g -I$OUT/include -Ilib -Icrypto
    $ngtcp2_flags -DBUILDING_NGTCP2"
case $SYS in
windows)
    flags="$flags -DHAVE_WINSOCK2_H -DHAVE_WS2TCPIP_H -D_WIN32_WINNT=0x0A00
        -DWIN32_LEAN_AND_MEAN -include windows.h" ;;
*)
    flags="$flags -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DHAVE_NETINET_IP_H
        -DHAVE_UNISTD_H -DHAVE_ENDIAN_H -DHAVE_BYTESWAP_H -D_GNU_SOURCE
        -DHAVE_DECL_BE64TOH=1 -DHAVE_DECL_BSWAP_64=1 -DHAVE_EXPLICIT_BZERO" ;;
esac

compile_all libngtcp2.a "$flags" lib/*.c crypto/shared.c
