/*
 * ssl_handshake.c -- the handshake finds its server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "format/host.h"


enum { NAME = 256 };

typedef enum { UNASKED, REFUSED, AGREED } verdict;

/* What is known of a handshake. */
typedef struct {
    lun_server         *named;     /* NULL: the default one */
    bool                was_idle;  /* before others were asked */
    bool                allowed;   /* the versions of the name's server are */
    bool                has_waited;        /* for one that is being made */
    bool                has_read;  /* certificates whose names have variables */
    bool                is_proof;  /* nobody will be served by it */
    lun_handshake_step  asking;
    verdict             verdicts[LUN_HANDSHAKE_STEPS];
    unsigned char       id[SSL_MAX_SSL_SESSION_ID_LENGTH];
    size_t              id_len;
    SSL_SESSION        *fetched;   /* held until OpenSSL asks for it */
    lun_ssl_ocsp       *ocsp;      /* NULL: nobody was asked */
} handshake;

static const lun_ssl_conf *
conf_of(const lun_server *server)
{
    return server->conf[lun_common_ssl.index];
}


static int
handshake_index(void)
{
    static int  n = -1;

    return lun_tls_data_index(&n);
}


static handshake *
handshake_of(const SSL *ssl)
{
    return SSL_get_ex_data(ssl, handshake_index());
}


lun_server *
lun_ssl_named_server(const lun_conn *c)
{
    return handshake_of(lun_tls_of(c))->named;
}


lun_server *
lun_ssl_chosen_server(lun_conn *c)
{
    lun_server  *server = lun_ssl_named_server(c);

    return server != NULL ? server
           : lun_server_map_default(lun_listen_of(c)->servers);
}


/* --- others have a say --------------------------------------------------- */

static const lun_handshake_hooks *
hooks_of(lun_conn *c)
{
    return lun_listen_of(c)->engine->handshaking;
}


static bool
is_wanted(lun_conn *c, lun_handshake_step step)
{
    const lun_handshake_hooks  *hooks = hooks_of(c);

    return hooks != NULL && hooks->wants(lun_ssl_chosen_server(c), step);
}


/* OpenSSL has returned, and nothing of it is on the stack. */
static void
on_pause(lun_conn *c)
{
    handshake  *s = handshake_of(lun_tls_of(c));

    s->was_idle = c->idle;
    lun_conn_set_idle(c, false);
    hooks_of(c)->ask(c, lun_ssl_chosen_server(c), s->asking);
}


static void
answer(lun_conn *c, bool good)
{
    handshake  *s = handshake_of(lun_tls_of(c));

    s->verdicts[s->asking] = good ? AGREED : REFUSED;
    lun_conn_set_idle(c, s->was_idle);
    lun_tls_go_on(c);
}


/* UNASKED: now it is asked, and OpenSSL has to come back. */
static verdict
verdict_of(SSL *ssl, lun_handshake_step step)
{
    handshake  *s = handshake_of(ssl);

    if (s->verdicts[step] == UNASKED) {
        s->asking = step;
        lun_tls_pause(lun_tls_conn(ssl), on_pause);
    }

    return s->verdicts[step];
}


/* Whose context it is: a server that has none takes the default one's. */
const lun_ssl_conf *
lun_ssl_context_conf(lun_conn *c)
{
    const lun_ssl_conf  *conf = conf_of(lun_ssl_chosen_server(c));

    return conf->ctx != NULL ? conf
           : conf_of(lun_server_map_default(lun_listen_of(c)->servers));
}


/*
 * The same for its certificate: who has none of its own, and takes the default
 * server's, has to have a say if that one has.
 */
static bool
is_cert_wanted(lun_conn *c)
{
    const lun_handshake_hooks  *hooks = hooks_of(c);

    return is_wanted(c, LUN_HANDSHAKE_CERT)
           || (hooks != NULL && conf_of(lun_ssl_chosen_server(c))->ctx == NULL
               && hooks->wants(lun_server_map_default(
                                   lun_listen_of(c)->servers),
                               LUN_HANDSHAKE_CERT));
}


/* Certificates whose names have variables. */
static lun_rc
read_certificates(SSL *ssl, lun_conn *c, const lun_ssl_conf *conf)
{
    size_t                      i;
    lun_rc                      rc = LUN_OK;
    lun_session                *s;
    const lun_listen_protocol  *p = lun_listen_of(c)->engine->listening;

    s = p->session(c);

    for (i = 0; rc == LUN_OK && i < conf->certificates->count; i++) {
        rc = lun_certificate_use(s, ssl,
                                 lun_ssl_name_at(conf->certificates, i),
                                 lun_ssl_name_at(conf->keys, i),
                                 conf->passwords, conf->certificate_cache);
    }

    if (p->end_session != NULL) {
        p->end_session(s);
    }

    return rc;
}


/* OpenSSL has returned. */
static void
on_coming(lun_conn *c)
{
    handshake  *s = handshake_of(lun_tls_of(c));

    s->was_idle = c->idle;
    lun_conn_set_idle(c, false);
    lun_listen_of(c)->engine->proving->wait(c, lun_ssl_chosen_server(c));
}


static void
go_on(lun_conn *c)
{
    lun_conn_set_idle(c, handshake_of(lun_tls_of(c))->was_idle);
    lun_tls_go_on(c);
}


/* Whether a certificate that is not there yet is worth a moment. */
static bool
has_to_wait(lun_conn *c, handshake *s)
{
    const lun_handshake_proof  *proof = lun_listen_of(c)->engine->proving;

    if (s->has_waited || proof == NULL) {
        return false;
    }

    s->has_waited = true;
    return proof->is_coming(c, lun_ssl_chosen_server(c));
}


/*
 * -1 lets the handshake wait, for a certificate that is about to come or for
 * Lua; it is asked again afterwards, and what was read before is not read
 * twice.
 */
static int
on_certificate(SSL *ssl, void *data)
{
    lun_conn            *c = lun_tls_conn(ssl);
    handshake           *s = handshake_of(ssl);
    const lun_ssl_conf  *conf = lun_ssl_context_conf(c);

    if (conf->dynamic && !s->has_read) {
        if (has_to_wait(c, s)) {
            lun_tls_pause(c, on_coming);
            return -1;
        }

        if (read_certificates(ssl, c, conf) != LUN_OK) {
            return 0;
        }

        s->has_read = true;
    }

    if (!is_cert_wanted(c)) {
        return 1;
    }

    switch (verdict_of(ssl, LUN_HANDSHAKE_CERT)) {

    case UNASKED:
        return -1;

    case REFUSED:
        return 0;

    default:
        return 1;
    }
}


/* --- sessions that others keep ------------------------------------------- */

/* Whether TLS 1.3 will be spoken, whose sessions are tickets. */
static bool
offers_1_3(SSL *ssl)
{
    enum { MAJOR = 3, MINOR = 4 };

    size_t                i, len;
    const unsigned char  *list;

    if (SSL_get_options(ssl) & SSL_OP_NO_TLSv1_3
        || SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_supported_versions,
                                     &list, &len) != 1)
    {
        return false;
    }

    /* A byte of length, then pairs. */
    for (i = 1; i + 1 < len; i += 2) {
        if (list[i] == MAJOR && list[i + 1] == MINOR) {
            return true;
        }
    }

    return false;
}


static bool
has_ticket(SSL *ssl)
{
    size_t                len;
    const unsigned char  *ticket;

    return !(SSL_get_options(ssl) & SSL_OP_NO_TICKET)
           && SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_session_ticket,
                                        &ticket, &len) == 1
           && len != 0;
}


/* OpenSSL cannot wait when it wants a session: so it is fetched before. */
static bool
wants_fetch(SSL *ssl)
{
    size_t                len;
    handshake            *s = handshake_of(ssl);
    const unsigned char  *id;

    if (!is_wanted(lun_tls_conn(ssl), LUN_HANDSHAKE_FETCH)) {
        return false;
    }

    len = SSL_client_hello_get0_session_id(ssl, &id);

    if (len == 0 || len > sizeof(s->id) || offers_1_3(ssl) || has_ticket(ssl))
    {
        return false;
    }

    memcpy(s->id, id, len);
    s->id_len = len;
    return true;
}


static void
drop_session(void *data)
{
    SSL_SESSION_free(((handshake *) data)->fetched);
}


static void
resume(lun_conn *c, SSL_SESSION *session)
{
    handshake  *s = handshake_of(lun_tls_of(c));

    if (s->fetched == NULL) {
        lun_pool_on_end(lun_conn_memory(c), drop_session, s);
    }

    SSL_SESSION_free(s->fetched);
    s->fetched = session;
}


static lun_str
session_id(const lun_conn *c)
{
    const handshake  *s = handshake_of(lun_tls_of(c));

    return lun_str_of((const char *) s->id, s->id_len);
}


static int
on_new_session(SSL *ssl, SSL_SESSION *session)
{
    bool       was_idle;
    lun_conn  *c = lun_tls_conn(ssl);

    if (is_wanted(c, LUN_HANDSHAKE_STORE)) {
        was_idle = c->idle;
        lun_conn_set_idle(c, false);
        hooks_of(c)->ask(c, lun_ssl_chosen_server(c), LUN_HANDSHAKE_STORE);
        lun_conn_set_idle(c, was_idle);
    }

    return lun_tls_cache_on_new(ssl, session);
}


static SSL_SESSION *
on_get_session(SSL *ssl, const unsigned char *id, int len, int *copy)
{
    const handshake  *s = handshake_of(ssl);

    if (s->fetched == NULL) {
        return lun_tls_cache_on_get(ssl, id, len, copy);
    }

    *copy = 1;                     /* OpenSSL takes a reference of its own */
    return s->fetched;
}


/* --- the hello ----------------------------------------------------------- */

/* NULL: no name, or one that no server can have. */
static lun_server *
named_server(lun_conn *c, lun_str host)
{
    char                    room[NAME];
    lun_str                 name;
    uint16_t                port;
    const lun_listen_addr  *listen = lun_listen_of(c);

    if (host.len == 0 || host.len > NAME
        || lun_host_parse(host, room, &name, &port) != LUN_OK)
    {
        return NULL;
    }

    return listen->engine->listening->named != NULL
           ? listen->engine->listening->named(c, name)
           : lun_server_find(NULL, listen->servers, name);
}


/* The first name of server_name (RFC 6066, 3), if it is one of a host. */
static lun_str
hello_name(SSL *ssl)
{
    size_t                len, name_len;
    const unsigned char  *p;

    if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &p, &len)
        || len < 5 || p[2] != TLSEXT_NAMETYPE_host_name)
    {
        return LUN_STR_NULL;
    }

    name_len = (size_t) p[3] << 8 | p[4];

    return name_len <= len - 5 ? lun_str_of((const char *) p + 5, name_len)
                               : LUN_STR_NULL;
}


/*
 * OpenSSL has settled the version by when it asks for a name's server: what
 * that speaks has to be said before.
 */
static void
allow_versions(SSL *ssl)
{
    uint64_t             all = SSL_OP_NO_SSL_MASK;
    const lun_server    *server;
    const lun_ssl_conf  *conf;

    server = named_server(lun_tls_conn(ssl), hello_name(ssl));
    conf = server != NULL ? conf_of(server) : NULL;
    handshake_of(ssl)->allowed = true;

    if (conf != NULL && conf->ctx != NULL) {
        SSL_clear_options(ssl, all);
        SSL_set_options(ssl, SSL_CTX_get_options(conf->ctx) & all);
    }
}


/* Whether the client speaks that protocol, and no other. */
static bool
offers_only(SSL *ssl, lun_str protocol)
{
    size_t                len;
    const unsigned char  *p;

    return SSL_client_hello_get0_ext(ssl,
               TLSEXT_TYPE_application_layer_protocol_negotiation, &p, &len)
           && len == protocol.len + 3 && p[2] == protocol.len
           && memcmp(p + 3, protocol.data, protocol.len) == 0;
}


/*
 * A client that wants a proof of who we are gets that, from whichever server of
 * the address: none of them is asked for its certificate, or what it thinks of
 * the client.
 */
static bool
is_proof(SSL *ssl)
{
    handshake                  *s = handshake_of(ssl);
    const lun_engine           *e = lun_listen_of(lun_tls_conn(ssl))->engine;
    const lun_handshake_proof  *proof = e->proving;

    if (proof == NULL || !offers_only(ssl, proof->protocol)
        || !proof->prove(e, ssl, hello_name(ssl)))
    {
        return s->is_proof;
    }

    SSL_set_cert_cb(ssl, NULL, NULL);
    SSL_set_verify(ssl, SSL_VERIFY_NONE, NULL);
    s->is_proof = true;
    return true;
}


static int
on_hello(SSL *ssl, int *alert, void *data)
{
    verdict  v = AGREED;

    if (is_proof(ssl)) {
        return SSL_CLIENT_HELLO_SUCCESS;
    }

    /* After a retry of TLS 1.3 a server may be named: it had its say. */
    if (handshake_of(ssl)->named != NULL) {
        return SSL_CLIENT_HELLO_SUCCESS;
    }

    if (!handshake_of(ssl)->allowed) {
        allow_versions(ssl);
    }

    if (is_wanted(lun_tls_conn(ssl), LUN_HANDSHAKE_HELLO)) {
        v = verdict_of(ssl, LUN_HANDSHAKE_HELLO);
    }

    /* Who fetches nothing, for whatever reason, refuses nobody. */
    if (v == AGREED && wants_fetch(ssl)
        && verdict_of(ssl, LUN_HANDSHAKE_FETCH) == UNASKED)
    {
        v = UNASKED;
    }

    switch (v) {

    case UNASKED:
        return SSL_CLIENT_HELLO_RETRY;

    case REFUSED:
        *alert = SSL_AD_INTERNAL_ERROR;
        return SSL_CLIENT_HELLO_ERROR;

    default:
        return SSL_CLIENT_HELLO_SUCCESS;
    }
}


/* Its context is chosen, which brings the callbacks of another one along. */
static void
ask_for_certificate(SSL *ssl)
{
    lun_conn  *c = lun_tls_conn(ssl);

    SSL_set_cert_cb(ssl, is_cert_wanted(c)
                         || lun_ssl_context_conf(c)->dynamic
                         ? on_certificate : NULL, NULL);
}


/* --- the name that the client wants -------------------------------------- */

static void
use_context(SSL *ssl, SSL_CTX *ctx)
{
    uint64_t  options = SSL_CTX_get_options(ctx);

    /* What QUIC has taken away, which has no place for it, stays away. */
    options &= ~(uint64_t) SSL_OP_ENABLE_MIDDLEBOX_COMPAT;
    options |= SSL_get_options(ssl) & SSL_OP_ENABLE_MIDDLEBOX_COMPAT;

    SSL_set_SSL_CTX(ssl, ctx);
    SSL_set_verify(ssl, SSL_CTX_get_verify_mode(ctx),
                   SSL_CTX_get_verify_callback(ctx));
    SSL_set_verify_depth(ssl, SSL_CTX_get_verify_depth(ctx));

    /* These are copied when an SSL is made, and never again. */
    SSL_clear_options(ssl, SSL_get_options(ssl) & ~options);
    SSL_set_options(ssl, options);
    (void) SSL_set_num_tickets(ssl, SSL_CTX_get_num_tickets(ctx));
    lun_tls_allow_early(ssl, SSL_CTX_get_max_early_data(ctx));
}


/*
 * A session may not be carried from a server that asks for no certificate to
 * one that does: TLS 1.3 resumes it before the name is looked at.
 */
static bool
is_carried(SSL *ssl, const lun_ssl_conf *conf, const char *name)
{
    const char         *before;
    const SSL_SESSION  *session = SSL_get_session(ssl);

    if (conf->verify == LUN_VERIFY_OFF || !SSL_session_reused(ssl)
        || session == NULL)
    {
        return false;
    }

    before = SSL_SESSION_get0_hostname(session);

    if (before == NULL || name == NULL) {
        return before != name;
    }

    return strcmp(before, name) != 0;
}


/*
 * Another server's context is taken over whole: certificates, verification,
 * sessions; early data, which were offered to the first one, are guarded.
 */
static int
on_name(SSL *ssl, int *alert, void *data)
{
    lun_conn            *c = lun_tls_conn(ssl);
    lun_server          *server = NULL;
    const char          *name;
    const lun_ssl_conf  *conf;

    if (handshake_of(ssl)->is_proof) {
        return SSL_TLSEXT_ERR_OK;
    }

    name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

    if (name != NULL) {
        lun_debug(&c->log, "SSL server name: \"%s\"", name);
        server = named_server(c, lun_str_z(name));
    }

    conf = conf_of(server != NULL ? server : lun_ssl_chosen_server(c));

    if (conf->reject_handshake) {
        lun_tls_reject(c, "handshake rejected");
        *alert = SSL_AD_UNRECOGNIZED_NAME;
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }

    if (is_carried(ssl, conf, name)) {
        *alert = SSL_AD_ACCESS_DENIED;
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }

    if (server == NULL) {
        return SSL_TLSEXT_ERR_OK;
    }

    handshake_of(ssl)->named = server;
    c->tls_counts_at = server->counts_at + server->tls_cell;
    lun_tls_set_record(c, conf->buffer_size);

    if (conf->ctx != NULL) {
        use_context(ssl, conf->ctx);
        lun_ssl_guard_early(ssl, conf);
    }

    ask_for_certificate(ssl);
    return SSL_TLSEXT_ERR_OK;
}


static int
on_protocols(SSL *ssl, const unsigned char **out, unsigned char *out_len,
    const unsigned char *in, unsigned in_len, void *data)
{
    lun_str                 list;
    lun_conn               *c = lun_tls_conn(ssl);
    const lun_server       *chosen = lun_ssl_chosen_server(c);
    const lun_listen_addr  *listen = lun_listen_of(c);

    if (handshake_of(ssl)->is_proof) {
        *out = in + 1;
        *out_len = in[0];
        return SSL_TLSEXT_ERR_OK;
    }

    list = listen->engine->listening->alpn != NULL
           ? listen->engine->listening->alpn(listen, chosen)
           : conf_of(chosen)->alpn;

    if (list.len == 0) {
        return listen->quic ? SSL_TLSEXT_ERR_ALERT_FATAL
                            : SSL_TLSEXT_ERR_NOACK;
    }

    /* OpenSSL copies the choice, which may point here, after the return. */
    if (SSL_select_next_proto((unsigned char **) (uintptr_t) out, out_len,
                              (const unsigned char *) list.data,
                              (unsigned) list.len, in, in_len)
        != OPENSSL_NPN_NEGOTIATED)
    {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }

    return SSL_TLSEXT_ERR_OK;
}


void
lun_ssl_use_callbacks(SSL_CTX *ctx)
{
    SSL_CTX_set_tlsext_servername_callback(ctx, on_name);
    SSL_CTX_set_alpn_select_cb(ctx, on_protocols, NULL);
    SSL_CTX_set_client_hello_cb(ctx, on_hello, NULL);
    SSL_CTX_sess_set_new_cb(ctx, on_new_session);
    SSL_CTX_sess_set_get_cb(ctx, on_get_session);
}


/* --- when it is done ----------------------------------------------------- */

lun_log
lun_ssl_log_of(lun_conn *c)
{
    lun_log                 log;
    const lun_engine       *e = lun_listen_of(c)->engine;
    const lun_log          *own;

    own = e->listening->error_log(lun_ssl_chosen_server(c));
    log = own != NULL ? *own : e->gen->log;
    log.conn = c->log.conn;
    return log;
}


static void
on_ocsp(lun_conn *c)
{
    lun_conn_set_idle(c, handshake_of(lun_tls_of(c))->was_idle);
    lun_tls_go_on(c);
}


/* Whether the client waits for what OCSP says of it. */
static bool
on_done(lun_conn *c)
{
    bool                 waits = false;
    handshake           *s = handshake_of(lun_tls_of(c));
    const lun_ssl_conf  *conf = lun_ssl_context_conf(c);

    if (conf->ocsp != LUN_OCSP_OFF) {
        s->ocsp = lun_ssl_ocsp_begin(c, conf, on_ocsp, &waits);
    }

    if (waits) {
        s->was_idle = c->idle;
        lun_conn_set_idle(c, false);
    }

    return waits;
}


const char *
lun_ssl_client_complaint(const lun_conn *c)
{
    return lun_ssl_ocsp_complaint(handshake_of(lun_tls_of(c))->ocsp);
}


/* --- for protocols -------------------------------------------------------- */

static bool
ready(const lun_server *server, bool *strict)
{
    const lun_ssl_conf  *conf = conf_of(server);

    *strict = conf->certificates == NULL && conf->reject_handshake;
    return conf->ctx != NULL;
}


static bool
ready_for_quic(const lun_server *server)
{
    return conf_of(server)->protocols & LUN_TLS_1_3;
}


static lun_rc
start(lun_conn *c, lun_server *server)
{
    const lun_ssl_conf  *conf = conf_of(server);

    if (lun_tls_start(c, conf->ctx, true) != LUN_OK) {
        return LUN_ERROR;
    }

    c->tls_counts_at = server->counts_at + server->tls_cell;
    SSL_set_ex_data(lun_tls_of(c), handshake_index(),
                    lun_pool_new(lun_conn_memory(c), handshake));
    lun_tls_set_record(c, conf->buffer_size);
    lun_tls_set_after(c, on_done);
    ask_for_certificate(lun_tls_of(c));
    return LUN_OK;
}


const lun_server_tls  lun_ssl_tls = {
    .ready  = ready,
    .ready_for_quic = ready_for_quic,
    .start  = start,
    .server = lun_ssl_named_server,
    .check  = lun_ssl_check_client,
    .answer = answer,
    .go_on  = go_on,
    .session_id = session_id,
    .resume = resume,
};
