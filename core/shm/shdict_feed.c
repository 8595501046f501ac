/*
 * shdict_feed.c -- stamps, the ring of changes, and changes of others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shdict_feed.h"

#include "base/check.h"
#include "os/clock.h"
#include "os/random.h"
#include "shm/shdict_priv.h"


enum {
    RING_LEAST = 64 * 1024,
    RING_MOST  = 64 * 1024 * 1024,
    RING_HEAD  = 4096,             /* what stands in front of it */
    STEP       = 8,                /* changes begin at multiples of it */
    NODE_BITS  = 16,
    SUB_BITS   = 6                 /* a stamp's time has 1/64 ms */
};

/* In the ring; the key follows, then the value. */
typedef struct {
    uint32_t  size;                /* of it and all that follows */
    uint8_t   op;                  /* 0: nothing, up to the ring's end */
    uint8_t   type;
    uint8_t   traits;
    uint8_t   pad;
    uint32_t  flags;
    uint32_t  value_len;
    uint64_t  stamp;
    int64_t   expires;
    uint32_t  key_len;
    uint32_t  pad2;
} change_head;

/* What an ADD has as its value. */
typedef struct {
    double  delta, init;
} addend;

typedef struct {
    lun_lock            lock;
    uint64_t            size;      /* of the ring, a power of two */
    uint64_t            epoch;
    _Atomic uint64_t    head, tail;        /* positions, which only rise */
    _Atomic uint64_t    dropped;
    _Atomic uint32_t    gap;
    _Atomic uint32_t    placed;    /* `place` is whole */
    lun_shdict_reached  place;
    _Atomic uint64_t    numbers[LUN_FEED_NUMBERS];
} feed;

_Static_assert(sizeof(feed) <= RING_HEAD, "it stands in front of the ring");


static inline feed *
feed_of(const lun_shdict *d)
{
    return (feed *) (void *) ((char *) (uintptr_t) d + d->feed_at);
}


static inline char *
ring_of(const feed *f)
{
    return (char *) (uintptr_t) f + RING_HEAD;
}


/* --- the zone ------------------------------------------------------------ */

size_t
lun_shdict_feed_room(size_t size)
{
    size_t  ring = RING_LEAST;

    while (ring < RING_MOST && ring * 2 <= size / 4) {
        ring *= 2;
    }

    return RING_HEAD + ring;
}


void
lun_shdict_feed_init(lun_shdict *d, uint64_t at, size_t room)
{
    feed  *f;

    d->feed_at = at;
    f = feed_of(d);
    f->size = room - RING_HEAD;
    lun_random_bytes(&f->epoch, sizeof(f->epoch));
}


void
lun_shdict_feed_seize(lun_shdict *d, int64_t pid, bool had_lock)
{
    feed  *f = feed_of(d);

    if (lun_lock_seize(&f->lock, pid) || had_lock) {
        atomic_store(&f->gap, 1);
    }
}


/* --- stamps and times ---------------------------------------------------- */

static int64_t
wall(void)
{
    return lun_clock.sec * 1000 + lun_clock.msec;
}


uint64_t
lun_shdict_new_stamp(const lun_shdict *d, const shdict_entry *e)
{
    uint64_t  node = atomic_load_explicit(&d->node, memory_order_relaxed);
    uint64_t  now = (uint64_t) wall() << SUB_BITS;
    uint64_t  before = shdict_base(d, e) >> NODE_BITS;

    return lun_max(now, before + 1) << NODE_BITS | node;
}


/* Sets of one moment have stamps that are ahead of it. */
uint64_t
lun_shdict_flush_stamp(lun_shdict *d)
{
    uint32_t             i, shard;
    uint64_t             latest = 0;
    shdict_ref           ref;
    const shdict_entry  *e;

    for (shard = 0; shard < d->shards; shard++) {
        lun_shdict_lock(d, shard);

        for (i = 0; i < d->buckets; i++) {
            ref = atomic_load(shdict_bucket(d, shard, i));

            for (; ref != 0; ref = e->next) {
                e = shdict_at(d, ref);
                latest = lun_max(latest, shdict_stamp(e));
            }
        }

        lun_shdict_unlock(d, shard);
    }

    return lun_max(lun_shdict_new_stamp(d, NULL),
                   latest + (UINT64_C(1) << NODE_BITS));
}


static int64_t
expires_of(const shdict_entry *e)
{
    return e->expires == 0 ? 0
           : wall() + (int64_t) (e->expires - lun_shdict_now());
}


/* 0: for ever; what is over has a moment. */
static int64_t
ttl_of(int64_t expires)
{
    return expires == 0 ? 0 : lun_max(expires - wall(), (int64_t) 1);
}


void
lun_shdict_set_node(lun_shdict *d, uint16_t node)
{
    atomic_store_explicit(&d->node, node, memory_order_relaxed);
}


/* --- what changes here --------------------------------------------------- */

static change_head *
head_at(const feed *f, uint64_t at)
{
    return (change_head *) (void *) (ring_of(f) + (at & (f->size - 1)));
}


/* The oldest give way; the lock is held. */
static void
make_room(feed *f, uint64_t tail, uint64_t need)
{
    uint64_t            head = atomic_load_explicit(&f->head,
                                                    memory_order_relaxed);
    const change_head  *h;

    while (tail + need - head > f->size) {
        h = head_at(f, head);
        head += h->size;

        if (h->op != 0) {
            atomic_fetch_add(&f->dropped, 1);
            atomic_store(&f->gap, 1);
        }
    }

    /* Before what lies there is written over. */
    atomic_store(&f->head, head);
}


static void
put(lun_shdict *d, change_head *h, lun_str key, lun_str value)
{
    char      *p;
    feed      *f = feed_of(d);
    uint64_t   tail, rest, size;

    size = lun_align(sizeof(*h) + key.len + value.len, STEP);

    if (size > f->size / 4) {
        atomic_fetch_add(&f->dropped, 1);
        atomic_store(&f->gap, 1);
        return;
    }

    h->size = (uint32_t) size;
    h->key_len = (uint32_t) key.len;
    h->value_len = (uint32_t) value.len;

    (void) lun_lock_take(&f->lock);

    tail = atomic_load_explicit(&f->tail, memory_order_relaxed);
    rest = f->size - (tail & (f->size - 1));
    rest = rest < size ? rest : 0;         /* that stays empty */

    if (tail + rest + size - atomic_load_explicit(&f->head,
                                                  memory_order_relaxed)
        > f->size)
    {
        make_room(f, tail, rest + size);
    }

    if (rest != 0) {
        p = (char *) head_at(f, tail);
        memcpy(p, &(uint32_t) { (uint32_t) rest }, sizeof(uint32_t));
        p[offsetof(change_head, op)] = 0;
    }

    p = (char *) head_at(f, tail + rest);
    p = lun_copy(p, h, sizeof(*h));
    p = lun_copy(p, key.data, key.len);

    if (value.len != 0) {
        memcpy(p, value.data, value.len);
    }

    atomic_store_explicit(&f->tail, tail + rest + size, memory_order_release);
    lun_lock_free(&f->lock);
}


void
lun_shdict_feed_entry(lun_shdict *d, const shdict_entry *e)
{
    change_head  h = { .op = LUN_CHANGE_SET, .type = e->type,
                       .flags = e->flags, .stamp = shdict_stamp(e),
                       .expires = expires_of(e) };

    put(d, &h, lun_str_of(shdict_key(e), e->key_len),
        lun_str_of(shdict_value(e), e->value_len));
}


void
lun_shdict_feed_delete(lun_shdict *d, lun_str key, uint64_t stamp)
{
    change_head  h = { .op = LUN_CHANGE_DELETE, .stamp = stamp,
                       .expires = wall() + SHDICT_DELETED };

    put(d, &h, key, LUN_STR(""));
}


void
lun_shdict_feed_add(lun_shdict *d, const shdict_entry *e,
    const lun_shdict_incr_args *a, double delta, bool fresh)
{
    addend       sum = { delta, a->init };
    change_head  h = { .op = LUN_CHANGE_ADD, .type = LUN_SHDICT_NUMBER,
                       .traits = (uint8_t) ((a->has_init ? LUN_CHANGE_INIT : 0)
                                            | (fresh ? LUN_CHANGE_FRESH : 0)),
                       .stamp = shdict_stamp(e), .expires = expires_of(e) };

    put(d, &h, lun_str_of(shdict_key(e), e->key_len),
        lun_str_of((const char *) &sum, sizeof(sum)));
}


void
lun_shdict_feed_flush(lun_shdict *d, uint64_t stamp)
{
    change_head  h = { .op = LUN_CHANGE_FLUSH, .stamp = stamp };

    put(d, &h, LUN_STR(""), LUN_STR(""));
}


/* --- what has changed there ---------------------------------------------- */

static double
number_in(const void *bytes)
{
    double  n;

    memcpy(&n, bytes, sizeof(n));
    return n;
}


/* Of a window that ends: it has begun anew there, and not yet here. */
static bool
is_over_there(const shdict_entry *e, const lun_shdict_change *c)
{
    int64_t  left = expires_of(e) - wall();

    return (c->traits & LUN_CHANGE_FRESH) && e->expires != 0
           && left < (c->expires - wall()) / 2;
}


static lun_change_verdict
add_locked(lun_shdict *d, uint32_t shard, uint32_t hash,
    const lun_shdict_change *c, shdict_entry *e)
{
    double            sum;
    lun_shdict_store  st = { .type = LUN_SHDICT_NUMBER, .data = &sum,
                             .len = sizeof(sum), .ttl = ttl_of(c->expires) };

    if (shdict_base(d, e) > c->stamp) {
        return LUN_CHANGE_OLDER;
    }

    if (e != NULL && shdict_lives(e, lun_shdict_now())
        && shdict_stamp(e) == c->stamp)
    {
        if (e->type != LUN_SHDICT_NUMBER) {
            return LUN_CHANGE_OLDER;
        }

        if (!is_over_there(e, c)) {
            sum = number_in(shdict_value(e)) + c->delta;
            memcpy(shdict_value(e), &sum, sizeof(sum));
            return LUN_CHANGE_DONE;
        }
    }

    if (!(c->traits & LUN_CHANGE_INIT)) {
        return LUN_CHANGE_OLDER;
    }

    sum = c->init + c->delta;
    return lun_shdict_put(d, shard, hash, c->key, e, &st, c->stamp) != NULL
           ? LUN_CHANGE_DONE : LUN_CHANGE_NO_ROOM;
}


/* A counter: of the same set, but others may have added to it. */
static bool
is_same_counter(const lun_shdict *d, const shdict_entry *e,
    const lun_shdict_change *c)
{
    return c->op == LUN_CHANGE_SET && c->type == LUN_SHDICT_NUMBER
           && c->stamp == shdict_base(d, e)
           && (e == NULL || e->type == LUN_SHDICT_NUMBER
               || !shdict_lives(e, lun_shdict_now()));
}


static lun_change_verdict
set_locked(lun_shdict *d, uint32_t shard, uint32_t hash,
    const lun_shdict_change *c, shdict_entry *e)
{
    double            sum;
    lun_shdict_store  st = { .type = c->type, .flags = c->flags,
                             .ttl = ttl_of(c->expires), .data = c->value.data,
                             .len = c->value.len };

    if (is_same_counter(d, e, c)) {
        sum = number_in(c->value.data);
        sum += c->pending != NULL ? c->pending(c->data, c) : 0;
        st.data = &sum;

    } else if (c->stamp <= shdict_base(d, e)) {
        return LUN_CHANGE_OLDER;
    }

    if (c->op == LUN_CHANGE_DELETE) {
        st = (lun_shdict_store) { .op = LUN_SHDICT_SAFE, .data = "",
                                  .ttl = SHDICT_DELETED };
    }

    return lun_shdict_put(d, shard, hash, c->key, e, &st, c->stamp) != NULL
           || c->op == LUN_CHANGE_DELETE
           ? LUN_CHANGE_DONE : LUN_CHANGE_NO_ROOM;
}


static lun_change_verdict
flush_here(lun_shdict *d, uint64_t stamp)
{
    uint64_t  before = atomic_load(&d->flushed);

    do {
        if (stamp <= before) {
            return LUN_CHANGE_OLDER;
        }
    } while (!atomic_compare_exchange_weak(&d->flushed, &before, stamp));

    lun_shdict_expire_all(d, stamp);
    return LUN_CHANGE_DONE;
}


lun_change_verdict
lun_shdict_change_here(lun_shdict *d, const lun_shdict_change *c)
{
    uint32_t             shard, hash;
    shdict_entry        *e;
    lun_change_verdict   verdict;

    LUN_CHECK(d->feed_at != 0);

    if (c->op == LUN_CHANGE_FLUSH) {
        return flush_here(d, c->stamp);
    }

    if (c->key.len == 0 || c->key.len > MAX_KEY || c->value.len > MAX_VALUE) {
        return LUN_CHANGE_NO_ROOM;
    }

    lun_shdict_place(d, c->key, &shard, &hash);
    lun_shdict_lock(d, shard);
    e = lun_shdict_find(d, shard, hash, c->key);
    verdict = c->op == LUN_CHANGE_ADD ? add_locked(d, shard, hash, c, e)
                                      : set_locked(d, shard, hash, c, e);
    lun_shdict_unlock(d, shard);
    return verdict;
}


/* --- all that there is ---------------------------------------------------- */

static void
tell_entry(const shdict_entry *e, lun_shdict_change_fn *each, void *data)
{
    lun_shdict_change  c = {
        .op = e->type == LUN_SHDICT_NIL ? LUN_CHANGE_DELETE : LUN_CHANGE_SET,
        .type = e->type, .flags = e->flags, .stamp = shdict_stamp(e),
        .expires = expires_of(e),
        .key = lun_str_of(shdict_key(e), e->key_len),
        .value = lun_str_of(shdict_value(e), e->value_len)
    };

    each(data, &c);
}


bool
lun_shdict_next_chain(lun_shdict *d, uint64_t *cursor,
    lun_shdict_change_fn *each, void *data)
{
    uint32_t             shard = (uint32_t) (*cursor / d->buckets);
    shdict_ref           ref;
    const shdict_entry  *e;

    LUN_CHECK(d->feed_at != 0);

    if (shard >= d->shards) {
        return false;
    }

    lun_shdict_lock(d, shard);
    ref = atomic_load(shdict_bucket(d, shard,
                                    (uint32_t) (*cursor % d->buckets)));

    for (; ref != 0; ref = e->next) {
        e = shdict_at(d, ref);

        if (e->type != LUN_SHDICT_LIST
            && !shdict_expired(e, lun_shdict_now()))
        {
            tell_entry(e, each, data);
        }
    }

    lun_shdict_unlock(d, shard);
    ++*cursor;
    return true;
}


/* --- reading the ring ---------------------------------------------------- */

/* A copy, since the ring goes on. */
typedef struct {
    char    *bytes;
    size_t   room;
} change_copy;


static bool
is_sane(const feed *f, uint64_t at, uint64_t tail, const change_head *h)
{
    return h->size >= STEP && h->size % STEP == 0 && h->size <= tail - at
           && h->size <= f->size - (at & (f->size - 1))
           && (h->op == 0
               || sizeof(*h) + (uint64_t) h->key_len + h->value_len
                  <= h->size);
}


typedef enum { COPIED, GONE, NO_CHANGE } copy_verdict;

/* GONE: what lay there has given way meanwhile; NO_CHANGE: none begins there,
   the position was wrong. */
static copy_verdict
copy_change(const feed *f, uint64_t at, uint64_t tail, change_copy *to)
{
    change_head  h = { 0 };

    memcpy(&h, head_at(f, at), STEP);

    if (h.op != 0) {
        memcpy(&h, head_at(f, at), sizeof(h));
    }

    atomic_thread_fence(memory_order_acquire);

    if (atomic_load(&f->head) > at) {
        return GONE;
    }

    if (!is_sane(f, at, tail, &h)) {
        return NO_CHANGE;
    }

    if (to->room < h.size) {
        to->room = lun_max(h.size, (uint32_t) 4096);
        to->bytes = lun_realloc(to->bytes, to->room);
    }

    memcpy(to->bytes, head_at(f, at), h.size);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(&f->head) <= at ? COPIED : GONE;
}


static void
tell_change(const char *bytes, lun_shdict_change_fn *each, void *data)
{
    change_head  h;
    addend       sum;

    memcpy(&h, bytes, sizeof(h));
    bytes += sizeof(h);

    lun_shdict_change  c = {
        .op = h.op, .type = h.type, .traits = h.traits, .flags = h.flags,
        .stamp = h.stamp, .expires = h.expires,
        .key = lun_str_of(bytes, h.key_len),
        .value = lun_str_of(bytes + h.key_len, h.value_len)
    };

    if (h.op == LUN_CHANGE_ADD) {
        memcpy(&sum, c.value.data, sizeof(sum));
        c.delta = sum.delta;
        c.init = sum.init;
        c.value = LUN_STR("");
    }

    each(data, &c);
}


void
lun_shdict_feed_read(lun_shdict *d, uint64_t *at, size_t bytes,
    lun_shdict_change_fn *each, void *data)
{
    change_copy    to = { 0 };
    feed          *f = feed_of(d);
    size_t         done = 0;
    uint32_t       size;
    copy_verdict   rc;
    uint64_t       tail = atomic_load_explicit(&f->tail, memory_order_acquire);

    while (done < bytes) {
        *at = lun_max(*at, atomic_load(&f->head));

        if (*at >= tail) {
            break;
        }

        rc = *at % STEP == 0 ? copy_change(f, *at, tail, &to) : NO_CHANGE;

        if (rc == GONE) {
            continue;
        }

        if (rc == NO_CHANGE) {
            *at = tail;
            atomic_store(&f->gap, 1);
            break;
        }

        memcpy(&size, to.bytes, sizeof(size));

        if (to.bytes[offsetof(change_head, op)] != 0) {
            tell_change(to.bytes, each, data);
            done += size;
        }

        *at += size;
    }

    lun_free(to.bytes);
}


/* Whoever says so may be wrong: it goes from change to change. */
void
lun_shdict_feed_done(lun_shdict *d, uint64_t at)
{
    feed      *f = feed_of(d);
    uint64_t   head, tail;

    (void) lun_lock_take(&f->lock);
    head = atomic_load(&f->head);
    tail = atomic_load(&f->tail);

    while (head < at && head < tail) {
        head += head_at(f, head)->size;
    }

    if (head == at) {
        atomic_store(&f->head, head);
    }

    lun_lock_free(&f->lock);
}


/* --- what is known of it ------------------------------------------------- */

void
lun_shdict_feed_look(const lun_shdict *d, lun_shdict_feed_state *s)
{
    const feed  *f = feed_of(d);

    s->first = atomic_load(&f->head);
    s->end = atomic_load(&f->tail);
    s->epoch = f->epoch;
    s->dropped = atomic_load(&f->dropped);
}


bool
lun_shdict_feed_had_gap(lun_shdict *d)
{
    return atomic_exchange(&feed_of(d)->gap, 0) != 0;
}


bool
lun_shdict_feed_place(const lun_shdict *d, lun_shdict_reached *place)
{
    const feed  *f = feed_of(d);

    if (atomic_load(&f->placed) == 0) {
        return false;
    }

    *place = f->place;
    return true;
}


void
lun_shdict_feed_lose_place(lun_shdict *d)
{
    atomic_store(&feed_of(d)->placed, 0);
}


void
lun_shdict_feed_set_place(lun_shdict *d, const lun_shdict_reached *place)
{
    feed  *f = feed_of(d);

    atomic_store(&f->placed, 0);
    f->place = *place;
    atomic_store(&f->placed, 1);
}


void
lun_shdict_feed_count(lun_shdict *d, lun_feed_number which, uint64_t n)
{
    atomic_fetch_add_explicit(&feed_of(d)->numbers[which], n,
                              memory_order_relaxed);
}


void
lun_shdict_feed_note(lun_shdict *d, lun_feed_number which, uint64_t n)
{
    atomic_store_explicit(&feed_of(d)->numbers[which], n,
                          memory_order_relaxed);
}


uint64_t
lun_shdict_feed_number(const lun_shdict *d, lun_feed_number which)
{
    return atomic_load_explicit(&feed_of(d)->numbers[which],
                                memory_order_relaxed);
}
