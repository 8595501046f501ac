/*
 * crypt.h -- the system's crypt(), where it has one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_CRYPT_H
#define LUN_OS_CRYPT_H

#include "os/err.h"

enum { LUN_CRYPT_ROOM = 512 };

/*
 * What `word` becomes by the method and the salt that `setting`, an entry of
 * a password file, names; both end with a zero byte, as does what is written.
 * May take as long as the method wants.  NOT_SUPPORTED kind: the system does
 * not know the method, or (Windows) any.
 */
lun_err lun_crypt(const char *word, const char *setting,
    char room[LUN_CRYPT_ROOM]);

#endif
