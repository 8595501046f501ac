/*
 * proxy.c -- proxy_pass: what comes from the client goes to a server, and what
 * comes from there goes back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/stream/proxy/proxy_priv.h"


/* --- a session ----------------------------------------------------------- */

/* ", upstream: "127.0.0.1:80", bytes from/to client:1/2, ..." */
static char *
put_context(void *owner, char *p, const char *end)
{
    const lun_conn          *peer;
    const lun_stream_proxy  *x = owner;

    peer = x->dial.conn;

    if (x->balance.name.len != 0) {
        p = lun_fmt(p, end, ", upstream: \"%.*s\"", LUN_S(x->balance.name));
    }

    return lun_fmt(p, end, ", bytes from/to client:%" PRId64 "/%" PRId64
                   ", bytes from/to upstream:%" PRId64 "/%" PRId64,
                   x->s->conn->received, x->s->conn->sent,
                   peer != NULL ? peer->received : 0,
                   peer != NULL ? peer->sent : 0);
}


void
lun_stream_proxy_end(lun_stream_proxy *p, lun_verdict v, unsigned outcome)
{
    lun_stream_session  *s = p->s;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);

    if (p->ended) {
        return;
    }

    p->ended = true;
    lun_debug(p->s->log, "finalize stream proxy: %d",
              v >= LUN_STATUS ? (int) v - LUN_STATUS : 200);

    lun_stream_get(s);
    lun_stream_proxy_release(p, outcome);
    lun_stream_finish(s, v);
    lun_stream_put(s);
}


void
lun_stream_proxy_shut_down(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    lun_log(LUN_LOG_INFO, p->s->log, 0, "shutdown timeout");
    lun_stream_proxy_end(p, LUN_FINISHED, LUN_BALANCE_DONE);
}


static int64_t
most_tries(const lun_balance *b)
{
    return lun_container_of(b, const lun_stream_proxy, balance)
           ->conf->next_tries;
}


/* There is but one for both ways, once the server is connected. */
static void
set_timeouts(lun_balance *b, lun_msec connect, lun_msec send, lun_msec read)
{
    lun_msec                timeout = lun_max(send, read);
    lun_stream_proxy       *p = lun_container_of(b, lun_stream_proxy, balance);
    lun_stream_proxy_conf  *conf;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);

    conf = lun_pool_new(p->s->pool, lun_stream_proxy_conf);
    *conf = *p->conf;

    if (connect != 0) {
        conf->connect_timeout = connect;
    }

    if (timeout != 0) {
        conf->timeout = timeout;
    }

    p->conf = conf;
    p->s->conn->timeouts = conf;
}


static const lun_balance_user  balance_user = {
    .most_tries   = most_tries,
    .set_timeouts = set_timeouts,
};


static lun_verdict
on_content(lun_session *session)
{
    lun_stream_proxy  *p = lun_pool_new(session->pool, lun_stream_proxy);

    p->mark = LUN_MARK_PROXY;
    p->s = lun_stream_session_of(session);
    p->conf = lun_session_conf(session, &lun_stream_proxy_module);
    p->up.proxy = p->down.proxy = p;
    p->balance.user = &balance_user;
    lun_session_set_state(session, &lun_stream_proxy_module, p);

    p->s->context = put_context;
    p->s->context_owner = p;

    if (session->conn->datagram) {
        lun_stream_datagrams_wait(p);

    } else {
        lun_stream_relay_wait(p);
    }

    lun_stream_proxy_connect(p);

    return LUN_WAIT;
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str                 text = cf->args[1];
    lun_stream_server      *server = cf->block->owner;
    lun_stream_proxy_conf  *conf = data;

    lun_stream_set_content(cf, on_content);
    server->passes = (lun_stream_passes) {
        .upstream = &conf->upstream,
        .tls = &conf->tls,
        .speaks_tls = &conf->ssl,
        .buffer_size = &conf->buffer_size
    };

    if (lun_script_has_variables(text)) {
        conf->pass = lun_script_new(cf, text);
        return conf->pass != NULL ? LUN_OK : LUN_ERROR;
    }

    conf->upstream = lun_upstream_get(cf, text, 0);
    return conf->upstream != NULL ? LUN_OK : LUN_ERROR;
}


/* A text without variables must be a size. */
static lun_rc
set_rate(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t  n;

    if (!lun_script_has_variables(cf->args[1])
        && lun_str_to_size(cf->args[1], &n) != LUN_OK)
    {
        return lun_conf_bad_value(cf);
    }

    return lun_set_script(cf, d, conf);
}


static const lun_enum  proxied_words[] = {
    { "off", LUN_PROXIED_OFF },
    { "on", LUN_PROXIED_V1 },
    { "v1", LUN_PROXIED_V1 },
    { "v2", LUN_PROXIED_V2 },
    { NULL, 0 }
};

enum { LEVELS = LUN_STREAM_LEVELS };

#define F(field)  LUN_FIELD(lun_stream_proxy_conf, field)

static const lun_directive  directives[] = {
    { .name = "proxy_pass", .where = LUN_STREAM_SERVER, .args = 1,
      .set = set_pass,
      .values = "URL",
      .help = "the server that answers" },
    { .name = "proxy_bind", .where = LEVELS, .args = 1, .args_max = 2,
      .set = lun_set_upstream_bind, F(bind),
      .values = "address[:port] [transparent] | off",
      .help = "the address that connections to the server are made from" },
    { .name = "proxy_bind_dynamic", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(bind_dynamic), .fallback = "off",
      .help = "whether that is evaluated for each server that is tried" },
    { .name = "proxy_socket_keepalive", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(socket_keepalive), .fallback = "off",
      .help = "the system looks whether the server still lives" },
    { .name = "proxy_socket_rcvbuf", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(socket_rcvbuf), .fallback = "0",
      .help = "the system's buffer for what comes" },
    { .name = "proxy_socket_sndbuf", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(socket_sndbuf), .fallback = "0",
      .help = "the system's buffer for what is sent" },
    { .name = "proxy_connect_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(connect_timeout), .fallback = "60s",
      .help = "how long a connection to the server may take" },
    { .name = "proxy_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(timeout), .fallback = "10m",
      .help = "how long a session may be silent" },
    { .name = "proxy_buffer_size", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(buffer_asked), .fallback = "0",
      .help = "room for the header of the answer" },
    { .name = "proxy_downstream_buffer", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(buffer_asked),
      .help = "room for what comes from the client" },
    { .name = "proxy_upstream_buffer", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(buffer_asked),
      .help = "room for what comes from the server" },
    { .name = "proxy_upload_rate", .where = LEVELS, .args = 1,
      .set = set_rate, F(upload_rate),
      .values = "rate",
      .help = "bytes a second from the client; 0: no limit" },
    { .name = "proxy_download_rate", .where = LEVELS, .args = 1,
      .set = set_rate, F(download_rate),
      .values = "rate",
      .help = "bytes a second from the server; 0: no limit" },
    { .name = "proxy_next_upstream", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(next_upstream), .fallback = "on",
      .help = "after what the next server is tried" },
    { .name = "proxy_next_upstream_tries", .where = LEVELS, .args = 1,
      .set = lun_set_num, F(next_tries), .fallback = "0",
      .help = "how many servers may be tried; 0: all" },
    { .name = "proxy_next_upstream_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(next_timeout), .fallback = "0",
      .help = "how long servers may be tried; 0: no limit" },
    { .name = "proxy_protocol", .where = LEVELS, .args = 1,
      .set = lun_set_enum, F(proxy_protocol), .data = proxied_words,
      .fallback = "off",
      .help = "the server is told the client's address (PROXY protocol)" },
    { .name = "proxy_requests", .where = LEVELS, .args = 1,
      .set = lun_set_num, F(requests), .fallback = "0",
      .help = "datagrams after which a session begins anew" },
    { .name = "proxy_responses", .where = LEVELS, .args = 1,
      .set = lun_set_num, F(responses), .fallback = "2147483647",
      .help = "datagrams that the server answers with" },
    { .name = "proxy_half_close", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(half_close), .fallback = "off",
      .help = "one side may end while the other still sends" },
    { .name = "proxy_ssl", .where = LEVELS, .args = 1, .set = lun_set_flag,
      F(ssl), .fallback = "off",
      .help = "speaks TLS to the server" },
    LUN_UPSTREAM_TLS_ROWS("proxy_", LEVELS, lun_stream_proxy_conf, tls),
    { .name = "proxy_ssl_alpn", .where = LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_scripts,
      F(tls.alpn_names),
      .values = "protocol ...",
      .help = "protocols that the server is offered" },
    { 0 }
};


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    lun_stream_proxy_conf  *conf = data;

    conf->buffer_size = conf->buffer_asked != 0 ? conf->buffer_asked
                                                : LUN_STREAM_BUFFER;

    if (conf->upstream == NULL && conf->pass == NULL) {
        return LUN_OK;
    }

    return conf->ssl ? lun_upstream_tls_finish_conf(cf, "proxy_", &conf->tls)
           : lun_upstream_tls_not_asked(cf, "proxy_ssl directive");
}


static const lun_variable  variables[] = {
    LUN_TRY_VARIABLE("upstream_first_byte_time", LUN_TRY_HEADER_TIME,
                     "seconds until a server's first byte, for each"),
    LUN_TRY_VARIABLE("upstream_session_time", LUN_TRY_RESPONSE_TIME,
                     "seconds that a server was connected, for each"),
    { .name = LUN_STR_NULL }
};

lun_module  lun_stream_proxy_module = {
    .name = "stream_proxy",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_stream_proxy_conf),
    .inherited = inherited,
    .variables = variables,
};
