/*
 * tls_metrics.h -- TLS handshakes, counted: those of clients with this server,
 * and those with servers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_METRICS_H
#define LUN_TLS_METRICS_H

#include "net/conn.h"
#include "shm/metric.h"

extern const lun_metric  lun_tls_metrics[];

/* How one ended. */
typedef enum {
    LUN_TLS_FULL,
    LUN_TLS_RESUMED,               /* a session was used again */
    LUN_TLS_FAILED,
    LUN_TLS_ABANDONED              /* closed on this side: a time-out, mostly */
} lun_tls_outcome;

/*
 * One of c's has ended; and in four cells from c->tls_counts_at: that came
 * about, of a session again, failed, abandoned.
 */
void lun_tls_count(const lun_conn *c, bool is_server, lun_tls_outcome outcome);

#endif
