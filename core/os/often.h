/*
 * often.h -- the state of files that are asked for again and again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_OFTEN_H
#define LUN_OS_OFTEN_H

#include "os/file.h"

/*
 * As lun_file_stat(), and never with an older answer: whatever was done to the
 * file, to any folder or link on the way to it, or to what is mounted, before
 * this is called, is seen.  On Linux folders far down may stay open meanwhile,
 * and are let go when something on the way to them changes.
 */
lun_err lun_often_stat(const char *path, lun_file_info *info);

/* How many folders are kept open so; for tests. */
size_t lun_often_count(void);

/* Lets them go. */
void lun_often_forget(void);

#endif
