/*
 * shdict_repair.c -- a shard whose writer died in the middle.
 *
 * The entry that was being changed is taken out; everything else in the
 * chains is whole.  What is derived from the chains is made anew: maps of
 * used slots, rings, counts, and the pages that nothing leads to any more go
 * back to the pool.  Should a chain lead astray after all, the shard's
 * contents are dropped: it is a cache.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shdict_priv.h"

#include "base/log.h"
#include "shm/shdict_page.h"


static void
forget_derived(lun_shdict *d, uint32_t shard)
{
    uint32_t       i;
    shdict_page   *row;
    shdict_shard  *s = shdict_shard_at(d, shard);

    s->entries = 0;
    memset(s->classes, 0, sizeof(s->classes));

    for (i = 1; i <= d->pages; i++) {
        row = shdict_page_at(d, i);
        if (row->owner == shard + 1) {
            row->used[0] = row->used[1] = 0;
            row->used_count = 0;
        }
    }
}


/* Notes that the slot is in use. False: it cannot be, or is already. */
static bool
claim(lun_shdict *d, uint32_t shard, shdict_ref ref, size_t size)
{
    size_t        offset;
    uint32_t      page;
    unsigned      cls, slot = 0;
    uint64_t      bit;
    shdict_page  *row;

    if (!shdict_ref_fits(d, ref, size)
        || (size_t) ref * UNIT < d->pages_at)
    {
        return false;
    }

    page = shdict_page_of(d, shdict_at(d, ref));
    row = shdict_page_at(d, page);
    offset = (size_t) ((char *) shdict_at(d, ref)
                       - shdict_page_bytes(d, page));
    cls = lun_shdict_class_of(d, size);

    if (row->owner != shard + 1) {
        return false;
    }

    if (cls == CLASSES) {
        if (row->kind != PAGE_RUN || offset != 0
            || row->run != (size + PAGE_SIZE - 1) / PAGE_SIZE)
        {
            return false;
        }

    } else {
        if (row->kind != PAGE_SLOTS || row->cls != cls
            || offset % lun_shdict_class_size(d, cls) != 0)
        {
            return false;
        }
        slot = (unsigned) (offset / lun_shdict_class_size(d, cls));
    }

    bit = (uint64_t) 1 << (slot % 64);
    if (row->used[slot / 64] & bit) {
        return false;
    }

    row->used[slot / 64] |= bit;
    row->used_count++;
    return true;
}


/*
 * Every reference is doubted: who died may have written half of anything.  What
 * does not fit, or is claimed twice, ends the chain, and the rest is dropped.
 */
static bool
claim_entry(lun_shdict *d, uint32_t shard, shdict_ref ref)
{
    shdict_ref     at;
    shdict_item   *item;
    shdict_entry  *e;

    if (!shdict_ref_fits(d, ref, sizeof(shdict_entry))) {
        return false;
    }

    e = shdict_at(d, ref);

    if (e->slot_kind != SLOT_ENTRY
        || !claim(d, shard, ref, shdict_entry_room(d, e->key_len,
                                                   e->value_len)))
    {
        return false;
    }

    if (e->type == LUN_SHDICT_LIST) {
        at = ((shdict_list *) shdict_value(e))->first;

        for (; at != 0; at = item->next) {
            if (!shdict_ref_fits(d, at, sizeof(shdict_item))) {
                return false;
            }
            item = shdict_at(d, at);
            if (!claim(d, shard, at, shdict_item_room(d, item->value_len))) {
                return false;
            }
        }
    }

    shdict_shard_at(d, shard)->entries++;
    return true;
}


/* A list that its writer had made, or had emptied, and then died. */
static bool
is_empty_list(const lun_shdict *d, shdict_ref ref)
{
    const shdict_entry  *e = shdict_at(d, ref);

    return e->type == LUN_SHDICT_LIST
           && ((const shdict_list *) shdict_value(e))->count == 0;
}


/* What a small zone keeps for nothing. */
static void
claim_reserved(lun_shdict *d, uint32_t shard)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(d->reserved); i++) {
        if (d->reserved[i].ref != 0) {
            (void) claim(d, shard, d->reserved[i].ref, d->reserved[i].size);
        }
    }
}


/* Walks all chains, leaving out the entry that was being changed. */
static bool
claim_all(lun_shdict *d, uint32_t shard, shdict_ref intent)
{
    uint32_t             i;
    shdict_ref           ref, next;
    shdict_entry        *prev;
    _Atomic shdict_ref  *bucket;

    for (i = 0; i < d->buckets; i++) {
        bucket = shdict_bucket(d, shard, i);
        prev = NULL;
        ref = atomic_load(bucket);

        for (; ref != 0; ref = next) {
            if (!shdict_ref_fits(d, ref, sizeof(shdict_entry)
                                         + sizeof(shdict_list)))
            {
                return false;
            }

            next = ((shdict_entry *) shdict_at(d, ref))->next;

            if (ref == intent || is_empty_list(d, ref)) {
                if (prev == NULL) {
                    atomic_store(bucket, next);
                } else {
                    prev->next = next;
                }
                continue;
            }

            if (!claim_entry(d, shard, ref)) {
                return false;
            }

            prev = shdict_at(d, ref);
        }
    }

    return true;
}


static void
rebuild_rings(lun_shdict *d, uint32_t shard)
{
    uint32_t       i;
    shdict_page   *row;
    shdict_class  *c;

    for (i = 1; i <= d->pages; i++) {
        row = shdict_page_at(d, i);

        if (row->owner != shard + 1) {
            continue;
        }

        if (row->kind == PAGE_RUN && row->used_count != 0) {
            i += row->run - 1;         /* the rest of it is in use too */
            continue;
        }

        if (row->kind == PAGE_SLOTS && row->used_count != 0) {
            c = &shdict_shard_at(d, shard)->classes[row->cls];
            lun_shdict_ring_add(d, c, i);
            c->free_slots += (uint32_t) (lun_shdict_slots(d, row->cls)
                                         - row->used_count);
            continue;
        }

        lun_shdict_pool_give(d, i, 1);
    }
}


static void
drop_all(lun_shdict *d, uint32_t shard)
{
    uint32_t  i;

    for (i = 0; i < d->buckets; i++) {
        atomic_store(shdict_bucket(d, shard, i), 0);
    }

    forget_derived(d, shard);
}


void
lun_shdict_repair(lun_shdict *d, uint32_t shard)
{
    bool           whole;
    shdict_shard  *s = shdict_shard_at(d, shard);

    forget_derived(d, shard);

    whole = claim_all(d, shard, s->intent);
    if (!whole) {
        drop_all(d, shard);
    }

    claim_reserved(d, shard);
    rebuild_rings(d, shard);
    s->intent = 0;

    lun_log(whole ? LUN_LOG_NOTICE : LUN_LOG_ALERT, NULL, 0,
            whole ? "shared dictionary: the unfinished write of a dead "
                    "process in shard %u was undone, %u entries kept"
                  : "shared dictionary: shard %u was damaged by a dead "
                    "process and is dropped, %u entries kept",
            shard, s->entries);
}
