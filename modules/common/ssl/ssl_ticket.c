/*
 * ssl_ticket.c -- sessions that clients keep: under keys that several machines
 * may share, ssl_session_ticket_key, or under those of all workers here.
 *
 * A file has 48 bytes (AES-128, HMAC) or 80 (AES-256).  The first key makes
 * tickets, all of them open them; one that had to be opened with another key
 * is replaced.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>


enum { NAME = 16, FILE_128 = 48, FILE_256 = LUN_SSL_TICKET_KEY };

typedef struct {
    size_t            count;
    const lun_array  *files;       /* NULL: what the ring has */
    char              ring[LUN_SSL_RING_KEYS][LUN_SSL_TICKET_KEY];
} keys;

/* Where the parts of a file's contents stand. */
typedef struct {
    const EVP_CIPHER     *cipher;
    const unsigned char  *hmac, *aes;
    size_t                hmac_size;
} parts;


static parts
parts_of(lun_str text)
{
    const unsigned char  *p = (const unsigned char *) text.data;

    if (text.len == FILE_128) {
        return (parts) { EVP_aes_128_cbc(), p + 32, p + 16, 16 };
    }

    return (parts) { EVP_aes_256_cbc(), p + 16, p + 48, 32 };
}


static int
conf_index(void)
{
    static int  n = -1;

    if (n == -1) {
        n = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    }

    return n;
}


static void
get_keys(keys *all, const lun_ssl_conf *conf)
{
    all->files = conf->ticket_keys;

    if (all->files != NULL) {
        all->count = all->files->count;

    } else {
        all->count = LUN_SSL_RING_KEYS;
        lun_ssl_keyring_get(conf->keyring, all->ring);
    }
}


static lun_str
key_at(const keys *all, size_t i)
{
    return all->files != NULL
           ? *(const lun_str *) lun_array_at(all->files, i)
           : lun_str_of(all->ring[i], LUN_SSL_TICKET_KEY);
}


static bool
set_hmac(EVP_MAC_CTX *mac, const parts *p)
{
    OSSL_PARAM  params[3];

    params[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY,
                    (void *) (uintptr_t) p->hmac, p->hmac_size);
    params[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                    (char *) (uintptr_t) "sha256", 0);
    params[2] = OSSL_PARAM_construct_end();

    return EVP_MAC_CTX_set_params(mac, params) == 1;
}


static int
seal(lun_str key, unsigned char *name, unsigned char *iv,
    EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac)
{
    parts  p = parts_of(key);

    memcpy(name, key.data, NAME);

    return RAND_bytes(iv, EVP_CIPHER_get_iv_length(p.cipher)) == 1
           && EVP_EncryptInit_ex(cipher, p.cipher, NULL, p.aes, iv) == 1
           && set_hmac(mac, &p) ? 1 : -1;
}


/* 0: a key that nobody here has; 2: opened, and to be replaced. */
static int
open_ticket(const keys *all, SSL *ssl, const unsigned char *name,
    const unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac)
{
    parts   p;
    size_t  i;

    for (i = 0; i < all->count; i++) {
        if (memcmp(name, key_at(all, i).data, NAME) == 0) {
            break;
        }
    }

    if (i == all->count) {
        return 0;
    }

    p = parts_of(key_at(all, i));

    if (EVP_DecryptInit_ex(cipher, p.cipher, NULL, p.aes, iv) != 1
        || !set_hmac(mac, &p))
    {
        return -1;
    }

    /* Since TLS 1.3 a ticket is good for one use. */
    return i == 0 && SSL_version(ssl) != TLS1_3_VERSION ? 1 : 2;
}


static int
on_ticket(SSL *ssl, unsigned char *name, unsigned char *iv,
    EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int make)
{
    keys                 all;
    const lun_ssl_conf  *conf;

    conf = SSL_CTX_get_ex_data(lun_tls_session_ctx(ssl), conf_index());

    if (conf == NULL) {
        return 0;                      /* another server's context */
    }

    get_keys(&all, conf);

    return make ? seal(key_at(&all, 0), name, iv, cipher, mac)
                : open_ticket(&all, ssl, name, iv, cipher, mac);
}


lun_rc
lun_ssl_set_ticket_key(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str        text;
    lun_ssl_conf  *conf = data;

    if (lun_tls_read_named(cf, &text) != LUN_OK) {
        return LUN_ERROR;
    }

    if (text.len != FILE_128 && text.len != FILE_256) {
        return lun_conf_fail(cf, "\"%.*s\" must be 48 or 80 bytes",
                             LUN_S(lun_conf_path(cf, cf->args[1], true)));
    }

    if (conf->ticket_keys == NULL) {
        conf->ticket_keys = lun_array_new(cf->pool, sizeof(lun_str), 2);
    }

    *(lun_str *) lun_array_push(conf->ticket_keys) = text;
    return LUN_OK;
}


void
lun_ssl_use_tickets(const lun_ssl_conf *conf)
{
    SSL_CTX_set_ex_data(conf->ctx, conf_index(), (void *) (uintptr_t) conf);
    SSL_CTX_set_tlsext_ticket_key_evp_cb(conf->ctx, on_ticket);
}
