/*
 * master.h -- the process that holds the listeners and looks after workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MASTER_H
#define LUN_MASTER_H

#include "config/generation.h"
#include "run/options.h"

/*
 * Runs a generation that is open until a word ends it; the exit status.
 * The generation is the master's from then on.
 */
int lun_master_run(lun_generation *gen, const lun_options *o);

#endif
