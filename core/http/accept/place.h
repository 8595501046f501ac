/*
 * place.h -- for protocols: where a new request belongs before it has named a
 * server, and whether TLS lets it in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_PLACE_H
#define LUN_HTTP_PLACE_H

#include "http/engine.h"

/* The server that the handshake has named, or the default; its scheme. */
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

/* For lun_listen_protocol: of requests that are never made. */
lun_session *lun_http_handshake_session(lun_conn *c);
void lun_http_end_handshake_session(lun_session *s);

#endif
