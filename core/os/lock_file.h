/*
 * lock_file.h -- a file that says whose something is: only one process has it
 * at a time, and none after its end, however that comes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_LOCK_FILE_H
#define LUN_OS_LOCK_FILE_H

#include "os/file.h"

/*
 * Makes the file, if there is none, and takes it until lun_lock_file_drop(),
 * which the caller owes.  LUN_ERR_BUSY: somebody has it.
 */
lun_err lun_lock_file_take(const char *path, lun_fd *lock);
/* The file goes. */
void lun_lock_file_drop(const char *path, lun_fd lock);

#endif
