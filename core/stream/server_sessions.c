/*
 * server_sessions.c -- sessions of clients, counted by server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "stream/server_sessions.h"

#include "stream/engine.h"
#include "stream/stream.h"


#define OF(number)                                                            \
    .kind = LUN_COUNTER, .labels = "server", .look = lun_metric_look_at_cell, \
    .of = &lun_stream_server_metrics[LUN_STREAM_ZONES], .cell = number

static const char *const  ends[] = {
    [LUN_STREAM_SUCCESS] = "success",
    [LUN_STREAM_INVALID] = "invalid",
    [LUN_STREAM_FORBIDDEN] = "forbidden",
    [LUN_STREAM_INTERNAL_ERROR] = "internal_error",
    [LUN_STREAM_BAD_GATEWAY] = "bad_gateway",
    [LUN_STREAM_SERVICE_UNAVAILABLE] = "service_unavailable",
    NULL
};

const lun_metric  lun_stream_server_metrics[] = {
    [LUN_STREAM_ZONES] = { .name = "stream_server_zone", .kind = LUN_COUNTER,
      .labels = "server", .record = LUN_STREAM_CELLS, .gauges = 1,
      .lasting = 1 },

    { .name = "stream_server_sessions", .kind = LUN_COUNTER,
      .labels = "server", .choice = "end", .values = ends,
      .look = lun_metric_look_at_cell,
      .of = &lun_stream_server_metrics[LUN_STREAM_ZONES],
      .help = "Sessions by server, and how they ended" },
    { .name = "stream_server_passed", OF(LUN_STREAM_PASSED),
      .help = "Connections that were passed to another listener" },
    { .name = "stream_server_discarded", OF(LUN_STREAM_DISCARDED),
      .help = "Connections that never came to a session" },
    { .name = "stream_server_processing", .kind = LUN_GAUGE,
      .labels = "server", .look = lun_metric_look_at_cell,
      .of = &lun_stream_server_metrics[LUN_STREAM_ZONES],
      .cell = LUN_STREAM_PROCESSING,
      .help = "Sessions in hand, by server" },
    { .name = "stream_server_received", .unit = "bytes",
      OF(LUN_STREAM_RECEIVED),
      .help = "Bytes from clients, by server" },
    { .name = "stream_server_sent", .unit = "bytes", OF(LUN_STREAM_SENT),
      .help = "Bytes to clients, by server" },
    { .name = "stream_server_ssl_handshaked", OF(LUN_STREAM_HANDSHAKED),
      .help = "TLS handshakes that came about, by server" },
    { .name = "stream_server_ssl_failed", OF(LUN_STREAM_FAILED),
      .help = "TLS handshakes that failed, by server" },
    { 0 }
};


/* --- counting ------------------------------------------------------------ */

void
lun_stream_want_metrics(lun_conf *cf, lun_stream_server *server)
{
    lun_str  name = server->status_zone;

    if (lun_str_eq(name, LUN_STR("off"))) {
        return;
    }

    if (name.len == 0) {
        name = server->name.len != 0 ? server->name : server->address;
    }

    server->tls_cell = LUN_STREAM_HANDSHAKED;

    if (server->ssl) {
        lun_hash_set(&lun_stream_engine_of(cf->engine)->tls_zones, name,
                     server);
    }

    lun_metric_want(cf->gen->metrics,
                    &lun_stream_server_metrics[LUN_STREAM_ZONES], &name,
                    &server->counts_at);
}


void
lun_stream_count_begin(lun_stream_session *s)
{
    s->counts_at = s->server->counts_at;
    lun_metric_add(s->counts_at + LUN_STREAM_BEGUN, 1);
    lun_metric_add(s->counts_at + LUN_STREAM_PROCESSING, 1);
}


void
lun_stream_count_move(lun_stream_session *s)
{
    lun_metric_sub(s->counts_at + LUN_STREAM_PROCESSING, 1);
    lun_metric_sub(s->counts_at + LUN_STREAM_BEGUN, 1);
    lun_stream_count_begin(s);
}


static unsigned
cell_of_status(const lun_stream_session *s)
{
    if (s->pass != NULL) {
        return LUN_STREAM_PASSED;
    }

    if (!s->begun) {
        return LUN_STREAM_DISCARDED;
    }

    switch (s->status) {

    case 200:
        return LUN_STREAM_SUCCESS;

    case 400:
        return LUN_STREAM_INVALID;

    case 403:
        return LUN_STREAM_FORBIDDEN;

    case 502:
        return LUN_STREAM_BAD_GATEWAY;

    case 503:
        return LUN_STREAM_SERVICE_UNAVAILABLE;

    default:
        return LUN_STREAM_INTERNAL_ERROR;
    }
}


/* By a value, if it has one by now. */
void
lun_stream_count_end(lun_stream_session *s)
{
    uint32_t                  at = s->counts_at;
    const lun_stream_server  *server = lun_stream_server_of(s->server);

    lun_metric_sub(at + LUN_STREAM_PROCESSING, 1);

    if (server->choose_counts != NULL) {
        lun_metric_sub(at + LUN_STREAM_BEGUN, 1);
        at = server->choose_counts(s);
        lun_metric_add(at + LUN_STREAM_BEGUN, 1);
    }

    lun_metric_add(at + cell_of_status(s), 1);
    lun_metric_add(at + LUN_STREAM_RECEIVED, (uint64_t) s->conn->received);
    lun_metric_add(at + LUN_STREAM_SENT, (uint64_t) s->conn->sent);
}


/* --- the tree ------------------------------------------------------------ */

static void
write_zone(lun_status_walk *w, const uint64_t *cells, bool tls)
{
    uint64_t  numbers[4];

    static const char *const  connections[] = {
        "total", "processing", "discarded", "passed", NULL
    };
    static const char *const  ssl[] = {
        "handshaked", "reuses", "failed", "timedout", NULL
    };
    static const char *const  data[] = { "received", "sent", NULL };

    if (tls) {
        lun_status_numbers(w, "ssl", ssl, cells + LUN_STREAM_HANDSHAKED);
    }

    /* Behind a reset one that began before it may have moved away. */
    numbers[0] = (int64_t) cells[LUN_STREAM_BEGUN] > 0
                 ? cells[LUN_STREAM_BEGUN] : 0;
    numbers[1] = cells[LUN_STREAM_PROCESSING];
    numbers[2] = cells[LUN_STREAM_DISCARDED];
    numbers[3] = cells[LUN_STREAM_PASSED];
    lun_status_numbers(w, "connections", connections, numbers);
    lun_status_numbers(w, "sessions", ends, cells);
    lun_status_numbers(w, "data", data, cells + LUN_STREAM_RECEIVED);
}


static bool
is_empty(const uint64_t *cells)
{
    size_t  i;

    for (i = 0; i < LUN_STREAM_CELLS; i++) {
        if (cells[i] != 0) {
            return false;
        }
    }

    return true;
}


static bool
write_zones(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint32_t            number = lun_status_generation(w)->number;
    lun_metric_info     info;
    lun_metric_series   s;
    lun_stream_engine  *e = lun_stream_engine_of(
        lun_engine_find(lun_status_generation(w), &lun_stream_protocol));

    if (!lun_metric_find(&lun_stream_server_metrics[LUN_STREAM_ZONES], number,
                         &info))
    {
        return false;
    }

    while (!lun_status_is_full(w)) {
        if (!lun_metric_next(&info, number, cursor, &s)) {
            return false;
        }

        if ((lun_str_eq(s.labels[0], LUN_STR("other")) && is_empty(s.cells))
            || !lun_status_open(w, s.labels[0]))
        {
            continue;
        }

        write_zone(w, s.cells, lun_hash_get(&e->tls_zones, s.labels[0])
                               != NULL);
        lun_status_close(w);
    }

    return true;
}


void
lun_stream_add_status(lun_generation *gen)
{
    lun_status_add(gen, "status/stream/server_zones", write_zones, NULL);
}
