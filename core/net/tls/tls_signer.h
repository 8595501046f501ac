/*
 * tls_signer.h -- private keys that never come here: whoever has one signs.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_SIGNER_H
#define LUN_TLS_SIGNER_H

#include <openssl/x509.h>

#include "os/certstore.h"

/* Who has the key.  `sign` as lun_certstore_sign(). */
typedef struct {
    lun_err (*sign)(void *key, const lun_signing *how, lun_str digest,
                    uint8_t *out, size_t room, size_t *size);
    void    (*close)(void *key);
} lun_signer;

/*
 * A key of OpenSSL's for the certificate, whose signatures are `signer`'s; it
 * has `key` from now on, and closes it with its last reference, or now, if it
 * can't be had (NULL: of no kind that signs, or no memory).
 */
EVP_PKEY *lun_tls_signer_key(X509 *cert, const lun_signer *signer, void *key);

#endif
