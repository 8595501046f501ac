/*
 * lru.c -- see lru.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/lru.h"

#include "base/check.h"
#include "base/pool.h"


enum { LEAST = 16, MOST = 64 * 1024 };


static void
make_table(lun_lru *t, size_t most)
{
    size_t  n = LEAST;

    while (n < most && n < MOST) {
        n *= 2;
    }

    t->buckets = lun_calloc(n * sizeof(lun_lru_entry *));
    t->mask = n - 1;
    lun_list_init(&t->recent);
}


void
lun_lru_add(lun_lru *t, lun_lru_entry *e, lun_str name, uint64_t hash,
    size_t most)
{
    lun_lru_entry  **bucket;

    LUN_CHECK(!e->kept);

    if (t->buckets == NULL) {
        make_table(t, most);
    }

    bucket = &t->buckets[hash & t->mask];
    e->name = name;
    e->hash = hash;
    e->next = *bucket;
    *bucket = e;
    lun_list_push_front(&t->recent, &e->link);
    e->kept = true;
    t->count++;
}


void
lun_lru_remove(lun_lru *t, lun_lru_entry *e)
{
    lun_lru_entry  **at;

    LUN_CHECK(e->kept);

    for (at = &t->buckets[e->hash & t->mask]; *at != e; at = &(*at)->next) {
        /* void */
    }

    *at = e->next;
    lun_list_remove(&e->link);
    e->kept = false;
    t->count--;
}


void
lun_lru_fini(lun_lru *t)
{
    LUN_CHECK(t->count == 0);
    lun_free(t->buckets);
    t->buckets = NULL;
}
