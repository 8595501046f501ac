/*
 * apart.h -- what a master of root's does with memory that its workers may
 * write: as their user, in a process of its own.
 *
 * Whoever takes a worker over may write anything into zones: lengths, numbers,
 * pointers.  So a master that may do more than its workers follows none of
 * them; a child that has become their user does, and where that one dies or
 * takes too long, nothing else does.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_APART_H
#define LUN_APART_H

#include "config/generation.h"

typedef lun_rc lun_apart_fn(void *data);

/*
 * Master: what `work` returns.  What it changes outside of zones is seen here
 * only where master and workers are one user, as on Windows: then it runs in
 * this process.  LUN_ERROR is logged, and known to lun_signals_last_error().
 */
lun_rc lun_apart(const lun_generation *gen, lun_apart_fn *work, void *data);

/* Whether it would be in another process. */
bool lun_apart_is_other(const lun_generation *gen);

#endif
