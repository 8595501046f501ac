/*
 * quic_shake.c -- a connection's handshake, for tls_shake.h: callbacks that
 * wait for an answer, and what its end means.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include <ngtcp2/ngtcp2_crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/check.h"


static lun_quic_conn *
conn_of_tls(lun_quic_tls *t)
{
    return lun_container_of(t, lun_quic_conn, tls);
}


/* A callback of OpenSSL cannot answer yet: its question is asked by a task. */
static void
on_paused(lun_quic_tls *t)
{
    lun_quic_conn_wake(conn_of_tls(t));
}


static void
on_failed(lun_quic_tls *t, const char *function)
{
    lun_tls_shake_complain(&conn_of_tls(t)->h, function);
}


static bool
on_completed(lun_quic_tls *t)
{
    lun_quic_conn  *conn = conn_of_tls(t);

    if (lun_tls_shake_has_to_wait(&conn->h)) {
        conn->h.paused = 1;
        conn->completing = 1;
        return false;
    }

    return true;
}


/* For lun_tls_go_on(): from wherever the answer has come. */
static void
on_go_on(lun_tls_shake *h)
{
    lun_quic_conn  *conn = lun_container_of(h, lun_quic_conn, h);

    conn->waits = 1;
    lun_quic_conn_wake(conn);
}


void
lun_quic_shake_go_on(lun_quic_conn *conn)
{
    int  rc;

    conn->waits = 0;
    conn->h.paused = 0;

    if (conn->completing) {
        conn->completing = 0;
        lun_quic_tls_complete(&conn->tls);
        return;
    }

    rc = lun_quic_tls_go_on(&conn->tls);

    if (rc != 0) {
        lun_quic_conn_fail(conn, rc);
    }
}


bool
lun_quic_shake_ask(lun_quic_conn *conn)
{
    lun_quics    *all = conn->all;
    lun_conn_fn  *asked = conn->h.ask;

    conn->h.ask = NULL;
    conn->h.paused = 1;
    all->current = conn;
    asked(conn->h.c);

    if (all->current != conn) {
        return false;
    }

    all->current = NULL;
    return true;
}


lun_tls_shake *
lun_quic_shake_of(const lun_conn *c)
{
    lun_quic_conn  *conn = c->io_data;

    return conn->h.ssl != NULL ? &conn->h : NULL;
}


static void
free_ssl(void *data)
{
    lun_tls_shake_fini(&((lun_quic_conn *) data)->h);
    ERR_clear_error();
}


lun_rc
lun_quic_shake_start(lun_conn *c, SSL_CTX *ctx)
{
    lun_quic_conn  *conn = c->io_data;

    LUN_CHECK(conn->h.ssl == NULL);
    ERR_clear_error();

    if (lun_tls_shake_init(&conn->h, c, ctx, !conn->ours) == NULL) {
        return LUN_ERROR;
    }

    conn->h.go_on = on_go_on;
    conn->h.early_most = UINT32_MAX;   /* RFC 9001, 4.6.1 */
    conn->h.handshaking = 1;
    conn->tls.paused = on_paused;
    conn->tls.failed = on_failed;
    conn->tls.completed = on_completed;
    lun_pool_on_end(lun_conn_memory(c), free_ssl, conn);

    if (lun_quic_tls_init(&conn->tls, conn->h.ssl, conn->ng) != LUN_OK) {
        lun_tls_log(LUN_LOG_ALERT, &c->log, 0,
                    "SSL_set_quic_tls_cbs() failed");
        return LUN_ERROR;
    }

    /* What TLS 1.3 alone has, and nothing that records need. */
    (void) SSL_set_min_proto_version(conn->h.ssl, TLS1_3_VERSION);
    SSL_clear_options(conn->h.ssl, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);

    if (SSL_get_max_early_data(conn->h.ssl) != 0) {
        (void) SSL_set_quic_tls_early_data_enabled(conn->h.ssl, 1);
    }

    return LUN_OK;
}


void
lun_quic_shake_hands(lun_conn *c)
{
    LUN_CHECK(!c->writing);

    c->writing = 1;
    lun_quic_conn_wake(c->io_data);
}


/* --- ngtcp2's callbacks -------------------------------------------------- */

static int
on_tx_key(ngtcp2_conn *ng, ngtcp2_encryption_level level, void *data)
{
    lun_quic_conn  *conn = data;

    if (level == NGTCP2_ENCRYPTION_LEVEL_1RTT && !conn->begun) {
        conn->begun = 1;
        conn->h.handshake_done = 1;
        conn->h.had_early = !conn->ours
                            && SSL_get_early_data_status(conn->h.ssl)
                               == SSL_EARLY_DATA_ACCEPTED;
        lun_quic_conn_wake(conn);

        /* What a server allows holds from the end of the handshake on. */
        if (!conn->ours) {
            conn->q.protocol->begin(&conn->q);
        }
    }

    return 0;
}


void
lun_quic_shake_over(lun_quic_conn *conn)
{
    if (conn->counted) {
        conn->counted = 0;
        conn->all->handshakes--;
    }
}


static int
on_handshake(ngtcp2_conn *ng, void *data)
{
    lun_quic_conn  *conn = data;

    lun_quic_shake_over(conn);
    lun_tls_shake_end(&conn->h, 0);

    if (!conn->ours) {
        lun_quic_token_give(conn);
    }

    conn->to_complete = 1;
    lun_quic_conn_wake(conn);
    return 0;
}


void
lun_quic_shake_callbacks(ngtcp2_callbacks *to)
{
    to->client_initial = ngtcp2_crypto_client_initial_cb;
    to->recv_retry = ngtcp2_crypto_recv_retry_cb;
    to->recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
    to->recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb;
    to->version_negotiation = ngtcp2_crypto_version_negotiation_cb;
    to->recv_tx_key = on_tx_key;
    to->handshake_completed = on_handshake;
}
