/*
 * acme_jws.h -- keys of accounts, and what they sign (RFC 7515, 7517, 7638, as
 * RFC 8555 wants them).  Pure but for randomness.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_JWS_H
#define LUN_ACME_JWS_H

#include <openssl/evp.h>

#include "base/pool.h"

enum { LUN_ACME_THUMBPRINT = 43 };         /* a SHA-256 in base64url */

typedef struct {
    EVP_PKEY    *key;              /* its owner's; NULL: there is none yet */
    const char  *alg;              /* "ES256", "ES384", "ES512", "RS256" */
    lun_str      jwk;              /* the public key, in RFC 7638's form */
    char         thumbprint[LUN_ACME_THUMBPRINT];
} lun_acme_key;

/* False: a kind of key that no account may have. */
bool lun_acme_key_init(lun_acme_key *k, lun_pool *pool, EVP_PKEY *key);

/* In the pool, without padding. */
lun_str lun_acme_base64(lun_pool *pool, lun_str bytes);

/*
 * A request's body.  `kid` is the account's URL; empty: the key itself is sent.
 * `nonce` empty: there is none, as in what is in another one's payload.
 * payload.data NULL: nothing is sent (POST-as-GET).  Empty: OpenSSL has no
 * memory.
 */
lun_str lun_acme_jws(lun_pool *pool, const lun_acme_key *k, lun_str kid,
    lun_str nonce, lun_str url, lun_str payload);

/* externalAccountBinding: the account's key, signed with one of an authority
 * (RFC 8555, 7.3.4). */
lun_str lun_acme_binding(lun_pool *pool, const lun_acme_key *k, lun_str kid,
    lun_str mac_key, lun_str url);

/* What answers a challenge: "TOKEN.THUMBPRINT". */
lun_str lun_acme_key_authorization(lun_pool *pool, const lun_acme_key *k,
    lun_str token);

#endif
