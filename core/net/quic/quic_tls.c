/*
 * quic_tls.c -- TLS in QUIC.
 *
 *     crypto frames > t->in > OpenSSL > secrets > ngtcp2
 *                             OpenSSL > crypto frames
 *
 * OpenSSL does not say at which level it writes: that of the last secret for
 * writing that it gave.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_tls.h"

#include <ngtcp2/ngtcp2_crypto.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/check.h"
#include "base/pool.h"
#include "net/quic/quic_crypto.h"


enum {
    FIRST_ROOM = 1024,
    MOST       = 256 * 1024        /* bytes of a handshake that wait */
};

/* OpenSSL's levels are ngtcp2's in another order. */
static const ngtcp2_encryption_level  levels[] = {
    [OSSL_RECORD_PROTECTION_LEVEL_NONE]  = NGTCP2_ENCRYPTION_LEVEL_INITIAL,
    [OSSL_RECORD_PROTECTION_LEVEL_EARLY] = NGTCP2_ENCRYPTION_LEVEL_0RTT,
    [OSSL_RECORD_PROTECTION_LEVEL_HANDSHAKE]
                                         = NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE,
    [OSSL_RECORD_PROTECTION_LEVEL_APPLICATION] = NGTCP2_ENCRYPTION_LEVEL_1RTT
};


/* --- what OpenSSL calls -------------------------------------------------- */

static int
on_send(SSL *ssl, const unsigned char *buf, size_t len, size_t *consumed,
    void *arg)
{
    lun_quic_tls  *t = arg;

    *consumed = len;

    return ngtcp2_conn_submit_crypto_data(t->conn, levels[t->writes], buf, len)
           == 0;
}


static int
on_receive(SSL *ssl, const unsigned char **buf, size_t *n, void *arg)
{
    lun_quic_tls  *t = arg;

    *buf = (const unsigned char *) (t->in != NULL ? t->in + t->in_pos : NULL);
    *n = t->in_len - t->in_pos;
    return 1;
}


static int
on_release(SSL *ssl, size_t n, void *arg)
{
    lun_quic_tls  *t = arg;

    LUN_CHECK(n <= t->in_len - t->in_pos);

    t->in_pos += n;

    if (t->in_pos == t->in_len) {
        t->in_pos = t->in_len = 0;
    }

    return 1;
}


static int
on_secret(SSL *ssl, uint32_t level, int writes, const unsigned char *secret,
    size_t len, void *arg)
{
    lun_quic_tls  *t = arg;

    if (level >= LUN_ARRAY_LEN(levels)) {
        return 0;
    }

    if (!writes) {
        t->reads = level != OSSL_RECORD_PROTECTION_LEVEL_EARLY ? level
                                                               : t->reads;
        return ngtcp2_crypto_derive_and_install_rx_key(
                   t->conn, NULL, NULL, NULL, levels[level], secret, len) == 0;
    }

    t->writes = level != OSSL_RECORD_PROTECTION_LEVEL_EARLY ? level
                                                            : t->writes;
    return ngtcp2_crypto_derive_and_install_tx_key(
               t->conn, NULL, NULL, NULL, levels[level], secret, len) == 0;
}


static int
on_params(SSL *ssl, const unsigned char *params, size_t len, void *arg)
{
    int            rc;
    lun_quic_tls  *t = arg;

    rc = ngtcp2_conn_decode_and_set_remote_transport_params(t->conn, params,
                                                            len);
    if (rc != 0) {
        ngtcp2_conn_set_tls_error(t->conn, rc);
    }

    return rc == 0;
}


static int
on_alert(SSL *ssl, unsigned char alert, void *arg)
{
    lun_quic_tls  *t = arg;

    ngtcp2_conn_set_tls_alert(t->conn, alert);
    return 1;
}


static const OSSL_DISPATCH  callbacks[] = {
    { OSSL_FUNC_SSL_QUIC_TLS_CRYPTO_SEND, (void (*)(void)) on_send },
    { OSSL_FUNC_SSL_QUIC_TLS_CRYPTO_RECV_RCD, (void (*)(void)) on_receive },
    { OSSL_FUNC_SSL_QUIC_TLS_CRYPTO_RELEASE_RCD, (void (*)(void)) on_release },
    { OSSL_FUNC_SSL_QUIC_TLS_YIELD_SECRET, (void (*)(void)) on_secret },
    { OSSL_FUNC_SSL_QUIC_TLS_GOT_TRANSPORT_PARAMS,
      (void (*)(void)) on_params },
    { OSSL_FUNC_SSL_QUIC_TLS_ALERT, (void (*)(void)) on_alert },
    { 0, NULL }
};


/* --- what ngtcp2's helpers call ------------------------------------------ */

int
ngtcp2_crypto_set_local_transport_params(void *tls, const uint8_t *buf,
    size_t len)
{
    lun_quic_tls  *t = tls;

    if (len > sizeof(t->params)) {
        return -1;
    }

    memcpy(t->params, buf, len);
    t->params_len = len;

    return SSL_set_quic_tls_transport_params(t->ssl, t->params, len) == 1
           ? 0 : -1;
}


/* They were when OpenSSL had them: on_params(). */
int
ngtcp2_crypto_set_remote_transport_params(ngtcp2_conn *conn, void *tls)
{
    return 0;
}


/* False: it sends more than any handshake has. */
static bool
keep(lun_quic_tls *t, const uint8_t *data, size_t len)
{
    size_t  room;

    if (t->in_len + len > MOST) {
        return false;
    }

    if (t->in_len + len > t->in_room) {
        room = lun_max(t->in_room, (size_t) FIRST_ROOM);

        while (room < t->in_len + len) {
            room *= 2;
        }

        t->in = lun_realloc(t->in, room);
        t->in_room = room;
    }

    if (len != 0) {
        memcpy(t->in + t->in_len, data, len);
        t->in_len += len;
    }

    return true;
}


void
lun_quic_tls_complete(lun_quic_tls *t)
{
    if (!t->done) {
        t->done = true;
        lun_free(t->in);
        t->in = NULL;
        t->in_pos = t->in_len = t->in_room = 0;
        ngtcp2_conn_tls_handshake_completed(t->conn);
    }
}


static int
fail(lun_quic_tls *t, const char *function)
{
    t->broken = true;

    if (t->failed != NULL) {
        t->failed(t, function);
    }

    ERR_clear_error();
    return -1;
}


/* 0: it goes on, now or later. */
static int
shake(lun_quic_tls *t)
{
    int  n = SSL_do_handshake(t->ssl);

    if (n == 1) {
        /* Early data are accepted before the client's Finished is here. */
        if (!SSL_in_init(t->ssl)
            && (t->completed == NULL || t->completed(t)))
        {
            lun_quic_tls_complete(t);
        }

        return 0;
    }

    switch (SSL_get_error(t->ssl, n)) {

    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return 0;

    case SSL_ERROR_WANT_CLIENT_HELLO_CB:
    case SSL_ERROR_WANT_X509_LOOKUP:
        if (t->paused != NULL) {
            t->paused(t);
        }

        return 0;
    }

    return fail(t, "SSL_do_handshake()");
}


/* After the handshake: tickets, for clients. */
static int
read_late(lun_quic_tls *t)
{
    char  c;
    int   n = SSL_read(t->ssl, &c, 0);

    if (n > 0) {
        return 0;
    }

    switch (SSL_get_error(t->ssl, n)) {

    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return 0;
    }

    return fail(t, "SSL_read()");
}


int
ngtcp2_crypto_read_write_crypto_data(ngtcp2_conn *conn,
    ngtcp2_encryption_level level, const uint8_t *data, size_t datalen)
{
    lun_quic_tls  *t = ngtcp2_conn_get_tls_native_handle2(conn);

    /* Bytes of another level than TLS is at: RFC 9001, 4.1.3. */
    if (t->broken || (datalen != 0 && levels[t->reads] != level)
        || !keep(t, data, datalen))
    {
        ngtcp2_conn_set_tls_error(conn, NGTCP2_ERR_PROTO);
        return -1;
    }

    ERR_clear_error();
    return t->done ? read_late(t) : shake(t);
}


int
lun_quic_tls_go_on(lun_quic_tls *t)
{
    ERR_clear_error();
    return shake(t) == 0 ? 0 : NGTCP2_ERR_CRYPTO;
}


/* --- life ---------------------------------------------------------------- */

lun_rc
lun_quic_tls_init(lun_quic_tls *t, SSL *ssl, ngtcp2_conn *conn)
{
    t->ssl = ssl;
    t->conn = conn;

    if (lun_quic_crypto_init() != LUN_OK
        || SSL_set_quic_tls_cbs(ssl, callbacks, t) != 1)
    {
        return LUN_ERROR;
    }

    ngtcp2_conn_set_tls_native_handle(conn, t);
    return LUN_OK;
}


void
lun_quic_tls_fini(lun_quic_tls *t)
{
    lun_free(t->in);
    t->in = NULL;
}
