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
    lun_wake            *places;   /* NULL: it has no number */
    int                  number;
    lun_cache_woken_fn  *woken;
    lun_loop            *loop;
    lun_task             soon;
} self;

static const lun_str  zone_name = LUN_STR_INIT("cache workers");


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    int        i;
    uint64_t   owner;
    lun_wake  *places = zone->shm.addr;

    for (i = 0; i < LUN_CACHE_WORKERS; i++) {
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


static void
on_woken(void *none)
{
    if (self.woken != NULL) {
        self.woken();
    }
}


/* The first place that nobody has. */
static lun_wake *
take_place(lun_wake *places)
{
    int        i;
    uint64_t   owner;

    for (i = 0; i < LUN_CACHE_WORKERS; i++) {
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
    place = take_place(zone->shm.addr);

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
lun_cache_wake_number(void)
{
    return self.places != NULL ? self.number : -1;
}


static void
wake_self(lun_task *task)
{
    on_woken(NULL);
}


void
lun_cache_wake(uint64_t workers)
{
    int  i;

    for (i = 0; workers != 0 && self.places != NULL; i++, workers >>= 1) {
        if ((workers & 1) == 0) {
            continue;
        }

        if (i == self.number) {
            lun_loop_post(self.loop, &self.soon, wake_self);

        } else {
            lun_wake_send(&self.places[i]);
        }
    }
}
