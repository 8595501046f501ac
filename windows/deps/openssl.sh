# OpenSSL, static, for TLS 1.0 to 1.3, certificates, OCSP and digests.
#
# What no TLS peer of today asks for is left out, which halves the build:
# national and old ciphers and digests, DTLS, QUIC, SRP, CMS, CMP, time
# stamps, certificate transparency, engines, loadable providers. DES stays,
# because encrypted private keys and PKCS#12 files use it; MD5, SHA-1 and
# RIPEMD because ngx.md5 and Lua libraries do. No openssl.cnf is loaded by
# itself: a file that others may be able to write must not load code.
#
# SPDX-License-Identifier: BSD-2-Clause

no="shared tests apps docs module legacy engine autoload-config
    dgram dtls quic srtp srp nextprotoneg ssl3 ssl3-method comp zlib
    aria bf camellia cast idea rc2 rc4 rc5 seed sm2 sm3 sm4 gost
    md2 md4 mdc2 whirlpool blake2 ocb siv siphash
    ec2m dsa slh-dsa ml-dsa lms scrypt argon2
    cmp cms ts ct rfc3779 winstore thread-pool default-thread-pool
    ssl-trace integrity-only-ciphers ui-console makedepend"

# Without WIN_CORE it links USER32 for a message box.  A process that loads
# USER32 takes a piece of its session's desktop heap, which is small for
# services: with enough workers the next one ends with 0xC0000142.
case $SYS in
windows)
    set -- mingw64 "--cross-compile-prefix=$CROSS" -DOPENSSL_SYS_WIN_CORE ;;
*) set -- linux-x86_64 ;;
esac

cd "$SRC"
export SOURCE_DATE_EPOCH=1767225600    # it says when it was built
perl ./Configure "$@" --prefix=/lunette --libdir=lib --release \
    $(printf ' no-%s' $no)
make -j"$JOBS" build_libs
cp libssl.a libcrypto.a "$OUT/lib/"
cp -R include/openssl "$OUT/include/"
rm -f "$OUT"/include/openssl/*.in
