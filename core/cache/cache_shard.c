/*
 * cache_shard.c -- a shard of an index: its chains, the order of use, and its
 * repair.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "cache/cache_index_priv.h"

#include "base/check.h"
#include "os/random.h"


/* --- the zone ------------------------------------------------------------ */

/* As many as fit: each has a half to one bucket. */
static void
cut(lun_cache_index *x, size_t room)
{
    size_t  n = room / x->shards / (sizeof(entry) + sizeof(uint32_t));

    n = lun_min(n, (size_t) UINT32_MAX / 2);
    x->buckets = 16;

    while ((size_t) x->buckets * 2 <= n) {
        x->buckets *= 2;
    }

    n = (room / x->shards - 64 - x->buckets * sizeof(uint32_t))
        / sizeof(entry);
    x->entries = (uint32_t) lun_min(n, (size_t) UINT32_MAX / 2);
}


/*
 * All that is zero is right: nothing has been used.  Versions begin anywhere:
 * what a worker keeps of a zone that was here before has others.
 */
static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    size_t            head, room = zone->shm.size;
    uint64_t          version;
    lun_cache_index  *x = zone->shm.addr;

    lun_random_bytes(&version, sizeof(version));
    atomic_store(&x->versions, version >> 1);

    x->shards = 1;

    while (x->shards < SHARDS_MAX
           && room / (x->shards * 2) >= SHARD_LEAST * sizeof(entry))
    {
        x->shards *= 2;
    }

    head = lun_align(sizeof(lun_cache_index), 64)
           + x->shards * sizeof(shard);
    LUN_CHECK(room > head + 4096);

    cut(x, room - head);
    x->magic = LUN_CACHE_INDEX_MAGIC;
    return LUN_OK;
}


/* --- the order of use ---------------------------------------------------- */

static void
enlist(const lun_cache_index *x, shard *s, entry *e)
{
    uint32_t  n = number_of(x, s, e);

    e->newer = 0;
    e->older = s->newest;

    if (s->newest != 0) {
        at(x, s, s->newest)->newer = n;
    } else {
        s->oldest = n;
    }

    s->newest = n;
}


static void
delist(const lun_cache_index *x, shard *s, const entry *e)
{
    if (e->newer != 0) {
        at(x, s, e->newer)->older = e->older;
    } else {
        s->newest = e->older;
    }

    if (e->older != 0) {
        at(x, s, e->older)->newer = e->newer;
    } else {
        s->oldest = e->newer;
    }
}


void
lun_cache_shard_touch(const lun_cache_index *x, shard *s, entry *e)
{
    if (s->newest != number_of(x, s, e)) {
        delist(x, s, e);
        enlist(x, s, e);
    }
}


void
lun_cache_shard_add_bytes(shard *s, int64_t n)
{
    atomic_fetch_add_explicit(&s->bytes, (uint64_t) n, memory_order_relaxed);
}


static void
add_count(shard *s, int n)
{
    atomic_fetch_add_explicit(&s->count, (uint32_t) n, memory_order_relaxed);
}


/* As the oldest: nobody has asked for it. */
void
lun_cache_shard_age(const lun_cache_index *x, shard *s, entry *e)
{
    delist(x, s, e);
    e->older = 0;
    e->newer = s->oldest;

    if (s->oldest != 0) {
        at(x, s, s->oldest)->older = number_of(x, s, e);
    } else {
        s->newest = number_of(x, s, e);
    }

    s->oldest = number_of(x, s, e);
}


/* --- entries ------------------------------------------------------------- */

entry *
lun_cache_shard_find(const lun_cache_index *x, const shard *s,
    const lun_cache_key *key)
{
    entry     *e;
    uint32_t   n = link_of(bucket_of(x, s, key->bytes));

    for ( ; n != 0; n = link_of(&e->next)) {
        e = at(x, s, n);

        if (memcmp(e->key, key->bytes, LUN_CACHE_KEY) == 0) {
            return e;
        }
    }

    return NULL;
}


void
lun_cache_shard_unlink(const lun_cache_index *x, shard *s, entry *e)
{
    uint32_t           n = number_of(x, s, e);
    _Atomic uint32_t  *link = bucket_of(x, s, e->key);

    while (link_of(link) != n) {
        LUN_CHECK(link_of(link) != 0);
        link = &at(x, s, link_of(link))->next;
    }

    atomic_store_explicit(link, link_of(&e->next), memory_order_release);
    delist(x, s, e);
    add_count(s, -1);
    lun_cache_shard_add_bytes(s, e->version != 0 ? -e->size : 0);
    e->newer = s->free;
    s->free = n;
}


/* Room for one more; NULL: they are all taken. */
static entry *
take(const lun_cache_index *x, shard *s)
{
    entry  *e;

    if (s->free != 0) {
        e = at(x, s, s->free);
        s->free = e->newer;
        return e;
    }

    return s->top < x->entries ? at(x, s, ++s->top) : NULL;
}


entry *
lun_cache_shard_make(const lun_cache_index *x, shard *s,
    const lun_cache_key *key)
{
    entry             *e = take(x, s);
    _Atomic uint32_t  *bucket;

    if (e == NULL) {
        return NULL;
    }

    memset(e, 0, sizeof(entry));
    memcpy(e->key, key->bytes, LUN_CACHE_KEY);

    bucket = bucket_of(x, s, e->key);
    atomic_store_explicit(&e->next, link_of(bucket), memory_order_relaxed);
    atomic_store_explicit(bucket, number_of(x, s, e), memory_order_release);
    enlist(x, s, e);
    add_count(s, 1);
    return e;
}


/* --- after a death ------------------------------------------------------- */

/* Behind `before` in the order, where e was used no earlier. */
static void
enlist_by_age(const lun_cache_index *x, shard *s)
{
    uint32_t  n, i, count = 0, newest = 0;

    /*
     * They were enlisted as the chains had them; a bubble of neighbours would
     * be slow, and the order is worth no more than "about right": those of the
     * last minute to the end.
     */
    for (n = s->oldest; n != 0; n = at(x, s, n)->newer) {
        newest = lun_max(newest, at(x, s, n)->used);
        count++;
    }

    for (i = 0, n = s->oldest; i < count; i++) {
        entry  *e = at(x, s, n);

        n = e->newer;

        if (newest - e->used < 60) {
            lun_cache_shard_touch(x, s, e);
        }
    }
}


/* What the chains lead to; a link to what cannot be ends its chain. */
static void
claim_all(const lun_cache_index *x, shard *s, uint32_t intent)
{
    entry             *e;
    uint32_t           i, n;
    _Atomic uint32_t  *link;

    for (i = 0; i < x->buckets; i++) {
        link = bucket_at(x, s, i);

        while ((n = link_of(link)) != 0) {
            if (n > s->top || (e = at(x, s, n))->seen) {
                atomic_store(link, 0);
                break;
            }

            if (n == intent) {
                atomic_store(link, link_of(&e->next));
                continue;
            }

            e->seen = 1;
            enlist(x, s, e);
            add_count(s, 1);
            lun_cache_shard_add_bytes(s, e->version != 0 ? e->size : 0);
            link = &e->next;
        }
    }
}


/*
 * What can be reached from buckets and is whole stays; all lists and counters
 * are made again from that.
 */
static void
repair(const lun_cache_index *x, shard *s)
{
    uint32_t  i;

    s->free = s->oldest = s->newest = 0;
    atomic_store(&s->count, 0);
    atomic_store(&s->bytes, 0);
    s->top = lun_min(s->top, x->entries);

    for (i = 1; i <= s->top; i++) {
        at(x, s, i)->seen = 0;
    }

    claim_all(x, s, atomic_load(&s->intent));
    enlist_by_age(x, s);

    for (i = s->top; i > 0; i--) {
        if (!at(x, s, i)->seen) {
            at(x, s, i)->newer = s->free;
            s->free = i;
        }
    }

    atomic_store(&s->intent, 0);
}


void
lun_cache_shard_lock(const lun_cache_index *x, shard *s)
{
    (void) lun_lock_take(&s->lock);

    if (LUN_UNLIKELY(atomic_load_explicit(&s->busy, memory_order_relaxed))) {
        repair(x, s);
    }

    atomic_store_explicit(&s->busy, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}


void
lun_cache_shard_unlock(shard *s)
{
    atomic_store_explicit(&s->busy, 0, memory_order_release);
    lun_lock_free(&s->lock);
}


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    uint32_t          i;
    lun_cache_index  *x = lun_cache_index_of(zone);

    for (i = 0; i < x->shards; i++) {
        if (lun_lock_seize(&shard_at(x, i)->lock, pid)) {
            lun_cache_shard_lock(x, shard_at(x, i));
            lun_cache_shard_unlock(shard_at(x, i));
        }
    }

    (void) lun_lock_seize(&x->mark_lock, pid);
}


static void
tell_room(const lun_zone *zone, uint64_t *used, uint64_t *all)
{
    uint64_t                n;
    const lun_cache_index  *x = lun_cache_index_of(zone);

    n = lun_max(lun_cache_index_room(x), (uint64_t) 1);
    *all = zone->size;
    *used = zone->size / n * lun_min(lun_cache_index_count(x), n);
}


const lun_zone_kind  lun_cache_index_kind = {
    .name = "cache",
    .min_size = LUN_CACHE_ZONE_MIN,
    .init = init_zone,
    .mend = mend_zone,
    .room = tell_room,
};


