/*
 * quic_crypto.c -- keys from secrets: the vectors of RFC 5869 and RFC 9001,
 * and what OpenSSL itself makes of others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_crypto.c"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "tap.h"


/* Of which digest; the head says no more than where it is kept. */
static ngtcp2_crypto_md
digest_of(size_t which)
{
    return (ngtcp2_crypto_md) { .native_handle = fetch(&suites[which]) };
}


static size_t
bytes_of(const char *hex, uint8_t *to)
{
    size_t    n;
    unsigned  byte;

    for (n = 0; hex[2 * n] != '\0'; n++) {
        (void) sscanf(hex + 2 * n, "%2x", &byte);
        to[n] = (uint8_t) byte;
    }

    return n;
}


static void
is_bytes(const uint8_t *have, const char *hex, const char *what)
{
    uint8_t  want[128];
    size_t   n = bytes_of(hex, want);

    ok(memcmp(have, want, n) == 0, "%s", what);
}


/* RFC 5869, A.1. */
static void
vectors(void)
{
    uint8_t           ikm[22], salt[13], info[10], key[32], out[42];
    ngtcp2_crypto_md  md = digest_of(0);

    memset(ikm, 0x0b, 22);
    (void) bytes_of("000102030405060708090a0b0c", salt);
    (void) bytes_of("f0f1f2f3f4f5f6f7f8f9", info);
    is_int(ngtcp2_crypto_hkdf_extract(key, &md, ikm, 22, salt, 13), 0,
           "extracted");
    is_bytes(key, "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7"
             "c2b3e5", "as RFC 5869, A.1 has it");
    is_int(ngtcp2_crypto_hkdf_expand(out, 42, &md, key, 32, info, 10), 0,
           "expanded");
    is_bytes(out, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4"
             "c5bf34007208d5b887185865", "to more than a block");
}


/* As TLS 1.3 expands: RFC 8446, 7.1. */
static void
expand_label(const ngtcp2_crypto_md *md, const uint8_t *secret,
    const char *label, uint8_t *to, size_t len)
{
    uint8_t  info[64];
    int      n = snprintf((char *) info + 3, sizeof(info) - 3, "tls13 %s",
                          label);

    info[0] = 0;
    info[1] = (uint8_t) len;
    info[2] = (uint8_t) n;
    info[3 + n] = 0;
    (void) ngtcp2_crypto_hkdf_expand(to, len, md, secret, 32, info,
                                     (size_t) n + 4);
}


/* RFC 9001, A.1. */
static void
first_keys(void)
{
    uint8_t           id[8], salt[20], key[32], secret[32], out[16];
    ngtcp2_crypto_md  md = digest_of(0);

    (void) bytes_of("8394c8f03e515708", id);
    (void) bytes_of("38762cf7f55934b34d179ae6a4c80cadccbb7f0a", salt);
    (void) ngtcp2_crypto_hkdf_extract(key, &md, id, 8, salt, 20);
    expand_label(&md, key, "client in", secret, 32);
    is_bytes(secret, "c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f"
             "6c357aea", "a client's first secret");
    expand_label(&md, secret, "quic key", out, 16);
    is_bytes(out, "1f369613dd76d5467730efcbe3b1a22d", "its first key");
}


/* Several blocks of it. */
static void
as_openssl(size_t which, const char *name)
{
    int               mode = EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND;
    uint8_t           secret[48], salt[32], info[40], ours[100], theirs[100];
    EVP_KDF          *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX      *ctx = EVP_KDF_CTX_new(kdf);
    OSSL_PARAM        params[6];
    ngtcp2_crypto_md  md = digest_of(which);

    memset(secret, 3, sizeof(secret));
    memset(salt, 5, sizeof(salt));
    memset(info, 7, sizeof(info));
    params[0] = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
    params[1] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST,
                                                 (char *) (uintptr_t) name, 0);
    params[2] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret,
                                                  sizeof(secret));
    params[3] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt,
                                                  sizeof(salt));
    params[4] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info,
                                                  sizeof(info));
    params[5] = OSSL_PARAM_construct_end();
    LUN_CHECK(EVP_KDF_derive(ctx, theirs, sizeof(theirs), params) == 1);
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);

    is_int(ngtcp2_crypto_hkdf(ours, sizeof(ours), &md, secret, sizeof(secret),
                              salt, sizeof(salt), info, sizeof(info)), 0,
           "by %s", name);
    ok(memcmp(ours, theirs, sizeof(ours)) == 0, "as OpenSSL makes it");
}


int
main(void)
{
    vectors();
    first_keys();
    as_openssl(0, "SHA256");
    as_openssl(1, "SHA384");   /* whose blocks are larger */
    return done_testing();
}
