/*
 * log_rotate.h -- what log_file.c asks of log_rotate.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_ROTATE_H
#define LUN_LOG_ROTATE_H

#include "config/generation.h"

/* The file has been opened: it starts to count. */
void lun_log_rotation_opened(lun_log_file *f);

/* Before `len` bytes are written: puts the file aside if that is due. */
void lun_log_rotate(lun_log_file *f, size_t len);

/* Opens it anew; what can't be is said, and written on under its old name. */
lun_rc lun_log_file_reopen(lun_log_file *f);

#endif
