/*
 * tls_pfx.h -- PKCS#12 (.pfx, .p12): a certificate, its chain and its key in
 * one file, as Windows exports them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_PFX_H
#define LUN_TLS_PFX_H

#include <openssl/bio.h>
#include <openssl/x509.h>

#include "base/array.h"

/* Whether a name is that of such a file, by its end. */
bool lun_tls_is_pfx(lun_str name);

/*
 * A chain for the caller: the certificate, and of `others` who has signed it,
 * and so on, without the root.  NULL: no memory.
 */
STACK_OF(X509) *lun_tls_chain(X509 *cert, const STACK_OF(X509) *others);

/*
 * The file that `bio` has, opened by the first of `passwords` (of lun_str, may
 * be NULL) that fits, or by none.  `*chain`: a stack for the caller, that of
 * the key's certificate first and then who has signed it, without the root;
 * `*key`: the caller's.  NULL, or the function that has failed.
 */
const char *lun_tls_pfx_read(BIO *bio, const lun_array *passwords,
    STACK_OF(X509) **chain, EVP_PKEY **key);

#endif
