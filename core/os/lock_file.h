/*
 * claim.h -- a file that says whose something is: only one process has it at a
 * time, and none after its end, however that comes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_CLAIM_H
#define LUN_OS_CLAIM_H

#include "os/file.h"

/*
 * Makes the file, if there is none, and claims it until lun_claim_end(), which
 * the caller owes.  LUN_ERR_BUSY: somebody has it.
 */
lun_err lun_claim(const char *path, lun_fd *claim);
/* The file goes. */
void lun_claim_end(const char *path, lun_fd claim);

#endif
