/*
 * upstream_list.c -- servers that were changed while serving, in a zone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_list.h"

#include <stdatomic.h>
#include <string.h>

#include "base/check.h"
#include "os/lock.h"


enum { SIZE = 1024 * 1024 };

/* Behind each other, 8 bytes aligned, the text behind it. */
typedef struct {
    lun_upstream_list_key  key;
    int64_t                next_id;
    uint64_t               len;
} entry;

typedef struct {
    lun_lock          lock;
    _Atomic uint64_t  version;
    uint64_t          room;        /* bytes of a half */
    _Atomic uint64_t  now;         /* which half: 0, 1 */
    uint64_t          used[2];
} lists;


static lists *
lists_of(const lun_zone *zone)
{
    return zone->shm.addr;
}


static char *
half_of(const lists *l, uint64_t which)
{
    return (char *) (uintptr_t) (l + 1) + which * l->room;
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    lists  *l = zone->shm.addr;

    l->room = (zone->size - sizeof(lists)) / 2 / 8 * 8;
    return LUN_OK;
}


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    (void) lun_lock_seize(&lists_of(zone)->lock, pid);
}


static const lun_zone_kind  kind = {
    .name = "upstream lists",
    .init = init,
    .mend = mend
};


lun_zone *
lun_upstream_list_want(lun_zone_set *zones, const char **why)
{
    return lun_zone_want(zones, LUN_STR("servers of upstreams"), SIZE, &kind,
                         why);
}


uint64_t
lun_upstream_list_version(const lun_zone *zone)
{
    return atomic_load_explicit(&lists_of(zone)->version,
                                memory_order_acquire);
}


static size_t
size_of(uint64_t len)
{
    return sizeof(entry) + lun_align((size_t) len, 8);
}


/* With the lock held; NULL: there is none. */
static const entry *
find(const lists *l, uint64_t owner)
{
    size_t        at = 0;
    uint64_t      now = atomic_load(&l->now);
    const entry  *e;

    while (at < l->used[now]) {
        e = (const entry *) (const void *) (half_of(l, now) + at);

        if (e->key.owner == owner) {
            return e;
        }

        at += size_of(e->len);
    }

    return NULL;
}


void
lun_upstream_list_lock(const lun_zone *zone)
{
    (void) lun_lock_take(&lists_of(zone)->lock);
}


void
lun_upstream_list_unlock(const lun_zone *zone)
{
    lun_lock_free(&lists_of(zone)->lock);
}


bool
lun_upstream_list_look(const lun_zone *zone, lun_upstream_list_key key,
    lun_pool *pool, lun_upstream_list *list)
{
    const entry  *e = find(lists_of(zone), key.owner);

    if (e == NULL || e->key.lines != key.lines) {
        return false;
    }

    list->next_id = e->next_id;
    list->text = lun_pool_str(pool, lun_str_of((const char *) (e + 1),
                                               (size_t) e->len));
    return true;
}


bool
lun_upstream_list_get(const lun_zone *zone, lun_upstream_list_key key,
    lun_pool *pool, lun_upstream_list *list)
{
    bool  found;

    lun_upstream_list_lock(zone);
    found = lun_upstream_list_look(zone, key, pool, list);
    lun_upstream_list_unlock(zone);
    return found;
}


/*
 * Written into the other half and switched over at the end: a reader sees the
 * old lists or the new ones, and a writer that dies in the middle has changed
 * nothing.
 */
bool
lun_upstream_list_put(const lun_zone *zone, lun_upstream_list_key key,
    const lun_upstream_list *list)
{
    lists        *l = lists_of(zone);
    char         *to, *p;
    uint64_t      now = atomic_load(&l->now);
    const char   *from = half_of(l, now);
    const entry  *old = find(l, key.owner);
    size_t        before, skipped, used = (size_t) l->used[now];
    entry         e = { key, list->next_id, list->text.len };

    before = old != NULL ? (size_t) ((const char *) old - from) : used;
    skipped = old != NULL ? size_of(old->len) : 0;

    if (used - skipped + size_of(e.len) > l->room) {
        return false;
    }

    to = p = half_of(l, 1 - now);
    memcpy(p, from, before);
    p += before;
    memcpy(p, from + before + skipped, used - before - skipped);
    p += used - before - skipped;
    memcpy(p, &e, sizeof(e));
    memcpy(p + sizeof(e), list->text.data, list->text.len);
    p += size_of(e.len);

    l->used[1 - now] = (uint64_t) (p - to);
    atomic_store(&l->now, 1 - now);
    atomic_fetch_add(&l->version, 1);
    return true;
}
