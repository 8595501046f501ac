/*
 * key_pair.h -- keys that are made here: their kinds by name, and as text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_KEY_PAIR_H
#define LUN_KEY_PAIR_H

#include <openssl/evp.h>

#include "base/pool.h"

typedef struct {
    bool      rsa;
    unsigned  bits;                /* 256, 384, 521; 2048, 3072, 4096 */
} lun_key_kind;

/*
 * "ecdsa", "ecdsa:384", "rsa:3072" ...; a bare name is its smallest.  Returns
 * what is wrong with another, a constant, or NULL.
 */
const char *lun_key_kind_parse(lun_str text, lun_key_kind *kind);

/* Whether it is such a key. */
bool lun_key_is(const EVP_PKEY *key, lun_key_kind kind);

/* NULL: OpenSSL has no memory, or no entropy.  The caller frees all of these
 * (EVP_PKEY_free). */
EVP_PKEY *lun_key_make(lun_key_kind kind);

/* A text in PEM, for OpenSSL's readers; NULL: it is empty, or far too long. */
BIO *lun_pem_open(lun_str pem);

/* The first key in a text in PEM that has no password; NULL: there is none. */
EVP_PKEY *lun_key_read(lun_str pem);

/* PKCS #8 in PEM, in the pool; empty: no memory. */
lun_str lun_key_pem(lun_pool *pool, EVP_PKEY *key);

#endif
