/*
 * conn_metrics.c -- clients' connections, counted.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_metrics.h"


uint32_t  lun_conn_states_at, lun_conn_accepted_at, lun_conn_handled_at;
uint32_t  lun_conn_pooled_at, lun_datagrams_at;

static const char *const  states[] = {
    [LUN_CONN_ACTIVE] = "active",
    [LUN_CONN_READING] = "reading",
    [LUN_CONN_WRITING] = "writing",
    [LUN_CONN_WAITING] = "waiting",
    NULL
};

static const char *const  datagrams[] = {
    [LUN_DATAGRAMS_RECEIVED] = "received",
    [LUN_DATAGRAMS_FORWARDED] = "forwarded",
    [LUN_DATAGRAMS_DROPPED] = "dropped",
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
    { .name = "datagrams", .kind = LUN_COUNTER, .at = &lun_datagrams_at,
      .choice = "fate", .values = datagrams,
      .help = "Datagrams of clients: all, those that another worker got, and "
              "those for which there was no room" },
    { 0 }
};
