/*
 * proxy_connect.c -- a server is found and connected to; it fails, and the
 * next one is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/stream/proxy/proxy_priv.h"

#include "format/proxy_protocol.h"
#include "net/conn_sock.h"
#include "session/upstream/upstream_metrics.h"


enum { SMALL = 256 };              /* input of a connection that gets ours */


/* --- giving it back ------------------------------------------------------ */

/* Nothing of it is in flight any more: the session's memory may go. */
static void
on_free(lun_conn *c)
{
    lun_stream_put(c->data);
}


static void
stop_clock(lun_stream_proxy *p)
{
    lun_upstream_try  *t = p->try;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);

    if (t == NULL) {
        return;
    }

    if (p->peer != NULL) {
        t->sent = p->peer->sent;
        t->received = p->peer->received;
    }

    if (t->response_time < 0) {
        t->response_time = (int64_t) (lun_clock.mono - t->started);
        lun_upstream_count_try(&p->balance, t);
    }
}


void
lun_stream_proxy_release(lun_stream_proxy *p, unsigned outcome)
{
    lun_conn  *c = p->peer;

    stop_clock(p);
    lun_timer_stop(&p->up.delay);
    lun_timer_stop(&p->down.delay);

    if (p->balance.addr != NULL) {
        p->balance.addr = NULL;
        p->balance.put(&p->s->session, &p->balance, outcome);
    }

    if (c != NULL) {
        p->peer = NULL;
        p->up.to = NULL;
        lun_conn_close(c);
    }
}


/* --- the next one -------------------------------------------------------- */

static void  connect_next(lun_stream_proxy *p);


static bool
may_try(const lun_stream_proxy *p)
{
    const lun_stream_proxy_conf  *conf = p->conf;

    return conf->next_upstream && p->balance.tries != 0
           && (conf->next_timeout == 0
               || lun_clock.mono - p->started < conf->next_timeout);
}


void
lun_stream_proxy_next(lun_stream_proxy *p)
{
    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(!p->connected || p->s->conn->datagram);

    lun_debug(p->s->log, "stream proxy next upstream");
    lun_stream_proxy_release(p, LUN_BALANCE_FAILED);

    if (may_try(p)) {
        connect_next(p);

    } else {
        lun_stream_proxy_end(p, LUN_STATUS + 502, LUN_BALANCE_FAILED);
    }
}


/* --- connecting ---------------------------------------------------------- */

/* The line says it all: no context is behind it, as in nginx. */
static void
say_connected(const lun_stream_proxy *p)
{
    char      room[LUN_ADDR_TEXT];
    lun_log   log = *p->s->log;

    log.doing = NULL;
    log.context = NULL;

    if (lun_log_wants(p->s->log, LUN_LOG_INFO)
        && lun_conn_local(p->peer)->family != LUN_AF_NONE)
    {
        lun_log(LUN_LOG_INFO, &log, 0, "%sproxy %.*s connected to %.*s",
                p->peer->datagram ? "udp " : "",
                LUN_S(lun_addr_format(lun_conn_local(p->peer), true, room,
                                      sizeof(room))),
                LUN_S(p->balance.name));
    }
}


/* What the server is told of the client, in front of everything. */
static void
make_header(lun_stream_proxy *p)
{
    char     *room;
    unsigned  version = (unsigned) p->conf->proxy_protocol;

    if (version == LUN_PROXIED_OFF) {
        return;
    }

    room = lun_pool_text(p->s->pool, LUN_PROXY_PROTOCOL_ROOM);
    p->header.data = room;
    p->header.len = lun_proxy_protocol_write(room, version, p->s->remote,
                                             lun_conn_local(p->s->conn));
}


void
lun_stream_proxy_connected(lun_stream_proxy *p)
{
    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(p->peer != NULL && p->try != NULL);

    p->try->connect_time = (int64_t) (lun_clock.mono - p->try->started);
    p->connected = true;

    if (p->balance.connected != NULL && !p->peer->datagram) {
        p->balance.connected(&p->s->session, &p->balance);
    }

    p->s->log->doing = "proxying connection";
    say_connected(p);

    if (p->peer->datagram) {
        lun_stream_datagrams_start(p);

    } else {
        lun_stream_relay_start(p);
    }
}


static void
on_connected(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    LUN_CHECK(p->peer == c);

    make_header(p);

    if (p->conf->ssl && !c->datagram) {
        lun_stream_proxy_handshake(p);

    } else {
        lun_stream_proxy_connected(p);
    }
}


void
lun_stream_proxy_timed_out(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    LUN_CHECK(p->peer == c);

    p->s->log->doing = c->state->doing;
    lun_log(LUN_LOG_ERR, p->s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "upstream timed out");
    lun_stream_proxy_next(p);
}


static void
on_refused(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    LUN_CHECK(p->peer == c);

    p->s->log->doing = c->state->doing;
    lun_upstream_say_refused(&p->s->session, &p->balance, c->err);
    lun_stream_proxy_next(p);
}


static const lun_conn_state  connecting = {
    .name       = "upstream connecting",
    .doing      = "connecting to upstream",
    .on_written = on_connected,
    .on_timeout = lun_stream_proxy_timed_out,
    .on_gone    = on_refused,
    .timeout    = LUN_TIMEOUT(lun_stream_proxy_conf, connect_timeout),
};



static void
set_options(const lun_stream_proxy *p, lun_conn *c)
{
    const lun_stream_proxy_conf  *conf = p->conf;

    if (conf->socket_keepalive) {
        (void) lun_conn_option(c, LUN_SOCK_KEEPALIVE, true);
    }

    if (conf->socket_rcvbuf != 0) {
        (void) lun_conn_option(c, LUN_SOCK_RCVBUF,
                               (int) conf->socket_rcvbuf);
    }

    if (conf->socket_sndbuf != 0) {
        (void) lun_conn_option(c, LUN_SOCK_SNDBUF,
                               (int) conf->socket_sndbuf);
    }

    /* Else proxy_relay.c asks for it, as soon as it makes a difference. */
    if (conf->ssl && !c->datagram && p->balance.addr->family != LUN_AF_UNIX
        && lun_stream_core_of(p->s)->tcp_nodelay)
    {
        lun_conn_nodelay(c);
    }
}


static lun_conn *
make_conn(lun_stream_proxy *p)
{
    lun_err      err;
    lun_loop    *loop = p->s->conn->loop;
    lun_conn    *c;
    lun_family   family = p->balance.addr->family;

    LUN_CHECK(p->balance.addr != NULL);

    c = p->s->conn->datagram
        ? lun_conn_new_out_datagram(loop, family, p->conf->buffer_size,
                                    p->s->log, &err)
        : lun_conn_new_out(loop, family, SMALL, p->s->log, &err);

    if (c == NULL) {
        lun_log(LUN_LOG_ALERT, p->s->log, err, "socket() failed");
        return NULL;
    }

    if (lun_upstream_bind_local(&p->s->session, &p->balance, p->conf->bind,
                                p->conf->bind_dynamic, c) != LUN_OK)
    {
        lun_conn_close(c);
        return NULL;
    }

    set_options(p, c);
    return c;
}


static void
begin_try(lun_stream_proxy *p)
{
    lun_upstream_try   *t = lun_pool_new(p->s->pool, lun_upstream_try);
    lun_upstream_try  **at = &p->s->tries;

    while (*at != NULL) {
        at = &(*at)->next;
    }

    t->connect_time = t->header_time = t->response_time = -1;
    t->started = lun_clock.mono;
    *at = t;
    p->try = t;
}


static void
connect_next(lun_stream_proxy *p)
{
    int        status;
    lun_conn  *c;

    LUN_CHECK(p->peer == NULL && !p->ended);

    begin_try(p);
    p->s->log->doing = connecting.doing;

    switch (p->balance.get(&p->s->session, &p->balance)) {

    case LUN_BALANCE_NONE:
        p->try->addr = p->balance.name;
        p->balance.addr = NULL;
        lun_log(LUN_LOG_ERR, p->s->log, 0, "no live upstreams");
        lun_stream_proxy_end(p, LUN_STATUS + 502, LUN_BALANCE_FAILED);
        return;

    case LUN_BALANCE_ERROR:
        p->balance.addr = NULL;
        status = p->balance.status != 0 ? (int) p->balance.status : 500;
        lun_debug(p->s->log, "proxy connect: %d", status);
        lun_stream_proxy_end(p, LUN_STATUS + status, LUN_BALANCE_FAILED);
        return;

    default:
        break;
    }

    p->try->addr = p->balance.name;
    c = make_conn(p);

    if (c == NULL) {
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_FAILED);
        return;
    }

    p->peer = c;
    c->data = p->s;
    c->on_free = on_free;
    c->timeouts = p->conf;
    c->log = *p->s->log;
    lun_stream_get(p->s);

    lun_conn_enter(c, &connecting);
    lun_conn_connect(c, p->balance.addr);
}


/* --- where to ------------------------------------------------------------ */

static void
begin_with(lun_stream_proxy *p, lun_rc rc)
{
    const lun_stream_proxy_conf  *conf = p->conf;

    LUN_CHECK(p->try == NULL);

    if (rc != LUN_OK) {
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_DONE);
        return;
    }

    if (conf->next_tries != 0 && (int64_t) p->balance.tries > conf->next_tries)
    {
        p->balance.tries = (unsigned) conf->next_tries;
    }

    p->started = lun_clock.mono;
    connect_next(p);
}


static void
begin_upstream(lun_stream_proxy *p, lun_upstream *u)
{
    p->host = u->name;
    begin_with(p, lun_balance_begin(&p->s->session, u, &p->balance));
}


static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_stream_proxy  *p = data;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(!p->ended);

    p->query = NULL;

    if (verdict != LUN_RESOLVED || count == 0) {
        lun_log(LUN_LOG_ERR, p->s->log, 0, "%.*s could not be resolved "
                "(%d: %s)", LUN_S(p->host), (int) verdict,
                lun_resolve_text(verdict));
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_DONE);
        return;
    }

    begin_with(p, lun_balance_addrs(&p->s->session, p->host, addrs, count,
                                    &p->balance));
}


/* What an address with variables means this time. */
static void
find_servers(lun_stream_proxy *p, lun_str text)
{
    const char                  *why;
    lun_upstream                *u;
    lun_upstream_place           place;
    lun_resolve_request         *query;
    const lun_stream_core_conf  *core = lun_stream_core_of(p->s);

    LUN_CHECK(p->query == NULL);

    u = lun_upstream_find(&p->s->session, text);

    if (u != NULL) {
        begin_upstream(p, u);
        return;
    }

    why = lun_upstream_parse(p->s->pool, text, 0, &place);

    if (why == NULL && place.port == 0
        && !(place.numeric && place.addr.family == LUN_AF_UNIX))
    {
        why = "no port";
    }

    if (why != NULL) {
        lun_log(LUN_LOG_ERR, p->s->log, 0, "%s in upstream \"%.*s\"", why,
                LUN_S(text));
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_DONE);
        return;
    }

    p->host = place.host;

    if (place.numeric) {
        begin_with(p, lun_balance_addrs(&p->s->session, p->host, &place.addr,
                                        1, &p->balance));
        return;
    }

    if (core->resolver == NULL) {
        lun_log(LUN_LOG_ERR, p->s->log, 0, "no resolver defined to resolve "
                "%.*s", LUN_S(place.host));
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_DONE);
        return;
    }

    /* NULL: the answer has come before the call returned. */
    query = lun_resolve(lun_name_servers_resolver(p->s->session.engine,
                                                  core->resolver),
                        place.host, place.port, on_resolved, p);

    if (query != NULL) {
        p->query = query;
        lun_resolve_limit(query, core->resolver_timeout);
    }
}


void
lun_stream_proxy_connect(lun_stream_proxy *p)
{
    lun_upstream  *u = p->conf->upstream;

    if (u != NULL) {
        begin_upstream(p, u);

    } else {
        find_servers(p, lun_script_run(&p->s->session, p->conf->pass));
    }
}
