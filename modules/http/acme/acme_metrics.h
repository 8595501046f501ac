/*
 * acme_metrics.h -- what is counted of certificates.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_METRICS_H
#define LUN_ACME_METRICS_H

#include "shm/metric.h"

extern const lun_metric  lun_acme_metrics[];

#endif
