/*
 * user.c -- who a worker runs as: the account that started the master, or
 * the one that the service manager was given.  The `user` directive has no
 * meaning here, as in nginx.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/user.h"

#include "windows/win.h"


lun_user_verdict
lun_user_find(const char *name, const char *group, lun_user *user,
    lun_err *err)
{
    *err = ERROR_NOT_SUPPORTED;
    return LUN_USER_UNSUPPORTED;
}


lun_user_verdict
lun_user_default(lun_user *user, lun_err *err)
{
    return lun_user_find(NULL, NULL, user, err);
}


bool
lun_user_is_root(void)
{
    return false;
}


lun_err
lun_user_become(const lun_user *user, bool transparent)
{
    return user->uid == -1 ? 0 : ERROR_NOT_SUPPORTED;
}
