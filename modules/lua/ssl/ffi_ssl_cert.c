/*
 * ffi_ssl_cert.c -- certificates and keys, for lua/ngx/ssl.lua.
 *
 * A chain is a STACK_OF(X509), the server's own first; to Lua, chains and keys
 * are pointers that it frees when it has no more use for them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/ffi_ssl.h"

/* First: it brings Windows's own X509_NAME along, which the next one drops. */
#include <openssl/ssl.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "modules/lua/run/ctx.h"
#include "modules/lua/ssl/handshake.h"
#include "net/tls/tls.h"


typedef STACK_OF(X509)  chain;


static int
result(const char *failed, const char **why)
{
    ERR_clear_error();
    *why = failed;
    return failed == NULL ? LUN_FFI_OK : LUN_FFI_ERROR;
}


/* --- reading -------------------------------------------------------------- */

static int
give_password(char *buf, int size, int rwflag, void *data)
{
    size_t  n = data != NULL ? strlen(data) : 0;

    if (n > (size_t) size) {
        return -1;
    }

    memcpy(buf, data != NULL ? data : "", n);
    return (int) n;
}


/* The next certificate of a text; NULL: its end, or *failed. */
static X509 *
read_one(BIO *bio, bool pem, bool first, const char **failed)
{
    X509      *x;
    unsigned   e;

    if (!pem) {
        if (!first && BIO_eof(bio)) {
            return NULL;
        }

        x = d2i_X509_bio(bio, NULL);
        *failed = x == NULL ? "d2i_X509_bio() failed" : NULL;
        return x;
    }

    if (first) {
        x = PEM_read_bio_X509_AUX(bio, NULL, give_password, NULL);
        *failed = x == NULL ? "PEM_read_bio_X509_AUX() failed" : NULL;
        return x;
    }

    x = PEM_read_bio_X509(bio, NULL, give_password, NULL);
    e = (unsigned) ERR_peek_last_error();

    if (x == NULL && (ERR_GET_LIB(e) != ERR_LIB_PEM
                      || ERR_GET_REASON(e) != PEM_R_NO_START_LINE))
    {
        *failed = "PEM_read_bio_X509() failed";
    }

    return x;
}


static const char *
read_all(chain *all, BIO *bio, bool pem)
{
    X509        *x;
    const char  *failed = NULL;

    while ((x = read_one(bio, pem, sk_X509_num(all) == 0, &failed)) != NULL) {
        if (sk_X509_push(all, x) == 0) {
            X509_free(x);
            return "sk_X509_push() failed";
        }
    }

    return failed;
}


static BIO *
open_text(const char *text, size_t len, const char **why)
{
    BIO  *bio = len <= INT32_MAX ? BIO_new_mem_buf(text, (int) len) : NULL;

    if (bio == NULL) {
        *why = "BIO_new_mem_buf() failed";
    }

    return bio;
}


void *
lun_ffi_ssl_parse_cert(const char *text, size_t len, int pem,
    const char **why)
{
    BIO    *bio;
    chain  *all;

    ERR_clear_error();
    bio = open_text(text, len, why);
    all = bio != NULL ? sk_X509_new_null() : NULL;

    if (all != NULL) {
        *why = read_all(all, bio, pem);

        if (*why != NULL) {
            sk_X509_pop_free(all, X509_free);
            all = NULL;
        }

    } else if (bio != NULL) {
        *why = "sk_X509_new_null() failed";
    }

    BIO_free(bio);
    ERR_clear_error();
    return all;
}


void *
lun_ffi_ssl_parse_key(const char *text, size_t len, int pem,
    const char *password, const char **why)
{
    BIO       *bio;
    EVP_PKEY  *key;

    ERR_clear_error();
    bio = open_text(text, len, why);

    if (bio == NULL) {
        return NULL;
    }

    if (pem) {
        key = PEM_read_bio_PrivateKey(bio, NULL, give_password,
                                      (void *) (uintptr_t) password);
        *why = "PEM_read_bio_PrivateKey() failed";

    } else {
        key = d2i_PrivateKey_bio(bio, NULL);
        *why = "d2i_PrivateKey_bio() failed";
    }

    BIO_free(bio);
    ERR_clear_error();
    return key;
}


void
lun_ffi_ssl_free_cert(void *data)
{
    sk_X509_pop_free((chain *) data, X509_free);
}


void
lun_ffi_ssl_free_key(void *key)
{
    EVP_PKEY_free(key);
}


/* --- writing -------------------------------------------------------------- */

/* What was written becomes the caller's. */
static int
take_der(BIO *bio, const char *failed, lun_str *der, const char **why)
{
    char    *data;
    size_t   len;

    if (failed == NULL) {
        len = (size_t) BIO_get_mem_data(bio, &data);
        *der = lun_str_of(lun_malloc(lun_max(len, (size_t) 1)), len);
        memcpy((char *) (uintptr_t) der->data, data, len);
    }

    BIO_free(bio);
    return result(failed, why);
}


int
lun_ffi_ssl_cert_to_der(const char *pem, size_t len, lun_str *der,
    const char **why)
{
    int          i;
    BIO         *bio;
    chain       *all = lun_ffi_ssl_parse_cert(pem, len, 1, why);
    const char  *failed = NULL;

    if (all == NULL) {
        return LUN_FFI_ERROR;
    }

    bio = BIO_new(BIO_s_mem());

    for (i = 0; i < sk_X509_num(all) && failed == NULL; i++) {
        if (bio == NULL || i2d_X509_bio(bio, sk_X509_value(all, i)) != 1) {
            failed = "i2d_X509() failed";
        }
    }

    lun_ffi_ssl_free_cert(all);
    return take_der(bio, failed, der, why);
}


int
lun_ffi_ssl_key_to_der(const char *pem, size_t len, const char *password,
    lun_str *der, const char **why)
{
    BIO         *bio;
    EVP_PKEY    *key = lun_ffi_ssl_parse_key(pem, len, 1, password, why);
    const char  *failed = NULL;

    if (key == NULL) {
        return LUN_FFI_ERROR;
    }

    bio = BIO_new(BIO_s_mem());

    if (bio == NULL || i2d_PrivateKey_bio(bio, key) != 1) {
        failed = "i2d_PrivateKey() failed";
    }

    EVP_PKEY_free(key);
    return take_der(bio, failed, der, why);
}


void
lun_ffi_ssl_free_der(lun_str *der)
{
    lun_free((void *) (uintptr_t) der->data);
}


/* --- use ------------------------------------------------------------------ */

int
lun_ffi_ssl_clear_certs(const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    SSL_certs_clear(ssl);
    return LUN_FFI_OK;
}


/* NULL: done.  The chain of another certificate of the kind is dropped. */
const char *
lun_ssl_use_chain(SSL *ssl, void *data)
{
    int     i;
    chain  *all = data;

    if (sk_X509_num(all) < 1) {
        return "invalid certificate chain";
    }

    if (SSL_use_certificate(ssl, sk_X509_value(all, 0)) != 1) {
        return "SSL_use_certificate() failed";
    }

    SSL_clear_chain_certs(ssl);

    for (i = 1; i < sk_X509_num(all); i++) {
        if (SSL_add1_chain_cert(ssl, sk_X509_value(all, i)) != 1) {
            return "SSL_add1_chain_cert() failed";
        }
    }

    return NULL;
}


int
lun_ffi_ssl_set_cert(void *all, const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    return ssl != NULL ? result(lun_ssl_use_chain(ssl, all), why)
                       : LUN_FFI_ERROR;
}


int
lun_ffi_ssl_set_key(void *key, const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    if (key == NULL) {
        return result("invalid private key failed", why);
    }

    return result(SSL_use_PrivateKey(ssl, key) != 1
                  ? "SSL_use_PrivateKey() failed" : NULL, why);
}


/* --- certificates of clients ---------------------------------------------- */

/* The handshake goes on: $ssl_client_verify tells what came of it. */
static int
on_verify(int good, X509_STORE_CTX *store)
{
    return 1;
}


static const char *
trust(X509_STORE *store, chain *all)
{
    int  i;

    for (i = 0; all != NULL && i < sk_X509_num(all); i++) {
        if (X509_STORE_add_cert(store, sk_X509_value(all, i)) != 1) {
            return "X509_STORE_add_cert() failed";
        }
    }

    return NULL;
}


static const char *
add_names(STACK_OF(X509_NAME) *names, chain *all)
{
    int         i;
    X509_NAME  *name;

    for (i = 0; all != NULL && i < sk_X509_num(all); i++) {
        name = X509_NAME_dup(X509_get_subject_name(sk_X509_value(all, i)));

        if (name == NULL || sk_X509_NAME_push(names, name) == 0) {
            X509_NAME_free(name);
            return "sk_X509_NAME_push() failed";
        }
    }

    return NULL;
}


/* Takes what it makes, or frees it. */
static const char *
trust_only(SSL *ssl, chain *named, chain *trusted)
{
    X509_STORE           *store = X509_STORE_new();
    const char           *failed = NULL;
    STACK_OF(X509_NAME)  *names = sk_X509_NAME_new_null();

    if (store == NULL) {
        failed = "X509_STORE_new() failed";

    } else if (names == NULL) {
        failed = "sk_X509_NAME_new_null() failed";
    }

    failed = failed == NULL ? trust(store, named) : failed;
    failed = failed == NULL ? trust(store, trusted) : failed;
    failed = failed == NULL ? add_names(names, named) : failed;

    if (failed == NULL && SSL_set0_verify_cert_store(ssl, store) != 1) {
        failed = "SSL_set0_verify_cert_store() failed";
    }

    if (failed != NULL) {
        X509_STORE_free(store);
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return failed;
    }

    SSL_set_client_CA_list(ssl, names);
    return NULL;
}


int
lun_ffi_ssl_verify_client(void *named, void *trusted, int depth,
    const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    if (lun_lua_now.phase != LUN_LUA_SSL_CERT) {
        *why = "API disabled in the current context";
        return LUN_FFI_ERROR;
    }

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    SSL_set_verify(ssl, SSL_VERIFY_PEER, on_verify);

    if (depth >= 0) {
        SSL_set_verify_depth(ssl, depth);
    }

    return named != NULL || trusted != NULL
           ? result(trust_only(ssl, named, trusted), why) : LUN_FFI_OK;
}
