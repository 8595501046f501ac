/*
 * shm_table.c -- small records by key, in a zone that all workers share.
 *
 *     lun_shm_table | buckets | blocks
 *
 * Blocks are numbered from 1; references are numbers, 0 is none.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shm_table.h"

#include "base/check.h"
#include "os/lock.h"


enum { BLOCK = 64, WHAT = 256 };

static const uint64_t  magic = 0x6c756e6c65646701;

struct lun_shm_table {
    uint64_t          magic;
    lun_lock          lock;
    _Atomic uint32_t  busy;        /* somebody is, or was, at work */
    uint32_t          buckets;     /* a power of two */
    uint32_t          blocks;
    uint32_t          free;        /* derived: linked by `rest` */
    _Atomic uint32_t  used;        /* derived: blocks that are not */
    uint32_t          oldest, newest;  /* derived */
    uint32_t          what_len;
    uint64_t          what_hash;
    char              what[WHAT];
};

/* The first block of a record, as this room sees lun_shm_record. */
typedef struct {
    uint32_t          rest;        /* of its key; of what is free: the next */
    uint16_t          key_len;
    uint16_t          seen;        /* while the derived is made anew */
    uint32_t          hash;
    _Atomic uint32_t  next;        /* in its bucket */
    uint32_t          newer, older;
    uint64_t          stamp, value;
    char              key[24];
} head;

typedef struct {
    uint32_t  rest;
    uint16_t  key_len;             /* not here */
    uint16_t  seen;
    char      key[56];
} more;

_Static_assert(sizeof(head) == BLOCK && sizeof(more) == BLOCK, "one block");
_Static_assert(offsetof(head, stamp) == offsetof(lun_shm_record, stamp)
               && sizeof(lun_shm_record) == BLOCK, "the same record");


static inline _Atomic uint32_t *
bucket_at(lun_shm_table *l, uint32_t hash)
{
    return (_Atomic uint32_t *) (l + 1) + (hash & (l->buckets - 1));
}


static inline void *
at(lun_shm_table *l, uint32_t n)
{
    return (char *) ((_Atomic uint32_t *) (l + 1) + l->buckets)
           + (size_t) (n - 1) * BLOCK;
}


static inline uint32_t
number_of(lun_shm_table *l, const void *block)
{
    return (uint32_t) (((const char *) block - (const char *) at(l, 1))
                       / BLOCK) + 1;
}


/* Under the lock; who looks at it need not hold it. */
static inline void
count_used(lun_shm_table *l, int blocks)
{
    atomic_store_explicit(&l->used, (uint32_t) ((int)
                          atomic_load_explicit(&l->used, memory_order_relaxed)
                          + blocks), memory_order_relaxed);
}


static inline uint32_t
link_of(_Atomic uint32_t *link)
{
    return atomic_load_explicit(link, memory_order_relaxed);
}


/* How many blocks behind the first a key fills. */
static inline uint32_t
rest_of(size_t key_len)
{
    head  *h = NULL;
    more  *m = NULL;

    return key_len <= sizeof(h->key) ? 0
           : (uint32_t) ((key_len - sizeof(h->key) + sizeof(m->key) - 1)
                         / sizeof(m->key));
}


lun_rc
lun_shm_table_init(lun_zone *zone, const lun_log *log)
{
    size_t          room = zone->shm.size - sizeof(lun_shm_table);
    lun_shm_table  *l = zone->shm.addr;

    l->buckets = 16;

    while ((uint64_t) l->buckets * 2 * BLOCK <= room
           && l->buckets < 1U << 31)
    {
        l->buckets *= 2;
    }

    /* A block that has not been used is all zeros, and so are the buckets. */
    room -= l->buckets * sizeof(uint32_t);
    l->blocks = (uint32_t) lun_min(room / BLOCK, UINT32_MAX - 1);
    l->magic = magic;
    atomic_store(&l->busy, 1);     /* the first to take the lock lines up */

    return LUN_OK;
}


void
lun_shm_table_room(const lun_zone *zone, uint64_t *used, uint64_t *all)
{
    lun_shm_table  *l = lun_shm_table_of(zone);

    *used = (uint64_t) atomic_load(&l->used) * BLOCK;
    *all = (uint64_t) l->blocks * BLOCK;
}


lun_shm_table *
lun_shm_table_of(const lun_zone *zone)
{
    lun_shm_table  *l = zone->shm.addr;

    LUN_CHECK(l != NULL && l->magic == magic);
    return l;
}


lun_rc
lun_shm_table_bind(lun_shm_table *l, lun_str what, lun_str *before)
{
    uint64_t  hash = lun_str_hash(what);

    if (l->what_hash == 0) {
        l->what_len = (uint32_t) lun_min(what.len, (size_t) WHAT);
        memcpy(l->what, what.data, l->what_len);
        l->what_hash = hash;
    }

    *before = lun_str_of(l->what, l->what_len);
    return l->what_hash == hash ? LUN_OK : LUN_ERROR;
}


/* --- the order of use ---------------------------------------------------- */

static void
enlist(lun_shm_table *l, head *h)
{
    uint32_t  n = number_of(l, h);

    h->newer = 0;
    h->older = l->newest;

    if (l->newest != 0) {
        ((head *) at(l, l->newest))->newer = n;
    } else {
        l->oldest = n;
    }

    l->newest = n;
}


static void
delist(lun_shm_table *l, head *h)
{
    if (h->newer != 0) {
        ((head *) at(l, h->newer))->older = h->older;
    } else {
        l->newest = h->older;
    }

    if (h->older != 0) {
        ((head *) at(l, h->older))->newer = h->newer;
    } else {
        l->oldest = h->newer;
    }
}


/* --- after a death ------------------------------------------------------- */

/* Its blocks are there, and nobody else's so far. */
static bool
claim(lun_shm_table *l, uint32_t n)
{
    head      *h;
    uint32_t   left, rest;

    if (n > l->blocks || (h = at(l, n))->seen) {
        return false;
    }

    h->seen = 1;
    rest = h->rest;

    for (left = rest_of(h->key_len); left > 0; left--) {
        more  *m;

        if (rest == 0 || rest > l->blocks || (m = at(l, rest))->seen) {
            return false;
        }

        m->seen = 1;
        rest = m->rest;
    }

    return true;
}


/* Everything that the chains lead to, in no particular order of use. */
static void
repair(lun_shm_table *l)
{
    head              *h;
    uint32_t           i;
    _Atomic uint32_t  *link;

    l->free = l->oldest = l->newest = 0;
    atomic_store(&l->used, l->blocks);

    for (i = 1; i <= l->blocks; i++) {
        ((head *) at(l, i))->seen = 0;
    }

    for (i = 0; i < l->buckets; i++) {
        for (link = bucket_at(l, i); link_of(link) != 0; link = &h->next) {
            if (!claim(l, link_of(link))) {
                atomic_store(link, 0);
                break;
            }

            h = at(l, link_of(link));
            enlist(l, h);
        }
    }

    for (i = l->blocks; i > 0; i--) {
        h = at(l, i);

        if (!h->seen) {
            h->rest = l->free;
            l->free = i;
            count_used(l, -1);
        }
    }
}


void
lun_shm_table_lock(lun_shm_table *l)
{
    (void) lun_lock_take(&l->lock);

    if (LUN_UNLIKELY(atomic_load_explicit(&l->busy, memory_order_relaxed))) {
        repair(l);
    }

    atomic_store_explicit(&l->busy, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}


void
lun_shm_table_unlock(lun_shm_table *l)
{
    atomic_store_explicit(&l->busy, 0, memory_order_release);
    lun_lock_free(&l->lock);
}


void
lun_shm_table_seize(lun_shm_table *l, int64_t pid)
{
    if (lun_lock_seize(&l->lock, pid)) {
        lun_shm_table_lock(l);
        lun_shm_table_unlock(l);
    }
}


/* --- records ------------------------------------------------------------- */

static bool
has_key(lun_shm_table *l, const head *h, lun_str key)
{
    size_t       n = lun_min(key.len, sizeof(h->key));
    uint32_t     rest = h->rest;
    const more  *m;

    if (h->key_len != key.len || memcmp(h->key, key.data, n) != 0) {
        return false;
    }

    for ( ; key.len > n; rest = m->rest) {
        key = lun_str_of(key.data + n, key.len - n);
        m = at(l, rest);
        n = lun_min(key.len, sizeof(m->key));

        if (memcmp(m->key, key.data, n) != 0) {
            return false;
        }
    }

    return true;
}


lun_shm_record *
lun_shm_table_find(lun_shm_table *l, lun_str key, const lun_shm_record *after)
{
    head      *h;
    uint32_t   n, hash = (uint32_t) lun_str_hash(key);

    n = after == NULL ? link_of(bucket_at(l, hash))
                      : link_of(&((head *) (uintptr_t) after)->next);

    for ( ; n != 0; n = link_of(&h->next)) {
        h = at(l, n);

        if (h->hash == hash && has_key(l, h, key)) {
            return (lun_shm_record *) h;
        }
    }

    return NULL;
}


static void *
take_block(lun_shm_table *l)
{
    head  *h = at(l, l->free);

    l->free = h->rest;
    count_used(l, 1);
    h->rest = 0;
    return h;
}


static bool
has_room(lun_shm_table *l, size_t key_len)
{
    uint32_t  n, need = rest_of(key_len) + 1;

    for (n = l->free; n != 0; n = ((head *) at(l, n))->rest) {
        if (--need == 0) {
            return true;
        }
    }

    return false;
}


static void
put_key(lun_shm_table *l, head *h, lun_str key)
{
    size_t     n = lun_min(key.len, sizeof(h->key));
    more      *m;
    uint32_t  *link = &h->rest;

    h->key_len = (uint16_t) key.len;
    memcpy(h->key, key.data, n);

    while (key.len > n) {
        key = lun_str_of(key.data + n, key.len - n);
        m = take_block(l);
        n = lun_min(key.len, sizeof(m->key));
        memcpy(m->key, key.data, n);
        *link = number_of(l, m);
        link = &m->rest;
    }
}


lun_shm_record *
lun_shm_table_add(lun_shm_table *l, lun_str key, uint64_t stamp, uint64_t value)
{
    head              *h;
    _Atomic uint32_t  *bucket;

    if (key.len > LUN_SHM_TABLE_KEY || !has_room(l, key.len)) {
        return NULL;
    }

    h = take_block(l);
    put_key(l, h, key);
    h->hash = (uint32_t) lun_str_hash(key);
    h->stamp = stamp;
    h->value = value;

    bucket = bucket_at(l, h->hash);
    atomic_store_explicit(&h->next, link_of(bucket), memory_order_relaxed);
    atomic_store_explicit(bucket, number_of(l, h), memory_order_release);
    enlist(l, h);

    return (lun_shm_record *) h;
}


size_t
lun_shm_table_key(lun_shm_table *l, const lun_shm_record *e, char *room,
    size_t size)
{
    size_t       n, left;
    uint32_t     rest;
    const head  *h = (const head *) e;
    const more  *m;

    size = lun_min(size, (size_t) h->key_len);
    n = lun_min(size, sizeof(h->key));
    memcpy(room, h->key, n);

    for (left = size - n, rest = h->rest; left != 0; left -= n) {
        m = at(l, rest);
        rest = m->rest;
        room += n;
        n = lun_min(left, sizeof(m->key));
        memcpy(room, m->key, n);
    }

    return size;
}


void
lun_shm_table_remove(lun_shm_table *l, lun_shm_record *e)
{
    head              *h = (head *) e;
    uint32_t           n = number_of(l, h), last = n;
    _Atomic uint32_t  *link = bucket_at(l, h->hash);

    while (link_of(link) != n) {
        LUN_CHECK(link_of(link) != 0);
        link = &((head *) at(l, link_of(link)))->next;
    }

    atomic_store_explicit(link, link_of(&h->next), memory_order_release);
    delist(l, h);
    count_used(l, -(int) rest_of(h->key_len) - 1);

    while (((head *) at(l, last))->rest != 0) {
        last = ((head *) at(l, last))->rest;
    }

    ((head *) at(l, last))->rest = l->free;
    l->free = n;
}


void
lun_shm_table_touch(lun_shm_table *l, lun_shm_record *e)
{
    if (l->newest != number_of(l, e)) {
        delist(l, (head *) e);
        enlist(l, (head *) e);
    }
}


lun_shm_record *
lun_shm_table_oldest(lun_shm_table *l)
{
    return l->oldest != 0 ? at(l, l->oldest) : NULL;
}


lun_shm_record *
lun_shm_table_newer(lun_shm_table *l, const lun_shm_record *e)
{
    const head  *h = (const head *) e;

    return h->newer != 0 ? at(l, h->newer) : NULL;
}
