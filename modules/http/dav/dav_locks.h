/*
 * dav_locks.h -- who has locked which files, in shared memory.
 *
 * A lock is of a path (one name for a file, whichever location leads to it),
 * and of all below it if it is infinite.  Whoever knows its token may change
 * what it covers.  Times are seconds since the epoch.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DAV_LOCKS_H
#define LUN_DAV_LOCKS_H

#include "base/array.h"
#include "shm/zone.h"

enum {
    LUN_DAV_TOKEN = 45,            /* "urn:uuid:..." */
    LUN_DAV_LOCK_TEXT = 4000       /* path, href and owner of one */
};

extern const lun_zone_kind  lun_dav_locks_kind;

typedef struct {
    char      token[LUN_DAV_TOKEN];
    bool      infinite;            /* of all below, too */
    bool      shared;
    int64_t   expires;
    lun_str   path;                /* without a slash at its end */
    lun_str   href;                /* escaped */
    lun_str   owner;               /* XML, as the client wrote it */
} lun_dav_lock;

typedef enum {
    LUN_DAV_LOCK_MADE,
    LUN_DAV_LOCK_CONFLICTS,
    LUN_DAV_LOCK_NO_ROOM           /* in the zone, or for its texts */
} lun_dav_lock_verdict;

/* Makes lock->token.  At `now` it is made, or else in another's way. */
lun_dav_lock_verdict lun_dav_lock_add(const lun_zone *zone, lun_dav_lock *lock,
    int64_t now);

/*
 * A lock that covers the path, by its token; false: there is none.  Refreshed,
 * it is copied to *lock, whose texts are in the pool.
 */
bool lun_dav_lock_refresh(const lun_zone *zone, lun_str path, lun_str token,
    int64_t now, int64_t expires, lun_pool *pool, lun_dav_lock *lock);
bool lun_dav_lock_remove(const lun_zone *zone, lun_str path, lun_str token,
    int64_t now);
bool lun_dav_lock_covers(const lun_zone *zone, lun_str path, lun_str token,
    int64_t now);

/* What is to be changed beside the path itself. */
enum {
    LUN_DAV_BELOW  = 0x01,         /* all that is below it */
    LUN_DAV_MEMBER = 0x02          /* what its folder has: it comes or goes */
};

/* Whether a client with these tokens may change it. */
bool lun_dav_locks_allow(const lun_zone *zone, lun_str path, unsigned what,
    const lun_str *tokens, size_t count, int64_t now);

/* It has gone, with all below it: its locks go. */
void lun_dav_locks_forget(const lun_zone *zone, lun_str path, int64_t now);

/* Those that cover a path: lun_dav_lock's, with texts of the array's pool. */
void lun_dav_locks_list(const lun_zone *zone, lun_str path, int64_t now,
    lun_array *list);

#endif
