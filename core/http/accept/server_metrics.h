/*
 * server_metrics.h -- requests of clients, counted by server; and, where
 * status_zone says so, by location and by what a variable says.
 *
 * A row of cells is a zone, known by its name: that of status_zone, or a
 * server's own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SERVER_METRICS_H
#define LUN_SERVER_METRICS_H

#include "http/engine.h"
#include "session/status_slot.h"

extern const lun_metric  lun_server_metrics[];

/* Cells of a zone, behind those of its answers. */
enum {
    LUN_SERVER_RECEIVED = LUN_STATUS_SLOTS,        /* bytes */
    LUN_SERVER_SENT,
    LUN_SERVER_DISCARDED,          /* requests that nothing was answered to */
    LUN_SERVER_HANDSHAKED,         /* TLS, as lun_tls_count() has them */
    LUN_SERVER_REUSED,
    LUN_SERVER_FAILED,
    LUN_SERVER_TIMEDOUT,
    LUN_SERVER_BEGUN,              /* requests, whatever became of them */
    LUN_SERVER_VALUES,             /* of a zone of values: how many there are */
    LUN_SERVER_PROCESSING,         /* a gauge: requests in hand */
    LUN_SERVER_CELLS
};

/* Rows of the table: records of these cells. */
enum { LUN_SERVER_ZONES, LUN_LOCATION_ZONES };

/* Nodes of a generation that has an http block. */
void lun_server_add_status(lun_generation *gen);

/* A server block has ended: its zone. */
void lun_server_want_metrics(lun_conf *cf, lun_http_server *server);

/* A request's header is complete: it is the server's from now on. */
static inline void
lun_server_count_begin(lun_request *r)
{
    const lun_http_server  *server = lun_http_server_of(r->server);

    r->counts_at = server->counts_at;

    if (LUN_UNLIKELY(server->choose_counts != NULL)) {
        r->counts_at = server->choose_counts(r);
    }

    lun_metric_add(r->counts_at + LUN_SERVER_BEGUN, 1);
    lun_metric_add(r->counts_at + LUN_SERVER_PROCESSING, 1);
}

/* Bytes of its answer, header and all. */
static inline uint64_t
lun_server_bytes_sent(const lun_request *r)
{
    return (uint64_t) (r->version >= 2000 ? r->header_size + r->sent : r->sent);
}

/* What an answer adds to a zone. */
static inline void
lun_server_count_to(const lun_request *r, uint32_t at)
{
    lun_metric_add(at + (r->header_sent ? lun_status_slot(r->out.status)
                                        : (unsigned) LUN_SERVER_DISCARDED), 1);
    lun_metric_add(at + LUN_SERVER_RECEIVED, (uint64_t) r->request_length);
    lun_metric_add(at + LUN_SERVER_SENT, lun_server_bytes_sent(r));
}

#endif
