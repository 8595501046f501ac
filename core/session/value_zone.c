/*
 * value_zone.c -- zones that are counted by name, or by value.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/value_zone.h"

#include "config/generation.h"
#include "session/session.h"


enum { MOST = 65536 };             /* values of a zone */


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_most(lun_conf *cf, lun_value_zones *all, lun_str name, uint64_t n)
{
    uint64_t  *most;

    if (all->most.pool == NULL) {
        lun_hash_init(&all->most, cf->pool, 0, false);
        lun_array_init(&all->zones, cf->pool, sizeof(lun_value_zone *), 4);
    }

    most = lun_hash_get(&all->most, name);

    if (most == NULL) {
        most = lun_pool_new(cf->pool, uint64_t);
        lun_hash_set(&all->most, name, most);
    }

    if (n != 0 && *most != 0 && *most != n) {
        return lun_conf_fail(cf, "zone \"%.*s\" has another count already",
                             LUN_S(name));
    }

    *most = n != 0 ? n : *most;
    return LUN_OK;
}


/* "zone=name:count" */
static lun_rc
read_zone(lun_conf *cf, lun_value_zones *all, lun_value_zone *z)
{
    int64_t      n = 0;
    lun_str      word = cf->args[2], prefix = LUN_STR("zone="), count;
    const char  *colon;

    if (!lun_str_starts(word, prefix)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    z->name = lun_str_of(word.data + prefix.len, word.len - prefix.len);
    colon = lun_str_chr(z->name, ':');

    if (colon != NULL) {
        count = lun_str_of(colon + 1, (size_t) (z->name.data + z->name.len
                                                - colon - 1));
        z->name.len = (size_t) (colon - z->name.data);

        if (lun_str_to_i64(count, &n) != LUN_OK || n < 1 || n > MOST) {
            return lun_conf_fail(cf, "invalid count \"%.*s\"", LUN_S(count));
        }
    }

    if (z->name.len == 0) {
        return lun_conf_fail(cf, "invalid zone name \"\"");
    }

    return set_most(cf, all, z->name, (uint64_t) n);
}


static lun_rc
read_words(lun_conf *cf, lun_value_zones *all, lun_value_zone *z)
{
    if (z->name.len == 0) {
        return lun_conf_fail(cf, "invalid zone name \"\"");
    }

    if (cf->argc == 2) {
        return lun_str_chr(z->name, '$') == NULL ? LUN_OK
               : lun_conf_fail(cf, "a key needs \"zone=name:count\"");
    }

    z->key = lun_script_new(cf, cf->args[1]);

    if (z->key == NULL || read_zone(cf, all, z) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_hash_init(&z->known, cf->pool, 0, false);
    *(lun_value_zone **) lun_array_push(&all->zones) = z;
    return LUN_OK;
}


lun_value_zone *
lun_value_zone_read(lun_conf *cf, lun_value_zones *all, const lun_metric *m,
    unsigned values)
{
    lun_value_zone  *z = lun_pool_new(cf->pool, lun_value_zone);

    z->m = m;
    z->name = cf->args[1];
    z->values_at = values;

    if (read_words(cf, all, z) != LUN_OK) {
        return NULL;
    }

    if (z->key != NULL || !lun_str_eq(z->name, LUN_STR("off"))) {
        lun_metric_want(cf->gen->metrics, m, &z->name, &z->at);
    }

    return z;
}


void
lun_value_zones_finish(const lun_value_zones *all)
{
    size_t           i;
    lun_value_zone  *z;
    const uint64_t  *most;

    for (i = 0; i < all->zones.count; i++) {
        z = *(lun_value_zone **) lun_array_at(&all->zones, i);
        most = lun_hash_get(&all->most, z->name);
        z->most = lun_max(*most, UINT64_C(1));
    }
}


/* --- while serving ------------------------------------------------------- */

static uint32_t
remember(lun_value_zone *z, lun_pool *pool, lun_str value, uint32_t at)
{
    uint32_t  *copy = lun_pool_new(pool, uint32_t);

    *copy = at;
    lun_hash_set(&z->known, lun_pool_str(pool, value), copy);
    return at;
}


/*
 * A value that found no room is remembered by its hash: a client that sends new
 * ones all the time would otherwise take the lock of all counters each time.
 */
uint32_t
lun_value_zone_cells(lun_session *s, lun_value_zone *z)
{
    uint32_t         at, *known;
    uint64_t         hash;
    lun_str          value;
    lun_generation  *gen = s->engine->gen;

    value = z->key != NULL ? lun_script_run(s, z->key) : LUN_STR("");

    if (value.len == 0) {
        return z->at;
    }

    known = lun_hash_get(&z->known, value);

    if (known != NULL) {
        return *known;
    }

    hash = lun_str_hash(value);

    if (z->missed[hash % LUN_VALUE_ZONE_MISSED] == hash) {
        return z->at;
    }

    at = lun_metric_make_within(z->m, &value, gen->number,
                                z->at + z->values_at, z->most);

    if (at != 0) {
        return remember(z, gen->pool, value, at);
    }

    z->missed[hash % LUN_VALUE_ZONE_MISSED] = hash;
    return z->at;
}
