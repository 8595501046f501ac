/*
 * direct.h -- how an open file is read: past the page cache, or ahead.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_DIRECT_H
#define LUN_OS_DIRECT_H

#include "os/file.h"

/* Whether files can be read past the page cache here. */
bool lun_direct_is_there(void);

/*
 * The open file is read past the page cache from now on.  lun_file_read()
 * still takes any size and offset, but costs less where memory, size and
 * offset are multiples of the disk's blocks.
 */
lun_err lun_direct_set(lun_fd fd);

/* The file will be read from its beginning on; where the system cares. */
void lun_direct_read_ahead(lun_fd fd);

#endif
