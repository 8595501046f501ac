/*
 * ffi_lrucache.c -- which entry a key has, and in what order they were used,
 * for lua/resty/lrucache.lua.
 *
 * A trace of LuaJIT's that finds a key and one that doesn't take turns, and
 * each does what led to the question again; a call of C is made once.
 *
 * Keys are Lua's strings, which are the same if they are at the same place:
 * Lua keeps those that are in here.  All memory is Lua's, and zeroed at the
 * beginning.  Entry 0 is the ends of a ring of those in use, the latest first;
 * a chain of a bucket ends with it, and so do the free ones.  Nothing here
 * yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include "os/clock.h"

/* lrucache.lua has both. */
typedef struct {
    double       expires;          /* 0: never */
    const char  *key;              /* NULL: it is no string */
    uint32_t     flags;
    int32_t      prev, next;
    int32_t      chain;            /* the next of its bucket */
} lun_lrucache_entry;

typedef struct {
    lun_lrucache_entry  *entries;
    int32_t             *buckets;
    uint32_t             mask;     /* of buckets, less one */
    int32_t              count;    /* in use */
    int32_t              free;     /* the first, by `next`; 0: none */
} lun_lrucache;

LUN_EXPORT int lun_ffi_lru_get(lun_lrucache *lru, const char *key);
LUN_EXPORT int lun_ffi_lru_use(lun_lrucache *lru, int n);
LUN_EXPORT int lun_ffi_lru_find(const lun_lrucache *lru, const char *key);
LUN_EXPORT int lun_ffi_lru_take(lun_lrucache *lru, const char *key);
LUN_EXPORT void lun_ffi_lru_give(lun_lrucache *lru, int n);


/* Addresses of strings are multiples of 8, and close to each other. */
static int32_t *
bucket_of(const lun_lrucache *lru, const char *key)
{
    uint64_t  hash = (uint64_t) (uintptr_t) key * UINT64_C(0x9e3779b97f4a7c15);

    return &lru->buckets[(uint32_t) (hash >> 32) & lru->mask];
}


int
lun_ffi_lru_find(const lun_lrucache *lru, const char *key)
{
    int32_t  n = *bucket_of(lru, key);

    while (n != 0 && lru->entries[n].key != key) {
        n = lru->entries[n].chain;
    }

    return n;
}


static void
take_out(lun_lrucache_entry *entries, int32_t n)
{
    const lun_lrucache_entry  *e = &entries[n];

    entries[e->prev].next = e->next;
    entries[e->next].prev = e->prev;
}


static void
put_first(lun_lrucache_entry *entries, int32_t n)
{
    int32_t  first = entries[0].next;

    entries[n].prev = 0;
    entries[n].next = first;
    entries[first].prev = n;
    entries[0].next = n;
}


/* It is the latest now.  n, or -n: it has expired. */
int
lun_ffi_lru_use(lun_lrucache *lru, int n)
{
    double  expires = lru->entries[n].expires;

    if (lru->entries[0].next != n) {
        take_out(lru->entries, n);
        put_first(lru->entries, n);
    }

    return expires != 0 && expires < (double) lun_clock.sec
                                     + (double) lun_clock.msec / 1000 ? -n : n;
}


/* The same of a key; 0: it is not there. */
int
lun_ffi_lru_get(lun_lrucache *lru, const char *key)
{
    int32_t  n = lun_ffi_lru_find(lru, key);

    return n != 0 ? lun_ffi_lru_use(lru, n) : 0;
}


/* Its key is not looked for any more. */
static void
forget(lun_lrucache *lru, int32_t n)
{
    int32_t                   *at;
    const lun_lrucache_entry  *e = &lru->entries[n];

    if (e->key == NULL) {
        return;
    }

    for (at = bucket_of(lru, e->key); *at != n; at = &lru->entries[*at].chain) {
        /* It is in there. */
    }

    *at = e->chain;
}


/* A free entry, or that of whoever has to go; the latest.  `key` or NULL. */
int
lun_ffi_lru_take(lun_lrucache *lru, const char *key)
{
    int32_t              n = lru->free, *bucket;
    lun_lrucache_entry  *entries = lru->entries;

    if (n != 0) {
        lru->free = entries[n].next;
        lru->count++;

    } else {
        n = entries[0].prev;
        forget(lru, n);
        take_out(entries, n);
    }

    put_first(entries, n);
    entries[n].key = key;

    if (key != NULL) {
        bucket = bucket_of(lru, key);
        entries[n].chain = *bucket;
        *bucket = n;
    }

    return n;
}


/* It is free. */
void
lun_ffi_lru_give(lun_lrucache *lru, int n)
{
    forget(lru, n);
    take_out(lru->entries, n);
    lru->entries[n].key = NULL;
    lru->entries[n].next = lru->free;
    lru->free = n;
    lru->count--;
}
