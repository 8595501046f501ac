/*
 * acme_jws.c -- keys of accounts, and what they sign.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/acme/order/acme_jws.c"
#include "tap.h"

#include <openssl/param_build.h>

#include "net/tls/key_pair.h"


static lun_pool  *pool;


static lun_str
decoded(lun_str text)
{
    size_t   len = 0;
    char    *bytes = lun_pool_text(pool, text.len / 4 * 3 + 3);

    if (lun_base64_decode(bytes, &len, text, true, false) != LUN_OK) {
        diag("no base64url");
    }

    return lun_str_of(bytes, len);
}


/* What stands in quotes behind a name. */
static lun_str
member(lun_str json, const char *name)
{
    lun_str      at = lun_pool_fmt(pool, "\"%s\":\"", name), rest;
    const char  *p = lun_str_find(json, at), *end;

    if (p == NULL) {
        return LUN_STR("");
    }

    p += at.len;
    rest = lun_str_of(p, (size_t) (json.data + json.len - p));
    end = lun_str_chr(rest, '"');
    return lun_str_of(p, (size_t) (end - p));
}


/* The example of RFC 7638, 3.1. */
static void
thumbprint(void)
{
    lun_str          n = decoded(LUN_STR(
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK"
        "7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yB"
        "XArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb"
        "9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0f"
        "M4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"));
    EVP_PKEY        *key = NULL;
    lun_acme_key     k;
    OSSL_PARAM      *params;
    EVP_PKEY_CTX    *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    OSSL_PARAM_BLD  *b = OSSL_PARAM_BLD_new();
    BIGNUM          *bn = BN_bin2bn((const unsigned char *) n.data,
                                    (int) n.len, NULL);
    BIGNUM          *e = BN_bin2bn((const unsigned char *) "\x01\x00\x01", 3,
                                   NULL);

    OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_N, bn);
    OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_E, e);
    params = OSSL_PARAM_BLD_to_param(b);
    EVP_PKEY_fromdata_init(ctx);
    EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params);

    ok(lun_acme_key_init(&k, pool, key), "an RSA key");
    ok(lun_str_eq(lun_str_of(k.thumbprint, LUN_ACME_THUMBPRINT),
                  LUN_STR("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")),
       "has RFC 7638's thumbprint");

    EVP_PKEY_free(key);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(b);
    EVP_PKEY_CTX_free(ctx);
    BN_free(bn);
    BN_free(e);
}


/* Whether it is the key's signature, as an authority looks at it. */
static bool
is_signed(const lun_acme_key *k, lun_str jws, size_t size, const char *digest)
{
    bool            good;
    lun_str         sig = decoded(member(jws, "signature")), text;
    ECDSA_SIG      *both;
    EVP_MD_CTX     *ctx;
    unsigned char  *der = NULL;

    text = lun_pool_fmt(pool, "%.*s.%.*s", LUN_S(member(jws, "protected")),
                        LUN_S(member(jws, "payload")));

    if (size != 0) {
        if (sig.len != 2 * size) {
            return false;
        }

        both = ECDSA_SIG_new();
        ECDSA_SIG_set0(both, BN_bin2bn((const unsigned char *) sig.data,
                                       (int) size, NULL),
                       BN_bin2bn((const unsigned char *) sig.data + size,
                                 (int) size, NULL));
        sig.len = (size_t) i2d_ECDSA_SIG(both, &der);
        sig = lun_pool_str(pool, lun_str_of((char *) der, sig.len));
        OPENSSL_free(der);
        ECDSA_SIG_free(both);
    }

    ctx = EVP_MD_CTX_new();
    good = EVP_DigestVerifyInit_ex(ctx, NULL, digest, NULL, NULL, k->key, NULL)
           == 1
           && EVP_DigestVerify(ctx, (const unsigned char *) sig.data, sig.len,
                               (const unsigned char *) text.data, text.len)
              == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}


static void
signs(lun_key_kind kind, const char *alg, size_t size, const char *digest)
{
    lun_str        head, jws;
    EVP_PKEY      *key = lun_key_make(kind);
    lun_acme_key   k;

    ok(lun_acme_key_init(&k, pool, key) && strcmp(k.alg, alg) == 0, "%s",
       alg);
    jws = lun_acme_jws(pool, &k, LUN_STR("https://a/1"), LUN_STR("n_1"),
                       LUN_STR("https://a/x"), LUN_STR("{}"));
    ok(is_signed(&k, jws, size, digest), "its signature is good");
    head = decoded(member(jws, "protected"));
    ok(lun_str_eq(member(head, "alg"), lun_str_z(alg))
       && lun_str_eq(member(head, "kid"), LUN_STR("https://a/1"))
       && lun_str_eq(member(head, "nonce"), LUN_STR("n_1"))
       && lun_str_eq(member(head, "url"), LUN_STR("https://a/x"))
       && lun_str_find(head, LUN_STR("jwk")) == NULL, "of an account");
    ok(lun_str_eq(decoded(member(jws, "payload")), LUN_STR("{}")),
       "with what is said");

    jws = lun_acme_jws(pool, &k, LUN_STR(""), LUN_STR("n"), LUN_STR("u"),
                       LUN_STR_NULL);
    ok(is_signed(&k, jws, size, digest), "one that says nothing, too");
    ok(lun_str_find(decoded(member(jws, "protected")), k.jwk) != NULL,
       "of a key");
    EVP_PKEY_free(key);
}


static void
binding(void)
{
    lun_str         jws, text, sig;
    EVP_PKEY       *key = lun_key_make((lun_key_kind) { .bits = 256 });
    lun_acme_key    k;
    unsigned char   sum[LUN_SHA256_SIZE];

    lun_acme_key_init(&k, pool, key);
    jws = lun_acme_binding(pool, &k, LUN_STR("kid-1"), LUN_STR("secret"),
                           LUN_STR("https://a/new"));
    text = lun_pool_fmt(pool, "%.*s.%.*s", LUN_S(member(jws, "protected")),
                        LUN_S(member(jws, "payload")));
    lun_hmac_sha256(LUN_STR("secret"), text, sum);
    sig = decoded(member(jws, "signature"));
    ok(lun_str_eq(sig, lun_str_of((char *) sum, sizeof(sum))),
       "a binding has the authority's signature");
    ok(lun_str_eq(decoded(member(jws, "payload")), k.jwk), "of our key");
    text = lun_acme_key_authorization(pool, &k, LUN_STR("tok"));
    ok(lun_str_starts(text, LUN_STR("tok."))
       && text.len == 4 + LUN_ACME_THUMBPRINT, "a challenge's answer");
    EVP_PKEY_free(key);

    key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    ok(!lun_acme_key_init(&k, pool, key), "no account has such a key");
    EVP_PKEY_free(key);
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    thumbprint();
    signs((lun_key_kind) { .bits = 256 }, "ES256", 32, "SHA256");
    signs((lun_key_kind) { .bits = 384 }, "ES384", 48, "SHA384");
    signs((lun_key_kind) { .bits = 521 }, "ES512", 66, "SHA512");
    signs((lun_key_kind) { .rsa = true, .bits = 2048 }, "RS256", 0, "SHA256");
    binding();
    lun_pool_free(pool);
    return done_testing();
}
