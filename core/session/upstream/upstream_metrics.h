/*
 * upstream_metrics.h -- tries of servers, counted by upstream.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_METRICS_H
#define LUN_UPSTREAM_METRICS_H

#include "session/upstream/balance.h"
#include "session/upstream/tries.h"
#include "shm/metric.h"

extern const lun_metric  lun_upstream_metrics[];

/* Asks for the cells of u, which is a block. */
void lun_upstream_want_metrics(lun_conf *cf, lun_upstream *u);

/*
 * A try whose server was chosen is over: its status and its times.  Once a
 * try; b is the balance it was chosen by.
 */
void lun_upstream_count_try(const lun_balance *b, const lun_upstream_try *a);

#endif
