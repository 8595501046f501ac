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

#include "net/zone.h"

typedef struct lun_shdict  lun_shdict;

extern const lun_zone_kind  lun_shdict_kind;

/* Value types as ffi sees them: Lua's own numbers. */
enum {
    LUN_SHDICT_NIL     = 0,
    LUN_SHDICT_BOOLEAN = 1,
    LUN_SHDICT_NUMBER  = 3,
    LUN_SHDICT_STRING  = 4,
    LUN_SHDICT_LIST    = 5
};

enum { LUN_SHDICT_MIN_SIZE = 12 * 1024 };      /* as ngx.shared.DICT's */

/* The dictionary in an opened zone. */
lun_shdict *lun_shdict_of(const lun_zone *zone);

#endif
