/*
 * leftovers.h -- what a worker that quits has begun and not ended.
 *
 * Whatever is acquired has an owner that ends it.  A worker whose last request
 * is over has every end behind it, and can look whether that is so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LEFTOVERS_H
#define LUN_LEFTOVERS_H

#include "config/generation.h"

/* A worker begins to serve: from now on what it acquires is counted. */
void lun_leftovers_begin(void);

/* It has quit, in peace: the end of the last generation is to tell. */
void lun_leftovers_expect_none(void);

/*
 * At the end of a generation, when only its logs and its memory are left: an
 * [alert] if that was expected to be all, and is not.
 */
void lun_leftovers_tell(const lun_generation *gen);

#endif
