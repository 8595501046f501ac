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
# X25519, half of what a handshake of TLS 1.3 costs, is s2n-bignum's (out of
# AWS-LC) where the processor has ADX and BMI2: OpenSSL's own multiplies the
# base point in 32-bit limbs.  It is put under libcrypto's own function, not
# into a provider, so that the hybrid with ML-KEM and scripts have it as well.
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

# quick_x25519: s2n-bignum's objects, and which of the two is used.
quick_x25519() {
    from=$vendor/aws-lc-sys/aws-lc/third_party/s2n-bignum
    from=$from/s2n-bignum-imported
    mkdir -p s2n/openssl
    : > s2n/openssl/boringssl_prefix_symbols_asm.h

    # No types and sizes of functions for who has no ELF.
    as='-DS2N_BN_HIDE_SYMBOLS' head=cat
    if [ $SYS = windows ]; then
        as='-DWINDOWS_ABI=1'
        head='sed s/^\(#.*define.S2N_BN_[A-Z_]*(name)\).*\.\(type\|size\).*/\1/'
    fi
    $head < "$from/include/_internal_s2n_bignum_x86_att.h" \
        > s2n/_internal_s2n_bignum_x86_att.h
    for one in curve25519_x25519 curve25519_x25519base; do
        $CC $as -Is2n -c "$from/x86_att/curve25519/$one.S" -o "s2n/$one.o"
    done

    cat > s2n/x25519.c << 'END'
#include <openssl/crypto.h>

#include "crypto/ecx.h"

int x25519_fe64_eligible(void);
int x25519_own(uint8_t out[32], const uint8_t key[32], const uint8_t peer[32]);
void x25519_own_public(uint8_t out[32], const uint8_t key[32]);

void curve25519_x25519_byte(uint8_t out[32], const uint8_t key[32],
    const uint8_t peer[32]);
void curve25519_x25519base_byte(uint8_t out[32], const uint8_t key[32]);

int
ossl_x25519(uint8_t out[32], const uint8_t key[32], const uint8_t peer[32])
{
    static const uint8_t  zeros[32];

    if (!x25519_fe64_eligible()) {
        return x25519_own(out, key, peer);
    }

    curve25519_x25519_byte(out, key, peer);
    return CRYPTO_memcmp(out, zeros, sizeof(zeros)) != 0;
}

void
ossl_x25519_public_from_private(uint8_t out[32], const uint8_t key[32])
{
    if (!x25519_fe64_eligible()) {
        x25519_own_public(out, key);
        return;
    }

    curve25519_x25519base_byte(out, key);
}
END
    $CC -O2 -fPIC -Wall -Iinclude -c s2n/x25519.c -o s2n/x25519.o
    $AR r libcrypto.a s2n/*.o
}

case $($CC -dumpmachine) in
x86_64*)
    x25519=quick_x25519
    sed -i 's/^int ossl_x25519(/int x25519_own(/
        s/^void ossl_x25519_public_from_private(/void x25519_own_public(/' \
        crypto/ec/curve25519.c
    [ "$(grep -c '^[a-z]* x25519_own' crypto/ec/curve25519.c)" = 2 ] ;;
*)
    x25519=: ;;
esac

export SOURCE_DATE_EPOCH=1767225600    # it says when it was built
perl ./Configure "$@" --release \
    enable-zlib --with-zlib-include=others enable-brotli enable-zstd \
    $(printf ' no-%s' $no)
make -j"$JOBS" build_libs
$x25519
cp libssl.a libcrypto.a "$OUT/lib/"
cp -R include/openssl "$OUT/include/"
rm -f "$OUT"/include/openssl/*.in
