/*
 * accept.c -- a new connection, up to the first byte of its conversation.
 *
 *     (PROXY header) > greeting > handshake > a protocol (protocols.c)
 *
 * A listener for TLS looks at the first byte: a client that speaks plain HTTP
 * gets an answer that says so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/accept.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/accept/protocols.h"
#include "http/conf/core_conf.h"
#include "net/conn_sock.h"
#include "net/tls/tls.h"
#include "session/proxied.h"


enum {
    TLS_HANDSHAKE = 0x16,
    SSL2_HELLO    = 0x80,
    GRACE         = 500,           /* ms that are left to one that was served */
    FIRST_GRACE   = 5000           /* ... and to one that was not */
};


/* --- nobody has asked for anything --------------------------------------- */

void
lun_http_give_up(lun_conn *c)
{
    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    c->err = lun_err_of_kind(LUN_ERR_TIMEOUT);
    lun_log(LUN_LOG_INFO, &c->log, c->err, "client timed out");
    lun_conn_close(c);
}


void
lun_http_gone_before(lun_conn *c)
{
    lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0,
            c->gone ? "recv() failed" : "client closed connection");
    lun_conn_close(c);
}


void
lun_http_drain_idle(lun_conn *c)
{
    const lun_core_conf  *conf = c->timeouts;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    if (lun_conn_waited(c) >= conf->keepalive_least) {
        lun_conn_close(c);
    }
}


void
lun_http_close_idle(lun_conn *c)
{
    lun_msec              least, waited;
    const lun_core_conf  *conf = c->timeouts;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    if (!c->idle) {
        return;
    }

    waited = lun_conn_waited(c);

    /* Its client may just now be sending what it has connected for. */
    if (c->requests == 0) {
        least = conf->client_header_timeout;
        lun_conn_limit(c, lun_min(least - lun_min(waited, least),
                                  (lun_msec) FIRST_GRACE));
        return;
    }

    least = conf->keepalive_least;

    if (waited < least) {
        lun_conn_limit(c, lun_max(least - waited, (lun_msec) GRACE));
        return;
    }

    if (lun_conn_waited(c) < GRACE || lun_conn_peek(c) == 0) {
        lun_conn_limit(c, GRACE);
        return;
    }

    lun_conn_close(c);
}


/* --- TLS ----------------------------------------------------------------- */

/* The room of TLS has said why. */
static const lun_conn_state  handshaking = {
    .name       = "accept handshaking",
    .doing      = "SSL handshaking",
    .on_written = lun_http_begin_agreed,
    .on_timeout = lun_http_give_up,
    .on_gone    = lun_conn_close,
    .on_quit    = lun_http_close_idle,
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
        lun_http_default_protocol()->begin(c);
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
    .on_timeout = lun_http_give_up,
    .on_gone    = lun_http_gone_before,
    .on_quit    = lun_http_close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


void
lun_http_start(lun_conn *c)
{
    if (!lun_listen_of(c)->ssl) {
        lun_http_begin_plain(c);
        return;
    }

    lun_conn_enter(c, &greeting);

    if (c->in.pos < c->in.last) {
        look_at_first(c);

    } else {
        lun_conn_want(c);
    }
}


/* --- what a proxy says first --------------------------------------------- */

static void
read_proxied(lun_conn *c)
{
    switch (lun_proxied_read(c)) {

    case LUN_AGAIN:
        lun_conn_want(c);
        return;

    case LUN_ERROR:
        lun_conn_close(c);
        return;

    case LUN_OK:
        lun_http_start(c);
        return;
    }
}


static const lun_conn_state  reading_proxied = {
    .name       = "accept PROXY header",
    .doing      = "reading PROXY protocol",
    .on_read    = read_proxied,
    .on_timeout = lun_http_give_up,
    .on_gone    = lun_http_gone_before,
    .on_quit    = lun_http_close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


/* --- the beginning ------------------------------------------------------- */

static const lun_core_conf *
default_conf(const lun_listen_addr *listen)
{
    const lun_server  *server = lun_server_map_default(listen->servers);

    return server->conf[lun_http_core.index];
}


static const lun_log *
log_of(const lun_listen_addr *listen, const lun_core_conf *conf)
{
    return conf->error_log != NULL ? conf->error_log
                                   : &listen->engine->gen->log;
}


static void
begin_conn(lun_conn *c, const lun_core_conf *conf)
{
    c->timeouts = conf;
    c->log.context = lun_http_context;
    c->log.owner = c;

    lun_conn_set_idle(c, true);

    if (lun_listen_of(c)->proxy_protocol) {
        lun_conn_enter(c, &reading_proxied);
        lun_conn_want(c);

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
    c = lun_conn_accept(l, fd, peer, conf->client_header_buffer_size,
                        log_of(listen, conf));
    if (c != NULL) {               /* else it is logged */
        begin_conn(c, conf);
    }
}


void
lun_http_adopt(lun_listener *l, lun_conn *c)
{
    const lun_core_conf    *conf;
    const lun_listen_addr  *listen = l->data;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(!lun_conn_reading(c));

    conf = default_conf(listen);
    lun_log_redirect(&c->log, log_of(listen, conf));
    c->listener = l;

    if ((size_t) (c->in.end - c->in.pos) < conf->client_header_buffer_size) {
        lun_conn_grow(c, conf->client_header_buffer_size
                         + (size_t) (c->in.last - c->in.pos));
    }

    begin_conn(c, conf);
}
