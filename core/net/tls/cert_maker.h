/*
 * cert_maker.h -- certificates and requests for them that are made here, and
 * what is said in one.
 *
 * All objects that are returned are the caller's; NULL, or an empty text:
 * OpenSSL has no memory, or a name is none (lun_cert_may_name).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CERT_MAKER_H
#define LUN_CERT_MAKER_H

#include <openssl/x509.h>

#include "base/pool.h"

typedef struct {
    const lun_str  *names;         /* hosts, "*.host", or addresses, as text */
    size_t          count;
    lun_str         subject;       /* its common name; empty: the first name,
                                      if that has 64 bytes or fewer */
    int64_t         from, until;   /* seconds since the epoch */
    bool            authority;     /* it may sign others, and nothing else */
    lun_str         challenge;     /* RFC 8737: the digest of 32 bytes that it
                                      shows; empty: it is of another kind */
} lun_cert_wish;

/* A name as it may stand in a certificate: letters, digits, "-", "_", dots, a
 * star in front; or an address. */
bool lun_cert_may_name(lun_str name);

/* `ca` and its key sign it; NULL: it signs itself. */
X509 *lun_cert_make(const lun_cert_wish *wish, EVP_PKEY *key, X509 *ca,
    EVP_PKEY *ca_key);

/* A request (PKCS #10) for the names, in DER. */
lun_str lun_cert_request(lun_pool *pool, const lun_str *names, size_t count,
    EVP_PKEY *key);

/* In PEM, and the first one of a text in it. */
lun_str lun_cert_pem(lun_pool *pool, X509 *cert);
X509 *lun_cert_read(lun_str pem);

/* notBefore and notAfter, in seconds since the epoch; false: they are none. */
bool lun_cert_times(const X509 *cert, int64_t *from, int64_t *until);

/* Whether all the names stand in it. */
bool lun_cert_has_names(X509 *cert, const lun_str *names, size_t count);

#endif
