/*
 * file_priv.h -- for the files of this folder.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POSIX_FILE_PRIV_H
#define LUN_POSIX_FILE_PRIV_H

#include <sys/stat.h>

#include "os/file.h"

/* What open(2) calls the flags of lun_file_open(). */
int lun_file_open_flags(unsigned flags);

/*
 * Of a file that is read past the page cache, as pread(2): the part of a block
 * that was asked for.  EINVAL for any other file.
 */
ssize_t lun_direct_read_block(int fd, char *buf, size_t size, int64_t at);

void lun_file_fill_info(const struct stat *st, lun_file_info *info);

#endif
