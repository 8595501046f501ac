/*
 * zone.h -- shared memory zones: named, sized, kept across reloads.
 *
 * A zone's address is its identity for as long as the master lives.  A reload
 * keeps a zone whose name, kind and size are unchanged, contents and all; one
 * whose size changed is replaced, and the log says so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ZONE_H
#define LUN_ZONE_H

#include "base/array.h"
#include "base/log.h"
#include "os/shm.h"

typedef struct lun_zone      lun_zone;
typedef struct lun_zone_set  lun_zone_set;

/* Prepares fresh, zeroed memory: zone->shm.addr.  Master only. */
typedef lun_rc lun_zone_init_fn(lun_zone *zone, const lun_log *log);
/* Bytes that a zone of so many has beside them, which nobody counts. */
typedef size_t lun_zone_beside_fn(size_t size);
/* A worker died: free its locks and mend what it was writing.  For the master,
   in whatever process it does that (run/apart.h). */
typedef void lun_zone_mend_fn(lun_zone *zone, int64_t pid, const lun_log *log);

/* Of an opened zone's bytes, those in use, and all that can be. */
typedef void lun_zone_room_fn(const lun_zone *zone, uint64_t *used,
    uint64_t *all);

/* The kind of a zone: one const table per user of zones. */
typedef struct {
    const char        *name;       /* "lua_shared_dict" */
    size_t             min_size;   /* bytes */
    lun_zone_init_fn  *init;
    lun_zone_mend_fn  *mend;       /* may be NULL */
    lun_zone_beside_fn *beside;    /* likewise */
    lun_zone_room_fn  *room;       /* likewise: it has no name of the
                                      configuration, or is always full */
    bool               reserved;   /* its users give memory to the parts that
                                      they touch (os/shm.h), init as well */
} lun_zone_kind;

struct lun_zone {
    uint32_t              mark;
    lun_str               name;
    size_t                size;    /* bytes, as asked for */
    const lun_zone_kind  *kind;
    lun_shm               shm;
    unsigned             *holders; /* zones that have this memory: of several
                                      generations */
    bool                  kept;    /* from the previous generation */
    void                 *data;    /* process-local, the user's */
    lun_str               file;    /* where it was asked for first; or none */
    unsigned              line;
};

/* The zones are closed at the pool's end: make it before their users. */
lun_zone_set *lun_zone_set_new(lun_pool *pool);

/*
 * Asks for a zone.  The same name and kind again gives the same zone, its
 * size must then be 0 or equal; a conflict, or less than the kind's min_size,
 * gives NULL and *why (in the set's pool).  Size 0 refers to a zone that
 * another directive, maybe a later one, declares.
 */
lun_zone *lun_zone_want(lun_zone_set *set, lun_str name, size_t size,
    const lun_zone_kind *kind, const char **why);

/* Who asks from now on does so there; the text stays the caller's. */
void lun_zone_place(lun_zone_set *set, lun_str file, unsigned line);

size_t lun_zone_count(const lun_zone_set *set);
lun_zone *lun_zone_at(const lun_zone_set *set, size_t i);
lun_zone *lun_zone_find(const lun_zone_set *set, lun_str name);

/*
 * Master: makes what is new, takes over what `old` (may be NULL) has; all or
 * nothing, the reason is logged.
 */
lun_rc lun_zone_open(lun_zone_set *set, const lun_zone_set *old,
    const lun_log *log);

/*
 * Windows worker: puts the addresses that the master chose into a set that it
 * built from the same configuration text, in the same order.
 */
void lun_zone_adopt(lun_zone_set *set, const lun_shm *shms, size_t count);

/*
 * Lets go of their memory, which is unmapped when no zone of another set has
 * taken it over.  Again is harmless.
 */
void lun_zone_close(lun_zone_set *set);

void lun_zone_mend(lun_zone_set *set, int64_t pid, const lun_log *log);

#endif
