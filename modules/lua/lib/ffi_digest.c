/*
 * ffi_digest.c -- digests and HMAC that are fed in parts, for
 * lua/lunette/digest.lua.
 *
 * Contexts are OpenSSL's, the Lua side frees them.  Nothing here yields;
 * every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/check.h"

LUN_EXPORT void *lun_ffi_digest_new(int which);
LUN_EXPORT int lun_ffi_digest_reset(void *ctx, int which);
LUN_EXPORT int lun_ffi_digest_update(void *ctx, const char *data, size_t len);
LUN_EXPORT int lun_ffi_digest_final(void *ctx, unsigned char *out);
LUN_EXPORT void lun_ffi_digest_free(void *ctx);
LUN_EXPORT void *lun_ffi_hmac_new(int which, const char *key, size_t len);
LUN_EXPORT int lun_ffi_hmac_reset(void *ctx);
LUN_EXPORT int lun_ffi_hmac_update(void *ctx, const char *data, size_t len);
LUN_EXPORT int lun_ffi_hmac_final(void *ctx, unsigned char *out);
LUN_EXPORT void lun_ffi_hmac_free(void *ctx);

/* digest.lua has the same order. */
static const char *const  names[] = {
    "MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"
};


/* Looked up once in a process: OpenSSL's own search is slower than a digest. */
static const EVP_MD *
digest_of(int which)
{
    static EVP_MD  *found[LUN_ARRAY_LEN(names)];

    LUN_CHECK(which >= 0 && which < (int) LUN_ARRAY_LEN(names));

    if (found[which] == NULL) {
        found[which] = EVP_MD_fetch(NULL, names[which], NULL);
        ERR_clear_error();
    }

    return found[which];
}


/* NULL: the library has no such digest (a policy may forbid MD5). */
void *
lun_ffi_digest_new(int which)
{
    EVP_MD_CTX  *ctx = EVP_MD_CTX_new();

    if (ctx != NULL && !lun_ffi_digest_reset(ctx, which)) {
        EVP_MD_CTX_free(ctx);
        return NULL;
    }

    return ctx;
}


int
lun_ffi_digest_reset(void *ctx, int which)
{
    const EVP_MD  *md = digest_of(which);

    return md != NULL && EVP_DigestInit_ex(ctx, md, NULL) == 1;
}


int
lun_ffi_digest_update(void *ctx, const char *data, size_t len)
{
    return EVP_DigestUpdate(ctx, data, len) == 1;
}


/* The digest's bytes (64 at most), or 0: it failed, or was final before. */
int
lun_ffi_digest_final(void *ctx, unsigned char *out)
{
    unsigned  len = 0;

    if (EVP_DigestFinal_ex(ctx, out, &len) != 1) {
        ERR_clear_error();
        return 0;
    }

    return (int) len;
}


void
lun_ffi_digest_free(void *ctx)
{
    EVP_MD_CTX_free(ctx);
}


/* --- HMAC --- */

void *
lun_ffi_hmac_new(int which, const char *key, size_t len)
{
    EVP_MAC_CTX     *ctx;
    OSSL_PARAM       params[2];
    static EVP_MAC  *mac;

    LUN_CHECK(which >= 0 && which < (int) LUN_ARRAY_LEN(names));

    if (mac == NULL) {
        mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    }

    ctx = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                                                 (char *) names[which], 0);
    params[1] = OSSL_PARAM_construct_end();

    /* An empty key needs an address as well: NULL means the one before. */
    if (ctx != NULL
        && EVP_MAC_init(ctx, (const unsigned char *) key, len, params) != 1)
    {
        EVP_MAC_CTX_free(ctx);
        ERR_clear_error();
        return NULL;
    }

    return ctx;
}


/* Begins anew with the same key. */
int
lun_ffi_hmac_reset(void *ctx)
{
    return EVP_MAC_init(ctx, NULL, 0, NULL) == 1;
}


int
lun_ffi_hmac_update(void *ctx, const char *data, size_t len)
{
    return EVP_MAC_update(ctx, (const unsigned char *) data, len) == 1;
}


int
lun_ffi_hmac_final(void *ctx, unsigned char *out)
{
    size_t  len = 0;

    if (EVP_MAC_final(ctx, out, &len, EVP_MAX_MD_SIZE) != 1) {
        ERR_clear_error();
        return 0;
    }

    return (int) len;
}


void
lun_ffi_hmac_free(void *ctx)
{
    EVP_MAC_CTX_free(ctx);
}
