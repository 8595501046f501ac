/*
 * tls_store.h -- certificates in the system's store: "store:LocalMachine/MY?
 * subject=www.example.com", or "...?thumbprint=...", or of CurrentUser.
 *
 * What was found is looked for again after a minute, when a handshake wants
 * it: of those that have the subject, the newest that is valid is taken, and
 * so one that was renewed, without a reload.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_STORE_H
#define LUN_TLS_STORE_H

#include <openssl/x509.h>

#include "base/str.h"

/* Whether it is such a name: a key's "store:URI" is OpenSSL's. */
bool lun_tls_is_in_store(lun_str name);

enum { LUN_TLS_STORE_WHY = 256 };

/*
 * The certificate with who has signed it, and its key, which stays where it
 * is: references for the caller; either may be NULL.  `again`: it is looked
 * for, if that is a minute ago.  False: `why`, a text.
 */
bool lun_tls_store_get(lun_str name, bool again, STACK_OF(X509) **chain,
    EVP_PKEY **key, char why[LUN_TLS_STORE_WHY]);

#endif
