/*
 * shdict_page.h -- pages and slots of a dictionary.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SHDICT_PAGE_H
#define LUN_SHDICT_PAGE_H

#include "shm/shdict_priv.h"

/* Bytes before an entry's key and value, and an item's value, in nginx's. */
enum { SLAB_ENTRY = 68, SLAB_ITEM = 21 };

/* Bytes that a slot is chosen by: those of what it holds, or more. */
static inline size_t
shdict_entry_room(const lun_shdict *d, size_t key_len, size_t value_len)
{
    return (d->small ? (size_t) SLAB_ENTRY : sizeof(shdict_entry))
           + key_len + value_len + (d->feed_at != 0 ? sizeof(uint64_t) : 0);
}

static inline size_t
shdict_item_room(const lun_shdict *d, size_t value_len)
{
    return (d->small ? (size_t) SLAB_ITEM : sizeof(shdict_item)) + value_len;
}

/* The class whose slots hold `size` bytes; CLASSES: it takes whole pages. */
unsigned lun_shdict_class_of(const lun_shdict *d, size_t size);
size_t lun_shdict_class_size(const lun_shdict *d, unsigned cls);
/* Slots of a page; those of a class that there is not: none. */
size_t lun_shdict_slots(const lun_shdict *d, unsigned cls);

/*
 * Room for an entry or item of the shard, or 0.  Takes pages from the pool,
 * evicts nothing.
 */
shdict_ref lun_shdict_take(lun_shdict *d, uint32_t shard, size_t size);
void lun_shdict_give(lun_shdict *d, uint32_t shard, shdict_ref ref,
    size_t size);

/* Puts a page into its class's ring. */
void lun_shdict_ring_add(lun_shdict *d, shdict_class *c, uint32_t page);

/* Returns pages to the pool. */
void lun_shdict_pool_give(lun_shdict *d, uint32_t page, uint32_t count);
void lun_shdict_pool_lock(lun_shdict *d);
void lun_shdict_pool_unlock(lun_shdict *d);

void lun_shdict_mark(const lun_shdict *d, shdict_ref ref);

#endif
