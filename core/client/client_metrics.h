/*
 * client_metrics.h -- questions to other servers, counted for all workers
 * together.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CLIENT_METRICS_H
#define LUN_CLIENT_METRICS_H

#include "client/http_client.h"
#include "shm/metric.h"

/* One that the caller took back. */
enum { LUN_HTTP_CANCELLED = LUN_HTTP_STOPPED + 1, LUN_HTTP_OUTCOMES };

extern uint32_t  lun_client_open_at;       /* those that are open */

/* One is over, `took` ms after it has begun. */
void lun_client_count_end(unsigned outcome, lun_msec took);

extern const lun_metric  lun_client_metrics[];

#endif
