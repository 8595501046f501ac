/*
 * cache_wake.h -- a worker tells others that an update has ended for which
 * requests of theirs wait.
 *
 * A zone has a place for each worker.  A word in the index has
 * LUN_CACHE_WORKERS bits; where there are more workers some have the same bit,
 * and are woken together: who is woken looks whether it was meant.  No place is
 * left, or the system will not: such a worker's requests look from time to
 * time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CACHE_WAKE_H
#define LUN_CACHE_WAKE_H

#include "net/loop.h"
#include "shm/zone.h"

/* While the configuration is read: the zone, one for all caches. */
lun_rc lun_cache_wake_want(lun_zone_set *zones, const char **why);

/* When it is read: how many processes there may be at a time. */
void lun_cache_wake_make_room(lun_zone_set *zones, unsigned processes);

/*
 * A worker begins: `woken` is called from that loop when somebody has ended an
 * update, maybe of another cache.
 */
typedef void lun_cache_woken_fn(void);
void lun_cache_wake_open(lun_loop *loop, const lun_zone_set *zones,
    lun_cache_woken_fn *woken, const lun_log *log);
void lun_cache_wake_close(void);

/* This worker's bit; -1: it has none. */
int lun_cache_wake_bit(void);

/* The workers of those bits, this one among them or not. */
void lun_cache_wake(uint64_t workers);

#endif
