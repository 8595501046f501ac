/*
 * tls_shake.c -- handshakes, whatever carries them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_shake.h"

#include <openssl/err.h>

#include "base/check.h"
#include "net/tls/tls_metrics.h"
#include "net/tls/tls_priv.h"


/* NULL: the connection speaks no TLS. */
static lun_tls_shake *
shake_of(const lun_conn *c)
{
    return c->io != NULL && c->io->shake != NULL ? c->io->shake(c) : NULL;
}


/* --- for connections ----------------------------------------------------- */

lun_rc
lun_tls_start(lun_conn *c, SSL_CTX *ctx, bool server)
{
    if (c->io != NULL && c->io->start_tls != NULL) {
        return c->io->start_tls(c, ctx);
    }

    return lun_tls_begin(c, NULL, ctx, server);
}


SSL *
lun_tls_of(const lun_conn *c)
{
    const lun_tls_shake  *h = shake_of(c);

    return h != NULL ? h->ssl : NULL;
}


lun_conn *
lun_tls_conn(const SSL *ssl)
{
    return (lun_conn *) (void *) SSL_get_app_data(ssl);
}


SSL_CTX *
lun_tls_session_ctx(const SSL *ssl)
{
    return shake_of(lun_tls_conn(ssl))->first;
}


/* The handshake is good enough for early data, and not complete. */
bool
lun_tls_is_early(const lun_conn *c)
{
    const lun_tls_shake  *h = shake_of(c);

    return h != NULL && h->handshake_done && h->had_early
           && !SSL_is_init_finished(h->ssl);
}


void
lun_tls_allow_early(SSL *ssl, uint32_t most)
{
    const lun_tls_shake  *h = shake_of(lun_tls_conn(ssl));

    (void) SSL_set_max_early_data(ssl, most != 0 && h->early_most != 0
                                       ? h->early_most : most);
}


void
lun_tls_set_record(lun_conn *c, size_t size)
{
    shake_of(c)->record = lun_min(size, (size_t) LUN_TLS_RECORD);
}


void
lun_tls_set_last(lun_conn *c)
{
    shake_of(c)->last = 1;
}


void
lun_tls_reject(lun_conn *c, const char *why)
{
    shake_of(c)->rejected = why;
}


void
lun_tls_set_after(lun_conn *c, lun_tls_after_fn *after)
{
    lun_tls_shake  *h = shake_of(c);

    LUN_CHECK(h != NULL && !h->handshake_done);

    h->after = after;
}


void
lun_tls_pause(lun_conn *c, lun_conn_fn *ask)
{
    lun_tls_shake  *h = shake_of(c);

    LUN_CHECK(h != NULL && h->handshaking && h->ask == NULL);

    h->ask = ask;
}


bool
lun_tls_is_paused(const lun_conn *c)
{
    const lun_tls_shake  *h = shake_of(c);

    return h != NULL && h->paused;
}


void
lun_tls_go_on(lun_conn *c)
{
    lun_tls_shake  *h = shake_of(c);

    /* The peer may have left since; whoever has the connection knows. */
    if (h->paused) {
        h->go_on(h);
    }
}


/* --- for carriers -------------------------------------------------------- */

SSL *
lun_tls_shake_init(lun_tls_shake *h, lun_conn *c, SSL_CTX *ctx, bool server)
{
    h->c = c;
    h->first = ctx;
    h->record = LUN_TLS_RECORD;
    h->ssl = SSL_new(ctx);

    if (h->ssl == NULL) {
        lun_tls_log(LUN_LOG_ALERT, &c->log, 0, "SSL_new() failed");
        return NULL;
    }

    SSL_set_app_data(h->ssl, (char *) c);

    if (server) {
        SSL_set_accept_state(h->ssl);

    } else {
        SSL_set_connect_state(h->ssl);
    }

    return h->ssl;
}


void
lun_tls_shake_fini(lun_tls_shake *h)
{
    if (h->handshaking) {
        lun_tls_count(h->c, SSL_is_server(h->ssl), LUN_TLS_ABANDONED);
    }

    /* However it ends, its session is good for another connection. */
    SSL_set_shutdown(h->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(h->ssl);
    h->ssl = NULL;
}


bool
lun_tls_shake_has_to_wait(lun_tls_shake *h)
{
    lun_tls_after_fn  *after = h->after;

    h->after = NULL;
    return after != NULL && after(h->c);
}


void
lun_tls_shake_end(lun_tls_shake *h, lun_err err)
{
    if (err == 0) {
        lun_tls_log_cipher(&h->c->log, h->ssl);
    }

    lun_tls_count(h->c, SSL_is_server(h->ssl),
                  err != 0 ? LUN_TLS_FAILED
                  : SSL_session_reused(h->ssl) ? LUN_TLS_RESUMED
                                               : LUN_TLS_FULL);
    h->handshaking = 0;
    h->paused = 0;
    h->handshake_done = err == 0;
}


void
lun_tls_shake_complain(const lun_tls_shake *h, const char *function)
{
    if (h->rejected != NULL) {
        lun_log(LUN_LOG_INFO, &h->c->log, 0, "%s", h->rejected);
        ERR_clear_error();
        return;
    }

    lun_tls_log(lun_tls_shake_level(h, ERR_peek_error()), &h->c->log, 0,
                "%s failed", function);
}
