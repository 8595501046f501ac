/*
 * upreq_connect.c -- a server is connected to, and what may become of that and
 * of any connection later: it is lost, or too slow.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "base/check.h"
#include "net/conn_pool.h"
#include "net/conn_sock.h"
#include "net/tls/tls.h"
#include "session/upstream/upstream_connect.h"

#include <limits.h>


/* --- what goes wrong with a connection ----------------------------------- */

/* Where a send has failed the connection is read on, unless nothing is out. */
void
lun_upreq_log_failed(const lun_upreq *x)
{
    const lun_conn  *c = x->conn;
    bool             reading = !lun_conn_is_plain(c) ? lun_upreq_is_sent(x)
                               : c->gone && lun_upreq_is_begun(x);

    lun_log(LUN_LOG_ERR, x->r->log, c->err, "%s() failed",
            reading ? "recv" : "send");
}


void
lun_upreq_lost(lun_upreq *x)
{
    lun_conn     *c = x->conn;
    lun_request  *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->conn != NULL);

    r->log->doing = c->state->doing;

    if (c->err != 0) {             /* also one of sending, and then an end */
        lun_upreq_log_failed(x);

    } else {
        lun_log(LUN_LOG_ERR, r->log, 0, "upstream prematurely closed "
                "connection");
    }

    lun_upreq_next(x, LUN_TRY_ERROR);
}


void
lun_upreq_timed_out(lun_upreq *x)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->conn != NULL);

    /* A handler of the handshake has said what it is about. */
    if (!lun_tls_is_paused(x->conn)) {
        x->r->log->doing = x->conn->state->doing;
    }

    lun_log(LUN_LOG_ERR, x->r->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "upstream timed out");
    lun_upreq_next(x, LUN_TRY_TIMEOUT);
}


/* --- connecting ---------------------------------------------------------- */

static void
on_timeout(lun_conn *c)
{
    lun_upreq_timed_out(lun_upreq_of(c));
}


void
lun_upreq_connected(lun_upreq *x)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->try != NULL);

    x->try->connect_time = (int64_t) (lun_clock.mono
                                          - x->try->started);

    if (x->protocol->tunnels) {
        x->r->out.status = 200;
        lun_upreq_go(x, LUN_UPREQ_TUNNEL);
        return;
    }

    if (x->protocol->join != NULL) {
        lun_upreq_share_conn(x);
    }

    lun_upreq_go(x, LUN_UPREQ_SEND);
}


static void
on_connected(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    x->r->log->doing = c->state->doing;

    if (x->target.tls != NULL) {
        lun_upreq_go(x, LUN_UPREQ_HANDSHAKE);

    } else {
        lun_upreq_connected(x);
    }
}


static void
on_refused(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    x->r->log->doing = c->state->doing;
    lun_upstream_say_refused(&x->r->session, &x->balance, c->err);
    lun_upreq_next(x, LUN_TRY_ERROR);
}


static const lun_conn_state  connecting = {
    .name       = "upstream connecting",
    .doing      = "connecting to upstream",
    .on_written = on_connected,
    .on_timeout = on_timeout,
    .on_gone    = on_refused,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, connect_timeout),
};


static void
set_buffer(lun_upreq *x, lun_conn *c, lun_sock_option which, size_t size,
    const char *name)
{
    lun_err  err;

    if (size == 0) {
        return;
    }

    err = lun_conn_option(c, which, (int) lun_min(size, (size_t) INT_MAX));

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, x->r->log, err, "setsockopt(%s, %zu) failed",
                name, size);
    }
}


/*
 * Buffers of the socket have to be set before it connects: the window of TCP is
 * agreed on in its first packets.
 */
static lun_conn *
make_conn(lun_upreq *x)
{
    lun_err    err;
    lun_conn  *c;

    LUN_CHECK(x->balance.addr != NULL);

    c = lun_conn_new_out(x->r->conn->loop, x->balance.addr->family,
                         x->conf->buffer_size, x->r->log, &err);

    if (c == NULL) {
        lun_log(LUN_LOG_ALERT, x->r->log, err, "socket() failed");
        return NULL;
    }

    if (lun_upstream_bind_local(&x->r->session, &x->balance, x->conf->bind,
                                x->conf->bind_dynamic, c) != LUN_OK)
    {
        lun_conn_close(c);
        return NULL;
    }

    set_buffer(x, c, LUN_SOCK_RCVBUF, x->conf->socket_rcvbuf, "SO_RCVBUF");
    set_buffer(x, c, LUN_SOCK_SNDBUF, x->conf->socket_sndbuf, "SO_SNDBUF");

    if (x->conf->socket_keepalive) {
        (void) lun_conn_option(c, LUN_SOCK_KEEPALIVE, true);
    }

    if (x->balance.addr->family != LUN_AF_UNIX
        && lun_core_conf_of(x->r)->tcp_nodelay)
    {
        lun_conn_nodelay(c);
    }

    return c;
}


void
lun_upreq_offer(lun_upreq *x, lun_conn_share *share)
{
    lun_balance  *b = &x->balance;

    if (b->offer != NULL && share->pool == NULL) {
        b->offer(&x->r->session, b, share);
    }
}


/* The protocol connects: over QUIC that and the handshake are one. */
static void
connect_apart(lun_upreq *x)
{
    bool       bound;
    lun_err    err;
    lun_addr   from;
    lun_conn  *c;

    if (x->target.tls == NULL) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "HTTP/3 to \"%.*s\" needs an "
                "\"https://\" URL", LUN_S(x->balance.name));
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    bound = lun_upstream_bind_addr(&x->r->session, &x->balance, x->conf->bind,
                                   x->conf->bind_dynamic, &from);
    c = x->protocol->connect(x, bound ? &from : NULL, &err);

    if (c == NULL) {
        lun_upstream_say_refused(&x->r->session, &x->balance, err);
        lun_upreq_next(x, LUN_TRY_ERROR);
        return;
    }

    lun_upreq_take_conn(x, c);
    lun_debug(x->r->log, "connect to %.*s", LUN_S(x->balance.name));
    lun_upreq_go(x, LUN_UPREQ_HANDSHAKE);
}


void
lun_upreq_connect(lun_upreq *x)
{
    lun_conn  *c;

    if (x->protocol->connect != NULL) {
        connect_apart(x);
        return;
    }

    c = make_conn(x);

    if (c == NULL) {
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    lun_upreq_take_conn(x, c);
    lun_upreq_enter(x, &connecting);
    lun_debug(x->r->log, "connect to %.*s", LUN_S(x->balance.name));
    lun_conn_connect(c, x->balance.addr);
}
