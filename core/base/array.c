/*
 * array.c -- a growing array in a pool.  The room doubles; what was outgrown
 * stays in the pool until its end, at most as much again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/array.h"

#include "base/check.h"


void
lun_array_init(lun_array *a, lun_pool *pool, size_t item_size, size_t room)
{
    LUN_CHECK(item_size != 0 && room <= SIZE_MAX / 2 / item_size);

    a->items = room != 0 ? lun_pool_alloc(pool, room * item_size) : NULL;
    a->count = 0;
    a->item_size = item_size;
    a->room = room;
    a->pool = pool;
}


lun_array *
lun_array_new(lun_pool *pool, size_t item_size, size_t room)
{
    lun_array  *a = lun_pool_alloc(pool, sizeof(lun_array));

    lun_array_init(a, pool, item_size, room);
    return a;
}


static void
grow(lun_array *a, size_t need)
{
    void    *items;
    size_t   room;

    room = lun_max(lun_max(a->room * 2, need), (size_t) 4);
    LUN_CHECK(room >= need && room <= SIZE_MAX / 2 / a->item_size);

    items = lun_pool_alloc(a->pool, room * a->item_size);

    if (a->count != 0) {
        memcpy(items, a->items, a->count * a->item_size);
    }

    a->items = items;
    a->room = room;
}


void *
lun_array_push(lun_array *a)
{
    if (a->count == a->room) {
        grow(a, a->count + 1);
    }

    return memset(lun_array_at(a, a->count++), 0, a->item_size);
}


void *
lun_array_push_n(lun_array *a, size_t n)
{
    void  *items;

    if (n > a->room - a->count) {
        LUN_CHECK(n <= SIZE_MAX / 2);
        grow(a, a->count + n);
    }

    items = lun_array_at(a, a->count);
    a->count += n;

    return memset(items, 0, n * a->item_size);
}
