/*
 * shdict_priv.h -- how a dictionary lies in its zone.
 *
 *     lun_shdict | shards | buckets of each shard | page table | pages
 *
 * The zone's pages (4 KB) belong to nobody or to one shard; a shard cuts its
 * pages into slots of one size class, or takes a run of pages for one large
 * value.  A page's table row has the map of its used slots and a recency mark
 * per slot.  References between entries are offsets in units of 16 bytes, so
 * that a reader can check them before it follows.
 *
 * A synced one has a feed at its end (shdict_feed.c), and behind each entry's
 * key its stamp.
 *
 * A small zone has one shard, and what its slots hold is counted as in nginx's
 * slabs, overhead and all, for scripts that know what fits.  Its tables lie
 * beside the size that was asked for.
 *
 * What survives a kill.  The chains of the index are the truth: every link is
 * one store, made when what it leads to is complete.  Maps, counts and lists
 * of pages are derived from them, and rebuilt (shdict_repair.c) when a shard
 * is found with an odd sequence.  An entry that is changed in place is named
 * by shard->intent before; if its writer dies, that entry is taken out.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SHDICT_PRIV_H
#define LUN_SHDICT_PRIV_H

#include "base/str.h"
#include "shm/shdict.h"
#include "os/lock.h"

enum {
    PAGE_SIZE  = 4096,
    UNIT       = 16,               /* bytes that one step of a ref stands for */
    SMALL_ZONE = 1024 * 1024,      /* up to here it is laid out as nginx's */
    CLASSES    = 21,
    MAX_SHARDS = 256,
    MAX_KEY    = 65535,
    MAX_VALUE  = INT32_MAX
};

typedef uint32_t  shdict_ref;      /* offset / UNIT from the zone; 0: none */

/* Kinds of page. */
enum { PAGE_FREE, PAGE_SLOTS, PAGE_RUN, PAGE_RUN_REST };

/* Kinds of slot: what its first byte says. */
enum { SLOT_ENTRY = 1, SLOT_ITEM = 2, SLOT_NOTHING = 3 };
typedef struct {
    uint16_t          owner;       /* shard + 1; 0: nobody */
    uint8_t           kind;
    uint8_t           cls;         /* PAGE_SLOTS: size class */
    uint16_t          used_count;
    uint32_t          run;         /* PAGE_RUN: pages of it */
    uint32_t          next, prev;  /* ring of the shard's pages of the class */
    uint64_t          used[2];     /* slots that are taken */
    _Atomic uint64_t  mark[2];     /* slots that were read lately */
} shdict_page;

typedef struct {
    uint32_t  hand;                /* a page of the ring; 0: no pages */
    uint32_t  slot;                /* where the clock's hand stands in it */
    uint32_t  avail;               /* a page that likely has a free slot */
    uint32_t  pages;
    uint32_t  free_slots;
} shdict_class;

typedef struct {
    lun_lock          lock;
    _Atomic uint32_t  seq;         /* odd: a writer is at work */
    shdict_ref        intent;      /* the entry being changed in place */
    uint32_t          entries;
    uint32_t          run_hand;    /* page: where to look for a run to evict */
    shdict_class      classes[CLASSES];
} __attribute__((aligned(64))) shdict_shard;

struct lun_shdict {
    uint64_t          magic;
    uint64_t          size;        /* bytes of the zone */
    bool              small;       /* see SMALL_ZONE */
    uint32_t          shards;      /* a power of two */
    uint32_t          buckets;     /* of a shard; a power of two */
    uint32_t          pages;
    uint32_t          usable;      /* pages that may be free */
    uint32_t          limit;       /* first ref behind the zone */
    uint64_t          shards_at;   /* offsets from here */
    uint64_t          buckets_at;
    uint64_t          table_at;
    uint64_t          pages_at;
    uint64_t          feed_at;     /* 0: it is not synced */
    _Atomic uint64_t  flushed;     /* synced: older sets are no more */
    _Atomic uint32_t  node;        /* same: whose sets here are */
    struct {
        shdict_ref    ref;
        uint32_t      size;
    } reserved[2];                 /* of a small one: slots for nothing */

    /* The common pool of pages. */
    lun_lock          pool_lock;
    uint32_t          pool_dirty;  /* a change to it has begun */
    _Atomic uint32_t  free_pages;
    uint32_t          next_fit;    /* where the next search begins */
};

/* An entry; its value follows, then its key. */
typedef struct {
    uint8_t      slot_kind;        /* SLOT_ENTRY */
    uint8_t      type;             /* LUN_SHDICT_... */
    uint16_t     key_len;
    shdict_ref   next;             /* in its bucket */
    uint32_t     hash;
    uint32_t     flags;            /* the user's */
    uint64_t     expires;          /* ms, see lun_shdict_now(); 0: never */
    uint32_t     value_len;
    uint32_t     pad;
} shdict_entry;

/* The value of a LUN_SHDICT_LIST entry, and one of its items. */
typedef struct {
    shdict_ref   first, last;
    uint32_t     count;
    uint32_t     pad;
} shdict_list;

typedef struct {
    uint8_t      slot_kind;        /* SLOT_ITEM */
    uint8_t      type;             /* string or number */
    uint16_t     pad;
    shdict_ref   next, prev;
    uint32_t     value_len;        /* the value follows */
} shdict_item;

static inline void *
shdict_at(const lun_shdict *d, shdict_ref ref)
{
    return (char *) d + (size_t) ref * UNIT;
}

static inline shdict_ref
shdict_ref_of(const lun_shdict *d, const void *p)
{
    return (shdict_ref) ((size_t) ((const char *) p - (const char *) d)
                         / UNIT);
}

static inline shdict_shard *
shdict_shard_at(const lun_shdict *d, uint32_t i)
{
    return (shdict_shard *) ((char *) d + d->shards_at) + i;
}

static inline _Atomic shdict_ref *
shdict_bucket(const lun_shdict *d, uint32_t shard, uint32_t hash)
{
    return (_Atomic shdict_ref *) ((char *) d + d->buckets_at)
           + (size_t) shard * d->buckets + (hash & (d->buckets - 1));
}

/* Rows of the table are numbered from 1. */
static inline shdict_page *
shdict_page_at(const lun_shdict *d, uint32_t page)
{
    return (shdict_page *) ((char *) d + d->table_at) + (page - 1);
}

static inline char *
shdict_page_bytes(const lun_shdict *d, uint32_t page)
{
    return (char *) d + d->pages_at + (size_t) (page - 1) * PAGE_SIZE;
}

static inline uint32_t
shdict_page_of(const lun_shdict *d, const void *p)
{
    return (uint32_t) ((size_t) ((const char *) p - (const char *) d
                                 - d->pages_at) / PAGE_SIZE) + 1;
}

static inline char *
shdict_value(const shdict_entry *e)
{
    return (char *) (e + 1);
}

static inline char *
shdict_key(const shdict_entry *e)
{
    return (char *) (e + 1) + e->value_len;
}

/* Of a synced dictionary's entry. */
static inline uint64_t
shdict_stamp(const shdict_entry *e)
{
    uint64_t  stamp;

    memcpy(&stamp, shdict_key(e) + e->key_len, sizeof(stamp));
    return stamp;
}

static inline void
shdict_set_stamp(shdict_entry *e, uint64_t stamp)
{
    memcpy(shdict_key(e) + e->key_len, &stamp, sizeof(stamp));
}

/* The same for readers who hold no lock. */
static inline bool
shdict_ref_fits(const lun_shdict *d, shdict_ref ref, size_t size)
{
    return ref != 0 && ref < d->limit
           && (size_t) (d->limit - ref) * UNIT >= size;
}

/* --- shdict_index.c: locks, chains, eviction --- */

/* Locks the shard for writing (its sequence is odd), repaired if need be. */
void lun_shdict_lock(lun_shdict *d, uint32_t shard);
void lun_shdict_unlock(lun_shdict *d, uint32_t shard);

uint64_t lun_shdict_now(void);

/* With the shard locked: the entry, expired ones included, or NULL. */
shdict_entry *lun_shdict_find(lun_shdict *d, uint32_t shard, uint32_t hash,
    lun_str key);
void lun_shdict_link(lun_shdict *d, uint32_t shard, shdict_entry *e);
/* Unlinks it and gives back all that it holds. */
void lun_shdict_remove(lun_shdict *d, uint32_t shard, shdict_entry *e);

static inline bool
shdict_expired(const shdict_entry *e, uint64_t now)
{
    return e->expires != 0 && e->expires <= now;
}

/* Not expired, and not what is left of a deleted one. */
static inline bool
shdict_lives(const shdict_entry *e, uint64_t now)
{
    return !shdict_expired(e, now) && e->type != LUN_SHDICT_NIL;
}

static inline size_t
shdict_entry_size(const shdict_entry *e)
{
    return sizeof(shdict_entry) + e->value_len + e->key_len;
}

/*
 * Room at any price: takes, and evicts until it can.  `safe`: only what has
 * expired goes.  *forced: something that had not expired was evicted.
 */
shdict_ref lun_shdict_take_hard(lun_shdict *d, uint32_t shard, size_t size,
    bool safe, bool *forced);

/* Removes expired entries of the shard, at most `max`; returns how many. */
uint32_t lun_shdict_expire(lun_shdict *d, uint32_t shard, uint32_t max);

/* --- shdict.c, for shdict_list.c --- */

void lun_shdict_place(const lun_shdict *d, lun_str key, uint32_t *shard,
    uint32_t *hash);

/*
 * The entry gets that value; it is `e`, or, if that is NULL or has another
 * size, a new one.  NULL: no room.  `stamp` is a synced dictionary's.
 */
shdict_entry *lun_shdict_put(lun_shdict *d, uint32_t shard, uint32_t hash,
    lun_str key, shdict_entry *e, lun_shdict_store *st, uint64_t stamp);

/* Synced, or not: expires all entries that are not newer than that. */
void lun_shdict_expire_all(lun_shdict *d, uint64_t stamp);

/* The entry, unless it has expired (then it is removed); made if asked for. */
shdict_entry *lun_shdict_list_entry(lun_shdict *d, uint32_t shard,
    uint32_t hash, lun_str key, bool make);

void lun_shdict_copy_value(lun_shdict_value *v, uint8_t type,
    const char *from, size_t len);

/* --- shdict_feed.c; the shard is locked, the dictionary synced --- */

/* The stamp that a counter of that key (NULL: none is there) counts from. */
static inline uint64_t
shdict_base(const lun_shdict *d, const shdict_entry *e)
{
    uint64_t  flushed = atomic_load_explicit(&d->flushed,
                                             memory_order_relaxed);
    uint64_t  own = e != NULL ? shdict_stamp(e) : 0;

    return lun_max(own, flushed);
}

/* One that is later. */
uint64_t lun_shdict_new_stamp(const lun_shdict *d, const shdict_entry *e);

/* One that is later than all that there are; no shard is locked. */
uint64_t lun_shdict_flush_stamp(lun_shdict *d);

/* A deletion is an entry without a value, for so long (ms). */
enum { SHDICT_DELETED = 10 * 60 * 1000 };

/* The entry as it is now is put into the feed. */
void lun_shdict_feed_entry(lun_shdict *d, const shdict_entry *e);
void lun_shdict_feed_delete(lun_shdict *d, lun_str key, uint64_t stamp);
void lun_shdict_feed_add(lun_shdict *d, const shdict_entry *e,
    const lun_shdict_incr_args *a, double delta, bool fresh);
void lun_shdict_feed_flush(lun_shdict *d, uint64_t stamp);

/* While the zone is made; and of a dead process's lock. */
size_t lun_shdict_feed_room(size_t size);
void lun_shdict_feed_init(lun_shdict *d, uint64_t at, size_t room);
void lun_shdict_feed_seize(lun_shdict *d, int64_t pid, bool had_lock);

/* --- shdict_repair.c --- */

/* The shard is locked, its sequence odd: its last writer did not finish. */
void lun_shdict_repair(lun_shdict *d, uint32_t shard);

#endif
