/*
 * lru.h -- an intrusive table of names, in the order of their last use.
 *
 *     lun_lru  files;          zeroed, it is empty
 *     struct file { lun_lru_entry  names; ... };
 *
 * How many there may be, and for how long, is the owner's to say: who adds one
 * forgets the oldest before.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LRU_H
#define LUN_LRU_H

#include "base/list.h"
#include "base/str.h"

typedef struct lun_lru_entry  lun_lru_entry;
struct lun_lru_entry {
    lun_list        link;          /* by last use */
    lun_lru_entry  *next;          /* in its bucket */
    uint64_t        hash;
    lun_str         name;          /* the owner's, for as long as it is in */
    bool            kept;          /* in the table */
};

typedef struct {
    lun_lru_entry  **buckets;      /* NULL: none has been added yet */
    size_t           mask;
    lun_list         recent;       /* the latest in front */
    size_t           count;
} lun_lru;

/* The table is made for `most` entries with the first of them. */
void lun_lru_add(lun_lru *t, lun_lru_entry *e, lun_str name, uint64_t hash,
    size_t most);
void lun_lru_remove(lun_lru *t, lun_lru_entry *e);

/* Of an empty one: gives back what the table took. */
void lun_lru_fini(lun_lru *t);

/* `hash` is lun_str_hash(name).  NULL: there is none. */
static inline lun_lru_entry *
lun_lru_find(const lun_lru *t, lun_str name, uint64_t hash)
{
    lun_lru_entry  *e;

    e = t->buckets != NULL ? t->buckets[hash & t->mask] : NULL;

    while (e != NULL && (e->hash != hash || !lun_str_eq(e->name, name))) {
        e = e->next;
    }

    return e;
}

/* It has been used just now. */
static inline void
lun_lru_touch(lun_lru *t, lun_lru_entry *e)
{
    if (t->recent.next != &e->link) {
        lun_list_remove(&e->link);
        lun_list_push_front(&t->recent, &e->link);
    }
}

/* NULL: there is none. */
static inline lun_lru_entry *
lun_lru_oldest(const lun_lru *t)
{
    return t->count == 0 ? NULL
           : lun_container_of(t->recent.prev, lun_lru_entry, link);
}

#endif
