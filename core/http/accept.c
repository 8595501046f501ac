/*
 * accept.c -- a new connection, up to the first byte of its conversation.
 *
 *     greeting > handshake > HTTP/1
 *
 * A listener for TLS looks at the first byte: a client that speaks plain HTTP
 * gets an answer that says so.  What is spoken after the handshake is a row of
 * `protocols`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept.h"

#include <openssl/ssl.h>

#include "http/conf/core_conf.h"
#include "http/h1/h1.h"
#include "http/h2/h2.h"
#include "http/subrequest.h"
#include "http/upstream/upreq.h"
#include "net/tls/tls.h"


enum { TLS_HANDSHAKE = 0x16, SSL2_HELLO = 0x80, ALPN = 64 };

typedef struct {
    lun_str   name;                /* ALPN's */
    void    (*begin)(lun_conn *c);
} protocol;

/* The best first; the last is for those who do not say. */
static const protocol  protocols[] = {
    { LUN_STR_INIT("h2"), lun_h2_begin },
    { LUN_STR_INIT("http/1.1"), lun_h1_start },
    { LUN_STR_INIT("http/1.0"), lun_h1_start },
    { LUN_STR_INIT("http/0.9"), lun_h1_start }
};


lun_str
lun_http_alpn(const lun_listen_addr *listen)
{
    size_t        i;
    char         *p;
    static char   list[ALPN];

    p = list;

    for (i = 0; i < LUN_ARRAY_LEN(protocols); i++) {
        if (protocols[i].begin == lun_h2_begin && !lun_h2_enabled(listen)) {
            continue;
        }

        *p++ = (char) protocols[i].name.len;
        p = lun_copy_str(p, protocols[i].name);
    }

    return lun_str_of(list, (size_t) (p - list));
}


void
lun_http_place(lun_request *r, const lun_listen_addr *listen)
{
    lun_server  *server = NULL;

    if (r->conn->io != NULL) {
        r->scheme = LUN_STR("https");
    }

    if (listen->ssl && r->conn->io != NULL) {
        server = listen->engine->tls->server(r->conn);
    }

    if (server == NULL) {
        server = lun_server_map_default(listen->servers);
    }

    r->server = server;
    r->location = lun_http_server_of(server)->self;
    r->conf = server->conf;
    lun_http_use_log(r);
}


/* There is no request yet: one that is of its server, and nothing else. */
lun_session *
lun_http_handshake_session(lun_conn *c)
{
    lun_request            *r;
    const lun_listen_addr  *listen = lun_listen_of(c);

    r = lun_request_new(lun_http_engine_at(listen), c, &lun_h1_protocol);
    lun_http_place(r, listen);
    return &r->session;
}


void
lun_http_end_handshake_session(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    lun_conn     *c = r->conn;
    const char   *doing = c->log.doing;

    r->logged = 1;
    lun_request_free(r);
    c->log.doing = doing;
}


/* --- the log ------------------------------------------------------------- */

static char *
put_ends(char *p, const char *end, const lun_addr *peer, lun_str server)
{
    char  room[LUN_ADDR_TEXT];

    return lun_fmt(p, end, ", client: %.*s, server: %.*s",
                   LUN_S(lun_addr_format(peer, false, room, sizeof(room))),
                   LUN_S(server));
}


static char *
put_header(char *p, const char *end, const lun_request *r, lun_hin which,
    const char *label)
{
    const lun_header  *h = r->in.known[which];

    return h == NULL ? p : lun_fmt(p, end, ", %s: \"%.*s\"", label,
                                   LUN_S(h->value));
}


/* ", client: 127.0.0.1, server: 0.0.0.0:80" */
char *
lun_http_context(void *owner, char *p, const char *end)
{
    const lun_conn  *c = owner;

    return put_ends(p, end, &c->remote, c->listener->text);
}


/* ", client: 127.0.0.1, server: localhost, request: "GET / HTTP/1.1" ..." */
char *
lun_request_context(void *owner, char *p, const char *end)
{
    const lun_request  *r = owner, *speaker = lun_subrequest_speaker(r);

    p = put_ends(p, end, r->remote, r->server->name);

    if (r->line.len != 0) {
        p = lun_fmt(p, end, ", request: \"%.*s\"", LUN_S(r->line));
    }

    if (speaker != r) {
        p = lun_fmt(p, end, ", subrequest: \"%.*s\"", LUN_S(speaker->uri));
    }

    p = lun_upreq_log(speaker, p, end);
    p = put_header(p, end, r, LUN_HIN_HOST, "host");
    return put_header(p, end, r, LUN_HIN_REFERER, "referrer");
}


/* --- TLS ----------------------------------------------------------------- */

/* Both sides agree on what is spoken from here on. */
static void
handshake_done(lun_conn *c)
{
    size_t                i;
    lun_str               chosen;
    unsigned              len = 0;
    const unsigned char  *name = NULL;

    SSL_get0_alpn_selected(lun_tls_of(c), &name, &len);
    chosen = lun_str_of((const char *) name, len);

    for (i = 0; i < LUN_ARRAY_LEN(protocols) - 1; i++) {
        if (lun_str_eq(protocols[i].name, chosen)) {
            break;
        }
    }

    protocols[i].begin(c);
}


/* The room of TLS has said why. */
static const lun_conn_state  handshaking = {
    .name       = "accept handshaking",
    .doing      = "SSL handshaking",
    .on_written = handshake_done,
    .on_timeout = lun_h1_give_up,
    .on_gone    = lun_conn_close,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


static void
look_at_first(lun_conn *c)
{
    lun_server             *server;
    unsigned char           first = (unsigned char) *c->in.pos;
    const lun_listen_addr  *listen = lun_listen_of(c);

    if (first != TLS_HANDSHAKE && !(first & SSL2_HELLO)) {
        lun_debug(&c->log, "plain http");
        lun_h1_start(c);
        return;
    }

    server = lun_server_map_default(listen->servers);
    lun_conn_enter(c, &handshaking);

    if (listen->engine->tls->start(c, server) != LUN_OK) {
        lun_conn_close(c);
        return;
    }

    lun_tls_handshake(c);
}


static const lun_conn_state  greeting = {
    .name       = "accept greeting",
    .doing      = "SSL handshaking",
    .on_read    = look_at_first,
    .on_timeout = lun_h1_give_up,
    .on_gone    = lun_h1_gone_before,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


unsigned
lun_http_check_tls(lun_request *r)
{
    if (r->conn->io == NULL) {
        lun_log(LUN_LOG_INFO, r->log, 0,
                "client sent plain HTTP request to HTTPS port");
        return 497;
    }

    switch (r->engine->tls->check(&r->session)) {

    case LUN_CLIENT_ELSEWHERE:
        return 421;

    case LUN_CLIENT_UNTRUSTED:
        return 495;

    case LUN_CLIENT_UNKNOWN:
        return 496;

    case LUN_CLIENT_WELCOME:
        break;
    }

    return 0;
}


/* --- the beginning ------------------------------------------------------- */

static const lun_core_conf *
default_conf(const lun_listen_addr *listen)
{
    const lun_server  *server = lun_server_map_default(listen->servers);

    return server->conf[lun_http_core.index];
}


void
lun_http_start(lun_conn *c)
{
    if (!lun_listen_of(c)->ssl) {
        lun_h1_start(c);
        return;
    }

    lun_conn_enter(c, &greeting);

    if (c->in.pos < c->in.last) {
        look_at_first(c);

    } else {
        lun_conn_want(c);
    }
}


static const lun_log *
log_of(const lun_listen_addr *listen, const lun_core_conf *conf)
{
    return conf->error_log != NULL ? conf->error_log
                                   : &listen->engine->gen->log;
}


static void
begin(lun_conn *c, const lun_core_conf *conf)
{
    c->timeouts = conf;
    c->log.context = lun_h1_context;
    c->log.owner = c;

    lun_conn_set_idle(c, true);

    if (lun_listen_of(c)->proxy_protocol) {
        lun_h1_read_proxied(c);

    } else {
        lun_http_start(c);
    }
}


void
lun_http_accept(lun_listener *l, lun_fd fd, const lun_addr *peer)
{
    lun_conn               *c;
    const lun_core_conf    *conf;
    const lun_listen_addr  *listen = l->data;

    conf = default_conf(listen);
    c = lun_conn_new(fd, conf->client_header_buffer_size,
                     log_of(listen, conf));
    if (c == NULL) {
        return;                    /* logged */
    }

    c->listener = l;
    c->remote = *peer;
    begin(c, conf);
}


void
lun_http_adopt(lun_listener *l, lun_conn *c)
{
    const lun_core_conf    *conf;
    const lun_listen_addr  *listen = l->data;

    conf = default_conf(listen);
    c->log.level = log_of(listen, conf)->level;
    c->log.targets = log_of(listen, conf)->targets;
    c->listener = l;

    if ((size_t) (c->in.end - c->in.pos) < conf->client_header_buffer_size) {
        lun_conn_grow(c, conf->client_header_buffer_size
                         + (size_t) (c->in.last - c->in.pos));
    }

    begin(c, conf);
}
