/*
 * shdict_page.c -- the page pool of a dictionary, and the slots of a shard.
 *
 * The pool has no free list: who owns a page stands in its row, and a search
 * walks the rows from where the last one ended.  So there is nothing in it
 * that a killed process could leave half-done, except for a count.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shdict_page.h"

#include "base/check.h"

static const uint16_t  class_size[CLASSES] = {
    32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512,
    576, 672, 816, 1024, 1360, 2048
};

/* Of small zones: powers of two. */
enum { SLAB_FIRST = 32, SLAB_CLASSES = 7 };

_Static_assert(PAGE_SIZE / 32 <= 128, "a page's map has 128 bits");


unsigned
lun_shdict_class_of(const lun_shdict *d, size_t size)
{
    unsigned  lo = 0, hi = d->small ? SLAB_CLASSES : CLASSES, mid;

    while (lo < hi) {
        mid = (lo + hi) / 2;
        if (lun_shdict_class_size(d, mid) < size) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }

    return lo == SLAB_CLASSES && d->small ? CLASSES : lo;
}


size_t
lun_shdict_class_size(const lun_shdict *d, unsigned cls)
{
    return d->small ? (size_t) SLAB_FIRST << cls : class_size[cls];
}


/* A slab's page of the smallest slots has its map in one of them. */
size_t
lun_shdict_slots(const lun_shdict *d, unsigned cls)
{
    if (!d->small) {
        return PAGE_SIZE / class_size[cls];
    }

    return cls >= SLAB_CLASSES ? 0
           : PAGE_SIZE / ((size_t) SLAB_FIRST << cls) - (cls == 0);
}


static void
recount(lun_shdict *d)
{
    uint32_t  i, n = 0;

    for (i = 1; i <= d->pages; i++) {
        n += shdict_page_at(d, i)->owner == 0;
    }

    atomic_store(&d->free_pages, n);
    d->pool_dirty = 0;
}


void
lun_shdict_pool_lock(lun_shdict *d)
{
    (void) lun_lock_take(&d->pool_lock);

    if (d->pool_dirty) {
        recount(d);
    }

    d->pool_dirty = 1;
    atomic_thread_fence(memory_order_release);
}


void
lun_shdict_pool_unlock(lun_shdict *d)
{
    atomic_thread_fence(memory_order_release);
    d->pool_dirty = 0;
    lun_lock_free(&d->pool_lock);
}


/* The first page of a run of `count` free ones, or 0. */
static uint32_t
search(const lun_shdict *d, uint32_t from, uint32_t to, uint32_t count)
{
    uint32_t  i, n = 0;

    for (i = from; i <= to; i++) {
        n = shdict_page_at(d, i)->owner == 0 ? n + 1 : 0;
        if (n == count) {
            return i - count + 1;
        }
    }

    return 0;
}


/*
 * Next fit, and a second look from the start: pages that were given back lately
 * are taken last.
 */
static uint32_t
pool_take(lun_shdict *d, uint32_t shard, uint32_t count, uint8_t kind)
{
    uint32_t      i, first;
    shdict_page  *page;

    if (atomic_load_explicit(&d->free_pages, memory_order_relaxed) < count) {
        return 0;
    }

    lun_shdict_pool_lock(d);

    first = search(d, d->next_fit, d->pages, count);
    if (first == 0) {
        first = search(d, 1, d->pages, count);
    }

    if (first != 0) {
        for (i = first; i < first + count; i++) {
            page = shdict_page_at(d, i);
            page->kind = i == first ? kind : PAGE_RUN_REST;
            page->run = count;
            page->used_count = 0;
            page->used[0] = page->used[1] = 0;
            atomic_store(&page->mark[0], 0);
            atomic_store(&page->mark[1], 0);
            page->owner = (uint16_t) (shard + 1);
        }

        atomic_fetch_sub(&d->free_pages, count);
        d->next_fit = first + count <= d->pages ? first + count : 1;
    }

    lun_shdict_pool_unlock(d);
    return first;
}


void
lun_shdict_pool_give(lun_shdict *d, uint32_t page, uint32_t count)
{
    uint32_t      i;
    shdict_page  *row;

    lun_shdict_pool_lock(d);

    for (i = page; i < page + count; i++) {
        row = shdict_page_at(d, i);
        row->kind = PAGE_FREE;
        row->owner = 0;
    }

    atomic_fetch_add(&d->free_pages, count);
    lun_shdict_pool_unlock(d);
}


void
lun_shdict_ring_add(lun_shdict *d, shdict_class *c, uint32_t page)
{
    shdict_page  *row = shdict_page_at(d, page), *hand;

    if (c->hand == 0) {
        row->next = row->prev = page;
        c->hand = page;
        c->slot = 0;

    } else {
        /* Behind the hand: the newest is the last to be looked at. */
        hand = shdict_page_at(d, c->hand);
        row->next = c->hand;
        row->prev = hand->prev;
        shdict_page_at(d, row->prev)->next = page;
        hand->prev = page;
    }

    c->pages++;
}


static void
ring_drop(lun_shdict *d, shdict_class *c, uint32_t page)
{
    shdict_page  *row = shdict_page_at(d, page);

    shdict_page_at(d, row->prev)->next = row->next;
    shdict_page_at(d, row->next)->prev = row->prev;

    if (c->hand == page) {
        c->hand = row->next == page ? 0 : row->next;
        c->slot = 0;
    }

    if (c->avail == page) {
        c->avail = 0;
    }

    c->pages--;
}


/* A page of the class with a free slot, or 0. */
static uint32_t
page_with_room(lun_shdict *d, uint32_t shard, unsigned cls)
{
    size_t         slots = lun_shdict_slots(d, cls);
    uint32_t       page;
    shdict_page   *row;
    shdict_class  *c = &shdict_shard_at(d, shard)->classes[cls];

    if (c->avail != 0
        && shdict_page_at(d, c->avail)->used_count < slots)
    {
        return c->avail;
    }

    if (c->free_slots != 0) {
        for (page = c->hand; ; page = shdict_page_at(d, page)->next) {
            if (shdict_page_at(d, page)->used_count < slots) {
                c->avail = page;
                return page;
            }
        }
    }

    page = pool_take(d, shard, 1, PAGE_SLOTS);
    if (page == 0) {
        return 0;
    }

    row = shdict_page_at(d, page);
    row->cls = (uint8_t) cls;
    lun_shdict_ring_add(d, c, page);
    c->free_slots += (uint32_t) slots;
    c->avail = page;

    return page;
}


/* Only as many bits of the map count as the page has slots. */
static unsigned
free_slot(const shdict_page *row, size_t slots)
{
    if (~row->used[0] != 0) {
        return (unsigned) __builtin_ctzll(~row->used[0]);
    }

    LUN_CHECK(slots > 64 && ~row->used[1] != 0);
    return 64 + (unsigned) __builtin_ctzll(~row->used[1]);
}


/* What the slot held before must not pass for an entry until it is one. */
static shdict_ref
blank(lun_shdict *d, char *slot)
{
    *(uint8_t *) slot = 0;
    return shdict_ref_of(d, slot);
}


static shdict_ref
take_run(lun_shdict *d, uint32_t shard, size_t size)
{
    uint32_t      page, count;
    shdict_page  *row;

    count = (uint32_t) ((size + PAGE_SIZE - 1) / PAGE_SIZE);

    page = pool_take(d, shard, count, PAGE_RUN);
    if (page == 0) {
        return 0;
    }

    row = shdict_page_at(d, page);
    row->used[0] = 1;
    row->used_count = 1;
    atomic_store_explicit(&row->mark[0], 0, memory_order_relaxed);

    return blank(d, shdict_page_bytes(d, page));
}


shdict_ref
lun_shdict_take(lun_shdict *d, uint32_t shard, size_t size)
{
    unsigned       cls, slot;
    uint32_t       page;
    shdict_page   *row;
    shdict_class  *c;

    cls = lun_shdict_class_of(d, size);
    if (cls == CLASSES) {
        return take_run(d, shard, size);
    }

    page = page_with_room(d, shard, cls);
    if (page == 0) {
        return 0;
    }

    row = shdict_page_at(d, page);
    slot = free_slot(row, lun_shdict_slots(d, cls));
    LUN_CHECK(slot < lun_shdict_slots(d, cls));

    row->used[slot / 64] |= (uint64_t) 1 << (slot % 64);
    row->used_count++;

    /* Nobody has read it: what was read goes later than what only came. */
    atomic_fetch_and_explicit(&row->mark[slot / 64],
                              ~((uint64_t) 1 << (slot % 64)),
                              memory_order_relaxed);

    c = &shdict_shard_at(d, shard)->classes[cls];
    c->free_slots--;

    return blank(d, shdict_page_bytes(d, page)
                    + slot * lun_shdict_class_size(d, cls));
}


/*
 * The first byte is the kind of what lies there: who repairs the shard after a
 * death sees that this slot has nothing.
 */
void
lun_shdict_give(lun_shdict *d, uint32_t shard, shdict_ref ref, size_t size)
{
    size_t         slots;
    unsigned       cls, slot;
    uint32_t       page = shdict_page_of(d, shdict_at(d, ref));
    shdict_page   *row = shdict_page_at(d, page);
    shdict_class  *c;

    LUN_CHECK(row->owner == shard + 1);

    *(uint8_t *) shdict_at(d, ref) = 0;

    cls = lun_shdict_class_of(d, size);
    if (cls == CLASSES) {
        LUN_CHECK(row->kind == PAGE_RUN);
        lun_shdict_pool_give(d, page, row->run);
        return;
    }

    LUN_CHECK(row->kind == PAGE_SLOTS && row->cls == cls);

    c = &shdict_shard_at(d, shard)->classes[cls];
    slots = lun_shdict_slots(d, cls);
    slot = (unsigned) ((size_t) ((char *) shdict_at(d, ref)
                                 - shdict_page_bytes(d, page))
                       / lun_shdict_class_size(d, cls));

    row->used[slot / 64] &= ~((uint64_t) 1 << (slot % 64));
    row->used_count--;
    c->free_slots++;
    c->avail = page;

    if (row->used_count == 0) {
        ring_drop(d, c, page);
        c->free_slots -= (uint32_t) slots;
        lun_shdict_pool_give(d, page, 1);
    }
}


void
lun_shdict_mark(const lun_shdict *d, shdict_ref ref)
{
    const char   *p = shdict_at(d, ref);
    uint32_t      page = shdict_page_of(d, p);
    unsigned      slot = 0;
    uint64_t      bit;
    shdict_page  *row = shdict_page_at(d, page);

    /*
     * Called without a lock as well: the page may be another's by now.  The
     * mark then is a lie about somebody's recency, no more.
     */
    if (row->kind == PAGE_SLOTS && row->cls < CLASSES) {
        slot = (unsigned) ((size_t) (p - shdict_page_bytes(d, page))
                           / lun_shdict_class_size(d, row->cls)) & 127;
    }

    bit = (uint64_t) 1 << (slot % 64);

    if (!(atomic_load_explicit(&row->mark[slot / 64], memory_order_relaxed)
          & bit))
    {
        atomic_fetch_or_explicit(&row->mark[slot / 64], bit,
                                 memory_order_relaxed);
    }
}
