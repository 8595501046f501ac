/*
 * cache_wake.c -- workers that wait for another's update are woken.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "cache/cache_wake.h"

#include "cache/cache_index.h"
#include "os/lock.h"
#include "os/wake.h"


static struct {
    lun_wake            *places;   /* NULL: it has none of them */
    size_t               count;
    size_t               number;   /* of its own */
    lun_cache_woken_fn  *woken;
    lun_loop            *loop;
    lun_task             soon;
} self;

static const lun_str  zone_name = LUN_STR_INIT("cache workers");


static size_t
count_places(const lun_zone *zone)
{
    return zone->shm.size / sizeof(lun_wake);
}


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    size_t     i;
    uint64_t   owner;
    lun_wake  *places = zone->shm.addr;

    for (i = 0; i < count_places(zone); i++) {
        owner = atomic_load(&places[i].owner);

        if (owner != 0 && lun_lock_pid_of(owner) == pid) {
            (void) atomic_compare_exchange_strong(&places[i].owner, &owner,
                                                  0);
        }
    }
}


static const lun_zone_kind  kind = {
    .name = "cache_workers",
    .min_size = LUN_CACHE_WORKERS * sizeof(lun_wake),
    .mend = mend_zone,
};


lun_rc
lun_cache_wake_want(lun_zone_set *zones, const char **why)
{
    return lun_zone_want(zones, zone_name, kind.min_size, &kind, why) != NULL
           ? LUN_OK : LUN_ERROR;
}


/* Multiples, so that few changes of the number make another zone. */
void
lun_cache_wake_make_room(lun_zone_set *zones, unsigned processes)
{
    size_t     n = lun_align((size_t) processes, LUN_CACHE_WORKERS);
    lun_zone  *zone = lun_zone_find(zones, zone_name);

    if (zone != NULL && zone->kind == &kind) {
        zone->size = lun_max(n * sizeof(lun_wake), kind.min_size);
    }
}


static void
on_woken(void *none)
{
    if (self.woken != NULL) {
        self.woken();
    }
}


/* The first place that nobody has. */
static lun_wake *
take_place(const lun_zone *zone)
{
    size_t     i;
    uint64_t   owner;
    lun_wake  *places = zone->shm.addr;

    for (i = 0; i < count_places(zone); i++) {
        owner = atomic_load(&places[i].owner);

        if ((owner == 0 || !lun_lock_owner_lives(owner))
            && atomic_compare_exchange_strong(&places[i].owner, &owner,
                                              lun_lock_self()))
        {
            self.number = i;
            return &places[i];
        }
    }

    return NULL;
}


void
lun_cache_wake_open(lun_loop *loop, const lun_zone_set *zones,
    lun_cache_woken_fn *woken, const lun_log *log)
{
    lun_err          err;
    lun_wake        *place;
    const lun_zone  *zone = lun_zone_find(zones, zone_name);

    self.woken = woken;

    if (zone == NULL || zone->shm.addr == self.places) {
        return;
    }

    lun_cache_wake_close();
    place = take_place(zone);

    if (place == NULL) {
        return;
    }

    err = lun_wake_open(place, loop->port, on_woken, NULL);

    if (err != 0) {
        atomic_store(&place->owner, 0);
        lun_log(LUN_LOG_WARN, log, err, "other workers cannot wake this one "
                "for a cache");
        return;
    }

    self.places = zone->shm.addr;
    self.count = count_places(zone);
    self.loop = loop;
}


void
lun_cache_wake_close(void)
{
    if (self.places != NULL) {
        lun_wake_close(&self.places[self.number]);
        lun_loop_unpost(&self.soon);
        self.places = NULL;
    }
}


int
lun_cache_wake_bit(void)
{
    return self.places != NULL ? (int) (self.number % LUN_CACHE_WORKERS) : -1;
}


static void
wake_self(lun_task *task)
{
    on_woken(NULL);
}


void
lun_cache_wake(uint64_t workers)
{
    size_t  i;

    if (workers == 0 || self.places == NULL) {
        return;
    }

    for (i = 0; i < self.count; i++) {
        if ((workers >> i % LUN_CACHE_WORKERS & 1) == 0) {
            continue;
        }

        if (i == self.number) {
            lun_loop_post(self.loop, &self.soon, wake_self);

        } else {
            lun_wake_send(&self.places[i]);
        }
    }
}
