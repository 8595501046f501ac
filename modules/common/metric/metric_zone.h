/*
 * metric_zone.h -- metric_zone and metric (Angie), for the phases that only
 * HTTP has.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_METRIC_ZONE_H
#define LUN_METRIC_ZONE_H

#include "session/module.h"

typedef enum {
    LUN_METRIC_AT_REQUEST,         /* before the content */
    LUN_METRIC_AT_RESPONSE,        /* the header is sent */
    LUN_METRIC_AT_END
} lun_metric_stage;

extern lun_module  lun_common_metric_zone;

/* The session has come so far: what it has not updated until then is updated
   now.  Once for each stage; subrequests have none. */
void lun_metric_zone_reach(lun_session *s, lun_metric_stage stage);

#endif
