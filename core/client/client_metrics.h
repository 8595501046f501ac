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

/* One has begun; it is over, `took` ms later. */
void lun_client_count_begin(void);
void lun_client_count_end(unsigned outcome, lun_msec took);

extern const lun_metric  lun_client_metrics[];

#endif
