/*
 * upreq_tls.c -- TLS to a server: who is meant, the handshake, and whether
 * it is who it should be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "http/upstream/upreq_priv.h"
#include "net/tls/tls_reuse.h"


/* --- who is meant -------------------------------------------------------- */

/* "host", of "host:port". */
static lun_str
without_port(lun_str name)
{
    lun_str      after = name;
    const char  *p = lun_str_starts(name, LUN_STR("["))
                     ? lun_str_chr(name, ']') : NULL;

    if (p != NULL) {
        after = lun_str_of(p, (size_t) (name.data + name.len - p));
    }

    p = lun_str_chr(after, ':');

    if (p != NULL) {
        name.len = (size_t) (p - name.data);
    }

    return name;
}


static lun_str
name_of(const lun_upreq *x)
{
    if (x->tls->name != NULL) {
        return without_port(lun_script_run(&x->r->session, x->tls->name));
    }

    return lun_str_starts(x->host, LUN_STR("unix:")) ? LUN_STR("localhost")
                                                     : x->host;
}


/* An address is not told to a server as its name. */
static bool
is_name(lun_str name)
{
    lun_addr  addr;

    return name.len != 0 && name.data[0] != '['
           && lun_addr_parse(name, &addr) != LUN_OK;
}


static lun_rc
tell_name(const lun_upreq *x, SSL *ssl, lun_str name)
{
    const char  *text;

    if (!x->tls->server_name || !is_name(name)) {
        return LUN_OK;
    }

    text = lun_pool_strz(x->r->pool, name);
    lun_debug(x->r->log, "upstream SSL server name: \"%s\"", text);
    ERR_clear_error();

    if (SSL_set_tlsext_host_name(ssl, text) != 1) {
        lun_tls_log(LUN_LOG_ERR, x->r->log, 0, "SSL_set_tlsext_host_name("
                    "\"%s\") failed", text);
        return LUN_ERROR;
    }

    return LUN_OK;
}


lun_str
lun_upreq_tls_key(lun_session *s)
{
    const lun_upreq  *x = lun_request_of(s)->upreq;

    return x->tls == NULL ? LUN_STR("")
           : lun_pool_fmt(s->pool, "%p %.*s", (void *) x->tls->ctx,
                          LUN_S(name_of(x)));
}


/* --- the handshake ------------------------------------------------------- */

/* False, and the log says why. */
static bool
is_trusted(const lun_upreq *x)
{
    SSL      *ssl = lun_tls_of(x->conn);
    X509     *x509;
    lun_str   name = name_of(x);
    int64_t   rc = SSL_get_verify_result(ssl);

    if (rc != X509_V_OK) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream SSL certificate verify "
                "error: (%" PRId64 ":%s)", rc,
                X509_verify_cert_error_string((int) rc));
        return false;
    }

    x509 = SSL_get0_peer_certificate(ssl);

    if (x509 == NULL || name.len == 0
        || X509_check_host(x509, name.data, name.len, 0, NULL) != 1)
    {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream SSL certificate does not "
                "match \"%.*s\"", LUN_S(name));
        return false;
    }

    return true;
}


static void
on_handshake_done(lun_conn *c)
{
    lun_upreq  *x = c->data;

    x->r->log->doing = c->state->doing;

    if (x->tls->verify && !is_trusted(x)) {
        ERR_clear_error();

        if (x->tls->session_reuse) {
            lun_tls_reuse_forget(c);
        }

        lun_upreq_next(x, LUN_TRY_ERROR);
        return;
    }

    lun_upreq_connected(x);
}


/* The room of TLS has said why. */
static void
on_failed(lun_conn *c)
{
    lun_upreq_next(c->data, LUN_TRY_ERROR);
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq_timed_out(c->data);
}


static const lun_conn_state  handshaking = {
    .name       = "upstream handshaking",
    .doing      = "SSL handshaking to upstream",
    .on_written = on_handshake_done,
    .on_timeout = on_timeout,
    .on_gone    = on_failed,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, connect_timeout),
};


void
lun_upreq_handshake(lun_upreq *x)
{
    lun_conn  *c = x->conn;
    lun_str    name = name_of(x);

    lun_upreq_enter(x, &handshaking);

    if (lun_tls_start(c, x->tls->ctx, false) != LUN_OK
        || tell_name(x, lun_tls_of(c), name) != LUN_OK)
    {
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    if (x->tls->session_reuse) {
        lun_tls_reuse(c, lun_pool_fmt(x->r->pool, "%.*s\n%.*s",
                                      LUN_S(name), LUN_S(x->balance.name)));
    }

    lun_tls_handshake(c);
}
