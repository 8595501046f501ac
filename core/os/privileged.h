/*
 * privileged.h -- files that a master opens, makes, renames and gives away
 * where others may write.
 *
 * A process of root's does for whoever can put a link into its way what only
 * root may: so it follows none that lies in a folder that others may write, or
 * below one; there it opens only what is a file with one name, and gives away
 * only what it has just made.  Of a process that is nobody special, and on
 * Windows, where master and workers are one account, these are the plain calls
 * of file.h and dir.h, and nothing is given.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_PRIVILEGED_H
#define LUN_OS_PRIVILEGED_H

#include "os/file.h"
#include "os/user.h"

/*
 * As lun_file_open().  `user`: whose the file is to be, if it is made, or is
 * there already and only root could have put it there; NULL: it stays whose it
 * is.  LUN_ERR_LINK: a link that somebody else may have made, a file with a
 * second name, or none at all.
 */
lun_err lun_privileged_open(const char *path, unsigned flags, unsigned access,
    const lun_user *user, lun_fd *fd);

/*
 * A folder of the user's, with all that is missing on its way, which is the
 * caller's.  One that is there is given as a file is; LUN_ERR_ACCESS: it is
 * somebody else's, below a folder that others may write.
 */
lun_err lun_privileged_make_folder(const char *path, unsigned access,
    const lun_user *user);

/* Of names in one folder; a link is renamed, not what it leads to. */
lun_err lun_privileged_rename(const char *from, const char *to);
lun_err lun_privileged_delete(const char *path);

/*
 * Whether root may send signals to a process because this file names it: the
 * file is root's, or the process is of the file's owner.
 */
bool lun_privileged_may_name(lun_fd fd, int64_t pid);

#endif
