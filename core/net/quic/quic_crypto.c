/*
 * quic_crypto.c -- what ngtcp2's crypto helpers want of a TLS library, by
 * OpenSSL: the functions' names and contracts are those of ngtcp2's heads.
 *
 * What OpenSSL looks up by name is looked up once.  A key is an EVP context
 * that lives as long as the key; a packet sets its nonce.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include "base/check.h"
#include "base/str.h"
#include "net/quic/quic_tls.h"


/* What the numbers of RFC 9001, 6.6 and B, allow of one key. */
#define GCM_ENCRYPTIONS     (UINT64_C(1) << 23)
#define GCM_FAILURES        (UINT64_C(1) << 52)
#define CHACHA_ENCRYPTIONS  (UINT64_C(1) << 62)
#define CHACHA_FAILURES     (UINT64_C(1) << 36)
#define CCM_BOTH            UINT64_C(2965820)

enum {
    TAG    = 16,
    NONCE  = 12,
    SAMPLE = 16,
    MASK   = 5,
    BLOCK  = 128,                  /* of a digest, at most */
    INNER  = 0x36,                 /* of HMAC */
    OUTER  = 0x5c
};

/* A suite of TLS 1.3. */
typedef struct {
    uint32_t          id;
    const char       *aead_name, *hp_name, *md_name;
    bool              stream_hp;       /* the sample is counter and nonce */
    bool              ccm;
    uint64_t          encryptions, failures;
    EVP_CIPHER       *aead;            /* fetched when first asked for */
    EVP_CIPHER       *hp;
    EVP_MD           *md;
    EVP_MD_CTX       *digest;          /* for one text at a time */
} suite;

static suite  suites[] = {
    { TLS1_3_CK_AES_128_GCM_SHA256, "AES-128-GCM", "AES-128-ECB", "SHA256",
      false, false, GCM_ENCRYPTIONS, GCM_FAILURES, NULL, NULL, NULL, NULL },
    { TLS1_3_CK_AES_256_GCM_SHA384, "AES-256-GCM", "AES-256-ECB", "SHA384",
      false, false, GCM_ENCRYPTIONS, GCM_FAILURES, NULL, NULL, NULL, NULL },
    { TLS1_3_CK_CHACHA20_POLY1305_SHA256, "ChaCha20-Poly1305", "ChaCha20",
      "SHA256", true, false, CHACHA_ENCRYPTIONS, CHACHA_FAILURES, NULL, NULL,
      NULL, NULL },
    { TLS1_3_CK_AES_128_CCM_SHA256, "AES-128-CCM", "AES-128-ECB", "SHA256",
      false, true, CCM_BOTH, CCM_BOTH, NULL, NULL, NULL, NULL },
};


/* --- suites -------------------------------------------------------------- */

/* NULL: none that we speak, or no memory. */
static suite *
fetch(suite *s)
{
    if (s->md == NULL) {
        s->aead = EVP_CIPHER_fetch(NULL, s->aead_name, NULL);
        s->hp = EVP_CIPHER_fetch(NULL, s->hp_name, NULL);
        s->md = EVP_MD_fetch(NULL, s->md_name, NULL);
        s->digest = EVP_MD_CTX_new();
    }

    return s->aead != NULL && s->hp != NULL && s->md != NULL
           && s->digest != NULL ? s : NULL;
}


lun_rc
lun_quic_crypto_init(void)
{
    return fetch(&suites[0]) != NULL ? LUN_OK : LUN_ERROR;
}


static suite *
suite_of(const SSL_CIPHER *cipher)
{
    size_t    i;
    uint32_t  id = cipher != NULL ? SSL_CIPHER_get_id(cipher) : 0;

    for (i = 0; i < LUN_ARRAY_LEN(suites); i++) {
        if (suites[i].id == id) {
            return fetch(&suites[i]);
        }
    }

    return NULL;
}


/* Of Initial packets, of Retry, and of our own tokens. */
static suite *
first_suite(void)
{
    suite  *s = fetch(&suites[0]);

    LUN_CHECK(s != NULL);          /* OpenSSL has it, or there is no memory */
    return s;
}


static void
set_aead(ngtcp2_crypto_aead *aead, suite *s)
{
    aead->native_handle = s;
    aead->max_overhead = TAG;
}


static ngtcp2_crypto_ctx *
set_ctx(ngtcp2_crypto_ctx *ctx, suite *s)
{
    if (s == NULL) {
        return NULL;
    }

    set_aead(&ctx->aead, s);
    ctx->md.native_handle = s;
    ctx->hp.native_handle = s;
    ctx->max_encryption = s->encryptions;
    ctx->max_decryption_failure = s->failures;
    return ctx;
}


ngtcp2_crypto_ctx *
ngtcp2_crypto_ctx_initial(ngtcp2_crypto_ctx *ctx)
{
    (void) set_ctx(ctx, first_suite());
    ctx->max_encryption = 0;       /* these packets are few */
    ctx->max_decryption_failure = 0;
    return ctx;
}


ngtcp2_crypto_ctx *
ngtcp2_crypto_ctx_tls(ngtcp2_crypto_ctx *ctx, void *tls)
{
    const lun_quic_tls  *t = tls;

    return set_ctx(ctx, suite_of(SSL_get_pending_cipher(t->ssl)));
}


ngtcp2_crypto_ctx *
ngtcp2_crypto_ctx_tls_early(ngtcp2_crypto_ctx *ctx, void *tls)
{
    const lun_quic_tls  *t = tls;
    const SSL_SESSION   *session = SSL_get_session(t->ssl);

    return set_ctx(ctx, session != NULL
                        ? suite_of(SSL_SESSION_get0_cipher(session)) : NULL);
}


ngtcp2_crypto_aead *
ngtcp2_crypto_aead_aes_128_gcm(ngtcp2_crypto_aead *aead)
{
    set_aead(aead, first_suite());
    return aead;
}


ngtcp2_crypto_aead *
ngtcp2_crypto_aead_retry(ngtcp2_crypto_aead *aead)
{
    return ngtcp2_crypto_aead_aes_128_gcm(aead);
}


ngtcp2_crypto_md *
ngtcp2_crypto_md_sha256(ngtcp2_crypto_md *md)
{
    md->native_handle = first_suite();
    return md;
}


size_t
ngtcp2_crypto_md_hashlen(const ngtcp2_crypto_md *md)
{
    const suite  *s = md->native_handle;

    return (size_t) EVP_MD_get_size(s->md);
}


size_t
ngtcp2_crypto_aead_keylen(const ngtcp2_crypto_aead *aead)
{
    const suite  *s = aead->native_handle;

    return (size_t) EVP_CIPHER_get_key_length(s->aead);
}


size_t
ngtcp2_crypto_aead_noncelen(const ngtcp2_crypto_aead *aead)
{
    return NONCE;
}


/* --- keys from secrets --------------------------------------------------- */

/*
 * HMAC of three texts, by digests alone: a handshake takes some fifty of them,
 * and what OpenSSL has for it looks up more than it computes.
 */
static bool
sign(const suite *s, const uint8_t *key, size_t key_len,
    const lun_str texts[3], uint8_t *to)
{
    size_t       i, n = (size_t) EVP_MD_get_block_size(s->md);
    uint8_t      pad[BLOCK], inside[EVP_MAX_MD_SIZE];
    bool         done;
    EVP_MD_CTX  *ctx = s->digest;

    LUN_CHECK(key_len <= n && n <= sizeof(pad));

    for (i = 0; i < n; i++) {
        pad[i] = (uint8_t) ((i < key_len ? key[i] : 0) ^ INNER);
    }

    done = EVP_DigestInit_ex(ctx, s->md, NULL) == 1
           && EVP_DigestUpdate(ctx, pad, n) == 1
           && EVP_DigestUpdate(ctx, texts[0].data, texts[0].len) == 1
           && EVP_DigestUpdate(ctx, texts[1].data, texts[1].len) == 1
           && EVP_DigestUpdate(ctx, texts[2].data, texts[2].len) == 1
           && EVP_DigestFinal_ex(ctx, inside, NULL) == 1;

    for (i = 0; i < n; i++) {
        pad[i] ^= INNER ^ OUTER;
    }

    done = done && EVP_DigestInit_ex(ctx, s->md, NULL) == 1
           && EVP_DigestUpdate(ctx, pad, n) == 1
           && EVP_DigestUpdate(ctx, inside, (size_t) EVP_MD_get_size(s->md))
              == 1
           && EVP_DigestFinal_ex(ctx, to, NULL) == 1;

    OPENSSL_cleanse(pad, n);
    return done;
}


static lun_str
text_of(const uint8_t *data, size_t len)
{
    return lun_str_of((const char *) data, len);
}


int
ngtcp2_crypto_hkdf_extract(uint8_t *dest, const ngtcp2_crypto_md *md,
    const uint8_t *secret, size_t secretlen, const uint8_t *salt,
    size_t saltlen)
{
    lun_str  texts[3] = { text_of(secret, secretlen) };

    return sign(md->native_handle, salt, saltlen, texts, dest) ? 0 : -1;
}


/* Blocks of it, each of the one before, `info` and its number. */
int
ngtcp2_crypto_hkdf_expand(uint8_t *dest, size_t destlen,
    const ngtcp2_crypto_md *md, const uint8_t *secret, size_t secretlen,
    const uint8_t *info, size_t infolen)
{
    size_t   at, part, n = ngtcp2_crypto_md_hashlen(md);
    uint8_t  number = 0, block[EVP_MAX_MD_SIZE];
    lun_str  texts[3] = { LUN_STR_NULL, text_of(info, infolen),
                          text_of(&number, 1) };

    LUN_CHECK(destlen <= UINT8_MAX * n);

    for (at = 0; at < destlen; at += part) {
        number++;

        if (!sign(md->native_handle, secret, secretlen, texts, block)) {
            return -1;
        }

        texts[0] = text_of(block, n);
        part = lun_min(n, destlen - at);
        memcpy(dest + at, block, part);
    }

    OPENSSL_cleanse(block, sizeof(block));
    return 0;
}


int
ngtcp2_crypto_hkdf(uint8_t *dest, size_t destlen, const ngtcp2_crypto_md *md,
    const uint8_t *secret, size_t secretlen, const uint8_t *salt,
    size_t saltlen, const uint8_t *info, size_t infolen)
{
    int      rc;
    uint8_t  key[EVP_MAX_MD_SIZE];

    rc = ngtcp2_crypto_hkdf_extract(key, md, secret, secretlen, salt, saltlen);

    if (rc == 0) {
        rc = ngtcp2_crypto_hkdf_expand(dest, destlen, md, key,
                                       ngtcp2_crypto_md_hashlen(md), info,
                                       infolen);
    }

    OPENSSL_cleanse(key, sizeof(key));
    return rc;
}


/* --- packets ------------------------------------------------------------- */

static int
init_aead(ngtcp2_crypto_aead_ctx *to, const ngtcp2_crypto_aead *aead,
    const uint8_t *key, size_t nonce, bool seals)
{
    const suite     *s = aead->native_handle;
    EVP_CIPHER_CTX  *ctx = EVP_CIPHER_CTX_new();

    to->native_handle = NULL;

    if (ctx == NULL
        || EVP_CipherInit_ex(ctx, s->aead, NULL, NULL, NULL, seals) != 1
        || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int) nonce,
                               NULL) != 1
        || (s->ccm && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG,
                                          NULL) != 1)
        || EVP_CipherInit_ex(ctx, NULL, NULL, key, NULL, seals) != 1)
    {
        EVP_CIPHER_CTX_free(ctx);
        return -1;
    }

    to->native_handle = ctx;
    return 0;
}


int
ngtcp2_crypto_aead_ctx_encrypt_init(ngtcp2_crypto_aead_ctx *aead_ctx,
    const ngtcp2_crypto_aead *aead, const uint8_t *key, size_t noncelen)
{
    return init_aead(aead_ctx, aead, key, noncelen, true);
}


int
ngtcp2_crypto_aead_ctx_decrypt_init(ngtcp2_crypto_aead_ctx *aead_ctx,
    const ngtcp2_crypto_aead *aead, const uint8_t *key, size_t noncelen)
{
    return init_aead(aead_ctx, aead, key, noncelen, false);
}


void
ngtcp2_crypto_aead_ctx_free(ngtcp2_crypto_aead_ctx *aead_ctx)
{
    EVP_CIPHER_CTX_free(aead_ctx->native_handle);
}


int
ngtcp2_crypto_cipher_ctx_encrypt_init(ngtcp2_crypto_cipher_ctx *cipher_ctx,
    const ngtcp2_crypto_cipher *cipher, const uint8_t *key)
{
    const suite     *s = cipher->native_handle;
    EVP_CIPHER_CTX  *ctx = EVP_CIPHER_CTX_new();

    if (ctx == NULL || EVP_EncryptInit_ex(ctx, s->hp, NULL, key, NULL) != 1) {
        EVP_CIPHER_CTX_free(ctx);
        return -1;
    }

    cipher_ctx->native_handle = ctx;
    return 0;
}


void
ngtcp2_crypto_cipher_ctx_free(ngtcp2_crypto_cipher_ctx *cipher_ctx)
{
    EVP_CIPHER_CTX_free(cipher_ctx->native_handle);
}


int
ngtcp2_crypto_encrypt(uint8_t *dest, const ngtcp2_crypto_aead *aead,
    const ngtcp2_crypto_aead_ctx *aead_ctx, const uint8_t *plaintext,
    size_t plaintextlen, const uint8_t *nonce, size_t noncelen,
    const uint8_t *aad, size_t aadlen)
{
    int              n;
    const suite     *s = aead->native_handle;
    EVP_CIPHER_CTX  *ctx = aead_ctx->native_handle;

    return EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, nonce) == 1
           && (!s->ccm || EVP_EncryptUpdate(ctx, NULL, &n, NULL,
                                            (int) plaintextlen) == 1)
           && EVP_EncryptUpdate(ctx, NULL, &n, aad, (int) aadlen) == 1
           && EVP_EncryptUpdate(ctx, dest, &n, plaintext,
                                (int) plaintextlen) == 1
           && EVP_EncryptFinal_ex(ctx, dest + n, &n) == 1
           && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG,
                                  dest + plaintextlen) == 1
           ? 0 : -1;
}


/*
 * CCM is told the length first and has no final step; with all other suites it
 * is the other way round.
 */
int
ngtcp2_crypto_decrypt(uint8_t *dest, const ngtcp2_crypto_aead *aead,
    const ngtcp2_crypto_aead_ctx *aead_ctx, const uint8_t *ciphertext,
    size_t ciphertextlen, const uint8_t *nonce, size_t noncelen,
    const uint8_t *aad, size_t aadlen)
{
    int              n, size;
    const suite     *s = aead->native_handle;
    EVP_CIPHER_CTX  *ctx = aead_ctx->native_handle;

    if (ciphertextlen < TAG) {
        return -1;
    }

    size = (int) (ciphertextlen - TAG);

    return EVP_DecryptInit_ex(ctx, NULL, NULL, NULL, nonce) == 1
           && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG,
                                  (void *) (uintptr_t)
                                  (ciphertext + size)) == 1
           && (!s->ccm || EVP_DecryptUpdate(ctx, NULL, &n, NULL, size) == 1)
           && EVP_DecryptUpdate(ctx, NULL, &n, aad, (int) aadlen) == 1
           && EVP_DecryptUpdate(ctx, dest, &n, ciphertext, size) == 1
           && (s->ccm || EVP_DecryptFinal_ex(ctx, dest + n, &n) == 1)
           ? 0 : -1;
}


int
ngtcp2_crypto_hp_mask(uint8_t *dest, const ngtcp2_crypto_cipher *hp,
    const ngtcp2_crypto_cipher_ctx *hp_ctx, const uint8_t *sample)
{
    static const uint8_t  zeros[MASK];

    int              n;
    const suite     *s = hp->native_handle;
    EVP_CIPHER_CTX  *ctx = hp_ctx->native_handle;

    if (s->stream_hp) {
        return EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, sample) == 1
               && EVP_EncryptUpdate(ctx, dest, &n, zeros, MASK) == 1 ? 0 : -1;
    }

    return EVP_EncryptUpdate(ctx, dest, &n, sample, SAMPLE) == 1 ? 0 : -1;
}


int
ngtcp2_crypto_random(uint8_t *data, size_t datalen)
{
    return RAND_bytes(data, (int) datalen) == 1 ? 0 : -1;
}


int
ngtcp2_crypto_get_path_challenge_data_cb(ngtcp2_conn *conn, uint8_t *data,
    void *user_data)
{
    return ngtcp2_crypto_random(data, NGTCP2_PATH_CHALLENGE_DATALEN) == 0
           ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}
