/*
 * metric_zone_priv.h -- what the files of metric zones share: metric_zone.c
 * (directives, updates, variables), metric_zone_show.c (the tree, metrics).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_METRIC_ZONE_PRIV_H
#define LUN_METRIC_ZONE_PRIV_H

#include "config/status.h"
#include "modules/common/metric/metric_store.h"
#include "modules/common/metric/metric_zone.h"

enum { LUN_METRIC_PARTS = 1000000 };       /* of a number, where it is shown */

/* A zone, of a generation: its zone's data. */
typedef struct {
    lun_store  store;
    lun_str    name;
} lun_metric_zone;

/* Millionths of it, as far as they are a number. */
int64_t lun_metric_parts(double d);

lun_status_fn            lun_metric_zone_write;    /* of a lun_metric_zone */
extern const lun_metric  lun_metric_zone_metrics[];

#endif
