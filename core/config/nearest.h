/*
 * nearest.h -- names that may be meant by one that nobody knows: few letters
 * make the difference, one for each four, swapped neighbours counting as one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_NEAREST_H
#define LUN_NEAREST_H

#include "base/pool.h"
#include "base/str.h"

enum { LUN_NEAREST_MOST = 3 };

/* The best so far, the nearest first; between equals, by name. */
typedef struct {
    lun_str  wanted;
    size_t   count;
    lun_str  names[LUN_NEAREST_MOST];
    size_t   distances[LUN_NEAREST_MOST];
} lun_nearest;

void lun_nearest_init(lun_nearest *n, lun_str wanted);

/* Kept if it is near enough, and not there yet; the text is the caller's. */
void lun_nearest_try(lun_nearest *n, lun_str name);

/*
 * `did you mean "a" or "b"?`, with `sign` before each name, in the pool; empty
 * if there is none.
 */
lun_str lun_nearest_text(const lun_nearest *n, lun_pool *pool,
    const char *sign);

#endif
