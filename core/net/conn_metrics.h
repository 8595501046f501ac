/*
 * conn_metrics.h -- clients' connections, counted: of all workers together.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_METRICS_H
#define LUN_CONN_METRICS_H

#include "net/conn.h"
#include "shm/metric.h"

extern const lun_metric  lun_conn_metrics[];

/* Cells of lun_conn_states_at: what connections are about. */
enum {
    LUN_CONN_ACTIVE,               /* all of clients, accepted and not closed */
    LUN_CONN_READING,              /* requests whose header is being read */
    LUN_CONN_WRITING,              /* requests in hand, their header read */
    LUN_CONN_WAITING               /* connections without a request */
};

/* Cells of lun_datagrams_at: what became of datagrams of clients. */
enum {
    LUN_DATAGRAMS_RECEIVED,        /* from the system */
    LUN_DATAGRAMS_FORWARDED,       /* to another worker, whose session it is */
    LUN_DATAGRAMS_DROPPED          /* for want of room */
};

extern uint32_t  lun_datagrams_at;
extern uint32_t  lun_conn_states_at;
extern uint32_t  lun_conn_accepted_at;         /* taken from the system */
extern uint32_t  lun_conn_handled_at;          /* and served */
extern uint32_t  lun_conn_pooled_at;           /* to servers, for their next
                                                  use */

/*
 * What has come of an idle client is looked at: it does not count as waiting
 * until the next set_idle(), though it is idle for all else.
 */
static inline void
lun_conn_serve(lun_conn *c)
{
    if (c->idle && !c->served) {
        c->served = true;
        lun_metric_sub(lun_conn_states_at + LUN_CONN_WAITING, 1);
    }
}

#endif
