/*
 * shdict_books.h -- whether what a dictionary says of its pages is so: every
 * used slot belongs to one entry or item that its chain leads to, counts and
 * rings are right, the rest is free.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SHDICT_BOOKS_H
#define LUN_SHDICT_BOOKS_H

#include <stdlib.h>

#include "base/check.h"
#include "shm/shdict_page.h"


/* Counts a slot, once, in the page that has to own it. */
static void
count_slot(lun_shdict *d, uint8_t *seen, uint32_t shard, const void *slot,
    size_t size)
{
    uint32_t      page = shdict_page_of(d, slot);
    unsigned      at, cls = lun_shdict_class_of(d, size);
    shdict_page  *row;

    LUN_CHECK(page >= 1 && page <= d->pages);
    row = shdict_page_at(d, page);
    LUN_CHECK(row->owner == shard + 1);

    if (cls == CLASSES) {
        LUN_CHECK(row->kind == PAGE_RUN && row->run * PAGE_SIZE >= size);
        LUN_CHECK((const char *) slot == shdict_page_bytes(d, page));
        LUN_CHECK(page + row->run - 1 <= d->pages);
        at = 0;

    } else {
        LUN_CHECK(row->kind == PAGE_SLOTS && row->cls == cls);
        at = (unsigned) ((size_t) ((const char *) slot
                         - shdict_page_bytes(d, page))
                         / lun_shdict_class_size(d, cls));
        LUN_CHECK(row->used[at / 64] >> (at % 64) & 1);
    }

    LUN_CHECK(seen[shdict_ref_of(d, slot)]++ == 0);
    seen[shdict_ref_of(d, shdict_page_bytes(d, page)) + 1]++;
}


static void
count_list(lun_shdict *d, uint8_t *seen, uint32_t shard, const shdict_entry *e)
{
    uint32_t            n = 0;
    shdict_ref          ref, prev = 0;
    const shdict_item  *item;
    const shdict_list  *list = (const shdict_list *) shdict_value(e);

    for (ref = list->first; ref != 0; ref = item->next) {
        item = shdict_at(d, ref);
        LUN_CHECK(item->slot_kind == SLOT_ITEM && item->prev == prev);
        count_slot(d, seen, shard, item,
                   shdict_item_room(d, item->value_len));
        prev = ref;
        n++;
    }

    LUN_CHECK(n == list->count && list->last == prev && n != 0);
}


static void
count_shard(lun_shdict *d, uint8_t *seen, uint32_t shard)
{
    uint32_t             i, n = 0;
    shdict_ref           ref;
    const shdict_entry  *e;

    for (i = 0; i < d->buckets; i++) {
        ref = atomic_load(shdict_bucket(d, shard, i));

        for (; ref != 0; ref = e->next) {
            e = shdict_at(d, ref);
            LUN_CHECK(e->slot_kind == SLOT_ENTRY);
            LUN_CHECK((e->hash & (d->buckets - 1)) == i);
            count_slot(d, seen, shard, e,
                       shdict_entry_room(d, e->key_len, e->value_len));

            if (e->type == LUN_SHDICT_LIST) {
                count_list(d, seen, shard, e);
            }

            n++;
        }
    }

    LUN_CHECK(n == shdict_shard_at(d, shard)->entries);
}


static void
check_ring(lun_shdict *d, uint32_t shard, unsigned cls)
{
    uint32_t            page, n = 0, slots = 0;
    const shdict_page  *row;
    const shdict_class *c = &shdict_shard_at(d, shard)->classes[cls];

    for (page = c->hand; page != 0 && n < c->pages; page = row->next) {
        row = shdict_page_at(d, page);
        LUN_CHECK(row->owner == shard + 1 && row->kind == PAGE_SLOTS
                  && row->cls == cls);
        LUN_CHECK(shdict_page_at(d, row->next)->prev == page);
        slots += (uint32_t) lun_shdict_slots(d, cls) - row->used_count;
        n++;
    }

    LUN_CHECK(n == c->pages && page == c->hand && slots == c->free_slots);
}


/*
 * seen[ref] of a slot; the second unit of a page is inside of its first slot
 * (none is smaller than two units), and counts the page's.
 */
static void
check_books(lun_shdict *d)
{
    unsigned      cls;
    uint32_t      i, unowned = 0, run = 0;
    uint8_t      *seen = calloc(d->limit + 1, 1);
    shdict_page  *row;

    for (i = 0; i < d->shards; i++) {
        count_shard(d, seen, i);

        for (cls = 0; cls < CLASSES; cls++) {
            check_ring(d, i, cls);
        }
    }

    for (i = 0; i < LUN_ARRAY_LEN(d->reserved); i++) {
        if (d->reserved[i].ref != 0) {
            count_slot(d, seen, 0, shdict_at(d, d->reserved[i].ref),
                       d->reserved[i].size);
        }
    }

    for (i = 1; i <= d->pages; i++) {
        row = shdict_page_at(d, i);
        unowned += row->owner == 0;

        if (row->owner != 0 && row->kind == PAGE_RUN_REST) {
            LUN_CHECK(run-- > 0);
            continue;
        }

        LUN_CHECK(run == 0);

        if (row->owner != 0) {
            run = row->kind == PAGE_RUN ? row->run - 1 : 0;
            LUN_CHECK(row->used_count
                      == seen[shdict_ref_of(d, shdict_page_bytes(d, i)) + 1]);
        }
    }

    LUN_CHECK(run == 0 && unowned == atomic_load(&d->free_pages));
    free(seen);
}

#endif
