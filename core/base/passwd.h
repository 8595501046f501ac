/*
 * passwd.h -- passwords as files of users keep them.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PASSWD_H
#define LUN_PASSWD_H

#include "base/str.h"

typedef enum {
    LUN_PASSWD_YES,
    LUN_PASSWD_NO,
    LUN_PASSWD_OTHER               /* of a kind that is not known here */
} lun_passwd_verdict;

/*
 * {PLAIN}, {SHA}, {SSHA}, and MD5 in rounds: Apache's $apr1$ and the older
 * $1$.  What OTHER is the system's crypt() may know.
 */
lun_passwd_verdict lun_passwd_check(lun_str word, lun_str entry);

/*
 * Whether crypt() would take seconds for it: rounds of SHA above a million, a
 * cost of bcrypt above 16.
 */
bool lun_passwd_is_costly(lun_str entry);

/* Equal, found out in a time that does not depend on where they differ. */
bool lun_passwd_same(lun_str a, lun_str b);

#endif
