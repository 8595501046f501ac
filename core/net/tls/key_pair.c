/*
 * key_pair.c -- keys that are made here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/key_pair.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>


static const struct {
    unsigned     bits;
    const char  *name;
} curves[] = { { 256, "P-256" }, { 384, "P-384" }, { 521, "P-521" } };

static const unsigned  sizes[] = { 2048, 3072, 4096 };


static const char *
curve_of(unsigned bits)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(curves); i++) {
        if (curves[i].bits == bits) {
            return curves[i].name;
        }
    }

    return NULL;
}


static bool
is_size(unsigned bits)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(sizes); i++) {
        if (sizes[i] == bits) {
            return true;
        }
    }

    return false;
}


/* nginx-acme's words: "ecdsa", "ecdsa:384", "rsa", "rsa:4096". */
const char *
lun_key_kind_parse(lun_str text, lun_key_kind *kind)
{
    lun_str   rest;
    uint64_t  bits;

    if (lun_str_after(text, LUN_STR("ecdsa"), &rest)) {
        *kind = (lun_key_kind) { .rsa = false, .bits = curves[0].bits };

    } else if (lun_str_after(text, LUN_STR("rsa"), &rest)) {
        *kind = (lun_key_kind) { .rsa = true, .bits = sizes[0] };

    } else {
        return "unsupported key algorithm";
    }

    if (rest.len == 0) {
        return NULL;
    }

    if (rest.data[0] != ':') {
        return "unsupported key algorithm";
    }

    rest = lun_str_of(rest.data + 1, rest.len - 1);

    if (lun_str_to_u64(rest, &bits) != LUN_OK || bits > UINT_MAX) {
        bits = 0;
    }

    kind->bits = (unsigned) bits;

    if (kind->rsa) {
        return is_size(kind->bits) ? NULL : "unsupported key size";
    }

    return curve_of(kind->bits) != NULL ? NULL : "unsupported curve";
}


bool
lun_key_is(const EVP_PKEY *key, lun_key_kind kind)
{
    return EVP_PKEY_is_a(key, kind.rsa ? "RSA" : "EC")
           && EVP_PKEY_get_bits(key) == (int) kind.bits;
}


EVP_PKEY *
lun_key_make(lun_key_kind kind)
{
    ERR_clear_error();

    return kind.rsa ? EVP_RSA_gen(kind.bits)
                    : EVP_EC_gen(curve_of(kind.bits));
}


BIO *
lun_pem_open(lun_str pem)
{
    ERR_clear_error();

    return pem.len != 0 && pem.len <= INT_MAX
           ? BIO_new_mem_buf(pem.data, (int) pem.len) : NULL;
}


/* Nobody is asked for a password. */
static int
give_none(char *buf, int size, int rwflag, void *data)
{
    return -1;
}


EVP_PKEY *
lun_key_read(lun_str pem)
{
    BIO       *bio = lun_pem_open(pem);
    EVP_PKEY  *key;

    key = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, give_none, NULL)
                      : NULL;
    BIO_free(bio);
    ERR_clear_error();

    return key;
}


lun_str
lun_key_pem(lun_pool *pool, EVP_PKEY *key)
{
    BIO      *bio = BIO_new(BIO_s_secmem());
    char     *data;
    lun_str   text = LUN_STR_NULL;

    if (bio != NULL
        && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)
           == 1)
    {
        text.len = (size_t) BIO_get_mem_data(bio, &data);
        text = lun_pool_str(pool, lun_str_of(data, text.len));
    }

    BIO_free(bio);
    return text;
}
