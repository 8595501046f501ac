/*
 * upstream_list.h -- servers of upstreams that were changed while serving, in
 * a zone: a text for each upstream (session/upstream/upstream_lines.h).
 *
 * A text holds for who has the same lines in the configuration as who has
 * changed it, so a reload keeps it unless these lines are others.  All texts
 * are in one of two halves: who writes makes the other half, and turns over;
 * whoever is killed meanwhile has written nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_LIST_H
#define LUN_UPSTREAM_LIST_H

#include "base/pool.h"
#include "shm/zone.h"

/* Which upstream, by whom it is ("http backend") and its configured lines. */
typedef struct {
    uint64_t  owner;
    uint64_t  lines;
} lun_upstream_list_key;

typedef struct {
    lun_str   text;
    int64_t   next_id;             /* that no server has had */
} lun_upstream_list;

/* While the configuration is read.  NULL: *why. */
lun_zone *lun_upstream_list_want(lun_zone_set *zones, const char **why);

/* Rises with each change. */
uint64_t lun_upstream_list_version(const lun_zone *zone);

/* A copy in the pool; false: it was never changed. */
bool lun_upstream_list_get(const lun_zone *zone, lun_upstream_list_key key,
    lun_pool *pool, lun_upstream_list *list);

/* The same for who changes: he locks before he looks, and unlocks after that.
   False: there is no room, and nothing is changed. */
void lun_upstream_list_lock(const lun_zone *zone);
void lun_upstream_list_unlock(const lun_zone *zone);
bool lun_upstream_list_look(const lun_zone *zone, lun_upstream_list_key key,
    lun_pool *pool, lun_upstream_list *list);
bool lun_upstream_list_put(const lun_zone *zone, lun_upstream_list_key key,
    const lun_upstream_list *list);

#endif
