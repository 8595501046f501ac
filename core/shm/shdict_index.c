/*
 * shdict_index.c -- a shard's lock, its chains, and who has to go.
 *
 * Recency is a mark per slot that reading sets; the hand of a clock goes
 * round the pages of a class and takes away marks, or the entries that have
 * none.  A shard that has nothing to give takes pages from the next one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shdict_priv.h"

#include "base/check.h"
#include "os/clock.h"
#include "shm/shdict_page.h"


uint64_t
lun_shdict_now(void)
{
    return lun_clock.mono;
}


static void
begin(lun_shdict *d, uint32_t shard)
{
    uint32_t       seq;
    shdict_shard  *s = shdict_shard_at(d, shard);

    seq = atomic_load_explicit(&s->seq, memory_order_relaxed);

    if (LUN_UNLIKELY(seq & 1)) {
        lun_shdict_repair(d, shard);
        return;
    }

    atomic_store_explicit(&s->seq, seq + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}


void
lun_shdict_lock(lun_shdict *d, uint32_t shard)
{
    /* An orphan's sequence is odd if there is anything to mend. */
    (void) lun_lock_take(&shdict_shard_at(d, shard)->lock);
    begin(d, shard);
}


static bool
trylock(lun_shdict *d, uint32_t shard)
{
    if (!lun_lock_try(&shdict_shard_at(d, shard)->lock)) {
        return false;
    }

    begin(d, shard);
    return true;
}


void
lun_shdict_unlock(lun_shdict *d, uint32_t shard)
{
    uint32_t       seq;
    shdict_shard  *s = shdict_shard_at(d, shard);

    seq = atomic_load_explicit(&s->seq, memory_order_relaxed);
    atomic_store_explicit(&s->seq, seq + 1, memory_order_release);
    lun_lock_free(&s->lock);
}


shdict_entry *
lun_shdict_find(lun_shdict *d, uint32_t shard, uint32_t hash, lun_str key)
{
    shdict_ref     ref;
    shdict_entry  *e;

    ref = atomic_load_explicit(shdict_bucket(d, shard, hash),
                               memory_order_relaxed);

    for (; ref != 0; ref = e->next) {
        e = shdict_at(d, ref);
        if (e->hash == hash && e->key_len == key.len
            && memcmp(shdict_key(e), key.data, key.len) == 0)
        {
            return e;
        }
    }

    return NULL;
}


void
lun_shdict_link(lun_shdict *d, uint32_t shard, shdict_entry *e)
{
    _Atomic shdict_ref  *bucket = shdict_bucket(d, shard, e->hash);

    e->next = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, shdict_ref_of(d, e), memory_order_release);
    shdict_shard_at(d, shard)->entries++;
}


static void
unlink_entry(lun_shdict *d, uint32_t shard, shdict_entry *e)
{
    shdict_ref           ref = shdict_ref_of(d, e), at;
    shdict_entry        *prev = NULL;
    _Atomic shdict_ref  *bucket = shdict_bucket(d, shard, e->hash);

    at = atomic_load_explicit(bucket, memory_order_relaxed);

    while (at != ref) {
        LUN_CHECK(at != 0);
        prev = shdict_at(d, at);
        at = prev->next;
    }

    if (prev == NULL) {
        atomic_store_explicit(bucket, e->next, memory_order_release);
    } else {
        __atomic_store_n(&prev->next, e->next, __ATOMIC_RELEASE);
    }

    shdict_shard_at(d, shard)->entries--;
}


static void
free_items(lun_shdict *d, uint32_t shard, const shdict_entry *e)
{
    shdict_ref          ref, next;
    const shdict_item  *item;

    ref = ((const shdict_list *) shdict_value(e))->first;

    for (; ref != 0; ref = next) {
        item = shdict_at(d, ref);
        next = item->next;
        lun_shdict_give(d, shard, ref, shdict_item_room(d, item->value_len));
    }
}


void
lun_shdict_remove(lun_shdict *d, uint32_t shard, shdict_entry *e)
{
    unlink_entry(d, shard, e);

    if (e->type == LUN_SHDICT_LIST) {
        free_items(d, shard, e);
    }

    lun_shdict_give(d, shard, shdict_ref_of(d, e),
                    shdict_entry_room(d, e->key_len, e->value_len));
}


/* --- eviction --- */

typedef struct {
    lun_shdict  *d;
    uint32_t     shard;
    uint64_t     now;
    bool         safe;             /* only what has expired */
    unsigned     forced;           /* what had not, and had to go */
} evictor;

/* As many go for one value of a small zone: more were too much for nginx. */
enum { FORCED_MOST = 30 };


/* Whether the entry had to go. */
static bool
check(evictor *ev, shdict_entry *e, shdict_page *row, unsigned slot)
{
    uint64_t  bit = (uint64_t) 1 << (slot % 64);

    if (e->slot_kind != SLOT_ENTRY) {
        return false;                  /* a list's item goes with its list */
    }

    if (!shdict_expired(e, ev->now)) {
        if (ev->safe) {
            return false;
        }

        if (atomic_fetch_and_explicit(&row->mark[slot / 64], ~bit,
                                      memory_order_relaxed) & bit)
        {
            return false;              /* a second chance */
        }

        ev->forced++;
    }

    lun_shdict_remove(ev->d, ev->shard, e);
    return true;
}


/* Moves the hand of a class until an entry fell. False: none will. */
static bool
evict_of_class(evictor *ev, unsigned cls)
{
    size_t         slots = lun_shdict_slots(ev->d, cls), steps;
    uint32_t       page;
    unsigned       slot;
    shdict_page   *row;
    shdict_class  *c = &shdict_shard_at(ev->d, ev->shard)->classes[cls];

    /* Twice round: the first time may only take marks away. */
    for (steps = 2 * slots * c->pages; steps != 0 && c->hand != 0; steps--) {
        page = c->hand;
        row = shdict_page_at(ev->d, page);
        slot = c->slot++;

        if (c->slot == slots) {
            c->slot = 0;
            c->hand = row->next;
        }

        if ((row->used[slot / 64] >> (slot % 64) & 1)
            && check(ev, (shdict_entry *) (shdict_page_bytes(ev->d, page)
                         + slot * lun_shdict_class_size(ev->d, cls)),
                     row, slot))
        {
            return true;
        }
    }

    return false;
}


/* The same for values that have pages of their own. */
static bool
evict_run(evictor *ev)
{
    uint32_t       i, page;
    shdict_page   *row;
    shdict_shard  *s = shdict_shard_at(ev->d, ev->shard);

    for (i = 0; i < 2 * ev->d->pages; i++) {
        page = s->run_hand % ev->d->pages + 1;
        s->run_hand = page;
        row = shdict_page_at(ev->d, page);

        if (row->kind == PAGE_RUN && row->owner == ev->shard + 1
            && check(ev, (shdict_entry *) shdict_page_bytes(ev->d, page),
                     row, 0))
        {
            return true;
        }
    }

    return false;
}


/* One entry of any size. */
static bool
evict_any(evictor *ev, unsigned first)
{
    unsigned  i;

    if (first == CLASSES && evict_run(ev)) {
        return true;
    }

    for (i = 0; i < CLASSES; i++) {
        if (evict_of_class(ev, (first + i) % CLASSES)) {
            return true;
        }
    }

    return first != CLASSES && evict_run(ev);
}


/*
 * Another shard's entries, where nobody is at work.  Its lock is only tried:
 * the holder may be waiting for ours.
 */
static bool
evict_elsewhere(evictor *ev, unsigned cls)
{
    bool      fell;
    uint32_t  i, own = ev->shard;

    for (i = 1; i < ev->d->shards; i++) {
        ev->shard = (own + i) & (ev->d->shards - 1);

        if (!trylock(ev->d, ev->shard)) {
            continue;
        }

        fell = evict_any(ev, cls);
        lun_shdict_unlock(ev->d, ev->shard);

        if (fell) {
            ev->shard = own;
            return true;
        }
    }

    ev->shard = own;
    return false;
}


shdict_ref
lun_shdict_take_hard(lun_shdict *d, uint32_t shard, size_t size, bool safe,
    bool *forced)
{
    unsigned    cls = lun_shdict_class_of(d, size);
    evictor     ev = { .d = d, .shard = shard, .now = lun_shdict_now(),
                       .safe = safe };
    shdict_ref  ref;

    /* What could never fit evicts nobody; lengths are noted in 32 bits. */
    if (size > UINT32_MAX
        || (cls == CLASSES && size > (size_t) d->usable * PAGE_SIZE))
    {
        return 0;
    }

    for ( ;; ) {
        ref = lun_shdict_take(d, shard, size);
        if (ref != 0) {
            break;
        }

        if (d->small && ev.forced >= FORCED_MOST) {
            break;
        }

        /* A slot of the right size first, then anything until a page falls. */
        if (cls != CLASSES && evict_of_class(&ev, cls)) {
            continue;
        }

        if (!evict_any(&ev, cls) && !evict_elsewhere(&ev, cls)) {
            break;
        }
    }

    *forced |= ev.forced != 0;
    return ref;
}


uint32_t
lun_shdict_expire(lun_shdict *d, uint32_t shard, uint32_t max)
{
    uint32_t       i, n = 0;
    uint64_t       now = lun_shdict_now();
    shdict_ref     ref;
    shdict_entry  *e;

    for (i = 0; i < d->buckets && n < max; i++) {
        ref = atomic_load_explicit(shdict_bucket(d, shard, i),
                                   memory_order_relaxed);

        while (ref != 0 && n < max) {
            e = shdict_at(d, ref);
            ref = e->next;

            if (shdict_expired(e, now)) {
                lun_shdict_remove(d, shard, e);
                n++;
            }
        }
    }

    return n;
}
