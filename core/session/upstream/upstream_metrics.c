/*
 * upstream_metrics.c -- what servers answered, and how long it took them.
 *
 * A label is the name of an upstream block; servers that an address names
 * without one, of which there may be thousands, are counted together: "other".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_metrics.h"

#include "config/generation.h"
#include "session/upstream/round_robin.h"


static uint32_t  other_tries_at, other_times_at;

static const uint64_t  times[] = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 0
};

/* The first is of those without: no answer, or a protocol that has none. */
static const char *const  classes[] = {
    "none", "1xx", "2xx", "3xx", "4xx", "5xx", NULL
};

enum { TRIES, TIMES, IDLE, SERVERS };

#define OF_SERVER(number)                                                     \
    .labels = "protocol,upstream,server", .look = lun_metric_look_at_cell,    \
    .of = &lun_upstream_metrics[SERVERS], .cell = number

const lun_metric  lun_upstream_metrics[] = {
    [TRIES] = { .name = "upstream_tries", .kind = LUN_COUNTER,
      .at = &other_tries_at, .labels = "upstream",
      .choice = "status", .values = classes,
      .help = "Servers that were asked, by class of their answer" },
    [TIMES] = { .name = "upstream_response", .kind = LUN_HISTOGRAM,
      .unit = "seconds", .scale = 1000, .at = &other_times_at,
      .labels = "upstream", .bounds = times,
      .help = "Time that a server was asked, until its answer was complete" },
    [IDLE] = { .name = "upstream_keepalive", .kind = LUN_GAUGE,
      .labels = "upstream",
      .help = "Connections that wait for their next use, by upstream" },
    [SERVERS] = { .name = "upstream_server_cells", .kind = LUN_COUNTER,
      .labels = "protocol,upstream,server", .record = LUN_UPSTREAM_CELLS,
      .gauges = LUN_UPSTREAM_CELLS - LUN_UPSTREAM_CURRENT },

    { .name = "upstream_server_responses", .kind = LUN_COUNTER,
      .labels = "protocol,upstream,server,code",
      .look = lun_status_look_at_responses,
      .of = &lun_upstream_metrics[SERVERS],
      .help = "Answers of servers, by status" },
    { .name = "upstream_server_selected", .kind = LUN_COUNTER,
      OF_SERVER(LUN_UPSTREAM_SELECTED),
      .help = "How often a server was chosen" },
    { .name = "upstream_server_current", .kind = LUN_GAUGE,
      OF_SERVER(LUN_UPSTREAM_CURRENT),
      .help = "Requests that a server has in hand" },
    { .name = "upstream_server_received", .kind = LUN_COUNTER,
      .unit = "bytes", OF_SERVER(LUN_UPSTREAM_RECEIVED),
      .help = "Bytes from a server" },
    { .name = "upstream_server_sent", .kind = LUN_COUNTER, .unit = "bytes",
      OF_SERVER(LUN_UPSTREAM_SENT),
      .help = "Bytes to a server" },
    { .name = "upstream_server_fails", .kind = LUN_COUNTER,
      OF_SERVER(LUN_UPSTREAM_FAILS),
      .help = "Tries of a server that failed" },
    { .name = "upstream_server_unavailable", .kind = LUN_COUNTER,
      OF_SERVER(LUN_UPSTREAM_UNAVAILABLE),
      .help = "How often a server had failed too often" },
    { .name = "upstream_server_downtime", .kind = LUN_COUNTER,
      .unit = "seconds", .scale = 1000, OF_SERVER(LUN_UPSTREAM_DOWNTIME),
      .help = "How long servers that had failed did not work" },
    { .name = "upstream_server_checks", .kind = LUN_COUNTER,
      OF_SERVER(LUN_UPSTREAM_CHECKS),
      .help = "Health checks of a server" },
    { .name = "upstream_server_check_fails", .kind = LUN_COUNTER,
      OF_SERVER(LUN_UPSTREAM_CHECK_FAILS),
      .help = "Health checks that a server has not passed" },
    { .name = "upstream_server_unhealthy", .kind = LUN_COUNTER,
      OF_SERVER(LUN_UPSTREAM_UNHEALTHY),
      .help = "How often a server became unhealthy by its checks" },
    { .name = "upstream_server_failing", .kind = LUN_GAUGE,
      OF_SERVER(LUN_UPSTREAM_FAILING),
      .help = "Health checks by which a server is unhealthy now" },
    { .name = "upstream_server_connect", .kind = LUN_COUNTER,
      .unit = "seconds", .scale = 1000, OF_SERVER(LUN_UPSTREAM_CONNECT_TIME),
      .help = "Time until servers were connected" },
    { .name = "upstream_server_header", .kind = LUN_COUNTER,
      .unit = "seconds", .scale = 1000, OF_SERVER(LUN_UPSTREAM_HEADER_TIME),
      .help = "Time until the header, or the first byte, of servers" },
    { .name = "upstream_server_answer", .kind = LUN_COUNTER,
      .unit = "seconds", .scale = 1000, OF_SERVER(LUN_UPSTREAM_ANSWER_TIME),
      .help = "Time until the answers of servers were complete" },
    { 0 }
};


void
lun_upstream_want_metrics(lun_conf *cf, lun_upstream *u)
{
    lun_metric_want(cf->gen->metrics, &lun_upstream_metrics[TRIES], &u->name,
                    &u->tries_at);
    lun_metric_want(cf->gen->metrics, &lun_upstream_metrics[TIMES], &u->name,
                    &u->times_at);
    lun_metric_want(cf->gen->metrics, &lun_upstream_metrics[IDLE], &u->name,
                    &u->idle_at);
}


void
lun_upstream_want_server_metrics(lun_conf *cf, lun_upstream *u)
{
    size_t               i;
    lun_str              labels[3] = { u->protocol, u->name };
    lun_upstream_group  *g;

    for (g = u->peers; g != NULL; g = g->next) {
        for (i = 0; i < g->count; i++) {
            labels[2] = g->peers[i].name;
            lun_metric_want(cf->gen->metrics, &lun_upstream_metrics[SERVERS],
                            labels, &g->peers[i].counts_at);
        }
    }
}


void
lun_upstream_find_server_metrics(const lun_upstream *u,
    lun_upstream_group *groups)
{
    size_t               i;
    lun_str              labels[3] = { u->protocol, u->name };
    const char          *why;
    lun_upstream_group  *g;

    for (g = groups; g != NULL; g = g->next) {
        for (i = 0; i < g->count; i++) {
            labels[2] = g->peers[i].name;
            g->peers[i].counts_at
                = lun_metric_make(&lun_upstream_metrics[SERVERS], labels,
                                  u->generation, &why);
        }
    }
}


static void
count_time(uint32_t at, int64_t ms)
{
    if (ms >= 0) {
        lun_metric_add(at, 1);
        lun_metric_add(at + 1, (uint64_t) ms);
    }
}


/* at: its server's. */
static void
count_server(uint32_t at, const lun_upstream_try *a)
{
    if (a->status != 0) {
        lun_metric_add(at + lun_status_slot(a->status), 1);
    }

    lun_metric_add(at + LUN_UPSTREAM_RECEIVED, (uint64_t) a->received);
    lun_metric_add(at + LUN_UPSTREAM_SENT, (uint64_t) a->sent);
    count_time(at + LUN_UPSTREAM_CONNECTS, a->connect_time);
    count_time(at + LUN_UPSTREAM_HEADERS, a->header_time);
    count_time(at + LUN_UPSTREAM_ANSWERS, a->response_time);
}


void
lun_upstream_count_try(const lun_balance *b, const lun_upstream_try *a)
{
    unsigned             class = a->status / 100;
    const lun_upstream  *u = b->upstream;

    if (a->addr.data == NULL) {
        return;
    }

    class = class < LUN_ARRAY_LEN(classes) - 1 ? class : 0;
    lun_metric_add((u != NULL && u->tries_at != 0 ? u->tries_at
                                                  : other_tries_at) + class, 1);
    lun_metric_observe(u != NULL && u->times_at != 0 ? u->times_at
                                                     : other_times_at,
                       times, (uint64_t) lun_max(a->response_time, 0));
    count_server(b->counts_at, a);
}
