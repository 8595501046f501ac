/*
 * radix.h -- values by the first bits of a key; the longest that fits counts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RADIX_H
#define LUN_RADIX_H

#include "base/pool.h"

typedef struct lun_radix_node  lun_radix_node;

typedef struct {
    lun_pool        *pool;
    lun_radix_node  *root;
} lun_radix;

void lun_radix_init(lun_radix *t, lun_pool *pool);

/* The value of the first `bits` bits: NULL at first, and again to take it
   away. */
const void **lun_radix_slot(lun_radix *t, const uint8_t *key, unsigned bits);

/* Of the longest that the `bits` of key begin with; NULL: of none. */
const void *lun_radix_find(const lun_radix *t, const uint8_t *key,
    unsigned bits);

#endif
