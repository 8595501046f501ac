/*
 * acme_chain.h -- what an authority gives in the end: a chain of certificates.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_CHAIN_H
#define LUN_ACME_CHAIN_H

#include "base/pool.h"

/*
 * What is wrong with a chain in PEM, whose first certificate is to be for that
 * key and these names; NULL: nothing.  *top is the common name of who has
 * issued its last one.
 */
const char *lun_acme_chain_fault(lun_pool *pool, lun_str pem, lun_str key_pem,
    const lun_str *names, size_t count, lun_str *top);

/* RFC 9773, 4.1: how a certificate is named; empty: it has no such parts. */
lun_str lun_acme_certificate_id(lun_pool *pool, lun_str pem);

#endif
