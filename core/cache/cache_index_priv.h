/*
 * cache_index_priv.h -- how an index lies in its zone.
 *
 *     lun_cache_index | shards | of each shard: buckets | entries
 *
 * Entries are numbered from 1 in their shard; references are numbers, 0 is
 * none.  A key's first bytes choose the shard, others the bucket.  The chains
 * of the buckets are the truth: each link is one store, made when what it
 * leads to is complete.  The order of use, the list of the free ones and the
 * sums are derived, and made anew by who finds the shard busy.  An entry whose
 * fields are changing is named by `intent`, and then dropped.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CACHE_INDEX_PRIV_H
#define LUN_CACHE_INDEX_PRIV_H

#include "cache/cache_index.h"
#include "os/lock.h"

#define LUN_CACHE_INDEX_MAGIC  UINT64_C(0x6c756e6361636801)

enum {
    SHARDS_MAX  = 64,
    SHARD_LEAST = 256,             /* entries of a shard, or there is one */
    WHAT        = 1024
};

typedef struct {
    unsigned char     key[LUN_CACHE_KEY];
    _Atomic uint32_t  next;        /* in its bucket */
    uint32_t          newer, older;    /* newer: of a free one, the next */
    uint32_t          uses;
    uint64_t          version;     /* 0: it has no file */
    int64_t           size;
    uint64_t          owner;       /* the process that updates it; 0: none */
    lun_msec          until;       /* how long it may; 0: as long as it lives */
    uint64_t          waiters;
    int64_t           good_until;  /* seconds: of the error, or of the file;
                                      then 0 is not known */
    uint32_t          ticket;
    uint32_t          used;        /* seconds */
    uint16_t          error;
    uint16_t          seen;        /* while the derived is made anew */
    uint32_t          checked;     /* the file was, or is of this server */
} entry;

_Static_assert(sizeof(entry) == 96, "what an entry costs");

typedef struct {
    lun_lock          lock;
    _Atomic uint32_t  busy;        /* somebody is, or was, at work */
    _Atomic uint32_t  intent;      /* the entry that is changing; 0: none */
    uint32_t          top;         /* entries that have ever been used */
    uint32_t          free;        /* derived, as all below */
    uint32_t          oldest, newest;
    _Atomic uint32_t  count;
    _Atomic uint64_t  bytes;
} __attribute__((aligned(64))) shard;

struct lun_cache_index {
    uint64_t          magic;
    uint32_t          shards;      /* a power of two */
    uint32_t          buckets;     /* of a shard; a power of two */
    uint32_t          entries;     /* of a shard */
    _Atomic uint32_t  warm;
    _Atomic uint32_t  tickets;
    _Atomic uint64_t  versions;
    char              what[WHAT];
    _Atomic uint64_t  purged;      /* a moment */
    lun_lock          mark_lock;
    lun_cache_mark    marks[LUN_CACHE_MARKS];
};

static inline shard *
shard_at(const lun_cache_index *x, uint32_t i)
{
    return (shard *) ((char *) (uintptr_t) x
                      + lun_align(sizeof(lun_cache_index), 64)) + i;
}

static inline size_t
shard_size(const lun_cache_index *x)
{
    return lun_align(x->buckets * sizeof(uint32_t)
                     + x->entries * sizeof(entry), 64);
}

static inline char *
room_of(const lun_cache_index *x, const shard *s)
{
    return (char *) shard_at(x, x->shards)
           + (size_t) (s - shard_at(x, 0)) * shard_size(x);
}

static inline uint32_t
word_of(const unsigned char *p)
{
    uint32_t  n;

    memcpy(&n, p, sizeof(n));
    return n;
}

static inline shard *
shard_of(const lun_cache_index *x, const lun_cache_key *key)
{
    return shard_at(x, word_of(key->bytes) & (x->shards - 1));
}

static inline _Atomic uint32_t *
bucket_at(const lun_cache_index *x, const shard *s, uint32_t i)
{
    return (_Atomic uint32_t *) room_of(x, s) + i;
}

static inline _Atomic uint32_t *
bucket_of(const lun_cache_index *x, const shard *s, const unsigned char *key)
{
    return bucket_at(x, s, word_of(key + 4) & (x->buckets - 1));
}

static inline entry *
at(const lun_cache_index *x, const shard *s, uint32_t n)
{
    return (entry *) (room_of(x, s) + x->buckets * sizeof(uint32_t)) + (n - 1);
}

static inline uint32_t
number_of(const lun_cache_index *x, const shard *s, const entry *e)
{
    return (uint32_t) (e - at(x, s, 1)) + 1;
}

static inline uint32_t
link_of(_Atomic uint32_t *link)
{
    return atomic_load_explicit(link, memory_order_relaxed);
}

/* --- cache_shard.c: with the shard locked, but for the first --- */

/* Mended if somebody has died there. */
void lun_cache_shard_lock(const lun_cache_index *x, shard *s);
void lun_cache_shard_unlock(shard *s);

/* In the order of use: to its end. */
void lun_cache_shard_touch(const lun_cache_index *x, shard *s, entry *e);
/* ... to its beginning. */
void lun_cache_shard_age(const lun_cache_index *x, shard *s, entry *e);

void lun_cache_shard_add_bytes(shard *s, int64_t n);

entry *lun_cache_shard_find(const lun_cache_index *x, const shard *s,
    const lun_cache_key *key);
/* The latest used; NULL: there is no room. */
entry *lun_cache_shard_make(const lun_cache_index *x, shard *s,
    const lun_cache_key *key);
void lun_cache_shard_unlink(const lun_cache_index *x, shard *s, entry *e);

#endif
