/*
 * links.h -- opening a file without following symbolic links.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_LINKS_H
#define LUN_OS_LINKS_H

#include "os/file.h"

typedef enum {
    LUN_LINKS_FOLLOW,
    LUN_LINKS_OWNER,               /* only to what has the link's owner */
    LUN_LINKS_REFUSE
} lun_links;

/*
 * As lun_file_open_under(), for a path that may lead through links only up to
 * byte `from`: a slash, or 0 for none at all.  LUN_ERR_LINK: the file is one
 * that may not be followed.  A folder on the way that is one: the same, or
 * LUN_ERR_NOT_DIR.
 *
 * Windows asks for the open file's own name and has no owners to compare:
 * there OWNER is REFUSE, and a junction or a mount point is a link as well.
 */
lun_err lun_links_open(const lun_native_path *native, const char *path,
    size_t from, lun_links links, unsigned flags, unsigned access,
    lun_fd *fd);

#endif
