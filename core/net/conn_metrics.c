/*
 * conn_metrics.c -- clients' connections, counted.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_metrics.h"


uint32_t  lun_conn_states_at, lun_conn_accepted_at, lun_conn_handled_at;
uint32_t  lun_conn_pooled_at;

static const char *const  states[] = {
    [LUN_CONN_ACTIVE] = "active",
    [LUN_CONN_READING] = "reading",
    [LUN_CONN_WRITING] = "writing",
    [LUN_CONN_WAITING] = "waiting",
    NULL
};

const lun_metric  lun_conn_metrics[] = {
    { .name = "connections", .kind = LUN_GAUGE, .at = &lun_conn_states_at,
      .choice = "state", .values = states,
      .help = "Connections of clients, and what they are about" },
    { .name = "connections_accepted", .kind = LUN_COUNTER,
      .at = &lun_conn_accepted_at,
      .help = "Connections of clients that were accepted" },
    { .name = "connections_handled", .kind = LUN_COUNTER,
      .at = &lun_conn_handled_at,
      .help = "Connections of clients that were served" },
    { .name = "upstream_connections_idle", .kind = LUN_GAUGE,
      .at = &lun_conn_pooled_at,
      .help = "Connections to servers that wait for their next use" },
    { 0 }
};
