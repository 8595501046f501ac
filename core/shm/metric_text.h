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
 * What a histogram has beside it: a record of the name that ends so, with
 * LUN_METRIC_EXEMPLAR cells for each of its buckets: a trace's id, the value
 * and when that was, in ms.  Each process has its own; the latest is printed.
 */
#define LUN_METRIC_EXEMPLARS  "_exemplar"

enum { LUN_METRIC_EXEMPLAR = 4 };

/* The one of bucket number `bucket`; `trace` has 16 bytes. */
void lun_metric_note_exemplar(uint32_t at, unsigned bucket,
    const uint8_t *trace, uint64_t value, uint64_t ms);

/*
 * All metrics that generation `generation` or a later one wants: those with
 * cells as their sums are then, and those of the set (may be NULL) that are
 * looked at.  A page is printed in parts, so that nobody waits long for the
 * worker that prints thousands of them.
 */
typedef struct lun_metric_page  lun_metric_page;

lun_metric_page *lun_metric_page_new(lun_pool *pool,
    const lun_metric_set *set, uint32_t generation, lun_metric_form form);

/*
 * Appends about so many bytes more; bufs are the pool's.  False: the page is
 * complete.
 */
bool lun_metric_page_print(lun_metric_page *page, size_t bytes,
    lun_chain *out);

#endif
