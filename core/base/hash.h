/*
 * hash.h -- a hash table from strings to pointers: open addressing, grows,
 * linear in time and memory for any number of keys.
 *
 * Keys are views: they must live as long as the table.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HASH_H
#define LUN_HASH_H

#include "base/pool.h"

typedef struct {
    lun_str    key;
    uint64_t   hash;
    void      *value;              /* NULL: an empty slot */
} lun_hash_slot;

typedef struct {
    lun_hash_slot  *slots;
    size_t          mask;          /* slots - 1, a power of two */
    size_t          count;
    lun_pool       *pool;
    bool            caseless;
} lun_hash;

/* `room`: expected number of keys, 0 allocates at the first put. */
void lun_hash_init(lun_hash *h, lun_pool *pool, size_t room, bool caseless);

/* The value, or NULL. */
void *lun_hash_get(const lun_hash *h, lun_str key);


/*
 * Adds key -> value (value not NULL).  Returns NULL, or the value that is
 * there already, which stays.
 */
void *lun_hash_add(lun_hash *h, lun_str key, void *value);

/* Adds or replaces. */
void lun_hash_set(lun_hash *h, lun_str key, void *value);

/* for (slot = NULL; (slot = lun_hash_next(h, slot)); ) -- in no order. */
lun_hash_slot *lun_hash_next(const lun_hash *h, const lun_hash_slot *slot);

#endif
