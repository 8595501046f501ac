/*
 * shdict.h -- shared dictionaries: a cache in fixed-address shared memory.
 *
 * 64 or more shards, each with its own lock word, sequence number, index,
 * allocator and recency clock.  Readers take no lock: they read the sequence,
 * walk, copy, and read it again.  Writers hold the shard's lock, make the
 * sequence odd, and note in the shard what they are about to change; if they
 * die there, whoever finds out undoes that write, or drops that one shard.
 *
 * Semantics, flags and error strings are ngx.shared.DICT's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SHDICT_H
#define LUN_SHDICT_H

#include "shm/zone.h"

typedef struct lun_shdict  lun_shdict;

extern const lun_zone_kind  lun_shdict_kind;
/* The same, of keyval zones: no script sees it. */
extern const lun_zone_kind  lun_shdict_keyval_kind;

/* Value types as ffi sees them: Lua's own numbers. */
enum {
    LUN_SHDICT_NIL     = 0,
    LUN_SHDICT_BOOLEAN = 1,
    LUN_SHDICT_NUMBER  = 3,
    LUN_SHDICT_STRING  = 4,
    LUN_SHDICT_LIST    = 5
};

enum { LUN_SHDICT_MIN_SIZE = 12 * 1024 };      /* as ngx.shared.DICT's */

typedef enum {
    LUN_SHDICT_OK = 0,
    LUN_SHDICT_NOT_FOUND,
    LUN_SHDICT_EXISTS,
    LUN_SHDICT_NO_MEMORY,
    LUN_SHDICT_NOT_NUMBER,
    LUN_SHDICT_NOT_LIST,           /* "value not a list" */
    LUN_SHDICT_IS_LIST             /* "value is a list" */
} lun_shdict_verdict;

/* What is read.  buf/room: the caller's; own: malloc'ed here, kept for reuse,
 * freed by whoever has the struct.  data is one of them. */
typedef struct {
    int32_t    type;
    int32_t    flags;              /* as ngx.shared.DICT gives them: signed */
    double     number;             /* a number; 0 or 1 of a boolean */
    char      *data;
    size_t     len;
    char      *buf;
    size_t     room;
    char      *own;
    size_t     own_size;
    int32_t    stale;
} lun_shdict_value;

enum {
    LUN_SHDICT_ADD     = 1,        /* only if it is not there */
    LUN_SHDICT_REPLACE = 2,        /* only if it is */
    LUN_SHDICT_SAFE    = 4         /* never evict what has not expired */
};

/* What is stored.  NIL removes. A number is 8 bytes, a boolean one. */
typedef struct {
    uint8_t      op;
    uint8_t      type;
    bool         forcible;         /* out: others had to go */
    uint32_t     flags;
    int64_t      ttl;              /* ms; 0: for ever */
    const void  *data;
    size_t       len;
} lun_shdict_store;

typedef struct {
    double    value;               /* in: what to add; out: the sum */
    double    init;
    int64_t   init_ttl;            /* ms; 0: for ever */
    bool      has_init;
    bool      forcible;
} lun_shdict_incr_args;

/* The dictionary in an opened zone. */
lun_shdict *lun_shdict_of(const lun_zone *zone);

/* Keys are 1 ... 65535 bytes.  Reads take no lock. */
lun_shdict_verdict lun_shdict_get(lun_shdict *d, lun_str key, bool stale,
    lun_shdict_value *v);
lun_shdict_verdict lun_shdict_store_value(lun_shdict *d, lun_str key,
    lun_shdict_store *st);
lun_shdict_verdict lun_shdict_incr(lun_shdict *d, lun_str key,
    lun_shdict_incr_args *a);

/* Milliseconds left, 0 for ever. */
lun_shdict_verdict lun_shdict_ttl(lun_shdict *d, lun_str key, int64_t *msec);
lun_shdict_verdict lun_shdict_set_ttl(lun_shdict *d, lun_str key,
    int64_t msec);

lun_shdict_verdict lun_shdict_push(lun_shdict *d, lun_str key,
    lun_shdict_store *st, bool left, uint32_t *count);
lun_shdict_verdict lun_shdict_pop(lun_shdict *d, lun_str key, bool left,
    lun_shdict_value *v);
lun_shdict_verdict lun_shdict_llen(lun_shdict *d, lun_str key,
    uint32_t *count);

/* Marks everything as expired: get_stale still sees it. */
void lun_shdict_flush_all(lun_shdict *d);
/* Removes at most `max` (0: all) expired ones; returns how many. */
uint64_t lun_shdict_flush_expired(lun_shdict *d, uint64_t max);

/* False from `each` stops.  It may not touch the dictionary. */
typedef bool lun_shdict_key_fn(void *data, lun_str key);
bool lun_shdict_each_key(lun_shdict *d, lun_shdict_key_fn *each, void *data);

/* Bytes: of the zone, of pages that nobody has taken. */
uint64_t lun_shdict_capacity(const lun_shdict *d);
uint64_t lun_shdict_free_space(const lun_shdict *d);

#endif
