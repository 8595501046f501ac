/*
 * request_metrics.h -- requests of clients, counted; subrequests are not, nor
 * is what only looks like a request to a script.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_REQUEST_METRICS_H
#define LUN_REQUEST_METRICS_H

#include "http/accept/server_metrics.h"
#include "net/conn_metrics.h"

extern const lun_metric  lun_request_metrics[];
extern uint32_t          lun_requests_at;      /* all there ever were */

/*
 * A new one that is counted from now on, or one whose header has come: `state`
 * is LUN_CONN_READING or _WRITING.
 */
static inline void
lun_request_tally(lun_request *r, unsigned state)
{
    if (r->tally == 0) {
        lun_metric_add(lun_requests_at, 1);

    } else {
        lun_metric_sub(lun_conn_states_at + r->tally, 1);
    }

    r->tally = state & 3;
    lun_metric_add(lun_conn_states_at + state, 1);
}

/* It is over; its answer was counted when it was logged. */
static inline void
lun_request_untally(lun_request *r)
{
    if (r->tally != 0) {
        lun_metric_sub(lun_conn_states_at + r->tally, 1);
        lun_metric_sub(r->counts_at + LUN_SERVER_PROCESSING, 1);
        r->tally = 0;
    }
}

/* Its answer, with the status, the bytes and the time that it had. */
void lun_request_count_answer(lun_request *r);

#endif
