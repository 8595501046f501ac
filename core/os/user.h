/*
 * user.h -- who a worker runs as (directive `user`; Linux).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_USER_H
#define LUN_OS_USER_H

#include "os/err.h"

typedef struct {
    int64_t      uid;              /* -1: not set */
    int64_t      gid;
    const char  *name;
} lun_user;

typedef enum {
    LUN_USER_FOUND,
    LUN_USER_UNKNOWN,              /* getpwnam() has nobody of that name */
    LUN_USER_NO_GROUP,             /* getgrnam() has none */
    LUN_USER_UNSUPPORTED           /* the system has no such users */
} lun_user_verdict;

/*
 * `group` NULL: the group of the same name, and no other.  *user is set if
 * found, and keeps `name`; *err: what the system says of one that was not, 0
 * if it just is not there.
 */
lun_user_verdict lun_user_find(const char *name, const char *group,
    lun_user *user, lun_err *err);

/*
 * Where nobody was named: "nobody", of the group "nobody", or "nogroup" where
 * there is only that.
 */
lun_user_verdict lun_user_default(lun_user *user, lun_err *err);

/* Whether this process may become someone else. */
bool lun_user_is_root(void);

/*
 * `transparent`: it may still speak from addresses that are not this
 * machine's (lun_sock_transparent).
 */
lun_err lun_user_become(const lun_user *user, bool transparent);

#endif
