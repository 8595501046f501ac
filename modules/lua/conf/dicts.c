/*
 * dicts.c -- lua_shared_dict name size [sync=store];
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/conf/directives.h"
#include "config/status.h"
#include "session/store_conf.h"
#include "shm/shdict_feed.h"


bool
lun_lua_is_dict(const lun_zone *zone)
{
    return (zone->kind == &lun_shdict_kind
            || zone->kind == &lun_shdict_synced_kind)
           && zone->shm.addr != NULL;
}


static bool
is_there(const lun_lua_main *main, lun_str name)
{
    size_t  i;

    for (i = 0; i < main->dicts.count; i++) {
        lun_zone  *zone = *(lun_zone **) lun_array_at(&main->dicts, i);

        if (lun_str_eq(zone->name, name)) {
            return true;
        }
    }

    return false;
}


static bool
write_dict(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint64_t         all, free;
    const lun_zone  *zone = data;

    if (!lun_status_open(w, zone->name)) {
        return false;
    }

    all = lun_shdict_capacity(lun_shdict_of(zone));
    free = lun_min(lun_shdict_free_space(lun_shdict_of(zone)), all);
    lun_status_number(w, "capacity", (int64_t) all);
    lun_status_number(w, "used", (int64_t) (all - free));
    lun_status_number(w, "free", (int64_t) free);
    lun_status_close(w);
    return false;
}


lun_rc
lun_lua_set_shared_dict(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str        name = cf->args[1], store = LUN_STR("");
    lun_zone      *zone;
    uint64_t       size;
    const char    *why;
    lun_lua_main  *main = lun_lua_main_of(cf->engine);

    if (name.len == 0) {
        return lun_conf_fail(cf, "invalid lua shared dict name \"%.*s\"",
                             LUN_S(name));
    }

    if (lun_str_to_size(cf->args[2], &size) != LUN_OK || size <= 8191) {
        return lun_conf_fail(cf, "invalid lua shared dict size \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    if (cf->argc == 4
        && (!lun_str_after(cf->args[3], LUN_STR("sync="), &store)
            || store.len == 0))
    {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[3]));
    }

    if (is_there(main, name)) {
        return lun_conf_fail(cf, "lua_shared_dict \"%.*s\" is already defined "
                             "as \"%.*s\"", LUN_S(name), LUN_S(name));
    }

    /* What nginx's allocator would round up is rounded up here as well. */
    size = lun_max(size, (uint64_t) LUN_SHDICT_MIN_SIZE);
    zone = lun_zone_want(cf->gen->zones, name, (size_t) size,
                         store.len != 0 ? &lun_shdict_synced_kind
                         : &lun_shdict_kind, &why);
    if (zone == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    if (store.len != 0) {
        lun_store_sync(cf->pool, lun_store_refer(cf, store), "dict", zone);
    }

    *(lun_zone **) lun_array_push(&main->dicts) = zone;
    lun_status_add(cf->gen, "status/dictionaries", write_dict, zone);
    return LUN_OK;
}


/* --- how full they are --------------------------------------------------- */

static bool
look_at_dicts(const lun_metric_looking *l, uint32_t *cursor)
{
    size_t               i;
    uint64_t             all, free;
    lun_zone            *zone;
    lun_shdict          *d;
    const lun_zone_set  *zones = lun_metric_zones(l->set);

    for (i = 0; i < lun_zone_count(zones); i++) {
        zone = lun_zone_at(zones, i);

        if (!lun_lua_is_dict(zone)) {
            continue;
        }

        d = lun_shdict_of(zone);
        all = lun_shdict_capacity(d);
        free = lun_shdict_free_space(d);
        l->found(l->to, &zone->name, 0, all - lun_min(free, all));
        l->found(l->to, &zone->name, 1, free);
    }

    return false;
}


static const char *const  room[] = { "used", "free", NULL };

const lun_metric  lun_lua_dict_metrics[] = {
    { .name = "dict", .unit = "bytes", .kind = LUN_GAUGE, .labels = "dict",
      .choice = "room", .values = room, .look = look_at_dicts,
      .help = "Bytes of shared dictionaries: of pages in use, and of pages "
              "that nobody has taken" },
    { 0 }
};
