/*
 * authority.h -- telling this machine whom its programs trust.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_AUTHORITY_H
#define LUN_OS_AUTHORITY_H

#include "os/err.h"

/*
 * Adds a certificate, given in DER and in PEM, as `name` (a file's name without
 * an end).  Windows: the store "Root" of this user, who is asked by the system;
 * Linux: the folder of the distribution, and its program that reads that, which
 * takes root's rights.  *where says, in any case, what that is; NULL: this
 * system has none that we know.
 */
lun_err lun_authority_install(const char *name, const void *der, size_t der_len,
    const char *pem, size_t pem_len, const char **where);

#endif
