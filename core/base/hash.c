/*
 * hash.c -- strings to pointers: open addressing, linear probing.
 *
 * The table is at most two thirds full, and doubles.  The whole hash is kept
 * in the slot: a probe that meets another key ends at one comparison of
 * numbers, and growing does not read the keys again.  Nothing is ever taken
 * out, so there are no tombstones.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/hash.h"

#include "base/check.h"


enum { MIN_SLOTS = 8 };


static void
alloc_slots(lun_hash *h, size_t slots)
{
    h->slots = lun_pool_new_n(h->pool, lun_hash_slot, slots);
    h->mask = slots - 1;
}


void
lun_hash_init(lun_hash *h, lun_pool *pool, size_t room, bool caseless)
{
    size_t  slots;

    *h = (lun_hash) { .pool = pool, .caseless = caseless };

    if (room == 0) {
        return;
    }

    LUN_CHECK(room <= SIZE_MAX / 4 / sizeof(lun_hash_slot));

    for (slots = MIN_SLOTS; slots / 3 * 2 < room; slots *= 2) { /* void */ }

    alloc_slots(h, slots);
}


static uint64_t
hash_key(const lun_hash *h, lun_str key)
{
    return h->caseless ? lun_str_casehash(key) : lun_str_hash(key);
}


static bool
same_key(const lun_hash *h, const lun_hash_slot *slot, lun_str key)
{
    return h->caseless ? lun_str_caseeq(slot->key, key)
                       : lun_str_eq(slot->key, key);
}


/* The slot of the key, or the empty one where it would go. */
static lun_hash_slot *
find(const lun_hash *h, lun_str key, uint64_t hash)
{
    size_t          i;
    lun_hash_slot  *slot;

    for (i = hash & h->mask; /* void */ ; i = (i + 1) & h->mask) {
        slot = &h->slots[i];

        if (slot->value == NULL
            || (slot->hash == hash && same_key(h, slot, key)))
        {
            return slot;
        }
    }
}


void *
lun_hash_get(const lun_hash *h, lun_str key)
{
    return h->count != 0 ? find(h, key, hash_key(h, key))->value : NULL;
}


static void
grow(lun_hash *h)
{
    size_t          i, slots;
    lun_hash_slot  *old;

    if (h->slots == NULL) {
        alloc_slots(h, MIN_SLOTS);
        return;
    }

    old = h->slots;
    slots = h->mask + 1;
    alloc_slots(h, slots * 2);

    for (i = 0; i < slots; i++) {
        if (old[i].value != NULL) {
            *find(h, old[i].key, old[i].hash) = old[i];
        }
    }
}


/*
 * Grown before it is two thirds full: an open table needs empty slots for a
 * search to end at.
 */
static void *
put(lun_hash *h, lun_str key, void *value, bool replace)
{
    void           *there;
    uint64_t        hash;
    lun_hash_slot  *slot;

    LUN_CHECK(value != NULL);

    if (h->slots == NULL || h->count >= (h->mask + 1) / 3 * 2) {
        grow(h);
    }

    hash = hash_key(h, key);
    slot = find(h, key, hash);
    there = slot->value;

    if (there == NULL) {
        *slot = (lun_hash_slot) { .key = key, .hash = hash, .value = value };
        h->count++;

    } else if (replace) {
        slot->value = value;
    }

    return there;
}


void *
lun_hash_add(lun_hash *h, lun_str key, void *value)
{
    return put(h, key, value, false);
}


void
lun_hash_set(lun_hash *h, lun_str key, void *value)
{
    put(h, key, value, true);
}


lun_hash_slot *
lun_hash_next(const lun_hash *h, const lun_hash_slot *slot)
{
    lun_hash_slot  *s, *end;

    if (h->slots == NULL) {
        return NULL;
    }

    end = h->slots + h->mask + 1;
    s = slot != NULL ? h->slots + (slot - h->slots) + 1 : h->slots;

    for ( /* void */ ; s < end; s++) {
        if (s->value != NULL) {
            return s;
        }
    }

    return NULL;
}
