/*
 * ssl_vars.c -- $ssl_...: what the handshake has agreed on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/objects.h>
#include <openssl/ssl.h>

#include "base/digest.h"
#include "session/var_settle.h"


enum { CURVE = 64, CURVES = 64, SIGALG = sizeof(":0x0000") };

static void
give_text(lun_session *s, lun_value *v, const char *text)
{
    if (text == NULL || *text == '\0') {
        v->not_found = 1;
        return;
    }

    v->text = lun_pool_str(s->pool, lun_str_z(text));
}


typedef const char *text_fn(const SSL *ssl);

static const char *
name_of(const SSL *ssl)
{
    return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
}


static const char *
cipher_of(const SSL *ssl)
{
    return SSL_get_cipher_name(ssl);
}


static const char *
reused_of(const SSL *ssl)
{
    return SSL_session_reused(ssl) ? "r" : ".";
}


/* What was signed with: OpenSSL 3.5 has names for that. */
static const char *
signature_of(const SSL *ssl)
{
    const char  *name = NULL;

#if OPENSSL_VERSION_NUMBER >= 0x30500000L
    (void) SSL_get0_signature_name((SSL *) (uintptr_t) ssl, &name);
#else
#endif

    return name;
}


static const char *
client_signature_of(const SSL *ssl)
{
    const char  *name = NULL;

#if OPENSSL_VERSION_NUMBER >= 0x30500000L
    (void) SSL_get0_peer_signature_name((SSL *) (uintptr_t) ssl, &name);
#else
#endif

    return name;
}


/* Of an encrypted hello: no OpenSSL that is known here opens one. */
static const char *
nothing_of(const SSL *ssl)
{
    return NULL;
}


static text_fn *const  texts[] = {
    SSL_get_version, cipher_of, name_of, reused_of, signature_of,
    client_signature_of, nothing_of
};

enum { PROTOCOL, CIPHER, SERVER_NAME, SESSION_REUSED, SIGNATURE,
       CLIENT_SIGNATURE, NOTHING };


static void
get_text(lun_session *s, lun_value *v, uintptr_t which)
{
    SSL          *ssl = lun_tls_of(s->conn);

    give_text(s, v, ssl != NULL ? texts[which](ssl) : NULL);
}


/* --- lists --------------------------------------------------------------- */

/* The client's list has two bytes for each; those we do not know are hex. */
static void
get_ciphers(lun_session *s, lun_value *v, uintptr_t data)
{
    char                 *p, *end;
    SSL                  *ssl = lun_tls_of(s->conn);
    size_t                i, n;
    lun_str               text;
    const SSL_CIPHER     *cipher;
    const unsigned char  *raw = NULL;

    n = ssl != NULL && SSL_get0_raw_cipherlist(ssl, NULL) == 2
        ? (size_t) SSL_get0_raw_cipherlist(ssl, &raw) : 0;

    if (n < 2 || raw == NULL) {
        v->not_found = 1;
        return;
    }

    text.data = p = lun_pool_text(s->pool, n / 2 * CURVE);
    end = p + n / 2 * CURVE;

    for (i = 0; i + 1 < n; i += 2) {
        cipher = SSL_CIPHER_find(ssl, raw + i);
        p = cipher != NULL
            ? lun_fmt(p, end, "%s:", SSL_CIPHER_get_name(cipher))
            : lun_fmt(p, end, "0x%02x%02x:", raw[i], raw[i + 1]);
    }

    text.len = (size_t) (p - 1 - text.data);
    v->text = text;
}


static char *
put_curve(char *p, const char *end, int nid)
{
    return nid & TLSEXT_nid_unknown
           ? lun_fmt(p, end, "0x%04x", nid & 0xffff)
           : lun_fmt(p, end, "%s", OBJ_nid2sn(nid));
}


static void
get_curve(lun_session *s, lun_value *v, uintptr_t data)
{
    char         *room = lun_pool_text(s->pool, CURVE);
    SSL          *ssl = lun_tls_of(s->conn);
    int           nid;

    nid = ssl != NULL ? (int) SSL_get_negotiated_group(ssl) : 0;

    if (nid == 0) {
        v->not_found = 1;
        return;
    }

    v->text = lun_str_of(room, (size_t) (put_curve(room, room + CURVE, nid)
                                         - room));
}


static void
get_curves(lun_session *s, lun_value *v, uintptr_t data)
{
    int           i, n, nids[CURVES];
    SSL          *ssl = lun_tls_of(s->conn);
    char         *p, *start, *end;

    n = ssl != NULL ? (int) SSL_get1_groups(ssl, NULL) : 0;

    if (n <= 0 || n > CURVES) {
        v->not_found = 1;
        return;
    }

    SSL_get1_groups(ssl, nids);
    start = p = lun_pool_text(s->pool, (size_t) n * CURVE);
    end = start + (size_t) n * CURVE;

    for (i = 0; i < n; i++) {
        p = lun_fmt(p, end, "%s", i == 0 ? "" : ":");
        p = put_curve(p, end, nids[i]);
    }

    v->text = lun_str_of(start, (size_t) (p - start));
}


/* By number: OpenSSL's names for them are others than TLS's. */
static void
get_sigalgs(lun_session *s, lun_value *v, uintptr_t data)
{
    int             i, n;
    SSL            *ssl = lun_tls_of(s->conn);
    char           *p, *start, *end;
    unsigned char   sig = 0, hash = 0;

    n = ssl != NULL ? SSL_get_sigalgs(ssl, -1, NULL, NULL, NULL, NULL, NULL)
                    : 0;

    if (n <= 0) {
        v->not_found = 1;
        return;
    }

    start = p = lun_pool_text(s->pool, (size_t) n * SIGALG);
    end = start + (size_t) n * SIGALG;

    for (i = 0; i < n; i++) {
        SSL_get_sigalgs(ssl, i, NULL, NULL, NULL, &sig, &hash);
        p = lun_fmt(p, end, "%s0x%02x%02x", i == 0 ? "" : ":", hash, sig);
    }

    v->text = lun_str_of(start, (size_t) (p - start));
}


/* --- the session --------------------------------------------------------- */

static void
get_session_id(lun_session *s, lun_value *v, uintptr_t data)
{
    SSL                  *ssl = lun_tls_of(s->conn);
    char                 *room;
    unsigned              len = 0;
    const SSL_SESSION    *session;
    const unsigned char  *id = NULL;

    session = ssl != NULL ? SSL_get0_session(ssl) : NULL;

    if (session != NULL) {
        id = SSL_SESSION_get_id(session, &len);
    }

    if (len == 0) {
        v->not_found = 1;
        return;
    }

    room = lun_pool_text(s->pool, len * 2);
    lun_hex(room, id, len);
    v->text = lun_str_of(room, len * 2);
}


static void
get_alpn(lun_session *s, lun_value *v, uintptr_t data)
{
    SSL                  *ssl = lun_tls_of(s->conn);
    unsigned              len = 0;
    const unsigned char  *name = NULL;

    if (ssl != NULL) {
        SSL_get0_alpn_selected(ssl, &name, &len);
    }

    v->not_found = len == 0;
    v->text = lun_pool_str(s->pool, lun_str_of((const char *) name, len));
}


static void
get_early_data(lun_session *s, lun_value *v, uintptr_t data)
{
    v->not_found = !lun_tls_is_early(s->conn);
    v->text = LUN_STR("1");
}


static void
get_verify(lun_session *s, lun_value *v, uintptr_t data)
{
    SSL          *ssl = lun_tls_of(s->conn);
    int64_t       rc;
    const char   *why;

    if (ssl == NULL) {
        v->not_found = 1;
        return;
    }

    if (SSL_get0_peer_certificate(ssl) == NULL) {
        v->text = LUN_STR("NONE");
        return;
    }

    rc = SSL_get_verify_result(ssl);
    why = rc == X509_V_OK ? lun_ssl_client_complaint(s->conn)
                          : X509_verify_cert_error_string((int) rc);

    /* It may also have been Lua that asked, and not this server. */
    if (why == NULL && SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE) {
        v->text = LUN_STR("SUCCESS");
        return;
    }

    v->text = lun_pool_fmt(s->pool, "FAILED:%s", why != NULL ? why
                           : X509_verify_cert_error_string((int) rc));
}


#define VAR(text, get_it, what, says)                                         \
    { .name = LUN_STR_INIT(text), .get = get_it, .data = what,                \
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_OF_SOCKET, .help = says }

const lun_variable  lun_ssl_variables[] = {
    VAR("ssl_protocol", get_text, PROTOCOL, "TLSv1.2 or TLSv1.3"),
    VAR("ssl_cipher", get_text, CIPHER, "the cipher of the connection"),
    VAR("ssl_server_name", get_text, SERVER_NAME,
        "the name that the client asked for in its handshake"),
    VAR("ssl_session_reused", get_text, SESSION_REUSED,
        "\"r\" if the handshake resumed a session, else \".\""),
    VAR("ssl_ciphers", get_ciphers, 0, "the ciphers that the client offered"),
    VAR("ssl_curve", get_curve, 0, "the group of the key exchange"),
    VAR("ssl_curves", get_curves, 0, "the groups that the client offered"),
    VAR("ssl_sigalgs", get_sigalgs, 0,
        "the algorithms that the client takes signatures of"),
    VAR("ssl_sigalg", get_text, SIGNATURE,
        "the algorithm that we signed the handshake with"),
    VAR("ssl_client_sigalg", get_text, CLIENT_SIGNATURE,
        "the algorithm that the client signed with"),
    VAR("ssl_ech_status", get_text, NOTHING, "not known here: it has no value"),
    VAR("ssl_ech_outer_server_name", get_text, NOTHING,
        "not known here: it has no value"),
    VAR("ssl_session_id", get_session_id, 0, "the session's id"),
    VAR("ssl_alpn_protocol", get_alpn, 0,
        "h2, http/1.1, ...: what the handshake agreed on"),
    { .name = LUN_STR_INIT("ssl_early_data"), .get = get_early_data,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE | LUN_VAR_OF_SOCKET,
      .help = "\"1\" if the request came before the handshake was done" },
    VAR("ssl_client_verify", get_verify, 0, "SUCCESS, NONE, or FAILED and why"),
    VAR("ssl_client_cert", lun_ssl_get_cert, LUN_SSL_CERT,
        "the client's certificate, lines indented"),
    VAR("ssl_client_raw_cert", lun_ssl_get_cert, LUN_SSL_RAW_CERT,
        "the client's certificate in PEM"),
    VAR("ssl_client_escaped_cert", lun_ssl_get_cert, LUN_SSL_ESCAPED_CERT,
        "the client's certificate in PEM, for a URL"),
    VAR("ssl_client_s_dn", lun_ssl_get_cert, LUN_SSL_S_DN,
        "whose certificate it is"),
    VAR("ssl_client_i_dn", lun_ssl_get_cert, LUN_SSL_I_DN,
        "who signed the client's certificate"),
    VAR("ssl_client_s_dn_legacy", lun_ssl_get_cert, LUN_SSL_S_DN_LEGACY,
        "whose it is, in the old form: /C=..../CN=..."),
    VAR("ssl_client_i_dn_legacy", lun_ssl_get_cert, LUN_SSL_I_DN_LEGACY,
        "who signed it, in the old form"),
    VAR("ssl_client_serial", lun_ssl_get_cert, LUN_SSL_SERIAL,
        "the serial number of the client's certificate"),
    VAR("ssl_client_fingerprint", lun_ssl_get_cert, LUN_SSL_FINGERPRINT,
        "SHA1 of the client's certificate"),
    VAR("ssl_client_v_start", lun_ssl_get_cert, LUN_SSL_V_START,
        "since when the client's certificate is good"),
    VAR("ssl_client_v_end", lun_ssl_get_cert, LUN_SSL_V_END,
        "until when the client's certificate is good"),
    VAR("ssl_client_v_remain", lun_ssl_get_cert, LUN_SSL_V_REMAIN,
        "days until the client's certificate ends"),
    { .name = LUN_STR_INIT("") }
};
