/*
 * place.c -- the server of a new request, as far as its connection tells.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/place.h"

#include "base/check.h"
#include "http/accept/protocols.h"
#include "http/conf/core_conf.h"
#include "net/conn_io.h"
#include "net/tls/tls.h"


/* Methods that a request may have which comes twice: RFC 9110, 9.2.1. */
enum {
    SAFE = LUN_GET | LUN_HEAD | LUN_OPTIONS | LUN_PROPFIND | LUN_TRACE
};


lun_server *
lun_http_server_at(lun_conn *c, const lun_listen_addr *listen)
{
    lun_server  *server = NULL;

    if (listen->ssl && lun_conn_is_secure(c)) {
        server = listen->engine->tls->server(c);
    }

    return server != NULL ? server : lun_server_map_default(listen->servers);
}


void
lun_http_place(lun_request *r, const lun_listen_addr *listen)
{
    lun_server  *server = lun_http_server_at(r->conn, listen);

    if (lun_conn_is_secure(r->conn)) {
        r->scheme = LUN_STR("https");
    }

    r->server = server;
    r->location = lun_http_server_of(server)->self;
    r->conf = server->conf;
    lun_http_use_log(r);
}


/*
 * Who has recorded it may say it again, to another server (RFC 8470): what
 * changes nothing is served, and whoever it is passed on to is told.
 */
static LUN_NOINLINE unsigned
look_at_early(lun_request *r)
{
    if ((r->method & SAFE) == 0) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client sent %.*s in early data",
                LUN_S(r->method_name));
        return 425;
    }

    lun_http_set_in(r, LUN_STR("Early-Data"), LUN_STR("1"), true);
    return 0;
}


static unsigned
look_at_tls(lun_request *r)
{
    if (!lun_conn_is_secure(r->conn)) {
        lun_log(LUN_LOG_INFO, r->log, 0,
                "client sent plain HTTP request to HTTPS port");
        return 497;
    }

    switch (r->engine->tls->check(&r->session)) {

    case LUN_CLIENT_ELSEWHERE:
        lun_http_place(r, lun_listen_of(r->conn));  /* nothing of the other */
        return 421;

    case LUN_CLIENT_UNTRUSTED:
        return 495;

    case LUN_CLIENT_UNKNOWN:
        return 496;

    case LUN_CLIENT_WELCOME:
        break;
    }

    return LUN_UNLIKELY(lun_tls_is_early(r->conn)) ? look_at_early(r) : 0;
}


/* For the log it is a part of the header's reading. */
unsigned
lun_http_check_tls(lun_request *r)
{
    unsigned     status;
    const char  *doing = r->log->doing;

    r->log->doing = "reading client request headers";
    status = look_at_tls(r);
    r->log->doing = doing;

    return status;
}


/* In nginx's words, which people search for. */
void
lun_http_tell_header(const lun_request *r)
{
    lun_debug(r->log, "http request line: \"%.*s\"", LUN_S(r->line));
    lun_debug(r->log, "http uri: \"%.*s\"", LUN_S(r->uri));
    lun_debug(r->log, "http args: \"%.*s\"", LUN_S(r->args));

    lun_header_each(&r->in.list, h) {
        lun_debug(r->log, "http header: \"%.*s: %.*s\"", LUN_S(h->name),
                  LUN_S(h->value));
    }

    lun_debug(r->log, "http header done");
}


/* --- requests that are never made ---------------------------------------- */

/* There is no request yet: one that is of its server, and nothing else. */
lun_session *
lun_http_handshake_session(lun_conn *c)
{
    lun_request            *r;
    const lun_listen_addr  *listen = lun_listen_of(c);

    r = lun_request_new(lun_http_engine_at(listen), c,
                        lun_http_default_protocol());
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
