/*
 * file_replace.h -- a file is written anew: there is the old one, or all of the
 * new one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_FILE_REPLACE_H
#define LUN_OS_FILE_REPLACE_H

#include "os/file.h"

/*
 * Written into `aside`, which nobody else writes to at the time and which is
 * renamed then.  `flags` and `access` are a new file's, see lun_file_open().
 */
lun_err lun_file_replace(const char *path, const char *aside, lun_str text,
    unsigned flags, unsigned access);

#endif
