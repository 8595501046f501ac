/*
 * server_sessions.h -- sessions of clients, counted by server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SERVER_SESSIONS_H
#define LUN_SERVER_SESSIONS_H

#include "config/status.h"
#include "stream/stream_session.h"

extern const lun_metric  lun_stream_server_metrics[];

/* Cells of a server's zone. */
enum {
    LUN_STREAM_SUCCESS,            /* sessions, by how they ended */
    LUN_STREAM_INVALID,
    LUN_STREAM_FORBIDDEN,
    LUN_STREAM_INTERNAL_ERROR,
    LUN_STREAM_BAD_GATEWAY,
    LUN_STREAM_SERVICE_UNAVAILABLE,
    LUN_STREAM_PASSED,             /* connections that went elsewhere */
    LUN_STREAM_DISCARDED,          /* ... that never came to a session */
    LUN_STREAM_RECEIVED,           /* bytes */
    LUN_STREAM_SENT,
    LUN_STREAM_HANDSHAKED,         /* TLS, as lun_tls_count() has them */
    LUN_STREAM_REUSED,
    LUN_STREAM_FAILED,
    LUN_STREAM_TIMEDOUT,
    LUN_STREAM_BEGUN,              /* connections, less those that another
                                      zone has got since */
    LUN_STREAM_VALUES,             /* of a zone of values: how many there are */
    LUN_STREAM_PROCESSING,         /* a gauge: sessions in hand */
    LUN_STREAM_CELLS
};

/* Rows of the table: the record of these cells. */
enum { LUN_STREAM_ZONES };

/* A server block has ended: its zone. */
void lun_stream_want_metrics(lun_conf *cf, lun_stream_server *server);

/* Nodes of a generation that has a stream block. */
void lun_stream_add_status(lun_generation *gen);

/* It begins, is moved to another server, and ends. */
void lun_stream_count_begin(lun_stream_session *s);
void lun_stream_count_move(lun_stream_session *s);
void lun_stream_count_end(lun_stream_session *s);

#endif
