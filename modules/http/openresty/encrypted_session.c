/*
 * encrypted_session.c -- OpenResty's encrypted-session: variables encrypted
 * for a client to keep, and what it gives back decrypted.
 *
 *     encrypted_session_key "abcdefghijklmnopqrstuvwxyz123456";
 *     set_encrypt_session $session $login;  set_encode_base32 $session;
 *
 * The format is that module's: the MD5 of a text, then AES-256-CBC of it; the
 * text is the value with the second at which it expires behind it, in eight
 * bytes, the highest first (0: never).  What was changed or has expired is "".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/rewrite.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/digest.h"
#include "os/clock.h"


enum { KEY_SIZE = 32, IV_SIZE = 16, BLOCK = 16, TIME_SIZE = 8 };

typedef struct {
    lun_str  key;                  /* len 0: none */
    lun_str  iv;                   /* IV_SIZE bytes */
    int64_t  expires;              /* seconds from now; 0: never */
} session_conf;

extern lun_http_module  lun_http_encrypted_session;


/* out has room for a block more than the text; -1: no such text. */
static int
run_cipher(const session_conf *conf, bool encrypt, lun_str in,
    unsigned char *out)
{
    int                   n, rest, len = -1;
    EVP_CIPHER_CTX       *ctx = EVP_CIPHER_CTX_new();
    const unsigned char  *text = (const unsigned char *) in.data;

    if (ctx != NULL && in.len < INT32_MAX - BLOCK
        && EVP_CipherInit_ex(ctx, EVP_aes_256_cbc(), NULL,
                             (const unsigned char *) conf->key.data,
                             (const unsigned char *) conf->iv.data,
                             encrypt) == 1
        && EVP_CipherUpdate(ctx, out, &n, text, (int) in.len) == 1
        && EVP_CipherFinal_ex(ctx, out + n, &rest) == 1)
    {
        len = n + rest;
    }

    EVP_CIPHER_CTX_free(ctx);
    return len;
}


/* NULL: logged. */
static const session_conf *
conf_of(const lun_request *r)
{
    const session_conf  *conf;

    if (r == NULL) {
        return NULL;
    }

    conf = lun_http_conf(r, &lun_http_encrypted_session);

    if (conf == NULL || conf->key.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "encrypted_session: a key is required "
                "by the encrypted_session_key directive");
        return NULL;
    }

    return conf;
}


/* The time of its end is sealed in, so that a client can't move it. */
static lun_rc
encrypt_session(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    int                  i, len;
    char                *text, *sealed;
    uint64_t             end = 0;
    const session_conf  *conf = conf_of(r);

    if (conf == NULL) {
        return LUN_ERROR;
    }

    if (conf->expires != 0) {
        end = (uint64_t) lun_clock.sec + (uint64_t) conf->expires;
    }

    text = lun_pool_text(pool, in.len + TIME_SIZE);
    (void) lun_copy_str(text, in);

    for (i = 0; i < TIME_SIZE; i++) {
        text[in.len + (size_t) i] = (char) (end >> (56 - 8 * i) & 0xff);
    }

    in = lun_str_of(text, in.len + TIME_SIZE);
    sealed = lun_pool_text(pool, LUN_MD5_SIZE + in.len + BLOCK);
    lun_md5(in, (unsigned char *) sealed);
    len = run_cipher(conf, true, in, (unsigned char *) sealed + LUN_MD5_SIZE);
    *out = lun_str_of(sealed, LUN_MD5_SIZE + (size_t) lun_max(len, 0));

    return len > 0 ? LUN_OK : LUN_ERROR;
}


/* Whether the text is one of ours, and its time is not over. */
static bool
is_good(const lun_request *r, lun_str text, const char *sum)
{
    size_t         i;
    uint64_t       end = 0;
    unsigned char  own[LUN_MD5_SIZE];

    lun_md5(text, own);

    if (CRYPTO_memcmp(own, sum, sizeof(own)) != 0) {
        lun_log(LUN_LOG_INFO, r->log, 0, "encrypted_session: MD5 checksum "
                "mismatch");
        return false;
    }

    for (i = text.len - TIME_SIZE; i < text.len; i++) {
        end = end << 8 | (unsigned char) text.data[i];
    }

    if (end != 0 && end <= (uint64_t) lun_clock.sec) {
        lun_log(LUN_LOG_INFO, r->log, 0, "encrypted_session: session expired: "
                "%" PRIu64 " <= %" PRId64, end, lun_clock.sec);
        return false;
    }

    return true;
}


/*
 * Whatever is wrong gives an empty value, as the module does: why is for the
 * log, not for a client that tries.
 */
static lun_rc
decrypt_session(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    int                  len;
    char                *text;
    const session_conf  *conf = conf_of(r);

    if (conf == NULL) {
        return LUN_ERROR;
    }

    *out = LUN_STR("");

    if (in.len < LUN_MD5_SIZE + BLOCK) {
        return LUN_OK;
    }

    text = lun_pool_text(pool, in.len);
    len = run_cipher(conf, false, lun_str_of(in.data + LUN_MD5_SIZE,
                                             in.len - LUN_MD5_SIZE),
                     (unsigned char *) text);

    if (len < TIME_SIZE) {
        lun_log(LUN_LOG_INFO, r->log, 0, "encrypted_session: failed to "
                "decrypt data");

    } else if (is_good(r, lun_str_of(text, (size_t) len), in.data)) {
        *out = lun_str_of(text, (size_t) len - TIME_SIZE);
    }

    return LUN_OK;
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_key(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (cf->args[1].len != KEY_SIZE) {
        return lun_conf_fail(cf, "encrypted_session_key: the key must be of "
                             "%d bytes long", KEY_SIZE);
    }

    return lun_set_str(cf, d, conf);
}


/* A shorter one ends with zero bytes. */
static lun_rc
set_iv(lun_conf *cf, const lun_directive *d, void *data)
{
    char          *iv;
    session_conf  *conf = data;

    if (cf->args[1].len > IV_SIZE) {
        return lun_conf_fail(cf, "encrypted_session_iv: the init vector must "
                             "NOT be longer than %d bytes", IV_SIZE);
    }

    iv = lun_pool_zalloc(cf->pool, IV_SIZE);
    (void) lun_copy_str(iv, cf->args[1]);
    conf->iv = lun_str_of(iv, IV_SIZE);

    return LUN_OK;
}


enum {
    PLACES = LUN_SERVER | LUN_SERVER_IF | LUN_LOCATION | LUN_LOCATION_IF,
    ALL    = LUN_HTTP_LEVELS | LUN_SERVER_IF | LUN_LOCATION_IF
};

static const lun_directive  directives[] = {
    { .name = "encrypted_session_key", .where = ALL, .args = 1,
      .set = set_key, LUN_FIELD(session_conf, key),
      .values = "key",
      .help = "the key of sessions, 32 bytes" },
    { .name = "encrypted_session_iv", .where = ALL, .args = 1,
      .set = set_iv, LUN_FIELD(session_conf, iv),
      .fallback = "deadbeefdeadbeef",
      .values = "iv",
      .help = "where their cipher begins, at most 16 bytes" },
    { .name = "encrypted_session_expires", .where = ALL, .args = 1,
      .set = lun_set_sec, LUN_FIELD(session_conf, expires),
      .fallback = "1d",
      .help = "how long a session is good; 0: for ever" },
    { .name = "set_encrypt_session", .where = PLACES, .args = 1,
      .args_max = 2, .repeats = true, .set = lun_set_text,
      .data = &(const lun_text_function) { encrypt_session,
                                           "set_encrypt_session" },
      .values = "$variable [value]",
      .help = "a text, encrypted" },
    { .name = "set_decrypt_session", .where = PLACES, .args = 1,
      .args_max = 2, .repeats = true, .set = lun_set_text,
      .data = &(const lun_text_function) { decrypt_session,
                                           "set_decrypt_session" },
      .values = "$variable [value]",
      .help = "the text that was encrypted, or none" },
    { 0 }
};

lun_http_module  lun_http_encrypted_session = {
    .name = "encrypted_session",
    .directives = directives,
    .conf_size = sizeof(session_conf),
};
