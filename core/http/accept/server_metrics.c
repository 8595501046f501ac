/*
 * server_metrics.c -- requests of clients, counted by server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/server_metrics.h"


#define OF(row, number)                                                       \
    .kind = LUN_COUNTER, .labels = "server", .look = lun_metric_look_at_cell, \
    .of = &lun_server_metrics[row], .cell = number

const lun_metric  lun_server_metrics[] = {
    [LUN_SERVER_ZONES] = { .name = "http_server_zone", .kind = LUN_COUNTER,
      .labels = "server", .record = LUN_SERVER_CELLS, .gauges = 1,
      .lasting = 1 },
    [LUN_LOCATION_ZONES] = { .name = "http_location_zone",
      .kind = LUN_COUNTER, .labels = "location", .record = LUN_SERVER_CELLS,
      .gauges = 1, .lasting = 1 },

    { .name = "http_server_responses", .kind = LUN_COUNTER,
      .labels = "server,code", .look = lun_status_look_at_responses,
      .of = &lun_server_metrics[LUN_SERVER_ZONES],
      .help = "Answers by server and status" },
    { .name = "http_server_discarded", OF(LUN_SERVER_ZONES,
                                          LUN_SERVER_DISCARDED),
      .help = "Requests that nothing was answered to, by server" },
    { .name = "http_server_processing", .kind = LUN_GAUGE, .labels = "server",
      .look = lun_metric_look_at_cell,
      .of = &lun_server_metrics[LUN_SERVER_ZONES],
      .cell = LUN_SERVER_PROCESSING,
      .help = "Requests that are being answered, by server" },
    { .name = "http_server_received", .unit = "bytes",
      OF(LUN_SERVER_ZONES, LUN_SERVER_RECEIVED),
      .help = "Bytes of requests, headers included, by server" },
    { .name = "http_server_sent", .unit = "bytes",
      OF(LUN_SERVER_ZONES, LUN_SERVER_SENT),
      .help = "Bytes of answers, headers included, by server" },
    { .name = "http_server_ssl_handshaked",
      OF(LUN_SERVER_ZONES, LUN_SERVER_HANDSHAKED),
      .help = "TLS handshakes that came about, by server" },
    { .name = "http_server_ssl_reuses",
      OF(LUN_SERVER_ZONES, LUN_SERVER_REUSED),
      .help = "TLS sessions that were used again, by server" },
    { .name = "http_server_ssl_timedout",
      OF(LUN_SERVER_ZONES, LUN_SERVER_TIMEDOUT),
      .help = "TLS handshakes that took too long, by server" },
    { .name = "http_server_ssl_failed",
      OF(LUN_SERVER_ZONES, LUN_SERVER_FAILED),
      .help = "TLS handshakes that failed, by server" },

    { .name = "http_location_responses", .kind = LUN_COUNTER,
      .labels = "location,code", .look = lun_status_look_at_responses,
      .of = &lun_server_metrics[LUN_LOCATION_ZONES],
      .help = "Answers by location and status, of locations with a "
              "status_zone" },
    { .name = "http_location_discarded", .kind = LUN_COUNTER,
      .labels = "location", .look = lun_metric_look_at_cell,
      .of = &lun_server_metrics[LUN_LOCATION_ZONES],
      .cell = LUN_SERVER_DISCARDED,
      .help = "Requests that nothing was answered to, by location" },
    { .name = "http_location_received", .unit = "bytes", .kind = LUN_COUNTER,
      .labels = "location", .look = lun_metric_look_at_cell,
      .of = &lun_server_metrics[LUN_LOCATION_ZONES],
      .cell = LUN_SERVER_RECEIVED,
      .help = "Bytes of requests, headers included, by location" },
    { .name = "http_location_sent", .unit = "bytes", .kind = LUN_COUNTER,
      .labels = "location", .look = lun_metric_look_at_cell,
      .of = &lun_server_metrics[LUN_LOCATION_ZONES], .cell = LUN_SERVER_SENT,
      .help = "Bytes of answers, headers included, by location" },
    { 0 }
};


void
lun_server_want_metrics(lun_conf *cf, lun_http_server *server)
{
    lun_str  name = server->status_zone;

    if (lun_str_eq(name, LUN_STR("off"))) {
        return;
    }

    if (name.len == 0) {
        name = server->name.len != 0 ? server->name : server->address;
    }

    server->tls_cell = LUN_SERVER_HANDSHAKED;

    if (server->ssl) {
        lun_hash_set(&lun_http_engine_of(cf->gen)->tls_zones, name, server);
    }

    lun_metric_want(cf->gen->metrics, &lun_server_metrics[LUN_SERVER_ZONES],
                    &name, &server->counts_at);
}


/* --- the tree ------------------------------------------------------------ */

static void
write_ssl(lun_status_walk *w, const uint64_t *cells)
{
    if (!lun_status_open(w, LUN_STR("ssl"))) {
        return;
    }

    lun_status_number(w, "handshaked", (int64_t) cells[LUN_SERVER_HANDSHAKED]);
    lun_status_number(w, "reuses", (int64_t) cells[LUN_SERVER_REUSED]);
    lun_status_number(w, "timedout", (int64_t) cells[LUN_SERVER_TIMEDOUT]);
    lun_status_number(w, "failed", (int64_t) cells[LUN_SERVER_FAILED]);
    lun_status_close(w);
}


static void
write_zone(lun_status_walk *w, const uint64_t *cells, bool is_server)
{
    uint64_t  ended = lun_status_slots_sum(cells)
                      + cells[LUN_SERVER_DISCARDED];

    if (lun_status_open(w, LUN_STR("requests"))) {
        /* The last of the cells to be read, so it is never behind those of
           answers.  A location has only requests that have ended. */
        lun_status_number(w, "total", (int64_t) (is_server
                          ? cells[LUN_SERVER_BEGUN] : ended));

        if (is_server) {
            lun_status_number(w, "processing",
                              (int64_t) cells[LUN_SERVER_PROCESSING]);
        }

        lun_status_number(w, "discarded",
                          (int64_t) cells[LUN_SERVER_DISCARDED]);
        lun_status_close(w);
    }

    lun_status_write_responses(w, cells);

    if (lun_status_open(w, LUN_STR("data"))) {
        lun_status_number(w, "received", (int64_t) cells[LUN_SERVER_RECEIVED]);
        lun_status_number(w, "sent", (int64_t) cells[LUN_SERVER_SENT]);
        lun_status_close(w);
    }
}


/* What is counted for nobody is not shown while there is nothing. */
static bool
is_empty_rest(const lun_metric_series *s)
{
    return lun_str_eq(s->labels[0], LUN_STR("other"))
           && lun_status_slots_sum(s->cells) == 0
           && s->cells[LUN_SERVER_PROCESSING] == 0;
}


/*
 * The cursor is a place among the series and not a pointer: between two slices
 * a reload may have added some.
 */
static bool
write_server_zones(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint32_t            number = lun_status_generation(w)->number;
    lun_metric_info     info;
    lun_metric_series   s;
    lun_http_engine    *e = lun_http_engine_of(lun_status_generation(w));

    if (!lun_metric_find(&lun_server_metrics[LUN_SERVER_ZONES], number, &info))
    {
        return false;
    }

    while (!lun_status_is_full(w)) {
        if (!lun_metric_next(&info, number, cursor, &s)) {
            return false;
        }

        if (is_empty_rest(&s) || !lun_status_open(w, s.labels[0])) {
            continue;
        }

        if (lun_hash_get(&e->tls_zones, s.labels[0]) != NULL) {
            write_ssl(w, s.cells);
        }

        write_zone(w, s.cells, true);
        lun_status_close(w);
    }

    return true;
}


static bool
write_location_zones(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint32_t            number = lun_status_generation(w)->number;
    lun_metric_info     info;
    lun_metric_series   s;

    if (!lun_metric_find(&lun_server_metrics[LUN_LOCATION_ZONES], number,
                         &info))
    {
        return false;
    }

    while (!lun_status_is_full(w)) {
        if (!lun_metric_next(&info, number, cursor, &s)) {
            return false;
        }

        if (!is_empty_rest(&s) && lun_status_open(w, s.labels[0])) {
            write_zone(w, s.cells, false);
            lun_status_close(w);
        }
    }

    return true;
}


void
lun_server_add_status(lun_generation *gen)
{
    lun_status_add(gen, "status/http/server_zones", write_server_zones, NULL);
    lun_status_add(gen, "status/http/location_zones", write_location_zones,
                   NULL);
}
