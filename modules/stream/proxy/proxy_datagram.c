/*
 * proxy_datagram.c -- datagrams between a client and a server: each goes as it
 * came, and the session ends when as many answers have come as are expected,
 * or when nothing has for a while.
 *
 * A datagram stays in the buffer of the connection that it came from until
 * the other has taken it; further ones of the client wait with their
 * connection (net/datagram.h), of the server in its socket.  So do those that
 * a rate does not allow yet; what waits for too long in too little room is
 * lost, as everywhere.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/stream/proxy/proxy_priv.h"

#include "net/datagram.h"


static bool
is_upstream(const lun_stream_proxy *p, const lun_conn *c)
{
    return c == p->dial.conn;
}


/* The last word on a session that has ended well. */
static void
say_end(const lun_stream_proxy *p, const char *how)
{
    lun_log          log = *p->s->log;
    const lun_conn  *c = p->s->conn;

    log.context = NULL;
    log.doing = NULL;
    lun_log(LUN_LOG_INFO, &log, 0, "udp %s, packets from/to client:%" PRId64
            "/%" PRId64 ", bytes from/to client:%" PRId64 "/%" PRId64
            ", bytes from/to upstream:%" PRId64 "/%" PRId64, how, p->requests,
            p->responses, c->received, c->sent,
            p->dial.conn != NULL ? p->dial.conn->received : 0,
            p->dial.conn != NULL ? p->dial.conn->sent : 0);
}


/* Whether the server has said all that is expected of it. */
static bool
is_answered(const lun_stream_proxy *p)
{
    return p->conf->responses != LUN_STREAM_ANY_RESPONSES
           && p->responses >= p->conf->responses * p->requests;
}


/* True: it was the last datagram, and the session has ended. */
static bool
check_done(lun_stream_proxy *p)
{
    const lun_stream_proxy_conf  *conf = p->conf;

    LUN_CHECK(p->dial.conn != NULL);

    if (conf->requests != 0) {
        if (p->requests < conf->requests) {
            return false;
        }

        /* What the client sends now is of another session. */
        lun_datagram_detach(p->s->conn);
    }

    if (!is_answered(p) || lun_conn_writing(p->s->conn)
        || lun_conn_writing(p->dial.conn))
    {
        return false;
    }

    say_end(p, "done");
    lun_stream_proxy_end(p, LUN_FINISHED, LUN_BALANCE_DONE);
    return true;
}


/* The server's socket has an error: there is nobody, as a rule. */
static void
server_failed(lun_stream_proxy *p, lun_err err, const char *call)
{
    LUN_CHECK(p->dial.conn != NULL);

    p->s->log->doing = "proxying and reading from upstream";
    lun_log(LUN_LOG_ERR, p->s->log, err, "%s failed", call);

    if (p->dial.conn->received == 0) {
        lun_stream_proxy_next(p);

    } else {
        lun_stream_proxy_end(p, LUN_STATUS + 502, LUN_BALANCE_FAILED);
    }
}


static void
client_failed(lun_stream_proxy *p, lun_err err, const char *call)
{
    p->s->log->doing = "proxying and sending to client";
    lun_log(LUN_LOG_INFO, p->s->log, err, "%s failed", call);
    lun_stream_proxy_end(p, LUN_FINISHED, LUN_BALANCE_DONE);
}


static void  want_next(lun_stream_proxy *p, lun_conn *c);


static void
on_delay(lun_timer *timer)
{
    lun_stream_relay  *r = lun_container_of(timer, lun_stream_relay, delay);

    LUN_CHECK_MARK(r->proxy, LUN_MARK_PROXY);
    want_next(r->proxy, r->from);
}


/* The bytes of one datagram take their time before the next is read. */
static void
slow_down(lun_stream_relay *r, size_t n)
{
    lun_msec  delay = r->rate != 0 ? (lun_msec) n * 1000 / (lun_msec) r->rate
                                   : 0;

    if (delay != 0) {
        lun_timer_start(r->from->loop, &r->delay, delay, on_delay);
    }
}


/*
 * Asks for the next datagram of that side, now or when its rate allows it; one
 * that is still being written from the same buffer asks again, when it is out.
 */
static void
want_next(lun_stream_proxy *p, lun_conn *c)
{
    int64_t            n;
    const lun_conn    *to = is_upstream(p, c) ? p->s->conn : p->dial.conn;
    lun_stream_relay  *r = is_upstream(p, c) ? &p->down : &p->up;

    if (lun_conn_reading(c) || lun_timer_runs(&r->delay)
        || (to != NULL && lun_conn_writing(to)))
    {
        return;
    }

    if (r->rate != 0 && (n = lun_stream_relay_allowed(r)) <= 0) {
        lun_timer_start(c->loop, &r->delay,
                        (lun_msec) (-n * 1000 / r->rate + 1), on_delay);
        return;
    }

    c->in.pos = c->in.last = c->in.start;
    lun_conn_want(c);
}


/* What c has read goes to the other side. */
static void
pass_on(lun_stream_proxy *p, lun_conn *from)
{
    size_t     sent;
    lun_err    err;
    lun_conn  *to = is_upstream(p, from) ? p->s->conn : p->dial.conn;
    lun_slice  all = { from->in.pos, (size_t) (from->in.last - from->in.pos) };

    LUN_CHECK(p->dial.conn != NULL);

    err = lun_conn_send(to, &all, 1, false, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        if (is_upstream(p, to)) {
            server_failed(p, err, "send()");

        } else {
            client_failed(p, err, "send()");
        }

        return;
    }

    if (is_upstream(p, from)) {
        p->responses++;
        slow_down(&p->down, all.len);

    } else {
        p->requests++;
        slow_down(&p->up, all.len);
    }

    if (err != 0) {
        lun_conn_write(to, &all, 1);

    } else if (!check_done(p)) {
        want_next(p, from);
    }
}


static void
on_read(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    lun_conn_touch(p->s->conn);

    if (is_upstream(p, c) && p->try->header_time < 0) {
        p->try->header_time = (int64_t) (lun_clock.mono - p->try->started);
    }

    /* The other is still busy with one of its own, or not there yet. */
    if (!is_upstream(p, c)
        && (p->dial.conn == NULL || lun_conn_writing(p->dial.conn)))
    {
        p->held = true;
        return;
    }

    if (is_upstream(p, c) && lun_conn_writing(p->s->conn)) {
        return;                    /* on_written() looks at its buffer */
    }

    pass_on(p, c);
}


/* A datagram that was posted is gone: the next of that direction. */
static void
on_written(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    LUN_CHECK(p->dial.conn != NULL);

    if (!check_done(p)) {
        want_next(p, is_upstream(p, c) ? p->s->conn : p->dial.conn);
    }
}


static void
on_gone(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    if (is_upstream(p, c)) {
        server_failed(p, c->err, "recv()");

    } else {
        client_failed(p, c->err, "send()");
    }
}


static void
on_timeout(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    if (p->conf->responses == LUN_STREAM_ANY_RESPONSES || is_answered(p)) {
        say_end(p, "timed out");
        lun_stream_proxy_end(p, LUN_FINISHED, LUN_BALANCE_DONE);
        return;
    }

    lun_log(LUN_LOG_ERR, p->s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "upstream timed out");
    lun_stream_proxy_end(p, LUN_STATUS + 502, LUN_BALANCE_FAILED);
}


static const lun_conn_state  waiting = {
    .name       = "stream waiting for upstream",
    .doing      = "connecting to upstream",
    .on_read    = on_read,
    .on_gone    = on_gone,
    .on_shutdown = lun_stream_proxy_shut_down,
};

static const lun_conn_state  client_side = {
    .name       = "stream proxying datagrams",
    .doing      = "proxying connection",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .on_shutdown = lun_stream_proxy_shut_down,
    .timeout    = LUN_TIMEOUT(lun_stream_proxy_conf, timeout),
};

static const lun_conn_state  server_side = {
    .name       = "upstream proxying datagrams",
    .doing      = "proxying connection",
    .on_read    = on_read,
    .on_written = on_written,
    .on_gone    = on_gone,
};


void
lun_stream_datagrams_wait(lun_stream_proxy *p)
{
    lun_conn  *c = p->s->conn;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(c->datagram);

    p->up.from = c;
    p->up.rate = lun_stream_relay_rate(p, p->conf->upload_rate);
    p->start_sec = lun_clock.sec;

    c->timeouts = p->conf;
    p->held = c->in.pos != c->in.last;         /* it was preread */
    lun_conn_enter(c, &waiting);
}


/* The PROXY header is a datagram of its own, as nginx's is. */
static void
send_header(lun_stream_proxy *p)
{
    size_t  sent;

    if (p->dial.header.len != 0) {
        (void) lun_conn_send(p->dial.conn, &p->dial.header, 1, false, &sent);
        p->dial.header.len = 0;
    }
}


/*
 * The datagram that began the session has waited in its buffer; the PROXY
 * header, if any, is one of its own and goes first.
 */
void
lun_stream_datagrams_start(lun_stream_proxy *p)
{
    lun_conn  *c = p->s->conn;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(p->dial.conn != NULL && p->connected);

    p->down.from = p->dial.conn;
    p->down.rate = lun_stream_relay_rate(p, p->conf->download_rate);
    p->start_sec = lun_clock.sec;

    lun_conn_enter(p->dial.conn, &server_side);
    lun_conn_enter(c, &client_side);
    send_header(p);

    if (p->dial.conn->gone) {
        server_failed(p, p->dial.conn->err, "send()");
        return;
    }

    want_next(p, p->dial.conn);

    if (p->held) {
        p->held = false;
        pass_on(p, c);

    } else {
        want_next(p, c);
    }
}
