/*
 * accept.h -- new connections: TLS or not, and which protocol.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_ACCEPT_H
#define LUN_HTTP_ACCEPT_H

#include "http/engine.h"

/* For lun_listener.take; its data is a lun_listen_addr. */
lun_listener_fn  lun_http_accept;
lun_listener_adopt_fn  lun_http_adopt;

/* Its own first bytes come next: those of a PROXY header are through. */
void lun_http_start(lun_conn *c);

/* Where a new request belongs before it has named a server; its scheme. */
void lun_http_place(lun_request *r, const lun_listen_addr *listen);

/* A listener for TLS: the status by which a request is refused, or 0. */
unsigned lun_http_check_tls(lun_request *r);

/* Its header is complete: the first phase, unless TLS has an objection. */
static inline void
lun_http_begin(lun_request *r, const lun_listen_addr *listen)
{
    unsigned  status = listen->ssl ? lun_http_check_tls(r) : 0;

    if (status != 0) {
        lun_http_finish(r, LUN_STATUS + status);

    } else {
        lun_http_run(r);
    }
}

/* For logs: of a connection (its owner), and of a main request (its own). */
lun_log_context_fn  lun_http_context, lun_request_context;

/* For lun_listen_protocol: of requests that are never made. */
lun_session *lun_http_handshake_session(lun_conn *c);
void lun_http_end_handshake_session(lun_session *s);

/* For lun_listen_protocol.alpn. */
lun_str lun_http_alpn(const lun_listen_addr *listen);

#endif
