/*
 * array.h -- a growing array in a pool.
 *
 *     lun_array  servers;
 *     lun_array_init(&servers, pool, sizeof(server), 4);
 *     server *s = lun_array_push(&servers);
 *
 * Growing moves the items: keep indexes or pointers to pointers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ARRAY_H
#define LUN_ARRAY_H

#include "base/pool.h"

typedef struct {
    void      *items;
    size_t     count;
    size_t     item_size;
    size_t     room;
    lun_pool  *pool;
} lun_array;

void lun_array_init(lun_array *a, lun_pool *pool, size_t item_size,
    size_t room);
lun_array *lun_array_new(lun_pool *pool, size_t item_size, size_t room);

/* The new last item(s), zeroed. */
void *lun_array_push(lun_array *a);
void *lun_array_push_n(lun_array *a, size_t n);

static inline void *
lun_array_at(const lun_array *a, size_t i)
{
    return (char *) a->items + i * a->item_size;
}

#endif
