/*
 * ffi_cipher.c -- AES in whole messages, for lua/resty/aes.lua; random bytes;
 * and passwords for a server's RSA key, and as secrets that sign, for
 * lua/lunette/mysql_auth.lua.
 *
 * A context is OpenSSL's and works in the one direction that it was made for;
 * each message begins anew with the key and the vector.  Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "base/ed25519.h"

enum { TAG_SIZE = 16, PART = 1 << 30 };

/* Where it failed; aes.lua has the words. */
enum { FAILED_INIT = -1, FAILED_UPDATE = -2, FAILED_FINAL = -3,
       FAILED_TAGGING = -4 };

LUN_EXPORT const void *lun_ffi_cipher_named(const char *name);
LUN_EXPORT const void *lun_ffi_cipher_hash(const char *name);
LUN_EXPORT int lun_ffi_cipher_derive(const void *cipher, const void *hash,
    const char *salt, const char *pass, size_t len, int rounds,
    unsigned char *key, unsigned char *iv);
LUN_EXPORT void *lun_ffi_cipher_new(const void *cipher, int encrypt,
    int iv_len, int padding);
LUN_EXPORT int64_t lun_ffi_cipher_run(void *ctx, const char *key,
    const char *iv, const char *aad, size_t aad_len, const char *data,
    size_t len, char *out, char *tag);
LUN_EXPORT void lun_ffi_cipher_free(void *ctx);
LUN_EXPORT int lun_ffi_random_bytes(unsigned char *out, size_t len);
LUN_EXPORT int lun_ffi_rsa_encrypt(const char *pem, size_t pem_len,
    const char *data, size_t len, unsigned char *out, size_t room);
LUN_EXPORT int lun_ffi_ed25519_sign(const char *secret, size_t secret_len,
    const char *text, size_t len, unsigned char *out);


/* "aes-128-cbc"; NULL: there is none of that name. */
const void *
lun_ffi_cipher_named(const char *name)
{
    return EVP_get_cipherbyname(name);
}


const void *
lun_ffi_cipher_hash(const char *name)
{
    return EVP_get_digestbyname(name);
}


/*
 * Key and vector from a pass phrase, as `openssl enc` makes them: returns the
 * key's length, 0 when it failed.  Room for the largest: EVP_MAX_KEY_LENGTH,
 * EVP_MAX_IV_LENGTH.  salt: NULL or 8 bytes.
 */
int
lun_ffi_cipher_derive(const void *cipher, const void *hash, const char *salt,
    const char *pass, size_t len, int rounds, unsigned char *key,
    unsigned char *iv)
{
    if (len > INT_MAX || rounds < 1) {
        return 0;
    }

    return EVP_BytesToKey(cipher, hash, (const unsigned char *) salt,
                          (const unsigned char *) pass, (int) len, rounds,
                          key, iv);
}


/* iv_len counts for GCM, others have one of their own.  NULL: it failed. */
void *
lun_ffi_cipher_new(const void *cipher, int encrypt, int iv_len, int padding)
{
    EVP_CIPHER_CTX  *ctx = EVP_CIPHER_CTX_new();

    if (ctx == NULL) {
        return NULL;
    }

    if (EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, encrypt) != 1
        || (EVP_CIPHER_CTX_mode(ctx) == EVP_CIPH_GCM_MODE
            && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IVLEN, iv_len, NULL)
               != 1))
    {
        EVP_CIPHER_CTX_free(ctx);
        ERR_clear_error();
        return NULL;
    }

    (void) EVP_CIPHER_CTX_set_padding(ctx, padding);
    return ctx;
}


static int64_t
run(EVP_CIPHER_CTX *ctx, const unsigned char *data, size_t len,
    unsigned char *out)
{
    int             n, part;
    unsigned char  *start = out;

    do {
        part = (int) lun_min(len, (size_t) PART);

        if (EVP_CipherUpdate(ctx, out, &n, data, part) != 1) {
            return FAILED_UPDATE;
        }

        out += n;
        data += part;
        len -= (size_t) part;
    } while (len != 0);

    if (EVP_CipherFinal_ex(ctx, out, &n) != 1) {
        return FAILED_FINAL;
    }

    return out + n - start;
}


/*
 * A whole message: returns its length (at most len + 32), or a code from
 * above.  GCM: aad, or NULL, goes before it; tag (TAG_SIZE) is written or, if
 * it is not NULL, checked.
 */
int64_t
lun_ffi_cipher_run(void *ctx, const char *key, const char *iv,
    const char *aad, size_t aad_len, const char *data, size_t len, char *out,
    char *tag)
{
    int      n, encrypt = EVP_CIPHER_CTX_is_encrypting(ctx);
    bool     gcm = EVP_CIPHER_CTX_mode(ctx) == EVP_CIPH_GCM_MODE;
    int64_t  size = FAILED_INIT;

    if (EVP_CipherInit_ex(ctx, NULL, NULL, (const unsigned char *) key,
                          (const unsigned char *) iv, -1) != 1)
    {
        goto done;
    }

    if (gcm && aad != NULL
        && (aad_len > PART
            || EVP_CipherUpdate(ctx, NULL, &n, (const unsigned char *) aad,
                                (int) aad_len) != 1))
    {
        size = FAILED_UPDATE;
        goto done;
    }

    if (gcm && !encrypt && tag != NULL
        && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, TAG_SIZE, tag) != 1)
    {
        size = FAILED_TAGGING;
        goto done;
    }

    size = run(ctx, (const unsigned char *) data, len, (unsigned char *) out);

    if (size >= 0 && gcm && encrypt
        && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, TAG_SIZE, tag) != 1)
    {
        size = FAILED_TAGGING;
    }

done:

    ERR_clear_error();
    return size;
}


void
lun_ffi_cipher_free(void *ctx)
{
    EVP_CIPHER_CTX_free(ctx);
}


int
lun_ffi_random_bytes(unsigned char *out, size_t len)
{
    int  ok = len == 0 || (len <= INT_MAX && RAND_bytes(out, (int) len) == 1);

    if (!ok) {
        ERR_clear_error();
    }

    return ok;
}


static int
encrypt_for(EVP_PKEY *key, const char *data, size_t len, unsigned char *out,
    size_t room)
{
    int            ok;
    size_t         size = room;
    EVP_PKEY_CTX  *ctx = EVP_PKEY_CTX_new(key, NULL);

    ok = ctx != NULL && EVP_PKEY_encrypt_init(ctx) == 1
         && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) == 1
         && EVP_PKEY_encrypt(ctx, out, &size, (const unsigned char *) data,
                             len) == 1;
    EVP_PKEY_CTX_free(ctx);
    return ok ? (int) size : 0;
}


/* With OAEP; the bytes of `out` that were used, 0: failed. */
int
lun_ffi_rsa_encrypt(const char *pem, size_t pem_len, const char *data,
    size_t len, unsigned char *out, size_t room)
{
    int        size = 0;
    BIO       *bio;
    EVP_PKEY  *key;

    if (pem_len > INT_MAX || room > INT_MAX) {
        return 0;
    }

    bio = BIO_new_mem_buf(pem, (int) pem_len);
    key = bio != NULL ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;

    if (key != NULL) {
        size = encrypt_for(key, data, len, out, room);
    }

    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return size;
}


/* 64 bytes; 0, or -1: it failed. */
int
lun_ffi_ed25519_sign(const char *secret, size_t secret_len, const char *text,
    size_t len, unsigned char *out)
{
    return lun_ed25519_sign(lun_str_of(secret, secret_len),
                            lun_str_of(text, len), out) == LUN_OK ? 0 : -1;
}
