/*
 * quic_stream.c -- streams: what comes of them to the protocol, and what that
 * says of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"


/* Whether the protocol wants to hear of the streams. */
static bool
hears(const lun_quic_conn *conn)
{
    return conn->begun && conn->stage < LUN_QUIC_CLOSES;
}


/* --- ngtcp2's callbacks -------------------------------------------------- */

static int
on_data(ngtcp2_conn *ng, uint32_t flags, int64_t id, uint64_t offset,
    const uint8_t *bytes, size_t n, void *data, void *stream)
{
    void           *before = stream;
    lun_rc          rc;
    lun_quic_conn  *conn = data;

    ngtcp2_conn_extend_max_offset(ng, n);

    if (!hears(conn)) {
        return 0;
    }

    rc = conn->q.protocol->received(&conn->q, id, &stream,
                                    (const char *) bytes, n,
                                    (flags & NGTCP2_STREAM_DATA_FLAG_FIN)
                                    != 0);
    if (stream != before) {
        (void) ngtcp2_conn_set_stream_user_data(ng, id, stream);
    }

    LUN_CHECK(rc == LUN_OK || conn->stage >= LUN_QUIC_GENTLY);
    return 0;
}


static int
on_acked(ngtcp2_conn *ng, int64_t id, uint64_t offset, uint64_t n, void *data,
    void *stream)
{
    lun_quic_conn  *conn = data;

    if (hears(conn)) {
        conn->q.protocol->acked(&conn->q, id, stream, (size_t) n);
    }

    return 0;
}


static int
on_reset(ngtcp2_conn *ng, int64_t id, uint64_t size, uint64_t code, void *data,
    void *stream)
{
    lun_quic_conn  *conn = data;

    if (hears(conn)) {
        conn->q.protocol->was_reset(&conn->q, id, stream, code);
    }

    return 0;
}


static int
on_stopped(ngtcp2_conn *ng, int64_t id, uint64_t code, void *data,
    void *stream)
{
    lun_quic_conn  *conn = data;

    if (hears(conn)) {
        conn->q.protocol->was_stopped(&conn->q, id, stream, code);
    }

    return 0;
}


static int
on_closed(ngtcp2_conn *ng, uint32_t flags, int64_t id, uint64_t read_code,
    uint64_t write_code, void *data, void *stream)
{
    lun_quic_conn  *conn = data;

    if (hears(conn)) {
        conn->q.protocol->stream_closed(&conn->q, id, stream);
    }

    return 0;
}


static int
on_window(ngtcp2_conn *ng, int64_t id, uint64_t most, void *data, void *stream)
{
    lun_quic_conn  *conn = data;

    if (hears(conn)) {
        conn->q.protocol->may_send(&conn->q, id, stream);
    }

    return 0;
}


void
lun_quic_stream_callbacks(ngtcp2_callbacks *to)
{
    to->recv_stream_data = on_data;
    to->acked_stream_data_offset = on_acked;
    to->stream_reset = on_reset;
    to->recv_stop_sending = on_stopped;
    to->stream_close2 = on_closed;
    to->extend_max_stream_data = on_window;
}


/* --- for the protocol ---------------------------------------------------- */

/* What is said of a stream goes out in the next turn.  NULL: it is closed. */
static ngtcp2_conn *
wake_up(lun_quic *q)
{
    lun_quic_conn  *conn = lun_quic_conn_of(q);

    lun_quic_conn_wake(conn);
    return conn->ng;
}


static lun_rc
opened(int rc)
{
    return rc == 0 ? LUN_OK
           : rc == NGTCP2_ERR_STREAM_ID_BLOCKED ? LUN_AGAIN : LUN_ERROR;
}


lun_rc
lun_quic_open_uni(lun_quic *q, void *stream, int64_t *id)
{
    ngtcp2_conn  *ng = lun_quic_conn_of(q)->ng;

    return ng == NULL ? LUN_ERROR
           : opened(ngtcp2_conn_open_uni_stream(ng, id, stream));
}


lun_rc
lun_quic_open_bidi(lun_quic *q, void *stream, int64_t *id)
{
    ngtcp2_conn  *ng = lun_quic_conn_of(q)->ng;

    return ng == NULL ? LUN_ERROR
           : opened(ngtcp2_conn_open_bidi_stream(ng, id, stream));
}


uint64_t
lun_quic_bidi_left(lun_quic *q)
{
    ngtcp2_conn  *ng = lun_quic_conn_of(q)->ng;

    return ng == NULL ? 0 : ngtcp2_conn_get_streams_bidi_left2(ng);
}


void
lun_quic_set_stream(lun_quic *q, int64_t id, void *stream)
{
    ngtcp2_conn  *ng = lun_quic_conn_of(q)->ng;

    if (ng != NULL) {
        (void) ngtcp2_conn_set_stream_user_data(ng, id, stream);
    }
}


void
lun_quic_consumed(lun_quic *q, int64_t id, size_t n)
{
    ngtcp2_conn  *ng = wake_up(q);

    if (ng != NULL) {
        (void) ngtcp2_conn_extend_max_stream_offset(ng, id, n);
    }
}


void
lun_quic_reset(lun_quic *q, int64_t id, uint64_t code)
{
    ngtcp2_conn  *ng = wake_up(q);

    if (ng != NULL) {
        (void) ngtcp2_conn_shutdown_stream_write(ng, 0, id, code);
    }
}


void
lun_quic_stop(lun_quic *q, int64_t id, uint64_t code)
{
    ngtcp2_conn  *ng = wake_up(q);

    if (ng != NULL) {
        (void) ngtcp2_conn_shutdown_stream_read(ng, 0, id, code);
    }
}


void
lun_quic_allow_bidi(lun_quic *q, unsigned n)
{
    ngtcp2_conn  *ng = wake_up(q);

    if (ng != NULL) {
        ngtcp2_conn_extend_max_streams_bidi(ng, n);
    }
}


void
lun_quic_allow_uni(lun_quic *q, unsigned n)
{
    ngtcp2_conn  *ng = wake_up(q);

    if (ng != NULL) {
        ngtcp2_conn_extend_max_streams_uni(ng, n);
    }
}
