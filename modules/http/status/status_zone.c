/*
 * status_zone.c -- what requests are counted by: status_zone.
 *
 *     status_zone shop;                      the server's or location's zone
 *     status_zone $host zone=hosts:100;      one for each value, up to 100
 *
 * A server without it is counted under its own name, a location not at all.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/accept/server_metrics.h"
#include "http/conf/http.h"
#include "session/value_zone.h"


typedef struct {
    lun_value_zone  *location;     /* NULL: not counted */
} zone_conf;

extern lun_http_module  lun_http_status_zone;


static uint32_t
choose_for_server(lun_request *r)
{
    return lun_value_zone_cells(&r->session,
                                lun_http_server_of(r->server)->choosing);
}


static lun_verdict
on_log(lun_session *s)
{
    lun_request      *r = lun_request_of(s);
    const zone_conf  *conf = lun_http_conf(r, &lun_http_status_zone);

    if (conf->location != NULL && r->tally != 0) {
        lun_server_count_to(r, lun_value_zone_cells(s, conf->location));
    }

    return LUN_NEXT;
}


/* --- the directive ------------------------------------------------------- */

static lun_value_zones *
zones_of(lun_conf *cf)
{
    lun_value_zones  *zones = lun_module_data(cf->engine,
                                              &lun_http_status_zone.head);

    if (zones == NULL) {
        zones = lun_pool_new(cf->pool, lun_value_zones);
        lun_module_set_data(cf->engine, &lun_http_status_zone.head, zones);
    }

    return zones;
}


static lun_rc
set_for_server(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_value_zone   *z;
    lun_http_server  *server = lun_http_server_of(cf->block->owner);

    if (server->status_zone.len != 0) {
        return lun_conf_fail(cf, "\"status_zone\" directive is duplicate");
    }

    z = lun_value_zone_read(cf, zones_of(cf),
                            &lun_server_metrics[LUN_SERVER_ZONES],
                            LUN_SERVER_VALUES);
    if (z == NULL) {
        return LUN_ERROR;
    }

    server->status_zone = z->name;

    if (!lun_value_zone_is_fixed(z)) {
        server->choosing = z;
        server->choose_counts = choose_for_server;
    }

    return LUN_OK;
}


static lun_rc
set_for_location(lun_conf *cf, const lun_directive *d, void *data)
{
    zone_conf       *conf = data;
    lun_value_zone  *z;

    z = lun_value_zone_read(cf, zones_of(cf),
                            &lun_server_metrics[LUN_LOCATION_ZONES],
                            LUN_SERVER_VALUES);
    if (z == NULL) {
        return LUN_ERROR;
    }

    conf->location = lun_value_zone_is_fixed(z)
                     && lun_str_eq(z->name, LUN_STR("off")) ? NULL : z;
    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_value_zones_finish(zones_of(cf));
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "status_zone", .where = LUN_SERVER, .args = 1, .args_max = 2,
      .set = set_for_server, .repeats = true,
      .values = "zone | $variable zone=name[:count]",
      .help = "the name that the server's requests are counted under" },
    { .name = "status_zone", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .args_max = 2, .set = set_for_location,
      LUN_FIELD(zone_conf, location),
      .values = "zone | $variable zone=name[:count]",
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
