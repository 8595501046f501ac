/*
 * privileged.c -- a master is no more than its workers: one account, whose
 * rights the system looks at.  See service/grant.c for what it is given.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/privileged.h"

#include "os/dir.h"


lun_err
lun_privileged_open(const char *path, unsigned flags, unsigned access,
    const lun_user *user, lun_fd *fd)
{
    return lun_file_open(path, flags, access, fd);
}


lun_err
lun_privileged_make_folder(const char *path, unsigned access,
    const lun_user *user)
{
    return lun_dir_make_all(path, access);
}


lun_err
lun_privileged_rename(const char *from, const char *to)
{
    return lun_file_rename(from, to);
}


lun_err
lun_privileged_delete(const char *path)
{
    return lun_file_delete(path);
}


bool
lun_privileged_may_name(lun_fd fd, int64_t pid)
{
    return true;
}
