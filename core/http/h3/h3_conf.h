/*
 * h3_conf.h -- settings of HTTP/3 and of the QUIC that it stands on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_CONF_H
#define LUN_HTTP_H3_CONF_H

#include "http/module.h"
#include "net/quic/quic.h"

typedef struct {
    bool      enabled;
    bool      hq;
    bool      alt_svc;
    bool      websockets;
    int64_t   concurrent_streams;
    size_t    stream_buffer_size;
    int64_t   table_capacity;
    int64_t   cid_limit;
    bool      gso;
    int       retry;
    int       congestion;
    lun_str   qlog;                    /* a folder */
    lun_str   host_key;                /* what the file has; or empty */
} lun_h3_conf;

extern lun_http_module  lun_http_h3;

/* What a server says of the connections that come to its addresses. */
void lun_h3_fill_quic(lun_quic_conf *quic, const lun_server *server);

#endif
