/*
 * upstream_tls.h -- TLS to the servers of an upstream: its settings, which
 * every module has under names of its own (proxy_ssl_..., grpc_ssl_...), and
 * the handshake.
 *
 * A module has a lun_upstream_tls in its conf and LUN_UPSTREAM_TLS_ROWS in its
 * table.  When a connection to a server stands:
 *
 *     enter a state; lun_upstream_tls_start(); on_written: _is_trusted()
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_TLS_H
#define LUN_UPSTREAM_TLS_H

#include "session/certificate.h"
#include "session/session.h"
#include "session/tls_conf.h"

struct x509_store_ctx_st;

typedef struct lun_upstream_tls {
    uint32_t      protocols;               /* LUN_TLS_... */
    lun_str       ciphers;
    lun_array    *commands;                /* of lun_pair */
    lun_script   *certificate;             /* paths; NULL: none */
    lun_script   *certificate_key;
    lun_tls_cert_cache  *certificate_cache;        /* may be NULL */
    lun_array    *passwords;               /* of lun_str */
    lun_str       trusted;
    lun_str       crl;
    lun_str       key_log;                 /* a path; "": none */
    lun_script   *name;                    /* NULL: the host that is asked */
    lun_str       alpn;                    /* as it is sent; "": nothing */
    lun_array    *alpn_names;              /* of lun_script *: instead of that;
                                              NULL: none */
    bool          server_name;             /* it is told who is meant */
    bool          session_reuse;
    bool          verify;
    int64_t       verify_depth;

    SSL_CTX      *ctx;                     /* NULL: nobody asks for TLS */
} lun_upstream_tls;

/*
 * Rows of a directive table: `prefix` is "proxy_", `member` the
 * lun_upstream_tls in a conf of `type`.
 */
#define LUN_UPSTREAM_TLS_ROW(prefix, name_, where_, type, member, set_)       \
    .name = prefix "ssl_" name_, .where = where_, .set = set_,                \
    LUN_FIELD(type, member)

#define LUN_UPSTREAM_TLS_ROWS(prefix, where, type, tls)                       \
    { LUN_UPSTREAM_TLS_ROW(prefix, "certificate", where, type,                \
                           tls.certificate, lun_set_script), .args = 1,       \
      .values = "file",                                                       \
      .help = "the certificate that is shown to the server" },                \
    { LUN_UPSTREAM_TLS_ROW(prefix, "certificate_key", where, type,            \
                           tls.certificate_key, lun_set_script),              \
      .args = 1,                                                              \
      .values = "file",                                                       \
      .help = "its key" },                                                    \
    { LUN_UPSTREAM_TLS_ROW(prefix, "certificate_cache", where, type,          \
                           tls.certificate_cache, lun_set_certificate_cache), \
      .args = 1, .args_max = 3,                                               \
      .values = "off | max=N [inactive=time] [valid=time]",                   \
      .help = "keeps certificates whose names have variables" },              \
    { LUN_UPSTREAM_TLS_ROW(prefix, "password_file", where, type,              \
                           tls.passwords, lun_set_tls_passwords),             \
      .args = 1,                                                              \
      .values = "file",                                                       \
      .help = "passwords of the keys" },                                      \
    { LUN_UPSTREAM_TLS_ROW(prefix, "protocols", where, type, tls.protocols,   \
                           lun_set_bits),                                     \
      .args = 1, .args_max = LUN_ARGS_ANY, .data = lun_tls_protocols,         \
      .repeats = true,                                                        \
      .fallback = "TLSv1.2 TLSv1.3",                                          \
      .help = "versions of TLS that are spoken with the server" },            \
    { LUN_UPSTREAM_TLS_ROW(prefix, "ciphers", where, type, tls.ciphers,       \
                           lun_set_str),                                      \
      .args = 1, .fallback = "DEFAULT",                                       \
      .values = "ciphers",                                                    \
      .help = "ciphers that may be used with the server" },                   \
    { LUN_UPSTREAM_TLS_ROW(prefix, "conf_command", where, type,               \
                           tls.commands, lun_set_pairs),                      \
      .args = 2, .repeats = true,                                             \
      .values = "name value",                                                 \
      .help = "a command of OpenSSL's for these connections" },               \
    { LUN_UPSTREAM_TLS_ROW(prefix, "name", where, type, tls.name,             \
                           lun_set_script),                                   \
      .args = 1,                                                              \
      .values = "name",                                                       \
      .help = "the name that the certificate has to have" },                  \
    { LUN_UPSTREAM_TLS_ROW(prefix, "server_name", where, type,                \
                           tls.server_name, lun_set_flag),                    \
      .args = 1, .fallback = "off",                                           \
      .help = "tells the server that name (SNI)" },                           \
    { LUN_UPSTREAM_TLS_ROW(prefix, "session_reuse", where, type,              \
                           tls.session_reuse, lun_set_flag),                  \
      .args = 1, .fallback = "on",                                            \
      .help = "resumes sessions with the server" },                           \
    { LUN_UPSTREAM_TLS_ROW(prefix, "verify", where, type, tls.verify,         \
                           lun_set_flag),                                     \
      .args = 1, .fallback = "off",                                           \
      .help = "checks the server's certificate" },                            \
    { LUN_UPSTREAM_TLS_ROW(prefix, "verify_depth", where, type,               \
                           tls.verify_depth, lun_set_num),                    \
      .args = 1, .fallback = "1",                                             \
      .help = "how long the chain may be" },                                  \
    { LUN_UPSTREAM_TLS_ROW(prefix, "trusted_certificate", where, type,        \
                           tls.trusted, lun_set_str),                         \
      .args = 1, .fallback = "\"\"",                                          \
      .values = "file | system",                                              \
      .help = "authorities that the server's is checked by" },                \
    { LUN_UPSTREAM_TLS_ROW(prefix, "crl", where, type, tls.crl,               \
                           lun_set_str),                                      \
      .args = 1, .fallback = "\"\"",                                          \
      .values = "file",                                                       \
      .help = "certificates of servers that were revoked" },                  \
    { LUN_UPSTREAM_TLS_ROW(prefix, "key_log", where, type, tls.key_log,       \
                           lun_set_path),                                     \
      .args = 1,                                                              \
      .help = "a file for the secrets of these connections" }

/* Where others have a say in a handshake with a server. */
typedef enum {
    LUN_UPSTREAM_CERT,             /* it wants our certificate */
    LUN_UPSTREAM_VERIFY,           /* it has shown its own */
    LUN_UPSTREAM_STEPS
} lun_upstream_tls_step;

/* An engine's .upstream_handshaking. */
typedef struct lun_upstream_tls_hooks {
    bool  (*wants)(const lun_session *s, lun_upstream_tls_step step);
    /* Whether OpenSSL's own verdict is not asked for before VERIFY. */
    bool  (*skips_default)(const lun_session *s);
    /* Ends in lun_upstream_tls_answer(), at once or later. */
    void  (*ask)(lun_session *s, lun_conn *c, lun_upstream_tls_step step);
    /* Which directive of a block has a say; NULL: none. */
    const char *(*given)(const lun_block *b);
} lun_upstream_tls_hooks;

/*
 * After inheritance, where TLS is not asked for: ERROR, reported, if others
 * want a say in handshakes there.  `what` would ask for it.
 */
lun_rc lun_upstream_tls_not_asked(lun_conf *cf, const char *what);

/* What was asked: whether the handshake may go on. */
void lun_upstream_tls_answer(lun_conn *c, bool good);

/*
 * In VERIFY: the server's certificate, and what is thought of it, a number of
 * OpenSSL's (X509_V_...).
 */
X509 *lun_upstream_tls_cert(const lun_conn *c);
int *lun_upstream_tls_result(const lun_conn *c);

/*
 * After inheritance, where TLS is asked for: makes tls->ctx, or finds the one
 * of the same settings.  `prefix`: "proxy_".
 */
lun_rc lun_upstream_tls_finish_conf(lun_conf *cf, const char *prefix,
    lun_upstream_tls *tls);

/*
 * By which name a server is asked, and has to answer: what the settings say,
 * or `host`, of the address that is asked.
 */
lun_str lun_upstream_tls_name(lun_session *s, const lun_upstream_tls *tls,
    lun_str host);

/*
 * The connection `c`, which stands, speaks TLS from now on, and shakes hands;
 * the caller's state has on_written when that is done, on_gone (logged) when
 * it has failed.  Sessions are kept by `name` and `server`, the text of an
 * address.  ERROR, logged: there will be no handshake.
 */
lun_rc lun_upstream_tls_start(lun_session *s, lun_conn *c,
    const lun_upstream_tls *tls, lun_str name, lun_str server);

/*
 * After a handshake: whether the server is who it should be, if anybody wants
 * to know.  False was logged.
 */
bool lun_upstream_tls_is_trusted(lun_session *s, lun_conn *c,
    const lun_upstream_tls *tls, lun_str name);

/*
 * Who may share a connection with a session speaks TLS by the same settings,
 * to the same name: a text that says by which.
 */
lun_str lun_upstream_tls_key(lun_session *s, const lun_upstream_tls *tls,
    lun_str name);

/* The callback of contexts, for upstream_tls_conf.c. */
int lun_upstream_tls_on_verify(struct x509_store_ctx_st *store, void *data);

#endif
