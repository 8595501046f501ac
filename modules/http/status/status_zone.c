/*
 * status_zone.c -- what requests are counted by: status_zone.
 *
 *     status_zone shop;                      the server's or location's zone
 *     status_zone $host zone=hosts:100;      one for each value, up to 100
 *
 * A server without it is counted under its own name, a location not at all.
 * Values come from clients: those behind the last that has room are counted in
 * the zone itself, and a worker remembers some of them, so that it need not
 * look for them each time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/accept/server_metrics.h"
#include "http/conf/http.h"


enum {
    MOST   = 65536,                /* values of a zone */
    MISSED = 256                   /* that a worker remembers, by hash */
};

/* A zone of values; or, without a key, one that a name names. */
typedef struct {
    const lun_metric  *m;          /* of servers or locations */
    lun_str            name;
    lun_script        *key;        /* NULL: a name */
    uint64_t           most;       /* values */
    uint32_t           at;         /* the zone's own cells; 0: off */
    lun_hash           known;      /* of uint32_t *: cells by value */
    uint64_t           missed[MISSED];
} zone;

typedef struct {
    zone  *location;               /* NULL: not counted */
} zone_conf;

/* For one http block: how many values the zone of that name has. */
typedef struct {
    lun_hash  counts;              /* of uint64_t *, by name */
} zones;

extern lun_http_module  lun_http_status_zone;


/* --- while serving ------------------------------------------------------- */

static uint32_t
remember(zone *z, lun_pool *pool, lun_str value, uint32_t at)
{
    uint32_t  *copy = lun_pool_new(pool, uint32_t);

    *copy = at;
    lun_hash_set(&z->known, lun_pool_str(pool, value), copy);
    return at;
}


static uint32_t
cells_of_value(lun_request *r, zone *z)
{
    uint32_t         at, *known;
    uint64_t         hash;
    lun_str          value = lun_script_run(&r->session, z->key);
    lun_generation  *gen = r->engine->gen;

    if (value.len == 0) {
        return z->at;
    }

    known = lun_hash_get(&z->known, value);

    if (known != NULL) {
        return *known;
    }

    hash = lun_str_hash(value);

    if (z->missed[hash % MISSED] == hash) {
        return z->at;
    }

    at = lun_metric_make_within(z->m, &value, gen->number,
                                z->at + LUN_SERVER_VALUES, z->most);

    if (at != 0) {
        return remember(z, gen->pool, value, at);
    }

    z->missed[hash % MISSED] = hash;
    return z->at;
}


static uint32_t
choose_for_server(lun_request *r)
{
    return cells_of_value(r, lun_http_server_of(r->server)->choosing);
}


static lun_verdict
on_log(lun_session *s)
{
    lun_request      *r = lun_request_of(s);
    const zone_conf  *conf = lun_http_conf(r, &lun_http_status_zone);
    zone             *z = conf->location;

    if (z != NULL && r->tally != 0) {
        lun_server_count_to(r, z->key != NULL ? cells_of_value(r, z) : z->at);
    }

    return LUN_NEXT;
}


/* --- the directive ------------------------------------------------------- */

static zones *
zones_of(lun_conf *cf)
{
    zones  *zs = lun_module_data(cf->engine, &lun_http_status_zone.head);

    if (zs == NULL) {
        zs = lun_pool_new(cf->pool, zones);
        lun_hash_init(&zs->counts, cf->pool, 0, false);
        lun_module_set_data(cf->engine, &lun_http_status_zone.head, zs);
    }

    return zs;
}


/* "zone=name:count" */
static lun_rc
read_zone(lun_conf *cf, zone *z)
{
    zones       *zs = zones_of(cf);
    int64_t      n = 0;
    lun_str      word = cf->args[2], prefix = LUN_STR("zone="), count;
    uint64_t    *most;
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

    most = lun_hash_get(&zs->counts, z->name);

    if (most == NULL) {
        most = lun_pool_new(cf->pool, uint64_t);
        lun_hash_set(&zs->counts, z->name, most);
    }

    if (n != 0 && *most != 0 && *most != (uint64_t) n) {
        return lun_conf_fail(cf, "zone \"%.*s\" has another count already",
                             LUN_S(z->name));
    }

    *most = n != 0 ? (uint64_t) n : *most;
    return LUN_OK;
}


static zone *
read_words(lun_conf *cf, const lun_metric *m)
{
    zone  *z = lun_pool_new(cf->pool, zone);

    z->m = m;
    z->name = cf->args[1];

    if (z->name.len == 0) {
        (void) lun_conf_fail(cf, "invalid zone name \"\"");
        return NULL;
    }

    if (cf->argc == 3) {
        z->key = lun_script_new(cf, cf->args[1]);

        if (z->key == NULL || read_zone(cf, z) != LUN_OK) {
            return NULL;
        }

        lun_hash_init(&z->known, cf->pool, 0, false);

    } else if (lun_str_chr(z->name, '$') != NULL) {
        (void) lun_conf_fail(cf, "a key needs \"zone=name:count\"");
        return NULL;
    }

    return z;
}


static lun_rc
set_for_server(lun_conf *cf, const lun_directive *d, void *data)
{
    zone             *z;
    lun_http_server  *server = lun_http_server_of(cf->block->owner);

    if (server->status_zone.len != 0) {
        return lun_conf_fail(cf, "\"status_zone\" directive is duplicate");
    }

    z = read_words(cf, &lun_server_metrics[LUN_SERVER_ZONES]);

    if (z == NULL) {
        return LUN_ERROR;
    }

    server->status_zone = z->name;

    if (z->key != NULL) {
        server->choosing = z;
        server->choose_counts = choose_for_server;
        lun_metric_want(cf->gen->metrics, z->m, &z->name, &z->at);
    }

    return LUN_OK;
}


static lun_rc
set_for_location(lun_conf *cf, const lun_directive *d, void *data)
{
    zone_conf  *conf = data;

    conf->location = read_words(cf, &lun_server_metrics[LUN_LOCATION_ZONES]);

    if (conf->location == NULL) {
        return LUN_ERROR;
    }

    if (conf->location->key == NULL
        && lun_str_eq(conf->location->name, LUN_STR("off")))
    {
        conf->location = NULL;
        return LUN_OK;
    }

    lun_metric_want(cf->gen->metrics, conf->location->m,
                    &conf->location->name, &conf->location->at);
    return LUN_OK;
}


/* Counts may be said by another line than that which needs them. */
static void
set_counts(const lun_engine *e, const lun_block *b)
{
    zones            *zs = lun_module_data(e, &lun_http_status_zone.head);
    const lun_block  *child;
    const zone_conf  *conf;
    const uint64_t   *most;
    zone             *z = NULL;

    if (b->where == LUN_SERVER && b->owner != NULL) {
        z = ((lun_http_server *) b->owner)->choosing;

    } else if (b->confs_own && b->confs[lun_http_status_zone.index] != NULL) {
        conf = b->confs[lun_http_status_zone.index];
        z = conf->location;
    }

    if (z != NULL && z->key != NULL) {
        most = lun_hash_get(&zs->counts, z->name);
        z->most = lun_max(*most, UINT64_C(1));
    }

    for (child = b->first_child; child != NULL; child = child->sibling) {
        set_counts(e, child);
    }
}


static lun_rc
init(lun_conf *cf)
{
    if (lun_module_data(cf->engine, &lun_http_status_zone.head) != NULL) {
        set_counts(cf->engine, cf->engine->block);
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "status_zone", .where = LUN_SERVER, .args = 1, .args_max = 2,
      .set = set_for_server, .repeats = true,
      .help = "the name that the server's requests are counted under" },
    { .name = "status_zone", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .args_max = 2, .set = set_for_location,
      LUN_FIELD(zone_conf, location),
      .help = "the name that the location's requests are counted under" },
    { 0 }
};

lun_http_module  lun_http_status_zone = {
    .name = "status_zone",
    .directives = directives,
    .conf_size = sizeof(zone_conf),
    .init = init,
    .on[LUN_LOG] = on_log,
};
