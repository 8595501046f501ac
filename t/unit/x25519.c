/*
 * x25519.c -- the key exchange that libcrypto was given (windows/deps,
 * openssl.sh), by the words of RFC 7748.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/key_pair.c"
#include "tap.h"

#include "base/digest.h"

#include <openssl/rand.h>


enum { BYTES = 32, TIMES = 1000 };

typedef unsigned char  bytes[BYTES];

static const bytes  base = { 9 };


static void
from_hex(bytes to, const char *hex)
{
    size_t    i;
    uint64_t  byte;

    for (i = 0; i < BYTES; i++) {
        (void) lun_str_hex_to_u64(lun_str_of(hex + 2 * i, 2), &byte);
        to[i] = (unsigned char) byte;
    }
}


static const char *
hex_of(const bytes from)
{
    static char  text[2 * BYTES + 1];

    *lun_hex(text, from, BYTES) = '\0';
    return text;
}


/* False: refused. `out` may be one of the others. */
static bool
multiply(bytes out, const bytes scalar, const bytes point)
{
    bool           good;
    size_t         n = BYTES;
    EVP_PKEY      *key, *peer;
    EVP_PKEY_CTX  *ctx;

    key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, scalar, BYTES);
    peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, point, BYTES);
    ctx = EVP_PKEY_CTX_new(key, NULL);

    good = EVP_PKEY_derive_init(ctx) == 1
           && EVP_PKEY_derive_set_peer(ctx, peer) == 1
           && EVP_PKEY_derive(ctx, out, &n) == 1 && n == BYTES;

    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(key);
    return good;
}


static bool
has_public(const bytes scalar, const bytes point)
{
    bool       good;
    bytes      own;
    size_t     n = BYTES;
    EVP_PKEY  *key;

    key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, scalar, BYTES);
    good = EVP_PKEY_get_raw_public_key(key, own, &n) == 1 && n == BYTES
           && memcmp(own, point, BYTES) == 0;
    EVP_PKEY_free(key);
    return good;
}


/* Scalars with bits that do not count, and a point with one. */
static void
vectors(void)
{
    size_t  i;
    bytes   scalar, point, out;

    static const struct {
        const char  *scalar, *point, *out;
    } all[] = {
        { "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
          "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
          "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552" },
        { "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
          "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
          "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957" }
    };

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        from_hex(scalar, all[i].scalar);
        from_hex(point, all[i].point);
        ok(multiply(out, scalar, point), "vector %zu", i + 1);
        is_str(hex_of(out), all[i].out, "its product");
    }
}


/* 5.2: each product is the next scalar. */
static void
iterated(void)
{
    size_t  i;
    bytes   k, u, out;

    memcpy(k, base, BYTES);
    memcpy(u, base, BYTES);

    for (i = 0; i < TIMES; i++) {
        if (!multiply(out, k, u)) {
            break;
        }

        memcpy(u, k, BYTES);
        memcpy(k, out, BYTES);

        if (i == 0) {
            is_str(hex_of(k), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b78"
                   "3c60e80311ae3079", "once");
        }
    }

    is_str(hex_of(k), "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d"
           "99532c51", "a thousand times");
}


/* The base point has a way of its own. */
static void
publics(void)
{
    size_t  i, bad = 0;
    bytes   k, out;

    for (i = 0; i < TIMES; i++) {
        RAND_bytes(k, BYTES);
        bad += !multiply(out, k, base) || !has_public(k, out);
    }

    is_int(bad, 0, "public keys are products of the base point");
}


/* Points whose product says nothing of the scalar. */
static void
refused(void)
{
    bytes  k, point = { 0 }, out;

    memcpy(k, base, BYTES);
    ok(!multiply(out, k, point), "zero is refused");
    point[0] = 1;
    ok(!multiply(out, k, point), "one is refused");
    from_hex(point, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd86620516"
             "5f49b800");
    ok(!multiply(out, k, point), "a point of order eight is refused");
    point[0]++;
    ok(multiply(out, k, point), "its neighbour is not");
}


int
main(void)
{
    vectors();
    iterated();
    publics();
    refused();
    return done_testing();
}
