/*
 * ed25519.h -- signatures of RFC 8032 by secrets of any length, as MariaDB
 * has them: a password stands where a key of 32 bytes would.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ED25519_H
#define LUN_ED25519_H

#include "base/str.h"

enum { LUN_ED25519_SIZE = 64 };

/*
 * Signs the message; the same numbers are added whatever the secret's bits.
 * ERROR: there was no memory.
 */
lun_rc lun_ed25519_sign(lun_str secret, lun_str message,
    unsigned char out[LUN_ED25519_SIZE]);

#endif
