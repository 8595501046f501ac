/*
 * upstream_metrics.h -- tries of servers, counted by upstream.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_METRICS_H
#define LUN_UPSTREAM_METRICS_H

#include "session/upstream/balance.h"
#include "session/upstream/tries.h"
#include "session/status_slot.h"
#include "shm/metric.h"

extern const lun_metric  lun_upstream_metrics[];

/* Cells of a server of a block, behind those of its answers. */
enum {
    LUN_UPSTREAM_RECEIVED = LUN_STATUS_SLOTS,      /* bytes */
    LUN_UPSTREAM_SENT,
    LUN_UPSTREAM_SELECTED,
    LUN_UPSTREAM_FAILS,
    LUN_UPSTREAM_UNAVAILABLE,      /* times that it had failed too often */
    LUN_UPSTREAM_DOWNTIME,         /* ms until it worked again */
    LUN_UPSTREAM_CONNECTS,         /* and the time that they took, ms: */
    LUN_UPSTREAM_CONNECT_TIME,
    LUN_UPSTREAM_HEADERS,
    LUN_UPSTREAM_HEADER_TIME,
    LUN_UPSTREAM_ANSWERS,
    LUN_UPSTREAM_ANSWER_TIME,
    LUN_UPSTREAM_CHECKS,           /* health checks; */
    LUN_UPSTREAM_CHECK_FAILS,
    LUN_UPSTREAM_UNHEALTHY,        /* times that it became so by them */
    LUN_UPSTREAM_CURRENT,          /* a gauge: requests that it has in hand */
    LUN_UPSTREAM_FAILING,          /* a gauge: checks that say so now */
    LUN_UPSTREAM_CELLS
};

/* Asks for the cells of u, which is a block. */
void lun_upstream_want_metrics(lun_conf *cf, lun_upstream *u);

/* Its servers are read: those of each. */
void lun_upstream_want_server_metrics(lun_conf *cf, lun_upstream *u);

/* While serving: groups of u that have come from elsewhere. */
void lun_upstream_find_server_metrics(const lun_upstream *u,
    struct lun_upstream_group *groups);

static inline void
lun_upstream_count_choice(uint32_t at)
{
    lun_metric_add(at + LUN_UPSTREAM_SELECTED, 1);
    lun_metric_add(at + LUN_UPSTREAM_CURRENT, 1);
}

static inline void
lun_upstream_count_end(uint32_t at, bool failed)
{
    lun_metric_sub(at + LUN_UPSTREAM_CURRENT, 1);
    lun_metric_add(at + LUN_UPSTREAM_FAILS, failed);
}

/*
 * A try whose server was chosen is over: its status and its times.  Once a
 * try; b is the balance it was chosen by.
 */
void lun_upstream_count_try(const lun_balance *b, const lun_upstream_try *a);

#endif
