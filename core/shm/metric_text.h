/*
 * metric_text.h -- what is counted, as Prometheus reads it.
 *
 * Two texts say the same: Prometheus' exposition format 0.0.4, and OpenMetrics
 * 1.0, which has units, names counters without their "_total", and says where
 * it ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_METRIC_TEXT_H
#define LUN_METRIC_TEXT_H

#include "base/buf.h"
#include "shm/metric.h"

typedef enum { LUN_METRIC_PROMETHEUS, LUN_METRIC_OPENMETRICS } lun_metric_form;

/* Its media type, as a Content-Type has it. */
lun_str lun_metric_type_of(lun_metric_form form);

/*
 * Appends all metrics that generation `generation` or a later one wants: those
 * with cells as their sums are now, and those of the set (may be NULL) that
 * are looked at.  Bufs and their bytes are the pool's.
 */
void lun_metric_print(lun_pool *pool, const lun_metric_set *set,
    uint32_t generation, lun_metric_form form, lun_chain *out);

#endif
