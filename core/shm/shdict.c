/*
 * shdict.c -- the dictionary: laying out a zone, reading without a lock,
 * storing, counting.  Lists are shdict_list.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shdict.h"

#include "base/check.h"
#include "base/pool.h"
#include "shm/shdict_feed.h"
#include "shm/shdict_page.h"

enum {
    READ_TRIES = 8,                /* without the lock, then with it */
    CHAIN_MAX  = 4096,             /* a longer walk is a torn chain */
    PAGES_PER_SHARD = 16
};

static const uint64_t  magic = 0x3174636964687332;


/* --- layout --- */

static uint32_t
power_of_two(uint64_t n)
{
    uint32_t  p = 1;

    while (p <= n / 2) {
        p *= 2;
    }

    return p;
}


/* Where buckets and table end, and pages may begin. */
static void
lay_out(lun_shdict *d)
{
    uint64_t  at;

    at = lun_align(sizeof(lun_shdict), 64);
    d->shards_at = at;
    at += (uint64_t) d->shards * sizeof(shdict_shard);
    d->buckets_at = at;
    at += (uint64_t) d->shards * d->buckets * sizeof(shdict_ref);
    d->table_at = lun_align(at, 64);
}


/* Each page costs its bytes and its row. */
static uint32_t
pages_within(const lun_shdict *d, uint64_t size)
{
    uint64_t  rest = size - d->table_at;
    uint32_t  n = (uint32_t) (rest / (PAGE_SIZE + sizeof(shdict_page)));

    while (lun_align(d->table_at + n * sizeof(shdict_page), PAGE_SIZE)
           + (uint64_t) n * PAGE_SIZE > size)
    {
        n--;
    }

    return n;
}


/* --- small zones --------------------------------------------------------- */

/* nginx's slabs, on 64 bits: what is before the rows of pages, and a row. */
enum { SLAB_HEAD = 704, SLAB_ROW = 24 };

/* Bytes of a dictionary's own struct, and of what its log lines begin with. */
enum { SLAB_TREE = 80, SLAB_LOG = 28 };


static uint32_t
slab_pages(uint64_t size)
{
    uint64_t  n = (size - SLAB_HEAD) / (PAGE_SIZE + SLAB_ROW);

    return (uint32_t) lun_min(n, (size - lun_align(SLAB_HEAD + n * SLAB_ROW,
                                                   PAGE_SIZE)) / PAGE_SIZE);
}


static void
reserve(lun_shdict *d, size_t i, size_t size)
{
    shdict_ref  ref = lun_shdict_take(d, 0, size);

    if (ref != 0) {
        *(uint8_t *) shdict_at(d, ref) = SLOT_NOTHING;
        d->reserved[i].ref = ref;
        d->reserved[i].size = (uint32_t) size;
    }
}


static bool
is_small(uint64_t size)
{
    return size <= SMALL_ZONE;
}


/* Buckets, rows, and what is lost by rounding. */
static size_t
beside_zone(size_t size)
{
    return is_small(size) ? size / 32 + size / 32 + 3 * PAGE_SIZE : 0;
}


static size_t
beside_synced(size_t size)
{
    return beside_zone(size) + lun_shdict_feed_room(size);
}


static bool
is_synced(const lun_zone *zone)
{
    return zone->kind->beside == beside_synced;
}


/*
 * A small dictionary is laid out to run out of room where OpenResty's slab
 * would: scripts, and their tests, count on how much 12 KB hold.
 */
static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    size_t       room = zone->shm.size, feed = 0;
    uint64_t     shards;
    lun_shdict  *d = zone->shm.addr;

    if (is_synced(zone)) {
        feed = lun_shdict_feed_room(zone->size);
        room = (room - feed) & ~(size_t) (PAGE_SIZE - 1);
        lun_shdict_feed_init(d, room, feed);
    }

    d->small = is_small(zone->size);
    shards = d->small ? 1 : zone->size / PAGE_SIZE / PAGES_PER_SHARD;
    d->shards = power_of_two(lun_max(1, lun_min(shards, MAX_SHARDS)));
    d->buckets = power_of_two(lun_max(8, zone->size / 128 / d->shards));
    d->size = zone->size;
    lay_out(d);

    d->pages = pages_within(d, room);

    if (d->small) {
        d->pages = lun_min(d->pages, slab_pages(zone->size));
    }

    d->pages_at = lun_align(d->table_at + d->pages * sizeof(shdict_page),
                            PAGE_SIZE);
    d->limit = (uint32_t) ((d->pages_at + (uint64_t) d->pages * PAGE_SIZE)
                           / UNIT);
    d->next_fit = 1;
    atomic_store(&d->free_pages, d->pages);

    if (d->small) {
        reserve(d, 0, SLAB_TREE);
        reserve(d, 1, SLAB_LOG + zone->name.len);
    }

    d->usable = atomic_load(&d->free_pages);
    d->magic = magic;
    return LUN_OK;
}


/* Taking a lock finds what the dead process left, and mends it. */
static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    bool         had_lock = false;
    uint32_t     i;
    lun_shdict  *d = zone->shm.addr;

    if (lun_lock_seize(&d->pool_lock, pid)) {
        lun_shdict_pool_lock(d);
        lun_shdict_pool_unlock(d);
    }

    for (i = 0; i < d->shards; i++) {
        if (lun_lock_seize(&shdict_shard_at(d, i)->lock, pid)) {
            lun_shdict_lock(d, i);
            lun_shdict_unlock(d, i);
            had_lock = true;
        }
    }

    if (d->feed_at != 0) {
        lun_shdict_feed_seize(d, pid, had_lock);
    }
}


static void
tell_room(const lun_zone *zone, uint64_t *used, uint64_t *all)
{
    const lun_shdict  *d = lun_shdict_of(zone);

    *all = lun_shdict_capacity(d);
    *used = *all - lun_min(lun_shdict_free_space(d), *all);
}


#define AS_A_DICTIONARY                                                       \
    .min_size = LUN_SHDICT_MIN_SIZE, .init = init_zone, .mend = mend_zone,    \
    .room = tell_room

const lun_zone_kind  lun_shdict_kind = {
    .name = "lua_shared_dict",
    .beside = beside_zone,
    AS_A_DICTIONARY
};

const lun_zone_kind  lun_shdict_synced_kind = {
    .name = "lua_shared_dict",
    .beside = beside_synced,
    AS_A_DICTIONARY
};

const lun_zone_kind  lun_shdict_keyval_kind = {
    .name = "keyval_zone",
    .beside = beside_zone,
    AS_A_DICTIONARY
};

const lun_zone_kind  lun_shdict_synced_keyval_kind = {
    .name = "keyval_zone",
    .beside = beside_synced,
    AS_A_DICTIONARY
};


lun_shdict *
lun_shdict_of(const lun_zone *zone)
{
    lun_shdict  *d = zone->shm.addr;

    LUN_CHECK(d != NULL && d->magic == magic);
    return d;
}


/* --- reading --- */

typedef struct {
    uint32_t  shard;
    uint32_t  hash;
} place;


static inline place
place_of(const lun_shdict *d, lun_str key)
{
    uint64_t  hash = lun_str_hash(key);

    return (place) { (uint32_t) (hash >> 40) & (d->shards - 1),
                     (uint32_t) hash };
}


/* Where the value goes: the caller's room, or memory of its own. */
static char *
room_for(lun_shdict_value *v, size_t size)
{
    if (size <= v->room) {
        return v->buf;
    }

    if (v->own_size < size) {
        lun_free(v->own);
        v->own = lun_malloc(size);
        v->own_size = size;
    }

    return v->own;
}


void
lun_shdict_copy_value(lun_shdict_value *v, uint8_t type, const char *from,
    size_t len)
{
    v->type = type;
    v->len = len;

    if (type == LUN_SHDICT_NUMBER) {
        memcpy(&v->number, from, sizeof(double));

    } else if (type == LUN_SHDICT_STRING) {
        v->data = room_for(v, len);

        if (len != 0) {                /* else there may be no room at all */
            memcpy(v->data, from, len);
        }

    } else if (type == LUN_SHDICT_BOOLEAN) {
        v->number = *from;
    }
}


typedef enum { READ_FOUND, READ_NONE, READ_TORN } read_verdict;

/*
 * One walk along a chain that somebody may be changing: every step is
 * checked, and nothing of what was found counts before the sequence was seen
 * unchanged.
 */
static read_verdict
walk(const lun_shdict *d, place at, lun_str key, lun_shdict_value *v,
    uint64_t *expires, shdict_ref *found)
{
    unsigned             steps;
    shdict_ref           ref;
    shdict_entry         head;
    const shdict_entry  *e;

    ref = atomic_load_explicit(shdict_bucket(d, at.shard, at.hash),
                               memory_order_acquire);

    for (steps = 0; ref != 0; ref = head.next, steps++) {
        if (steps == CHAIN_MAX || !shdict_ref_fits(d, ref, sizeof(head))) {
            return READ_TORN;
        }

        e = shdict_at(d, ref);

        /* The head is read once: it must not change between two looks. */
        memcpy(&head, e, sizeof(head));
        __asm__ volatile ("" ::: "memory");

        if (head.hash != at.hash || head.key_len != key.len) {
            continue;
        }

        if (!shdict_ref_fits(d, ref, shdict_entry_size(&head))) {
            return READ_TORN;
        }

        if (memcmp((const char *) (e + 1) + head.value_len, key.data, key.len)
            != 0)
        {
            continue;
        }

        lun_shdict_copy_value(v, head.type, shdict_value(e), head.value_len);
        v->flags = head.flags;
        *expires = head.expires;
        *found = ref;
        return READ_FOUND;
    }

    return READ_NONE;
}


static bool
unchanged(const shdict_shard *s, uint32_t seq)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&s->seq, memory_order_relaxed) == seq;
}


/* True when found; expired ones too, *expires tells. */
static bool
read_entry(lun_shdict *d, lun_str key, lun_shdict_value *v,
    uint64_t *expires)
{
    int            tries;
    place          at = place_of(d, key);
    uint32_t       seq;
    shdict_ref     ref = 0;
    read_verdict   verdict;
    shdict_shard  *s = shdict_shard_at(d, at.shard);

    for (tries = 0; tries < READ_TRIES; tries++) {
        seq = atomic_load_explicit(&s->seq, memory_order_acquire);

        if (seq & 1) {
            lun_cpu_relax();
            continue;
        }

        verdict = walk(d, at, key, v, expires, &ref);

        if (unchanged(s, seq) && verdict != READ_TORN) {
            if (verdict == READ_NONE) {
                return false;
            }
            lun_shdict_mark(d, ref);
            return true;
        }
    }

    lun_shdict_lock(d, at.shard);
    verdict = walk(d, at, key, v, expires, &ref);
    if (verdict == READ_FOUND) {
        lun_shdict_mark(d, ref);
    }
    lun_shdict_unlock(d, at.shard);

    return verdict == READ_FOUND;
}


lun_shdict_verdict
lun_shdict_get(lun_shdict *d, lun_str key, bool stale, lun_shdict_value *v)
{
    uint64_t  expires;

    v->type = LUN_SHDICT_NIL;
    v->flags = 0;
    v->stale = false;

    if (!read_entry(d, key, v, &expires) || v->type == LUN_SHDICT_NIL) {
        v->type = LUN_SHDICT_NIL;
        return LUN_SHDICT_NOT_FOUND;
    }

    if (expires != 0 && expires <= lun_shdict_now()) {
        if (!stale) {
            v->type = LUN_SHDICT_NIL;
            return LUN_SHDICT_NOT_FOUND;
        }
        v->stale = true;
    }

    return v->type == LUN_SHDICT_LIST ? LUN_SHDICT_IS_LIST : LUN_SHDICT_OK;
}


/* --- storing --- */

static uint64_t
deadline(int64_t ttl)
{
    return ttl > 0 ? lun_shdict_now() + (uint64_t) ttl : 0;
}


/*
 * A whole new entry; linking it is the last step, and the one that counts.
 * The key must not be there.  Sets st->forcible if others had to go.
 */
static shdict_entry *
insert(lun_shdict *d, place at, lun_str key, lun_shdict_store *st,
    uint64_t stamp)
{
    shdict_ref     ref;
    shdict_entry  *e;

    ref = lun_shdict_take_hard(d, at.shard,
                               shdict_entry_room(d, key.len, st->len),
                               st->op & LUN_SHDICT_SAFE, &st->forcible);
    if (ref == 0) {
        return NULL;
    }

    e = shdict_at(d, ref);
    e->type = st->type;
    e->key_len = (uint16_t) key.len;
    e->hash = at.hash;
    e->flags = st->flags;
    e->expires = deadline(st->ttl);
    e->value_len = (uint32_t) st->len;
    memcpy(shdict_value(e), st->data, st->len);
    memcpy(shdict_key(e), key.data, key.len);
    e->slot_kind = SLOT_ENTRY;

    if (d->feed_at != 0) {
        shdict_set_stamp(e, stamp);
    }

    lun_shdict_link(d, at.shard, e);
    return e;
}


/* Names the entry that is about to change, and that it has changed. */
static void
begin_change(lun_shdict *d, uint32_t shard, const shdict_entry *e)
{
    shdict_shard_at(d, shard)->intent = shdict_ref_of(d, e);
    atomic_thread_fence(memory_order_release);
}


static void
end_change(lun_shdict *d, uint32_t shard)
{
    atomic_thread_fence(memory_order_release);
    shdict_shard_at(d, shard)->intent = 0;
}


/* Same size, same place: no allocation, no link moves. */
static bool
overwrite(lun_shdict *d, place at, shdict_entry *e,
    const lun_shdict_store *st, uint64_t stamp)
{
    if (e->type == LUN_SHDICT_LIST || e->value_len != st->len) {
        return false;
    }

    begin_change(d, at.shard, e);
    e->type = st->type;
    memcpy(shdict_value(e), st->data, st->len);
    e->flags = st->flags;
    e->expires = deadline(st->ttl);

    if (d->feed_at != 0) {
        shdict_set_stamp(e, stamp);
    }

    end_change(d, at.shard);

    lun_shdict_mark(d, shdict_ref_of(d, e));
    return true;
}


shdict_entry *
lun_shdict_put(lun_shdict *d, uint32_t shard, uint32_t hash, lun_str key,
    shdict_entry *e, lun_shdict_store *st, uint64_t stamp)
{
    place  at = { shard, hash };

    if (e != NULL) {
        if (overwrite(d, at, e, st, stamp)) {
            return e;
        }

        lun_shdict_remove(d, shard, e);
    }

    return insert(d, at, key, st, stamp);
}


/* It may be set, or not, and others are to know. */
static LUN_NOINLINE lun_shdict_verdict
store_synced(lun_shdict *d, place at, lun_str key, lun_shdict_store *st,
    shdict_entry *e)
{
    uint64_t          stamp = lun_shdict_new_stamp(d, e);
    lun_shdict_store  nothing = { .op = LUN_SHDICT_SAFE, .data = "",
                                  .ttl = SHDICT_DELETED };

    if (st->type == LUN_SHDICT_NIL) {
        (void) lun_shdict_put(d, at.shard, at.hash, key, e, &nothing, stamp);
        lun_shdict_feed_delete(d, key, stamp);
        return LUN_SHDICT_OK;
    }

    e = lun_shdict_put(d, at.shard, at.hash, key, e, st, stamp);

    if (e == NULL) {
        return LUN_SHDICT_NO_MEMORY;
    }

    lun_shdict_feed_entry(d, e);
    return LUN_SHDICT_OK;
}


/*
 * An entry that has ended is as one that is not there, to `add` and `replace`
 * as well; whatever has the key is written over, or makes room for the new one.
 */
static lun_shdict_verdict
store_locked(lun_shdict *d, place at, lun_str key, lun_shdict_store *st)
{
    bool           live;
    shdict_entry  *e = lun_shdict_find(d, at.shard, at.hash, key);

    live = e != NULL && shdict_lives(e, lun_shdict_now());

    if ((st->op & LUN_SHDICT_ADD) && live) {
        return LUN_SHDICT_EXISTS;
    }

    if ((st->op & LUN_SHDICT_REPLACE) && !live) {
        return LUN_SHDICT_NOT_FOUND;
    }

    if (d->feed_at != 0) {
        return store_synced(d, at, key, st, e);
    }

    if (st->type == LUN_SHDICT_NIL) {
        if (e != NULL) {
            lun_shdict_remove(d, at.shard, e);
        }
        return LUN_SHDICT_OK;
    }

    return lun_shdict_put(d, at.shard, at.hash, key, e, st, 0) != NULL
           ? LUN_SHDICT_OK : LUN_SHDICT_NO_MEMORY;
}


lun_shdict_verdict
lun_shdict_store_value(lun_shdict *d, lun_str key, lun_shdict_store *st)
{
    place               at = place_of(d, key);
    lun_shdict_verdict  verdict;

    st->forcible = false;

    if (key.len > MAX_KEY || st->len > MAX_VALUE) {
        return LUN_SHDICT_NO_MEMORY;
    }

    lun_shdict_lock(d, at.shard);
    verdict = store_locked(d, at, key, st);
    lun_shdict_unlock(d, at.shard);

    return verdict;
}


/* --- counting --- */

static lun_shdict_verdict
incr_locked(lun_shdict *d, place at, lun_str key, lun_shdict_incr_args *a)
{
    double             sum, delta = a->value;
    uint64_t           base;
    shdict_entry      *e = lun_shdict_find(d, at.shard, at.hash, key);
    lun_shdict_store   st = { .type = LUN_SHDICT_NUMBER,
                              .ttl = a->init_ttl, .data = &sum,
                              .len = sizeof(sum) };

    base = d->feed_at != 0 ? shdict_base(d, e) : 0;

    if (e != NULL && !shdict_lives(e, lun_shdict_now())) {
        if (!a->has_init) {
            return LUN_SHDICT_NOT_FOUND;
        }
        lun_shdict_remove(d, at.shard, e);
        e = NULL;
    }

    if (e != NULL) {
        if (e->type != LUN_SHDICT_NUMBER) {
            return LUN_SHDICT_NOT_NUMBER;
        }

        /* One aligned store: there is no half of it. */
        memcpy(&sum, shdict_value(e), sizeof(sum));
        sum += a->value;
        memcpy(shdict_value(e), &sum, sizeof(sum));
        lun_shdict_mark(d, shdict_ref_of(d, e));
        a->value = sum;

        if (d->feed_at != 0) {
            lun_shdict_feed_add(d, e, a, delta, false);
        }

        return LUN_SHDICT_OK;
    }

    if (!a->has_init) {
        return LUN_SHDICT_NOT_FOUND;
    }

    sum = a->init + a->value;
    e = insert(d, at, key, &st, base);
    a->forcible = st.forcible;

    if (e == NULL) {
        return LUN_SHDICT_NO_MEMORY;
    }

    a->value = sum;

    if (d->feed_at != 0) {
        lun_shdict_feed_add(d, e, a, delta, true);
    }

    return LUN_SHDICT_OK;
}


lun_shdict_verdict
lun_shdict_incr(lun_shdict *d, lun_str key, lun_shdict_incr_args *a)
{
    place               at = place_of(d, key);
    lun_shdict_verdict  verdict;

    a->forcible = false;

    if (key.len > MAX_KEY) {
        return LUN_SHDICT_NO_MEMORY;
    }

    lun_shdict_lock(d, at.shard);
    verdict = incr_locked(d, at, key, a);
    lun_shdict_unlock(d, at.shard);

    return verdict;
}


/* --- lifetimes --- */

lun_shdict_verdict
lun_shdict_ttl(lun_shdict *d, lun_str key, int64_t *msec)
{
    place          at = place_of(d, key);
    uint64_t       now = lun_shdict_now();
    shdict_entry  *e;

    *msec = -1;
    lun_shdict_lock(d, at.shard);

    e = lun_shdict_find(d, at.shard, at.hash, key);
    if (e != NULL && shdict_lives(e, now)) {
        *msec = e->expires == 0 ? 0 : (int64_t) (e->expires - now);
    }

    lun_shdict_unlock(d, at.shard);
    return *msec == -1 ? LUN_SHDICT_NOT_FOUND : LUN_SHDICT_OK;
}


lun_shdict_verdict
lun_shdict_set_ttl(lun_shdict *d, lun_str key, int64_t msec)
{
    place                at = place_of(d, key);
    shdict_entry        *e;
    lun_shdict_verdict   verdict = LUN_SHDICT_NOT_FOUND;

    lun_shdict_lock(d, at.shard);

    e = lun_shdict_find(d, at.shard, at.hash, key);
    if (e != NULL && shdict_lives(e, lun_shdict_now())) {
        e->expires = deadline(msec);
        verdict = LUN_SHDICT_OK;

        if (d->feed_at != 0 && e->type != LUN_SHDICT_LIST) {
            shdict_set_stamp(e, lun_shdict_new_stamp(d, e));
            lun_shdict_feed_entry(d, e);
        }
    }

    lun_shdict_unlock(d, at.shard);
    return verdict;
}


/* --- the whole dictionary --- */

void
lun_shdict_expire_all(lun_shdict *d, uint64_t stamp)
{
    uint32_t       i, shard;
    shdict_ref     ref;
    shdict_entry  *e;

    for (shard = 0; shard < d->shards; shard++) {
        lun_shdict_lock(d, shard);

        for (i = 0; i < d->buckets; i++) {
            ref = atomic_load(shdict_bucket(d, shard, i));
            for (; ref != 0; ref = e->next) {
                e = shdict_at(d, ref);

                if (d->feed_at == 0 || shdict_stamp(e) <= stamp) {
                    e->expires = 1;
                }
            }
        }

        lun_shdict_unlock(d, shard);
    }
}


void
lun_shdict_flush_all(lun_shdict *d)
{
    uint64_t  stamp = 0;

    if (d->feed_at != 0) {
        stamp = lun_shdict_flush_stamp(d);
        atomic_store(&d->flushed, stamp);
    }

    lun_shdict_expire_all(d, stamp);

    if (d->feed_at != 0) {
        lun_shdict_feed_flush(d, stamp);
    }
}


uint64_t
lun_shdict_flush_expired(lun_shdict *d, uint64_t max)
{
    uint32_t  shard;
    uint64_t  n = 0;

    for (shard = 0; shard < d->shards && (max == 0 || n < max); shard++) {
        lun_shdict_lock(d, shard);
        n += lun_shdict_expire(d, shard, max == 0 ? UINT32_MAX
                               : (uint32_t) lun_min(max - n, UINT32_MAX));
        lun_shdict_unlock(d, shard);
    }

    return n;
}


bool
lun_shdict_each_key(lun_shdict *d, lun_shdict_key_fn *each, void *data)
{
    bool           more = true;
    uint32_t       i, shard;
    uint64_t       now = lun_shdict_now();
    shdict_ref     ref;
    shdict_entry  *e;

    for (shard = 0; shard < d->shards && more; shard++) {
        lun_shdict_lock(d, shard);

        for (i = 0; i < d->buckets && more; i++) {
            ref = atomic_load(shdict_bucket(d, shard, i));
            for (; ref != 0 && more; ref = e->next) {
                e = shdict_at(d, ref);
                if (shdict_lives(e, now)) {
                    more = each(data, lun_str_of(shdict_key(e), e->key_len));
                }
            }
        }

        lun_shdict_unlock(d, shard);
    }

    return more;
}


uint64_t
lun_shdict_capacity(const lun_shdict *d)
{
    return d->size;
}


uint64_t
lun_shdict_free_space(const lun_shdict *d)
{
    return (uint64_t) atomic_load(&d->free_pages) * PAGE_SIZE;
}


/* --- lists: finding and making them --- */

shdict_entry *
lun_shdict_list_entry(lun_shdict *d, uint32_t shard, uint32_t hash,
    lun_str key, bool make)
{
    shdict_list        empty = { 0 };
    shdict_entry      *e = lun_shdict_find(d, shard, hash, key);
    lun_shdict_store   st = { .op = LUN_SHDICT_SAFE, .type = LUN_SHDICT_LIST,
                              .data = &empty, .len = sizeof(empty) };

    if (e != NULL && !shdict_lives(e, lun_shdict_now())) {
        lun_shdict_remove(d, shard, e);
        e = NULL;
    }

    if (e != NULL || !make) {
        return e;
    }

    /* Lists stay here: whatever others set is newer. */
    return insert(d, (place) { shard, hash }, key, &st, 0);
}


void
lun_shdict_place(const lun_shdict *d, lun_str key, uint32_t *shard,
    uint32_t *hash)
{
    place  at = place_of(d, key);

    *shard = at.shard;
    *hash = at.hash;
}
