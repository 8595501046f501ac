# OpenSSL, static, for TLS 1.0 to 1.3, certificates, OCSP and digests.
#
# Linux has what Debian's has, but for protocols that nobody here speaks: Lua
# libraries find all of it, in ffi.C, in place of the system's.  It looks for
# the system's own openssl.cnf, certificates and modules.
#
# On Windows what no TLS peer of today asks for is left out, which halves the
# build: national and old ciphers and digests, SRP, CMS, certificate
# transparency, engines, loadable providers. DES stays,
# because encrypted private keys and PKCS#12 files use it; MD5, SHA-1 and
# RIPEMD because ngx.md5 and Lua libraries do. No openssl.cnf is loaded by
# itself: a file that others may be able to write must not load code.
#
# Certificates are compressed by the zlib-ng, brotli and zstd of the server.
#
# SPDX-License-Identifier: BSD-2-Clause

no="shared tests apps docs dgram dtls quic nextprotoneg
    ssl3 ssl3-method idea mdc2 rc5 md2 cmp ts winstore legacy
    ssl-trace integrity-only-ciphers makedepend"

# Without WIN_CORE it links USER32 for a message box.  A process that loads
# USER32 takes a piece of its session's desktop heap, which is small for
# services: with enough workers the next one ends with 0xC0000142.
case $SYS in
windows)
    no="$no module engine autoload-config srtp srp
        aria bf camellia cast rc2 rc4 seed sm2 sm3 sm4 gost
        md4 whirlpool blake2 ocb siv siphash
        ec2m dsa slh-dsa ml-dsa lms scrypt argon2
        cms ct rfc3779 thread-pool default-thread-pool ui-console"
    set -- mingw64 "--cross-compile-prefix=$CROSS" -DOPENSSL_SYS_WIN_CORE \
        --prefix=/lunette --libdir=lib
    others="zlib-ng brotli zstd" ;;
*)
    set -- enable-ktls --openssldir=/usr/lib/ssl --prefix=/usr \
        "--libdir=lib/$($CC -print-multiarch)"
    ! echo | $CC -dM -E - | grep -q __SIZEOF_INT128__ ||
        set -- "$@" enable-ec_nistp_64_gcc_128
    others=zlib-ng ;;
esac

# It knows the flags that it was compiled with: no path of this machine is
# among them.
cd "$SRC"
mkdir others
for other in $others; do
    cp -R "$(place "$other")"/include/* others/
done

# zlib's names, for what zlib-ng has by its own.
cat > others/zlib.h << 'END'
#include "zlib-ng.h"

#define ZLIB_VERSION                ZLIBNG_VERSION
#define z_stream                    zng_stream
#define deflateInit_(s, level, v, n)    zng_deflateInit(s, level)
#define deflateInit(s, level)       zng_deflateInit(s, level)
#define deflate                     zng_deflate
#define deflateEnd                  zng_deflateEnd
#define inflateInit_(s, v, n)       zng_inflateInit(s)
#define inflateInit(s)              zng_inflateInit(s)
#define inflate                     zng_inflate
#define inflateEnd                  zng_inflateEnd
#define compress                    zng_compress
#define uncompress                  zng_uncompress
#define zError                      zng_zError

#define uLong                       size_t
#define uLongf                      size_t
END

export SOURCE_DATE_EPOCH=1767225600    # it says when it was built
perl ./Configure "$@" --release \
    enable-zlib --with-zlib-include=others enable-brotli enable-zstd \
    $(printf ' no-%s' $no)
make -j"$JOBS" build_libs
cp libssl.a libcrypto.a "$OUT/lib/"
cp -R include/openssl "$OUT/include/"
rm -f "$OUT"/include/openssl/*.in
