/*
 * quic_out.c -- packets go out: as many at a time as pacing and congestion
 * control allow, in one call of the system.
 *
 * The protocol is asked for what is next while a packet is filled.  What the
 * system does not take is kept, and tried again soon: to lose it would be to
 * tell congestion control a lie.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include "base/check.h"
#include "net/conn_priv.h"


enum {
    ROUNDS = 8,                    /* full batches of a connection in a turn */
    RETRY  = 2,                    /* ms, when the system takes no more */
    PIECES = 64                    /* asked for, of one packet: more is a
                                      protocol's mistake */
};


/* --- the system ---------------------------------------------------------- */

/* Where it leaves from, if the socket does not say it. */
static const lun_addr *
source_of(const lun_datagram_door *door, const lun_addr *local)
{
    return door->wildcard ? local : NULL;
}


void
lun_quic_send(lun_datagram_door *door, const lun_datagram_key *key,
    const uint8_t *data, size_t len)
{
    lun_slice  slice = { (const char *) data, len };

    (void) lun_datagram_send(door->fd, &slice, 1, &key->remote,
                             source_of(door, &key->local));
}


/* AGAIN: `*sent` bytes of it, whole packets, are out. */
static lun_err
send_batch(lun_quic_conn *conn, const char *data, size_t len, size_t segment,
    uint8_t ecn, const lun_addr *to, const lun_addr *from, size_t *sent)
{
    return lun_datagram_send_many(conn->door->fd, data, len, segment, ecn, to,
                                  source_of(conn->door, from),
                                  conn->conf->gso, sent);
}


static LUN_NOINLINE void
keep(lun_quic_conn *conn, const char *data, size_t len, size_t segment,
    uint8_t ecn, const lun_addr *to, const lun_addr *from)
{
    LUN_CHECK(!conn->blocked);

    conn->kept = lun_malloc(len);
    memcpy(conn->kept, data, len);
    conn->kept_len = len;
    conn->kept_segment = segment;
    conn->kept_ecn = ecn;
    conn->kept_to = *to;
    conn->kept_from = *from;
    conn->blocked = 1;
}


/* What the system did not take goes out now; false: not yet. */
static bool
send_kept(lun_quic_conn *conn)
{
    size_t   sent = 0;
    lun_err  err;

    err = send_batch(conn, conn->kept, conn->kept_len, conn->kept_segment,
                     conn->kept_ecn, &conn->kept_to, &conn->kept_from, &sent);

    if (lun_err_kind_of(err) == LUN_ERR_AGAIN) {
        memmove(conn->kept, conn->kept + sent, conn->kept_len - sent);
        conn->kept_len -= sent;
        return false;
    }

    lun_free(conn->kept);
    conn->kept = NULL;
    conn->blocked = 0;
    return true;
}


/* False: the rest is kept. */
static bool
send_packets(lun_quic_conn *conn, size_t len, size_t segment, uint8_t ecn,
    const ngtcp2_path *path)
{
    size_t       sent = 0;
    lun_err      err;
    lun_addr     to, from;
    const char  *batch = conn->all->batch;

    lun_quic_path_addr(&path->remote, &to);
    lun_quic_path_addr(&path->local, &from);
    conn->q.c->sent += (int64_t) len;
    err = send_batch(conn, batch, len, segment, ecn, &to, &from, &sent);

    if (err == 0) {
        return true;
    }

    if (lun_err_kind_of(err) == LUN_ERR_AGAIN) {
        keep(conn, batch + sent, len - sent, segment, ecn, &to, &from);
        return false;
    }

    /* As lost as any: a path that is too narrow, an address that is gone. */
    lun_debug(&conn->q.c->log, "sending a datagram failed");
    return true;
}


/* --- packets ------------------------------------------------------------- */

/* Its window, or the stream itself, is shut: not this one now. */
static bool
is_blocked(ngtcp2_ssize n)
{
    return n == NGTCP2_ERR_STREAM_DATA_BLOCKED || n == NGTCP2_ERR_STREAM_SHUT_WR
           || n == NGTCP2_ERR_STREAM_NOT_FOUND;
}


/* False: there is nothing, or the client's window is used up. */
static bool
next_piece(lun_quic_conn *conn, lun_quic_piece *piece)
{
    return conn->begun && conn->stage < LUN_QUIC_CLOSES
           && ngtcp2_conn_get_max_data_left2(conn->ng) != 0
           && conn->q.protocol->next(&conn->q, piece);
}


static void
took(lun_quic_conn *conn, const lun_quic_piece *piece, ngtcp2_ssize n)
{
    size_t  i, all = 0;

    for (i = 0; i < piece->n; i++) {
        all += piece->slices[i].len;
    }

    conn->q.protocol->took(&conn->q, piece->id, piece->data, (size_t) n,
                           piece->fin && (size_t) n == all);
}


/* One packet, of as many pieces as there are and it has room for. */
static ngtcp2_ssize
fill_packet(ngtcp2_conn *ng, ngtcp2_path *path, ngtcp2_pkt_info *info,
    uint8_t *dest, size_t size, ngtcp2_tstamp now, void *data)
{
    int              tries;
    size_t           i;
    uint32_t         flags;
    ngtcp2_vec       vec[LUN_QUIC_SLICES];
    ngtcp2_ssize     n, used;
    lun_quic_conn   *conn = data;
    lun_quic_piece   piece;

    for (tries = 0; tries < PIECES && next_piece(conn, &piece); tries++) {

        for (i = 0; i < piece.n; i++) {
            vec[i].base = (uint8_t *) (uintptr_t) piece.slices[i].data;
            vec[i].len = piece.slices[i].len;
        }

        flags = NGTCP2_WRITE_STREAM_FLAG_MORE
                | (piece.fin ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0);
        used = -1;
        n = ngtcp2_conn_writev_stream(ng, path, info, dest, size, &used, flags,
                                      piece.id, vec, piece.n, now);

        if (is_blocked(n)) {
            conn->q.protocol->blocked(&conn->q, piece.id, piece.data);
            continue;
        }

        if (used >= 0) {
            took(conn, &piece, used);
        }

        if (n != NGTCP2_ERR_WRITE_MORE) {
            return n;
        }
    }

    return ngtcp2_conn_writev_stream(ng, path, info, dest, size, NULL, 0, -1,
                                     NULL, 0, now);
}


/* --- turns --------------------------------------------------------------- */

/* Whether anything went; *stop: no more can go now. */
static bool
send_round(lun_quic_conn *conn, bool *stop)
{
    size_t               segment = 0;
    ngtcp2_ssize         n;
    ngtcp2_pkt_info      info = { 0 };
    ngtcp2_path_storage  path;

    ngtcp2_path_storage_zero(&path);
    n = ngtcp2_conn_write_aggregate_pkt(conn->ng, &path.path, &info,
                                        (uint8_t *) conn->all->batch,
                                        LUN_QUIC_BATCH, &segment, fill_packet,
                                        lun_quic_now());
    if (n < 0) {
        lun_quic_conn_fail(conn, (int) n);
        *stop = true;
        return false;
    }

    if (n == 0) {
        *stop = true;
        return false;
    }

    *stop = !send_packets(conn, (size_t) n, segment, info.ecn, &path.path);
    return true;
}


static void
on_retry(lun_timer *timer)
{
    lun_quic_conn_wake(lun_container_of(timer, lun_quic_conn, retry));
}


/* Nothing waits, and all that was sent has come. */
static bool
has_said_all(lun_quic_conn *conn)
{
    lun_quic_piece    piece;
    ngtcp2_conn_info  info;

    ngtcp2_conn_get_conn_info2(conn->ng, &info);

    return info.bytes_in_flight == 0
           && (!conn->begun || !conn->q.protocol->next(&conn->q, &piece));
}


void
lun_quic_out(lun_quic_conn *conn)
{
    int        rounds;
    bool       stop = false, any = false;
    lun_conn  *c = conn->q.c;

    if (conn->blocked && !send_kept(conn)) {
        lun_timer_start(c->loop, &conn->retry, RETRY, on_retry);
        return;
    }

    /* Who may send a whole batch at a time is paced by several. */
    rounds = ngtcp2_conn_get_send_quantum2(conn->ng) >= LUN_QUIC_BATCH
             ? ROUNDS : 1;

    while (rounds-- > 0 && !stop) {
        any |= send_round(conn, &stop);
    }

    if (any) {
        ngtcp2_conn_update_pkt_tx_time(conn->ng, lun_quic_now());
    }

    if (conn->blocked) {
        lun_timer_start(c->loop, &conn->retry, RETRY, on_retry);

    } else if (!stop
               && ngtcp2_conn_get_expiry2(conn->ng)
                  <= lun_quic_now() + NGTCP2_MILLISECONDS)
    {
        lun_quic_conn_wake(conn);  /* the timer is too coarse for that */

    } else if (conn->stage == LUN_QUIC_GENTLY && has_said_all(conn)) {
        conn->stage = LUN_QUIC_CLOSES;
    }
}


size_t
lun_quic_farewell(lun_quic_conn *conn, uint8_t *to, size_t size,
    ngtcp2_path_storage *path)
{
    ngtcp2_ssize     n;
    ngtcp2_pkt_info  info = { 0 };

    ngtcp2_path_storage_zero(path);
    n = ngtcp2_conn_write_connection_close(conn->ng, &path->path, &info, to,
                                           size, &conn->error, lun_quic_now());
    return n > 0 ? (size_t) n : 0;
}
