/*
 * tls_metrics.c -- TLS handshakes, counted.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_metrics.h"


static uint32_t  clients_at, servers_at;

static const char *const  outcomes[] = {
    [LUN_TLS_FULL] = "full",
    [LUN_TLS_RESUMED] = "resumed",
    [LUN_TLS_FAILED] = "failed",
    [LUN_TLS_ABANDONED] = "abandoned",
    NULL
};

const lun_metric  lun_tls_metrics[] = {
    { .name = "ssl_handshakes", .kind = LUN_COUNTER, .at = &clients_at,
      .choice = "outcome", .values = outcomes,
      .help = "TLS handshakes of clients" },
    { .name = "upstream_ssl_handshakes", .kind = LUN_COUNTER,
      .at = &servers_at, .choice = "outcome", .values = outcomes,
      .help = "TLS handshakes with servers" },
    { 0 }
};


void
lun_tls_count(const lun_conn *c, bool is_server, lun_tls_outcome outcome)
{
    if (is_server) {
        lun_metric_add(c->tls_counts_at + outcome, 1);
        lun_metric_add(c->tls_counts_at, outcome == LUN_TLS_RESUMED);
    }

    lun_metric_add((is_server ? clients_at : servers_at) + outcome, 1);
}
