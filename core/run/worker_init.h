/*
 * worker_init.h -- a process takes its place: environment, rights, limits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WORKER_INIT_H
#define LUN_WORKER_INIT_H

#include "config/generation.h"

/* `env`: nothing of the environment stays that is not listed. */
void lun_worker_init_env(const lun_generation *gen);

/*
 * A worker's limits, user, processor and folder, in that order.  What fails
 * is logged; only a user that we can't become is fatal.  An agent keeps the
 * master's user, and is tied to no processor.
 */
lun_rc lun_worker_init(const lun_generation *gen, unsigned number);

#endif
