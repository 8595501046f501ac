/*
 * metric_stages.c -- `metric ... on=request` and `on=response`: the stages of a
 * request (../common/metric/metric_zone.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "modules/common/metric/metric_zone.h"


extern lun_http_module  lun_http_metric_stages;


static lun_verdict
on_precontent(lun_session *s)
{
    lun_metric_zone_reach(s, LUN_METRIC_AT_REQUEST);
    return LUN_NEXT;
}


/* Behind the other filters: what they say of the header is known. */
static lun_rc
header_filter(lun_request *r)
{
    lun_rc  rc = lun_http_next_header(r, &lun_http_metric_stages);

    if (rc == LUN_OK) {
        lun_metric_zone_reach(&r->session, LUN_METRIC_AT_RESPONSE);
    }

    return rc;
}


lun_http_module  lun_http_metric_stages = {
    .name = "metric_stages",
    .with = &lun_common_metric_zone,
    .header_filter = header_filter,
    .on[LUN_PRECONTENT] = on_precontent,
};
