/*
 * upstream_tls.c -- TLS to a server: who is meant, the handshake, and whether
 * it is who it should be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

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


lun_str
lun_upstream_tls_name(lun_session *s, const lun_upstream_tls *tls,
    lun_str host)
{
    if (tls->name != NULL) {
        return without_port(lun_script_run(s, tls->name));
    }

    return lun_str_starts(host, LUN_STR("unix:")) ? LUN_STR("localhost")
                                                  : host;
}


/* Who we are to the server, where that is not the context's to say. */
static lun_str
own_name(lun_session *s, const lun_upstream_tls *tls)
{
    return lun_certificate_has_variables(tls->certificate,
                                         tls->certificate_key)
           ? lun_script_run(s, tls->certificate) : LUN_STR("");
}


lun_str
lun_upstream_tls_key(lun_session *s, const lun_upstream_tls *tls, lun_str name)
{
    return lun_pool_fmt(s->pool, "%p %.*s\n%.*s", (void *) tls->ctx,
                        LUN_S(name), LUN_S(own_name(s, tls)));
}


/* --- the handshake ------------------------------------------------------- */

/* An address is not told to a server as its name. */
static bool
is_name(lun_str name)
{
    lun_addr  addr;

    return name.len != 0 && name.data[0] != '['
           && lun_addr_parse(name, &addr) != LUN_OK;
}


static lun_rc
tell_name(lun_session *s, SSL *ssl, lun_str name)
{
    const char  *text = lun_pool_strz(s->pool, name);

    lun_debug(s->log, "upstream SSL server name: \"%s\"", text);
    ERR_clear_error();

    if (SSL_set_tlsext_host_name(ssl, text) != 1) {
        lun_tls_log(LUN_LOG_ERR, s->log, 0, "SSL_set_tlsext_host_name("
                    "\"%s\") failed", text);
        return LUN_ERROR;
    }

    return LUN_OK;
}


lun_rc
lun_upstream_tls_start(lun_session *s, lun_conn *c,
    const lun_upstream_tls *tls, lun_str name, lun_str server)
{
    if (lun_tls_start(c, tls->ctx, false) != LUN_OK) {
        return LUN_ERROR;
    }

    if (lun_certificate_has_variables(tls->certificate, tls->certificate_key)
        && lun_certificate_use(s, lun_tls_of(c), tls->certificate,
                               tls->certificate_key, tls->passwords,
                               tls->certificate_cache) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (tls->server_name && is_name(name)
        && tell_name(s, lun_tls_of(c), name) != LUN_OK)
    {
        return LUN_ERROR;
    }

    /* It fails for want of memory alone, and then with the handshake. */
    if (tls->alpn.len != 0) {
        (void) SSL_set_alpn_protos(lun_tls_of(c),
                                   (const unsigned char *) tls->alpn.data,
                                   (unsigned) tls->alpn.len);
    }

    if (tls->session_reuse) {
        lun_tls_reuse(c, lun_pool_fmt(s->pool, "%.*s\n%.*s\n%.*s",
                                      LUN_S(name), LUN_S(server),
                                      LUN_S(own_name(s, tls))));
    }

    lun_tls_handshake(c);
    return LUN_OK;
}


/* --- who it is ----------------------------------------------------------- */

/* False, and the log says why. */
static bool
check(const lun_log *log, SSL *ssl, lun_str name)
{
    X509     *x509;
    int64_t   rc = SSL_get_verify_result(ssl);

    if (rc != X509_V_OK) {
        lun_log(LUN_LOG_ERR, log, 0, "upstream SSL certificate verify "
                "error: (%" PRId64 ":%s)", rc,
                X509_verify_cert_error_string((int) rc));
        return false;
    }

    x509 = SSL_get0_peer_certificate(ssl);

    if (x509 == NULL || name.len == 0
        || X509_check_host(x509, name.data, name.len, 0, NULL) != 1)
    {
        lun_log(LUN_LOG_ERR, log, 0, "upstream SSL certificate does not "
                "match \"%.*s\"", LUN_S(name));
        return false;
    }

    return true;
}


bool
lun_upstream_tls_is_trusted(lun_session *s, lun_conn *c,
    const lun_upstream_tls *tls, lun_str name)
{
    if (!tls->verify || check(s->log, lun_tls_of(c), name)) {
        return true;
    }

    ERR_clear_error();

    if (tls->session_reuse) {
        lun_tls_reuse_forget(c);
    }

    return false;
}
