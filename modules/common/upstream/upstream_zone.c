/*
 * upstream_zone.c -- zone name size: all workers know the same of a server:
 * its failures, the requests that it has in hand, and whose turn it is; and
 * of a name that is looked up while serving, which servers it stands for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/engine.h"

#include "modules/common/upstream/upstream_names.h"
#include "os/lock.h"


extern lun_module  lun_common_upstream_zone;


static lun_upstream *
upstream_at(const lun_engine *e, size_t i)
{
    return *(lun_upstream **) lun_array_at(lun_upstream_all(e), i);
}


static bool
share(const lun_engine *e, lun_upstream *u, uint64_t generation)
{
    bool                 ok;
    lun_pool            *temp = lun_pool_new_sized(512);
    lun_upstream_table  *t = lun_upstream_table_of(u->zone);

    (void) lun_lock_take(&t->lock);
    ok = lun_upstream_table_claim(t, lun_upstream_owner(temp, e, u), u->peers,
                                  generation);

    if (ok && u->names != NULL) {
        ok = lun_upstream_names_open(u, t, generation);
    }

    lun_lock_free(&t->lock);
    lun_pool_free(temp);

    return ok;
}


static lun_rc
on_init(lun_generation *gen, void *data)
{
    size_t        i;
    lun_engine   *e = data;
    lun_upstream *u;

    for (i = 0; i < lun_upstream_all(e)->count; i++) {
        u = upstream_at(e, i);

        if (u->names != NULL && lun_upstream_names_check(u) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* For the master, and for each worker, which finds the same states. */
static lun_rc
find_states(lun_generation *gen, void *data)
{
    size_t        i;
    lun_engine   *e = data;
    lun_upstream *u;

    for (i = 0; i < lun_upstream_all(e)->count; i++) {
        u = upstream_at(e, i);

        if (u->zone == NULL || gen->testing || u->peers == NULL) {
            continue;
        }

        if (!share(e, u, gen->number)) {
            lun_log(LUN_LOG_EMERG, lun_log_default(), 0, "no room for the "
                    "servers of upstream \"%.*s\" in zone \"%.*s\"",
                    LUN_S(u->name), LUN_S(u->zone->name));
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_zone    *zone;
    uint64_t     size = 0;
    const char  *why;

    if (cf->args[1].len == 0) {
        return lun_conf_fail(cf, "invalid zone name \"\"");
    }

    if (cf->argc == 3 && (lun_str_to_size(cf->args[2], &size) != LUN_OK
                          || size > INT64_MAX))
    {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    if (cf->argc == 3 && size < LUN_UPSTREAM_ZONE) {
        return lun_conf_fail(cf, "zone \"%.*s\" is too small",
                             LUN_S(cf->args[1]));
    }

    zone = lun_zone_want(cf->gen->zones, cf->args[1], (size_t) size,
                         &lun_upstream_zone_kind, &why);
    lun_upstream_current(cf)->zone = zone;

    return zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


static lun_rc
init(lun_conf *cf)
{
    size_t             i;
    const lun_engine  *e = cf->engine;

    for (i = 0; i < lun_upstream_all(e)->count; i++) {
        if (lun_upstream_names_new(cf, upstream_at(e, i)) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, cf->engine);
    lun_gen_add_hook(cf->gen, &cf->gen->on_zones, find_states, cf->engine);
    lun_gen_add_hook(cf->gen, &cf->gen->on_start, find_states, cf->engine);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "zone", .where = LUN_ANY_UPSTREAM, .args = 1, .args_max = 2,
      .set = set_zone,
      .values = "name [size]",
      .help = "memory that the workers share about the servers" },
    { 0 }
};

/* Always: names that are looked up need a zone, and say so. */
lun_module  lun_common_upstream_zone = {
    .name = "upstream_zone",
    .directives = directives,
    .always = true,
    .init = init,
};
