/*
 * ssl_client.c -- a session is checked by what its handshake has shown of the
 * client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/ssl.h>


/*
 * Who is refused must not come back by resuming this session: it is taken out
 * of the cache.
 */
static lun_client_verdict
check_certificate(const lun_session *s, SSL *ssl, const lun_ssl_conf *conf)
{
    int64_t      rc = SSL_get_verify_result(ssl);
    const char  *why;

    if (rc != X509_V_OK && (conf->verify != LUN_VERIFY_OPTIONAL_NO_CA
                            || !lun_ssl_is_optional(rc)))
    {
        lun_log(LUN_LOG_INFO, s->log, 0, "client SSL certificate verify "
                "error: (%" PRId64 ":%s)", rc,
                X509_verify_cert_error_string((int) rc));
        SSL_CTX_remove_session(lun_tls_session_ctx(ssl), SSL_get_session(ssl));
        return LUN_CLIENT_UNTRUSTED;
    }

    if (conf->verify == LUN_VERIFY_ON
        && SSL_get0_peer_certificate(ssl) == NULL)
    {
        lun_log(LUN_LOG_INFO, s->log, 0,
                "client sent no required SSL certificate");
        SSL_CTX_remove_session(lun_tls_session_ctx(ssl), SSL_get_session(ssl));
        return LUN_CLIENT_UNKNOWN;
    }

    why = lun_ssl_client_complaint(s->conn);

    if (why != NULL) {
        lun_log(LUN_LOG_INFO, s->log, 0,
                "client SSL certificate verify error: %s", why);
        SSL_CTX_remove_session(lun_tls_session_ctx(ssl), SSL_get_session(ssl));
        return LUN_CLIENT_UNTRUSTED;
    }

    return LUN_CLIENT_WELCOME;
}


lun_client_verdict
lun_ssl_check_client(const lun_session *s)
{
    SSL                 *ssl = lun_tls_of(s->conn);
    const lun_ssl_conf  *conf = s->server->conf[lun_common_ssl.index];

    if (conf->verify == LUN_VERIFY_OFF) {
        return LUN_CLIENT_WELCOME;
    }

    /* What was shown in the handshake was shown to another server. */
    if (SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) != NULL
        && lun_ssl_named_server(s->conn) != s->server)
    {
        lun_log(LUN_LOG_INFO, s->log, 0, "client attempted to request the "
                "server name different from the one that was negotiated");
        return LUN_CLIENT_ELSEWHERE;
    }

    return check_certificate(s, ssl, conf);
}
