/*
 * zone.c -- shared memory zones.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/zone.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/hash.h"


enum { PLACE = 1024 };


struct lun_zone_set {
    lun_pool   *pool;
    lun_array   zones;             /* of lun_zone *, in order of asking */
    lun_hash    names;
    lun_str     file;              /* lun_zone_place() */
    unsigned    line;
};


static void
on_end(void *data)
{
    lun_zone_close(data);
}


lun_zone_set *
lun_zone_set_new(lun_pool *pool)
{
    lun_zone_set  *set = lun_pool_new(pool, lun_zone_set);

    lun_pool_on_end(pool, on_end, set);
    set->pool = pool;
    lun_array_init(&set->zones, pool, sizeof(lun_zone *), 8);
    lun_hash_init(&set->names, pool, 0, false);

    return set;
}


size_t
lun_zone_count(const lun_zone_set *set)
{
    return set->zones.count;
}


lun_zone *
lun_zone_at(const lun_zone_set *set, size_t i)
{
    lun_zone  *zone;

    LUN_CHECK(i < set->zones.count);

    zone = *(lun_zone **) lun_array_at(&set->zones, i);
    LUN_CHECK_MARK(zone, LUN_MARK_ZONE);
    return zone;
}


lun_zone *
lun_zone_find(const lun_zone_set *set, lun_str name)
{
    return lun_hash_get(&set->names, name);
}


static const char *
conflict_of(const lun_zone_set *set, lun_str name, size_t size,
    const lun_zone_kind *kind, const lun_zone *zone)
{
    if (zone != NULL && zone->kind != kind) {
        return lun_pool_fmt(set->pool, "the shared memory zone \"%.*s\" is "
                            "already declared for a different use",
                            LUN_S(name)).data;
    }

    if (size == 0) {
        return NULL;
    }

    if (zone != NULL && zone->size != 0 && zone->size != size) {
        return lun_pool_fmt(set->pool, "the size %zu of shared memory zone "
                            "\"%.*s\" conflicts with already declared size "
                            "%zu", size, LUN_S(name), zone->size).data;
    }

    if (size < kind->min_size) {
        return lun_pool_fmt(set->pool, "zone \"%.*s\" is too small",
                            LUN_S(name)).data;
    }

    return NULL;
}


void
lun_zone_place(lun_zone_set *set, lun_str file, unsigned line)
{
    set->file = file;
    set->line = line;
}


/*
 * A zone may be named before it is declared, without a size; that it gets one
 * is seen when it is made.
 */
lun_zone *
lun_zone_want(lun_zone_set *set, lun_str name, size_t size,
    const lun_zone_kind *kind, const char **why)
{
    lun_zone  *zone = lun_zone_find(set, name);

    *why = conflict_of(set, name, size, kind, zone);

    if (*why != NULL) {
        return NULL;
    }

    if (zone == NULL) {
        zone = lun_pool_new(set->pool, lun_zone);
        zone->mark = LUN_MARK_ZONE;
        zone->name = lun_pool_str(set->pool, name);
        zone->kind = kind;
        zone->file = set->file;
        zone->line = set->line;

        *(lun_zone **) lun_array_push(&set->zones) = zone;
        lun_hash_set(&set->names, zone->name, zone);
    }

    if (size != 0) {
        zone->size = size;
    }

    return zone;
}


static bool
take_over(lun_zone *zone, const lun_zone *old, const lun_log *log)
{
    if (old == NULL || old->kind != zone->kind || old->shm.addr == NULL) {
        return false;
    }

    if (old->size != zone->size) {
        lun_log(LUN_LOG_NOTICE, log, 0, "shared memory zone \"%.*s\" changed "
                "its size from %zu to %zu, contents dropped",
                LUN_S(zone->name), old->size, zone->size);
        return false;
    }

    zone->shm = old->shm;
    zone->holders = old->holders;
    zone->kept = true;
    ++*zone->holders;
    return true;
}


/* The memory is there: one zone has it. */
static void
begin_holding(lun_zone *zone)
{
    zone->holders = lun_malloc(sizeof(*zone->holders));
    *zone->holders = 1;
}


/* The last one that has the memory gives it back. */
static void
let_go(lun_zone *zone)
{
    if (zone->shm.addr != NULL && --*zone->holders == 0) {
        lun_shm_free(&zone->shm);
        lun_free(zone->holders);
    }

    zone->shm = (lun_shm) { 0 };
    zone->holders = NULL;
    zone->kept = false;
}


static void
complain(const lun_zone *zone, const lun_log *log, lun_err err)
{
    char      text[80] = "";
    uint64_t  limit = lun_shm_limit();

    if (limit != 0) {
        *lun_fmt(text, text + sizeof(text) - 1, ", with a limit of %" PRIu64
                 " bytes of address space (ulimit -v)", limit) = '\0';
    }

    lun_log(LUN_LOG_EMERG, log, err, "could not allocate %zu bytes for "
            "shared memory zone \"%.*s\"%s", zone->size, LUN_S(zone->name),
            text);
}


static lun_rc
make(lun_zone *zone, const lun_log *log)
{
    size_t   size;
    lun_err  err;

    if (zone->size == 0) {
        char  place[PLACE], *end = place;

        if (zone->file.len != 0) {
            end = lun_fmt(place, place + PLACE, " in %.*s:%u",
                          LUN_S(zone->file), zone->line);
        }

        lun_log(LUN_LOG_EMERG, log, 0, "zero size shared memory zone \"%.*s\""
                "%.*s", LUN_S(zone->name), (int) (end - place), place);
        return LUN_ERROR;
    }

    size = zone->size;
    size += zone->kind->beside != NULL ? zone->kind->beside(size) : 0;
    err = zone->kind->reserved ? lun_shm_reserve(size, &zone->shm)
                               : lun_shm_new(size, &zone->shm);

    if (err != 0) {
        zone->shm = (lun_shm) { 0 };
        complain(zone, log, err);
        return LUN_ERROR;
    }

    begin_holding(zone);
    return zone->kind->init != NULL ? zone->kind->init(zone, log) : LUN_OK;
}


lun_rc
lun_zone_open(lun_zone_set *set, const lun_zone_set *old, const lun_log *log)
{
    size_t           i;
    lun_zone        *zone;
    const lun_zone  *before;

    for (i = 0; i < lun_zone_count(set); i++) {
        zone = lun_zone_at(set, i);
        before = old != NULL ? lun_zone_find(old, zone->name) : NULL;

        if (!take_over(zone, before, log) && make(zone, log) != LUN_OK) {
            lun_zone_close(set);
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


void
lun_zone_adopt(lun_zone_set *set, const lun_shm *shms, size_t count)
{
    size_t     i;
    lun_zone  *zone;

    LUN_CHECK(count == lun_zone_count(set));

    for (i = 0; i < count; i++) {
        zone = lun_zone_at(set, i);
        zone->shm = shms[i];
        zone->shm.handle = 0;          /* the master's */
        zone->kept = true;
        begin_holding(zone);
    }
}


void
lun_zone_close(lun_zone_set *set)
{
    size_t  i;

    for (i = 0; i < lun_zone_count(set); i++) {
        let_go(lun_zone_at(set, i));
    }
}


void
lun_zone_mend(lun_zone_set *set, int64_t pid, const lun_log *log)
{
    size_t     i;
    lun_zone  *zone;

    for (i = 0; i < lun_zone_count(set); i++) {
        zone = lun_zone_at(set, i);

        if (zone->kind->mend != NULL && zone->shm.addr != NULL) {
            zone->kind->mend(zone, pid, log);
        }
    }
}
