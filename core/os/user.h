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

/* `group` NULL: the group of the same name.  NOT_FOUND kind if unknown. */
lun_err lun_user_find(const char *name, const char *group, lun_user *user);

/* Whether this process may become someone else. */
bool lun_user_is_root(void);

lun_err lun_user_become(const lun_user *user);

/* Makes a file or folder theirs; nothing to do when uid is -1. */
lun_err lun_user_give(const lun_user *user, const char *path);

#endif
