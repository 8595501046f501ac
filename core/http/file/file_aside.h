/*
 * file_aside.h -- files that are written beside the one whose place they take
 * when they are complete.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_FILE_ASIDE_H
#define LUN_HTTP_FILE_ASIDE_H

#include "config/conf.h"
#include "os/file.h"

/* "user:rw group:r all:r" as the digits of a mode: an int64_t. */
lun_set_fn  lun_set_access;

/* What a folder needs beside what a file in it has: to be entered. */
unsigned lun_folder_access(unsigned access);
/* Makes those that are missing on the way to a file. */
lun_err lun_folders_make(lun_pool *pool, lun_str path, unsigned access);

/*
 * A new file beside `path`, which it replaces when it is complete; until then,
 * or if it never is, its name is `temp`, of the pool.  The second form makes
 * the folders that are missing on the way.
 */
lun_err lun_file_aside(lun_pool *pool, lun_str path, unsigned access,
    lun_fd *fd, lun_str *temp);
lun_err lun_file_aside_below(lun_pool *pool, lun_str path, unsigned access,
    lun_fd *fd, lun_str *temp);

#endif
