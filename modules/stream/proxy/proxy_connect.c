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

    if (p->dial.conn != NULL) {
        t->sent = p->dial.conn->sent;
        t->received = p->dial.conn->received;
    }

    if (t->response_time < 0) {
        t->response_time = (int64_t) (lun_clock.mono - t->started);
        lun_upstream_count_try(&p->balance, t);
    }
}


void
lun_stream_proxy_release(lun_stream_proxy *p, unsigned outcome)
{
    stop_clock(p);
    lun_timer_stop(&p->up.delay);
    lun_timer_stop(&p->down.delay);

    if (p->balance.addr != NULL) {
        p->balance.addr = NULL;
        p->balance.put(&p->s->session, &p->balance, outcome);
    }

    p->up.to = NULL;
    lun_dial_drop(&p->dial);
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
        && lun_conn_local(p->dial.conn)->family != LUN_AF_NONE)
    {
        lun_log(LUN_LOG_INFO, &log, 0, "%sproxy %.*s connected to %.*s",
                p->dial.conn->datagram ? "udp " : "",
                LUN_S(lun_addr_format(lun_conn_local(p->dial.conn), true, room,
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

    p->dial.header.len = 0;

    if (version == LUN_PROXIED_OFF) {
        return;
    }

    room = lun_pool_text(p->s->pool, LUN_PROXY_PROTOCOL_ROOM);
    p->dial.header.data = room;
    p->dial.header.len = lun_proxy_protocol_write(room, version, p->s->remote,
                             lun_conn_local(p->s->conn));
}


/* The connection stands, with TLS if that is wanted: bytes may pass. */
static void
on_up(lun_dial *d)
{
    lun_stream_proxy  *p = lun_container_of(d, lun_stream_proxy, dial);

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(p->dial.conn != NULL && p->try != NULL);

    p->try->connect_time = (int64_t) (lun_clock.mono - p->try->started);
    p->connected = true;

    if (p->balance.connected != NULL && !p->dial.conn->datagram) {
        p->balance.connected(&p->s->session, &p->balance);
    }

    p->s->log->doing = "proxying connection";
    say_connected(p);

    if (p->dial.conn->datagram) {
        lun_stream_datagrams_start(p);

    } else {
        lun_stream_relay_start(p);
    }
}


/* Another server may do better, where it is not we who failed. */
static void
on_failed(lun_dial *d, lun_dial_why why)
{
    lun_log           *log;
    lun_stream_proxy  *p = lun_container_of(d, lun_stream_proxy, dial);

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(!p->ended);

    log = p->s->log;

    switch (why) {

    case LUN_DIAL_UNRESOLVED:
        lun_log(LUN_LOG_ERR, log, 0, "%.*s could not be resolved (%d: %s)",
                LUN_S(p->host), (int) d->verdict, lun_resolve_text(d->verdict));
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_DONE);
        return;

    case LUN_DIAL_NO_SOCKET:
        lun_log(LUN_LOG_ALERT, log, d->err, "socket() failed");
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_FAILED);
        return;

    case LUN_DIAL_UNPREPARED:
    case LUN_DIAL_NO_HANDSHAKE:
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_FAILED);
        return;

    case LUN_DIAL_LOST:
        log->doing = d->conn->state->doing;

        if (d->stage == LUN_DIAL_HEADER) {
            lun_log(LUN_LOG_ERR, log, d->conn->err, "send() failed");

        } else {
            lun_upstream_say_refused(&p->s->session, &p->balance,
                                     d->conn->err);
        }

        break;

    case LUN_DIAL_TIMED_OUT:
        /* nginx's stream proxy does not speak of a handshake's. */
        if (d->stage != LUN_DIAL_HANDSHAKE) {
            log->doing = d->conn->state->doing;
            lun_log(LUN_LOG_ERR, log, lun_err_of_kind(LUN_ERR_TIMEOUT),
                    "upstream timed out");
        }

        break;

    default:                       /* TLS's, which has said why */
        break;
    }

    lun_stream_proxy_next(p);
}


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


static lun_rc
prepare(lun_dial *d, lun_conn *c, const lun_addr *addr)
{
    lun_stream_proxy  *p = lun_container_of(d, lun_stream_proxy, dial);

    if (lun_upstream_bind_local(&p->s->session, &p->balance, p->conf->bind,
                                p->conf->bind_dynamic, c) != LUN_OK)
    {
        return LUN_ERROR;
    }

    set_options(p, c);
    make_header(p);
    c->log = *p->s->log;
    lun_stream_get(p->s);          /* until it is free */
    return LUN_OK;
}


/* --- TLS ----------------------------------------------------------------- */

static lun_str
name_of(lun_stream_proxy *p)
{
    return lun_upstream_tls_name(&p->s->session, &p->conf->tls, p->host);
}


static lun_rc
secure(lun_dial *d, lun_conn *c)
{
    lun_stream_proxy  *p = lun_container_of(d, lun_stream_proxy, dial);

    p->s->log->doing = c->state->doing;
    return lun_upstream_tls_start(&p->s->session, c, &p->conf->tls, name_of(p),
                                  p->balance.name);
}


static bool
trusts(lun_dial *d, lun_conn *c)
{
    lun_stream_proxy  *p = lun_container_of(d, lun_stream_proxy, dial);

    p->s->log->doing = c->state->doing;
    return lun_upstream_tls_is_trusted(&p->s->session, c, &p->conf->tls,
                                       name_of(p));
}


/* --- the stages ---------------------------------------------------------- */

static void  on_found(lun_dial *d, const lun_addr *addrs, size_t count);

static const lun_conn_state  connecting = {
    .name    = "upstream connecting",
    .doing   = "connecting to upstream",
    LUN_DIAL_CONNECTING,
    .timeout = LUN_TIMEOUT(lun_stream_proxy_conf, connect_timeout),
};

static const lun_conn_state  sending_header = {
    .name    = "upstream PROXY header",
    .doing   = "sending PROXY protocol header to upstream",
    LUN_DIAL_SENDING_HEADER,
    .timeout = LUN_TIMEOUT(lun_stream_proxy_conf, connect_timeout),
};

static const lun_conn_state  handshaking = {
    .name    = "upstream handshaking",
    .doing   = "SSL handshaking to upstream",
    LUN_DIAL_HANDSHAKING,
    .timeout = LUN_TIMEOUT(lun_stream_proxy_conf, connect_timeout),
};

static const lun_dial_user  dial_user = {
    .connecting     = &connecting,
    .sending_header = &sending_header,
    .handshaking    = &handshaking,
    .found          = on_found,
    .prepare        = prepare,
    .secure         = secure,
    .trusts         = trusts,
    .up             = on_up,
    .failed         = on_failed,
    .on_free        = on_free,
};


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


/*
 * Each try has a row in the log's variables, those that find no server as well.
 */
static void
connect_next(lun_stream_proxy *p)
{
    int  status;

    LUN_CHECK(p->dial.conn == NULL && !p->ended);

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
    p->dial.timeouts = p->conf;
    lun_dial_connect(&p->dial, p->balance.addr);
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
on_found(lun_dial *d, const lun_addr *addrs, size_t count)
{
    lun_stream_proxy  *p = lun_container_of(d, lun_stream_proxy, dial);

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(!p->ended);

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
    const lun_stream_core_conf  *core = lun_stream_core_of(p->s);

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

    lun_dial_resolve(&p->dial,
                     lun_name_servers_resolver(p->s->session.engine,
                                               core->resolver),
                     place.host, place.port, core->resolver_timeout, false);
}


void
lun_stream_proxy_connect(lun_stream_proxy *p)
{
    bool           datagram = p->s->conn->datagram;
    lun_upstream  *u = p->conf->upstream;

    lun_dial_init(&p->dial, p->s->conn->loop, p->s->log, &dial_user, p->s);
    p->dial.in_size = datagram ? p->conf->buffer_size : SMALL;
    p->dial.datagram = datagram;
    p->dial.secure = p->conf->ssl && !datagram;

    if (u != NULL) {
        begin_upstream(p, u);

    } else {
        find_servers(p, lun_script_run(&p->s->session, p->conf->pass));
    }
}
