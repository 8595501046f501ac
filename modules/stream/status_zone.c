/*
 * status_zone.c -- stream: the name that sessions are counted under.
 *
 *     status_zone mail;
 *     status_zone $ssl_preread_server_name zone=names:100;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/value_zone.h"
#include "stream/server_sessions.h"
#include "stream/stream.h"


/* Of a block that says so. */
typedef struct {
    bool  used;
} zone_conf;

extern lun_module  lun_stream_status_zone;


static uint32_t
choose(lun_stream_session *s)
{
    const lun_stream_server  *server = lun_stream_server_of(s->server);

    return lun_value_zone_cells(&s->session, server->choosing);
}


static lun_value_zones *
zones_of(lun_conf *cf)
{
    lun_value_zones  *zones = lun_module_data(cf->engine,
                                              &lun_stream_status_zone);

    if (zones == NULL) {
        zones = lun_pool_new(cf->pool, lun_value_zones);
        lun_module_set_data(cf->engine, &lun_stream_status_zone, zones);
    }

    return zones;
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_value_zone     *z;
    zone_conf          *conf = data;
    lun_stream_server  *server = lun_stream_server_of(cf->block->owner);

    if (server->status_zone.len != 0) {
        return lun_conf_fail(cf, "\"status_zone\" directive is duplicate");
    }

    z = lun_value_zone_read(cf, zones_of(cf),
                            &lun_stream_server_metrics[LUN_STREAM_ZONES],
                            LUN_STREAM_VALUES);
    if (z == NULL) {
        return LUN_ERROR;
    }

    conf->used = true;
    server->status_zone = z->name;

    if (!lun_value_zone_is_fixed(z)) {
        server->choosing = z;
        server->choose_counts = choose;
    }

    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_value_zones_finish(zones_of(cf));
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "status_zone", .where = LUN_STREAM_SERVER, .args = 1,
      .args_max = 2, .set = set_zone, .repeats = true,
      .values = "zone | $variable zone=name[:count]",
      .help = "the name that the server's sessions are counted under" },
    { 0 }
};

lun_module  lun_stream_status_zone = {
    .name = "stream_status_zone",
    .directives = directives,
    .conf_size = sizeof(zone_conf),
    .init = init,
};
