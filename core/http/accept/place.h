/*
 * place.h -- for protocols: where a new request belongs before it has named a
 * server, and whether TLS lets it in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_PLACE_H
#define LUN_HTTP_PLACE_H

#include "http/accept/server_metrics.h"

/* The server that the handshake has named, or the address's default. */
lun_server *lun_http_server_at(lun_conn *c, const lun_listen_addr *listen);

/* That server, and the scheme. */
void lun_http_place(lun_request *r, const lun_listen_addr *listen);

/* A listener for TLS: the status by which a request is refused, or 0. */
unsigned lun_http_check_tls(lun_request *r);

/* For `error_log ... debug`: what the client has said. */
LUN_COLD void lun_http_tell_header(const lun_request *r);

/* Its header is complete: the first phase, unless TLS has an objection. */
static inline void
lun_http_begin(lun_request *r, const lun_listen_addr *listen)
{
    unsigned  status;

    if (LUN_UNLIKELY(lun_log_wants(r->log, LUN_LOG_DEBUG))) {
        lun_http_tell_header(r);
    }

    lun_server_count_begin(r);
    status = listen->ssl ? lun_http_check_tls(r) : 0;

    if (status != 0) {
        lun_http_finish(r, LUN_STATUS + status);

    } else {
        lun_http_run(r);
    }
}

/* For lun_listen_protocol: of requests that are never made. */
lun_session *lun_http_handshake_session(lun_conn *c);
void lun_http_end_handshake_session(lun_session *s);

#endif
