/*
 * quic_conn.c -- a connection's life.
 *
 *     first packet > accept() > handshake > begin() > complete() > lost()
 *
 * Packets are read as they come, and only noted: a task does, once for all
 * packets of a wake-up, what is to be done (turn()), and sends.  What ends a
 * connection is noted as well, so that nothing is freed below a callback.
 *
 * It lives in the memory of its lun_conn, and so as long as requests that may
 * still name that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include "base/check.h"


lun_quic *
lun_quic_of(const lun_conn *c)
{
    lun_quic_conn  *conn = c->io == &lun_quic_io ? c->io_data : NULL;

    return conn != NULL ? &conn->q : NULL;
}


/* --- what is noted ------------------------------------------------------- */

static void on_task(lun_task *task);


void
lun_quic_conn_wake(lun_quic_conn *conn)
{
    if (conn->ng != NULL) {
        lun_loop_post(conn->all->loop, &conn->task, on_task);
    }
}


void
lun_quic_wake(lun_quic *q)
{
    lun_quic_conn_wake(lun_quic_conn_of(q));
}


void
lun_quic_conn_give_up(lun_quic_conn *conn, lun_err err)
{
    if (conn->stage != LUN_QUIC_OVER) {
        conn->stage = LUN_QUIC_OVER;
        conn->err = err;
        lun_quic_conn_wake(conn);
    }
}


void
lun_quic_conn_fail(lun_quic_conn *conn, int error)
{
    if (conn->stage >= LUN_QUIC_CLOSES) {
        return;
    }

    lun_log(conn->ours ? LUN_LOG_ERR : LUN_LOG_INFO, &conn->q.c->log, 0,
            "QUIC connection failed: %s", ngtcp2_strerror(error));

    if (error == NGTCP2_ERR_CRYPTO) {
        ngtcp2_ccerr_set_tls_alert(&conn->error,
                                   ngtcp2_conn_get_tls_alert2(conn->ng), NULL,
                                   0);
    } else {
        ngtcp2_ccerr_set_liberr(&conn->error, error, NULL, 0);
    }

    conn->stage = LUN_QUIC_CLOSES;
    conn->err = lun_err_of_kind(LUN_ERR_RESET);
    lun_quic_conn_wake(conn);
}


void
lun_quic_end(lun_quic *q, uint64_t code, bool gently)
{
    lun_quic_conn  *conn = lun_quic_conn_of(q);

    if (conn->stage >= LUN_QUIC_CLOSES) {
        return;
    }

    ngtcp2_ccerr_set_application_error(&conn->error, code, NULL, 0);
    conn->stage = gently ? LUN_QUIC_GENTLY : LUN_QUIC_CLOSES;
    lun_quic_conn_wake(conn);
}


/* --- reading ------------------------------------------------------------- */

void
lun_quic_conn_read(lun_quic_conn *conn, const lun_datagram_key *key,
    const lun_quic_packet *p)
{
    int                  rc;
    ngtcp2_pkt_info      info = { .ecn = p->ecn };
    ngtcp2_path_storage  path;

    if (conn->stage == LUN_QUIC_OVER) {
        return;
    }

    conn->q.c->received += (int64_t) p->len;
    lun_quic_path_set(&path, &key->local, &key->remote);
    rc = ngtcp2_conn_read_pkt(conn->ng, &path.path, &info,
                              (const uint8_t *) p->data, p->len,
                              lun_quic_now());

    switch (rc) {

    case 0:
        if (!lun_addr_eq(&key->remote, &conn->q.c->remote)) {
            lun_quic_migration_follow(conn);
        }

        lun_quic_conn_wake(conn);
        return;

    case NGTCP2_ERR_DRAINING:
        conn->left = 1;
        lun_quic_conn_give_up(conn, 0);
        return;

    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:         /* we ask for that before */
        lun_quic_conn_give_up(conn, lun_err_of_kind(LUN_ERR_RESET));
        return;

    case NGTCP2_ERR_CLOSING:
        return;
    }

    lun_quic_conn_fail(conn, rc);
}


/* --- time ---------------------------------------------------------------- */

static void on_timer(lun_timer *timer);


void
lun_quic_conn_set_timer(lun_quic_conn *conn)
{
    ngtcp2_tstamp  at = ngtcp2_conn_get_expiry2(conn->ng), now = lun_quic_now();

    if (at == UINT64_MAX) {
        lun_timer_stop(&conn->timer);
        return;
    }

    if (at <= now) {
        lun_timer_start(conn->all->loop, &conn->timer, 0, on_timer);
        return;
    }

    lun_timer_start(conn->all->loop, &conn->timer,
                    (lun_msec) ((at - now + NGTCP2_MILLISECONDS - 1)
                                / NGTCP2_MILLISECONDS), on_timer);
}


/*
 * Output is not made here, but in the turn that is woken, and that is one for
 * all that happens until then.
 */
static void
on_timer(lun_timer *timer)
{
    int             rc;
    lun_quic_conn  *conn = lun_container_of(timer, lun_quic_conn, timer);

    if (conn->stage == LUN_QUIC_OVER) {
        return;
    }

    rc = ngtcp2_conn_handle_expiry(conn->ng, lun_quic_now());

    switch (rc) {

    case 0:
        lun_quic_conn_wake(conn);
        return;

    case NGTCP2_ERR_IDLE_CLOSE:
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
        if (!conn->ours) {
            lun_log(LUN_LOG_INFO, &conn->h.c->log,
                    lun_err_of_kind(LUN_ERR_TIMEOUT), "client timed out");
        }

        lun_quic_conn_give_up(conn, lun_err_of_kind(LUN_ERR_TIMEOUT));
        return;
    }

    lun_quic_conn_fail(conn, rc);
}


/* --- what is to be done -------------------------------------------------- */

static void
tell_lost(lun_quic_conn *conn)
{
    lun_conn  *c = conn->q.c;

    conn->stage = LUN_QUIC_OVER;
    lun_timer_stop(&conn->timer);
    lun_timer_stop(&conn->retry);

    if (conn->h.handshaking) {
        lun_tls_shake_end(&conn->h, lun_err_of_kind(LUN_ERR_RESET));
    }

    c->err = conn->err;
    c->gone = conn->err != 0;
    c->eof = conn->left;
    conn->lost = 1;

    if (c->writing) {              /* see lun_quic_shake_hands() */
        lun_conn_write_done(c, conn->err != 0 ? conn->err
                               : lun_err_of_kind(LUN_ERR_RESET), 0);

    } else {
        conn->q.protocol->lost(&conn->q);
    }
}


/* Calls the protocol; false: the connection is closed. */
static bool
take_turn(lun_quic_conn *conn)
{
    lun_quics  *all = conn->all;

    all->current = conn;

    if (conn->to_complete) {
        conn->to_complete = 0;

        if (conn->ours) {
            conn->q.protocol->begin(&conn->q);
        }

        conn->q.protocol->complete(&conn->q);

        if (conn->ours && all->current == conn
            && conn->stage < LUN_QUIC_CLOSES)
        {
            lun_conn_write_done(conn->q.c, 0, 0);
        }
    }

    if (all->current == conn && conn->begun) {
        conn->q.protocol->turn(&conn->q);
    }

    if (all->current != conn) {
        return false;
    }

    all->current = NULL;
    return true;
}


/* CONNECTION_CLOSE is sent, and with it the connection over. */
static void
close_it(lun_quic_conn *conn)
{
    size_t               len;
    uint8_t              room[LUN_QUIC_PACKET];
    lun_datagram_key     key;
    ngtcp2_path_storage  path;

    len = lun_quic_farewell(conn, room, sizeof(room), &path);

    if (len != 0) {
        lun_quic_path_addr(&path.path.local, &key.local);
        lun_quic_path_addr(&path.path.remote, &key.remote);
        lun_quic_send(conn->door, &key, room, len);
    }

    lun_quic_closing_new(conn, room, len,
                         3 * ngtcp2_conn_get_pto2(conn->ng));
}


/*
 * Everything that is not reading happens here, in one turn: what a callback
 * asked for, the protocol's handlers, then packets.  Each step may end the
 * connection, so each is asked before the next.
 */
static void
on_task(lun_task *task)
{
    lun_quic_conn  *conn = lun_container_of(task, lun_quic_conn, task);

    if (conn->lost) {
        return;
    }

    if (conn->h.ask != NULL && !lun_quic_shake_ask(conn)) {
        return;
    }

    if (conn->waits) {
        lun_quic_shake_go_on(conn);
    }

    if (conn->stage < LUN_QUIC_CLOSES && !take_turn(conn)) {
        return;
    }

    if (conn->stage < LUN_QUIC_CLOSES) {
        lun_quic_out(conn);
    }

    switch (conn->stage) {

    case LUN_QUIC_CLOSES:
        close_it(conn);
        tell_lost(conn);
        return;

    case LUN_QUIC_OVER:
        if (conn->left) {
            lun_quic_closing_new(conn, NULL, 0,
                                 3 * ngtcp2_conn_get_pto2(conn->ng));
        }

        tell_lost(conn);
        return;

    default:
        lun_quic_conn_set_timer(conn);
    }
}


/* --- the end ------------------------------------------------------------- */

/* lun_conn_close(): the protocol's wish, or what follows lost(). */
static void
on_close(lun_conn *c)
{
    lun_quic_conn  *conn = c->io_data;
    lun_quics      *all = conn->all;

    if (all->current == conn) {
        all->current = NULL;
    }

    if (conn->ng != NULL && conn->stage < LUN_QUIC_OVER) {
        if (conn->stage < LUN_QUIC_CLOSES) {
            ngtcp2_ccerr_set_application_error(&conn->error,
                                               conn->conf->close_code, NULL,
                                               0);
        }

        close_it(conn);
    }

    lun_loop_unpost(&conn->task);
    lun_timer_stop(&conn->timer);
    lun_timer_stop(&conn->retry);
    lun_quic_shake_over(conn);

    if (!conn->ours) {
        lun_datagram_release(all->datagrams, &conn->first);
    }

    lun_quic_remove_ids(all, &conn->ids);
    lun_quic_tls_fini(&conn->tls);
    ngtcp2_conn_del(conn->ng);
    conn->ng = NULL;
    lun_quic_qlog_end(conn);
    lun_free(conn->kept);
    conn->kept = NULL;
    lun_list_remove(&conn->link);
    conn->stage = LUN_QUIC_OVER;

    /* A client of ours may have got none; one that has may get by it, now,
       what has come before the socket is closed. */
    if (conn->door != NULL) {
        lun_datagram_leave_door(conn->door);
        conn->door = NULL;
    }

    c->reading = c->writing = 0;
}


static void
no_read(lun_conn *c)
{
    c->reading = 0;                /* streams are read, not connections */
}


static lun_err
no_send(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    LUN_NEVER("QUIC is written to by its streams");
}


static void
no_write(lun_conn *c, const lun_slice *slices, size_t n)
{
    LUN_NEVER("QUIC is written to by its streams");
}


static void
no_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    LUN_NEVER("QUIC is written to by its streams");
}


static void
no_end(lun_conn *c)
{
    /* it ends by CONNECTION_CLOSE */
}


const lun_conn_io  lun_quic_io = {
    .traits    = LUN_IO_SECURE | LUN_IO_SHARED,
    .read      = no_read,
    .send      = no_send,
    .write     = no_write,
    .send_file = no_file,
    .end       = no_end,
    .close     = on_close,
    .shake     = lun_quic_shake_of,
    .start_tls = lun_quic_shake_start,
    .handshake = lun_quic_shake_hands
};


/* --- for protocols -------------------------------------------------------- */

void
lun_quic_set_protocol(lun_quic *q, const lun_quic_protocol *protocol)
{
    lun_quic_conn_of(q)->q.protocol = protocol;
}


lun_str
lun_quic_name(const lun_quic *q, char room[LUN_QUIC_NAME])
{
    size_t                i;
    ngtcp2_cid            id;
    static const char     digits[] = "0123456789abcdef";
    const lun_quic_conn  *conn = lun_container_of(q, lun_quic_conn, q);

    if (conn->ng == NULL) {
        room[0] = '\0';
        return lun_str_of(room, 0);
    }

    id = *ngtcp2_conn_get_client_initial_dcid2(conn->ng);

    for (i = 0; i < id.datalen; i++) {
        room[2 * i] = digits[id.data[i] >> 4];
        room[2 * i + 1] = digits[id.data[i] & 15];
    }

    room[2 * id.datalen] = '\0';
    return lun_str_of(room, 2 * id.datalen);
}
