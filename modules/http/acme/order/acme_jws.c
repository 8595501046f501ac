/*
 * acme_jws.c -- keys of accounts, and what they sign.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_jws.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>

#include "base/digest.h"
#include "base/escape.h"


enum { COORDINATE = 66, SHA256 = 32 };

static const struct {
    int          bits;
    const char  *alg, *curve, *digest;
    size_t       size;             /* of a coordinate */
} curves[] = {
    { 256, "ES256", "P-256", "SHA256", 32 },
    { 384, "ES384", "P-384", "SHA384", 48 },
    { 521, "ES512", "P-521", "SHA512", 66 },
};


lun_str
lun_acme_base64(lun_pool *pool, lun_str bytes)
{
    char  *text = lun_pool_text(pool, lun_base64_len(bytes.len) + 1);
    char  *end = lun_base64_encode(text, bytes, true, false);

    return lun_str_of(text, (size_t) (end - text));
}


/* --- the key ------------------------------------------------------------- */

/* Empty: it has no such part. */
static lun_str
number_of(lun_pool *pool, const EVP_PKEY *key, const char *part, size_t size)
{
    char     *bytes;
    BIGNUM   *n = NULL;
    lun_str   text = LUN_STR_NULL;

    if (EVP_PKEY_get_bn_param(key, part, &n) != 1) {
        return text;
    }

    size = lun_max(size, (size_t) BN_num_bytes(n));
    bytes = lun_pool_text(pool, size);

    if (BN_bn2binpad(n, (unsigned char *) bytes, (int) size) >= 0) {
        text = lun_acme_base64(pool, lun_str_of(bytes, size));
    }

    BN_free(n);
    return text;
}


static bool
init_ec(lun_acme_key *k, lun_pool *pool)
{
    size_t   i;
    lun_str  x, y;

    for (i = 0; i < LUN_ARRAY_LEN(curves); i++) {
        if (curves[i].bits == EVP_PKEY_get_bits(k->key)) {
            break;
        }
    }

    if (i == LUN_ARRAY_LEN(curves)) {
        return false;
    }

    x = number_of(pool, k->key, OSSL_PKEY_PARAM_EC_PUB_X, curves[i].size);
    y = number_of(pool, k->key, OSSL_PKEY_PARAM_EC_PUB_Y, curves[i].size);
    k->alg = curves[i].alg;
    k->jwk = lun_pool_fmt(pool, "{\"crv\":\"%s\",\"kty\":\"EC\",\"x\":\"%.*s\""
                          ",\"y\":\"%.*s\"}", curves[i].curve, LUN_S(x),
                          LUN_S(y));
    return x.len != 0 && y.len != 0;
}


static bool
init_rsa(lun_acme_key *k, lun_pool *pool)
{
    lun_str  e = number_of(pool, k->key, OSSL_PKEY_PARAM_RSA_E, 1);
    lun_str  n = number_of(pool, k->key, OSSL_PKEY_PARAM_RSA_N, 1);

    k->alg = "RS256";
    k->jwk = lun_pool_fmt(pool, "{\"e\":\"%.*s\",\"kty\":\"RSA\",\"n\":\"%.*s"
                          "\"}", LUN_S(e), LUN_S(n));
    return e.len != 0 && n.len != 0 && EVP_PKEY_get_bits(k->key) >= 2048;
}


bool
lun_acme_key_init(lun_acme_key *k, lun_pool *pool, EVP_PKEY *key)
{
    char           text[LUN_ACME_THUMBPRINT + 2];
    unsigned char  sum[SHA256];

    k->key = key;

    if (!(EVP_PKEY_is_a(key, "EC") ? init_ec(k, pool)
          : EVP_PKEY_is_a(key, "RSA") && init_rsa(k, pool))
        || EVP_Q_digest(NULL, "SHA256", NULL, k->jwk.data, k->jwk.len, sum,
                        NULL) != 1)
    {
        ERR_clear_error();
        return false;
    }

    (void) lun_base64_encode(text, lun_str_of((char *) sum, sizeof(sum)), true,
                             false);
    memcpy(k->thumbprint, text, sizeof(k->thumbprint));
    return true;
}


/* --- signing ------------------------------------------------------------- */

/* Two numbers of a fixed size each, instead of a structure in DER. */
static lun_str
plain_signature(lun_pool *pool, const unsigned char *der, size_t len,
    size_t size)
{
    char       *out = lun_pool_text(pool, 2 * size);
    bool        done = false;
    ECDSA_SIG  *sig = d2i_ECDSA_SIG(NULL, &der, (int) len);

    if (sig != NULL) {
        done = BN_bn2binpad(ECDSA_SIG_get0_r(sig), (unsigned char *) out,
                            (int) size) >= 0
               && BN_bn2binpad(ECDSA_SIG_get0_s(sig),
                               (unsigned char *) out + size, (int) size) >= 0;
    }

    ECDSA_SIG_free(sig);
    return done ? lun_str_of(out, 2 * size) : LUN_STR_NULL;
}


static const char *
digest_of(const lun_acme_key *k, size_t *size)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(curves); i++) {
        if (strcmp(curves[i].alg, k->alg) == 0) {
            *size = curves[i].size;
            return curves[i].digest;
        }
    }

    *size = 0;
    return "SHA256";
}


/* Empty: no memory. */
static lun_str
sign(lun_pool *pool, const lun_acme_key *k, lun_str text)
{
    size_t          size, len = (size_t) EVP_PKEY_get_size(k->key);
    lun_str         result = LUN_STR_NULL;
    EVP_MD_CTX     *ctx = EVP_MD_CTX_new();
    const char     *digest = digest_of(k, &size);
    unsigned char  *sig = lun_pool_alloc(pool, len);

    if (ctx != NULL
        && EVP_DigestSignInit_ex(ctx, NULL, digest, NULL, NULL, k->key, NULL)
           == 1
        && EVP_DigestSign(ctx, sig, &len, (const unsigned char *) text.data,
                          text.len) == 1)
    {
        result = size != 0 ? plain_signature(pool, sig, len, size)
                           : lun_str_of((char *) sig, len);
    }

    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return result;
}


static lun_str
flattened(lun_pool *pool, lun_str protected, lun_str payload, lun_str signature)
{
    return lun_pool_fmt(pool, "{\"protected\":\"%.*s\",\"payload\":\"%.*s\","
                        "\"signature\":\"%.*s\"}", LUN_S(protected),
                        LUN_S(payload),
                        LUN_S(lun_acme_base64(pool, signature)));
}


lun_str
lun_acme_jws(lun_pool *pool, const lun_acme_key *k, lun_str kid, lun_str nonce,
    lun_str url, lun_str payload)
{
    lun_str  who, head, body, sig, fresh = LUN_STR("");

    if (nonce.len != 0) {
        fresh = lun_pool_fmt(pool, "\"nonce\":\"%.*s\",",
                             LUN_S(lun_escape_json_new(pool, nonce)));
    }

    who = kid.len != 0
          ? lun_pool_fmt(pool, "\"kid\":\"%.*s\"",
                         LUN_S(lun_escape_json_new(pool, kid)))
          : lun_pool_fmt(pool, "\"jwk\":%.*s", LUN_S(k->jwk));
    head = lun_pool_fmt(pool, "{\"alg\":\"%s\",%.*s,%.*s\"url\":\"%.*s\"}",
                        k->alg, LUN_S(who), LUN_S(fresh),
                        LUN_S(lun_escape_json_new(pool, url)));
    head = lun_acme_base64(pool, head);
    body = payload.data != NULL ? lun_acme_base64(pool, payload)
                                : LUN_STR("");
    sig = sign(pool, k, lun_pool_fmt(pool, "%.*s.%.*s", LUN_S(head),
                                     LUN_S(body)));

    return sig.len != 0 ? flattened(pool, head, body, sig) : LUN_STR_NULL;
}


lun_str
lun_acme_binding(lun_pool *pool, const lun_acme_key *k, lun_str kid,
    lun_str mac_key, lun_str url)
{
    lun_str        head, body;
    unsigned char  sum[LUN_SHA256_SIZE];

    head = lun_pool_fmt(pool, "{\"alg\":\"HS256\",\"kid\":\"%.*s\",\"url\":"
                        "\"%.*s\"}", LUN_S(lun_escape_json_new(pool, kid)),
                        LUN_S(lun_escape_json_new(pool, url)));
    head = lun_acme_base64(pool, head);
    body = lun_acme_base64(pool, k->jwk);
    lun_hmac_sha256(mac_key, lun_pool_fmt(pool, "%.*s.%.*s", LUN_S(head),
                                          LUN_S(body)), sum);

    return flattened(pool, head, body, lun_str_of((char *) sum, sizeof(sum)));
}


lun_str
lun_acme_key_authorization(lun_pool *pool, const lun_acme_key *k,
    lun_str token)
{
    return lun_pool_fmt(pool, "%.*s.%.*s", LUN_S(token), LUN_ACME_THUMBPRINT,
                        k->thumbprint);
}
