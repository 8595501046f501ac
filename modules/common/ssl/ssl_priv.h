/*
 * ssl_priv.h -- what the files of the ssl module share: ssl.c (directives),
 * ssl_ctx.c (contexts), ssl_ticket.c, ssl_keyring.c (tickets and their keys),
 * ssl_handshake.c (the handshake, and who may ask for what), ssl_vars.c,
 * ssl_cert_vars.c (variables).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_SSL_PRIV_H
#define LUN_MODULES_SSL_PRIV_H

#include "client/ocsp_fetch.h"
#include "net/tls/tls_cache.h"
#include "net/tls/tls_ctx.h"
#include "session/certificate.h"
#include "session/engine.h"
#include "session/module.h"
#include "session/script.h"
#include "session/server_tls.h"
#include "session/tls_conf.h"

enum { LUN_OCSP_OFF, LUN_OCSP_ON, LUN_OCSP_LEAF };

enum { LUN_VERIFY_OFF, LUN_VERIFY_ON, LUN_VERIFY_OPTIONAL,
       LUN_VERIFY_OPTIONAL_NO_CA };

/* ssl_session_cache. */
typedef struct {
    bool       off;
    bool       builtin;
    int64_t    builtin_size;       /* sessions; 0: OpenSSL's default */
    lun_zone  *zone;
} lun_ssl_sessions;

typedef struct lun_ssl_staple  lun_ssl_staple;
typedef struct lun_ssl_ocsp    lun_ssl_ocsp;

/* The name of a certificate or key, and where it was given. */
typedef struct {
    lun_script  *text;
    lun_str      file;
    unsigned     line;
} lun_ssl_name;

typedef struct {
    uint32_t          protocols;
    bool              prefer_server_ciphers;
    bool              reject_handshake;
    bool              tickets;
    lun_str           ciphers;
    lun_str           curves;
    lun_str           alpn;        /* as it is sent; "": none */
    lun_str           dhparam;     /* a path, as all files here; "": none */
    lun_array        *certificates;        /* of lun_ssl_name */
    lun_array        *keys;
    lun_tls_cert_cache  *certificate_cache;        /* may be NULL */
    bool              dynamic;     /* they are read in the handshake */
    lun_array        *passwords;
    lun_array        *commands;    /* of lun_pair */
    lun_array        *ticket_keys; /* of lun_str: contents */
    lun_zone         *keyring;     /* of tickets that have no such keys */
    lun_ssl_sessions  sessions;
    int64_t           timeout;
    size_t            buffer_size;
    int               verify;
    int64_t           verify_depth;
    lun_str           client_certificate;
    lun_str           trusted;
    lun_str           crl;
    lun_str           key_log;     /* a path; "": none */
    bool              compression;
    bool              early_data;
    lun_zone         *early_used;  /* NULL: it takes none */
    bool              stapling;
    bool              stapling_verify;
    lun_str           stapling_file;       /* "": a responder is asked */
    lun_str           stapling_responder;  /* "": the certificate names one */
    lun_ssl_staple   *staples;     /* of its certificates */
    int               ocsp;
    lun_str           ocsp_responder;      /* "": certificates name theirs */
    lun_zone         *ocsp_cache;  /* NULL: off */

    SSL_CTX          *ctx;         /* NULL: it has no certificate */
} lun_ssl_conf;

extern lun_module  lun_common_ssl;

/* Its confs have inherited: makes conf->ctx, if there is something to make. */
lun_rc lun_ssl_make_ctx(lun_conf *cf, lun_ssl_conf *conf);

/* ssl_session_ticket_key: the file's contents are checked. */
lun_rc lun_ssl_set_ticket_key(lun_conf *cf, const lun_directive *d,
    void *data);
/* Its context makes and opens tickets with its keys, or its keyring's. */
void lun_ssl_use_tickets(const lun_ssl_conf *conf);

enum { LUN_SSL_RING_KEYS = 2, LUN_SSL_TICKET_KEY = 80 };

/*
 * The zone of keys that nobody chose, for sessions of `timeout` seconds; NULL
 * with a message.
 */
lun_zone *lun_ssl_want_keyring(lun_conf *cf, int64_t timeout);
/* A copy of them, as ssl_session_ticket_key's files have keys. */
void lun_ssl_keyring_get(const lun_zone *zone,
    char keys[LUN_SSL_RING_KEYS][LUN_SSL_TICKET_KEY]);

/* --- ssl_status.c --- */

/* A certificate of the configuration's: its node in the tree. */
void lun_ssl_add_status(lun_conf *cf, const lun_tls_file *cert);

/* --- ssl_early.c --- */

/* The context takes so many bytes of early data, those of a ticket once. */
lun_rc lun_ssl_use_early(lun_conf *cf, lun_ssl_conf *conf, uint32_t most);
/* So does a connection of another context, from the name's server on. */
void lun_ssl_guard_early(SSL *ssl, const lun_ssl_conf *conf);

/* --- ssl_stapling.c --- */

/* A certificate of the context, which was the last to be given to it. */
void lun_ssl_add_staple(lun_conf *cf, lun_ssl_conf *conf, lun_str name);
/* All are there, and whom the server trusts: clients get what is known. */
lun_rc lun_ssl_use_staples(lun_conf *cf, lun_ssl_conf *conf);

/* --- ssl_ocsp.c --- */

/*
 * After a handshake: what authorities say of the client's certificates.
 * *waits: ended(c) will be called when that is known.
 */
lun_ssl_ocsp *lun_ssl_ocsp_begin(lun_conn *c, const lun_ssl_conf *conf,
    lun_conn_fn *ended, bool *waits);
/* What is wrong with them; NULL: nothing.  `o` may be NULL. */
const char *lun_ssl_ocsp_complaint(const lun_ssl_ocsp *o);

/* Whether a certificate is only from somebody whom we do not know. */
bool lun_ssl_is_optional(int64_t verify_result);

/* --- ssl_handshake.c --- */

/* Whose context a connection has; and its server. */
const lun_ssl_conf *lun_ssl_context_conf(lun_conn *c);
lun_server *lun_ssl_chosen_server(lun_conn *c);
/* The one that the client has named; NULL: none, or none that is here. */
lun_server *lun_ssl_named_server(const lun_conn *c);
/* The log of that server, for what outlives a handler. */
lun_log lun_ssl_log_of(lun_conn *c);
/* What OCSP has to say against the client; NULL: nothing. */
const char *lun_ssl_client_complaint(const lun_conn *c);

/* --- ssl_client.c --- */

/* lun_server_tls.check: whether that server may serve this client. */
lun_client_verdict lun_ssl_check_client(const lun_session *s);

/* One of conf->certificates, or ->keys; NULL: there are fewer. */
const lun_script *lun_ssl_name_at(const lun_array *names, size_t i);

/* Callbacks of a context that answers clients. */
void lun_ssl_use_callbacks(SSL_CTX *ctx);

extern const lun_server_tls  lun_ssl_tls;

extern const lun_variable  lun_ssl_variables[];

/* Of the client's certificate. */
lun_var_get_fn  lun_ssl_get_cert;
enum {
    LUN_SSL_CERT, LUN_SSL_RAW_CERT, LUN_SSL_ESCAPED_CERT, LUN_SSL_S_DN,
    LUN_SSL_I_DN, LUN_SSL_S_DN_LEGACY, LUN_SSL_I_DN_LEGACY, LUN_SSL_SERIAL,
    LUN_SSL_FINGERPRINT, LUN_SSL_V_START, LUN_SSL_V_END, LUN_SSL_V_REMAIN
};

#endif
