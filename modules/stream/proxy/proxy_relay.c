/*
 * proxy_relay.c -- bytes between two connections, both ways.
 *
 * What one connection has read is written to the other out of the buffer that
 * it was read into: two system calls for a buffer, and no copy.  While a write
 * is posted the rest of the buffer may be read into; when it is full nothing
 * is read, and that is the back-pressure.  A side that is silent has no buffer
 * (but where telling that there is something costs a read itself); one that
 * keeps filling it gets a larger one, unless proxy_buffer_size says how large
 * it is to be.  The timer of the client's connection is the session's: it
 * counts from the last byte either way.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/stream/proxy/proxy_priv.h"

#include "base/check.h"
#include "net/buffers.h"
#include "net/conn_io.h"


static lun_stream_relay *
relay_from(lun_stream_proxy *p, const lun_conn *c)
{
    return c == p->dial.conn ? &p->down : &p->up;
}


static lun_stream_relay *
relay_to(lun_stream_proxy *p, const lun_conn *c)
{
    return c == p->dial.conn ? &p->up : &p->down;
}


/* In the log's words, a connection is one of two sides. */
static const char *
side_of(const lun_stream_proxy *p, const lun_conn *c)
{
    return c == p->dial.conn ? "upstream" : "client";
}


/* --- the end ------------------------------------------------------------- */

static void
say_disconnected(const lun_stream_proxy *p, const lun_conn *c)
{
    lun_log                    log = *p->s->log;
    const lun_stream_session  *s = p->s;

    log.context = NULL;
    log.doing = NULL;
    lun_log(LUN_LOG_INFO, &log, 0, "%s disconnected, bytes from/to "
            "client:%" PRId64 "/%" PRId64 ", bytes from/to upstream:%" PRId64
            "/%" PRId64, side_of(p, c), s->conn->received, s->conn->sent,
            p->dial.conn->received, p->dial.conn->sent);
}


static bool
is_drained(const lun_stream_relay *r)
{
    return r->from->in.pos == r->from->in.last && r->to != NULL
           && !lun_conn_writing(r->to) && r->proxy->dial.header.len == 0;
}


/*
 * One side has ended, and the other has everything from it: the session is
 * over, unless the other may still speak (proxy_half_close).  True: it is.
 */
static bool
check_end(lun_stream_proxy *p, lun_stream_relay *r)
{
    LUN_CHECK_MARK(p, LUN_MARK_PROXY);

    if (!r->over || !is_drained(r)) {
        return false;
    }

    if (p->conf->half_close && !r->to->gone) {
        if (!r->closed) {
            r->closed = true;
            lun_debug(p->s->log, "stream proxy %s socket shutdown",
                      side_of(p, r->to));
            (void) lun_conn_end(r->to);
        }

        if (!relay_from(p, r->to)->over) {
            return false;
        }

        if (!is_drained(relay_from(p, r->to))) {
            return false;
        }
    }

    say_disconnected(p, r->from);
    lun_stream_proxy_end(p, LUN_FINISHED, LUN_BALANCE_DONE);
    return true;
}


/* --- room ---------------------------------------------------------------- */

enum { OFTEN = 4 };                /* reads in a row that took all room */

static void
give_buffer(lun_stream_relay *r)
{
    if (r->buffer != NULL) {
        lun_buffer_give(r->proxy->s->conn->loop, r->buffer, r->room);
        r->buffer = NULL;
    }
}


/*
 * Nothing is in the connection's buffer, and nobody reads or writes there: it
 * gets one of the size that it needs.
 */
static void
make_room(lun_stream_relay *r)
{
    lun_conn  *c = r->from;

    LUN_CHECK(!lun_conn_reading(c) && c->in.pos == c->in.last);

    give_buffer(r);
    r->room = r->size;
    r->buffer = lun_buffer_take(c->loop, r->room);
    lun_conn_set_input(c, r->buffer, r->room, &r->own);
    r->end = c->in.end;
    r->roomless = false;
}


/* The same, and nothing is to be had just now: bytes will be told. */
static void
leave_room(lun_stream_relay *r)
{
    LUN_CHECK(!lun_conn_reading(r->from));

    lun_conn_restore_input(r->from, &r->own);
    give_buffer(r);
    r->roomless = true;
}


/*
 * The session's end; nothing is in flight any more.  What the peer has read
 * may have been written to the client when the peer was gone.
 */
static void
give_buffers(void *data)
{
    lun_stream_proxy  *p = data;

    lun_conn_restore_input(p->s->conn, &p->up.own);
    give_buffer(&p->up);
    give_buffer(&p->down);
}


/* All that came is out. */
static void
refresh_room(lun_stream_relay *r)
{
    lun_conn  *c = r->from;

    c->in.pos = c->in.last = c->in.start;

    /* A bulk of bytes: fewer system calls. */
    if (r->filled >= OFTEN && r->proxy->conf->buffer_asked == 0
        && r->size < LUN_STREAM_BUFFER_LARGE)
    {
        r->size = LUN_STREAM_BUFFER_LARGE;
        make_room(r);

    } else if (lun_conn_is_plain(c) && !lun_port_may_read(&c->stream)) {
        leave_room(r);

    } else if (r->buffer == NULL && !r->roomy) {
        make_room(r);
    }
}


/* --- reading ------------------------------------------------------------- */

static void  want(lun_stream_relay *r);


static void
on_delay(lun_timer *timer)
{
    lun_stream_relay  *r = lun_container_of(timer, lun_stream_relay, delay);

    LUN_CHECK_MARK(r->proxy, LUN_MARK_PROXY);
    LUN_CHECK(r->rate != 0);

    want(r);
}


/* How much may be read now; 0: the timer runs. */
static size_t
allowance(lun_stream_relay *r)
{
    int64_t  n = lun_stream_relay_allowed(r);

    if (n > 0) {
        return (size_t) n;
    }

    lun_timer_start(r->from->loop, &r->delay,
                    (lun_msec) (-n * 1000 / r->rate + 1), on_delay);
    return 0;
}


/* Asks for more, as far as there is room and the rate allows it. */
static void
read_more(lun_stream_relay *r)
{
    size_t     n;
    lun_conn  *c = r->from;

    c->in.end = r->end;

    if (r->rate != 0 && c->in.last != c->in.end) {
        if (lun_timer_runs(&r->delay)) {
            return;
        }

        n = allowance(r);

        if (n == 0) {
            return;
        }

        c->in.end = c->in.last
                    + lun_min(n, (size_t) (c->in.end - c->in.last));
    }

    lun_conn_want(c);
}


/* The same, or to be told that there is more. */
static void
want(lun_stream_relay *r)
{
    lun_conn  *c = r->from;

    if (r->over || lun_conn_reading(c)) {
        return;
    }

    if (!r->roomless && c->in.pos == c->in.last
        && (r->to == NULL || !lun_conn_writing(r->to)))
    {
        refresh_room(r);
    }

    if (r->roomless) {
        lun_conn_watch(c);

    } else {
        read_more(r);
    }
}


/* There is something to read. */
static void
take_room(lun_stream_relay *r)
{
    make_room(r);
    read_more(r);
}


/* --- passing on ---------------------------------------------------------- */

enum { SEGMENT = 1200 };           /* bytes that surely go out as one */

/*
 * A short segment waits for the one before it to be acknowledged: the first of
 * a connection has nothing to wait for, and a session of one word each way
 * need not ask for it not to.
 */
static void
hurry(lun_stream_relay *r, size_t n)
{
    lun_conn  *to = r->to;

    if (!to->nodelay
        && (to->sent != 0 || lun_conn_is_secure(to) || n > SEGMENT)
        && lun_stream_core_of(r->proxy->s)->tcp_nodelay)
    {
        lun_conn_nodelay(to);
    }
}


/*
 * Sends what is there, and posts what the socket does not take.  False: the
 * session has ended.
 */
static bool
pass_on(lun_stream_relay *r)
{
    size_t      n, sent = 0;
    lun_err     err;
    lun_conn   *from = r->from, *to = r->to;
    lun_slice   slices[2];

    if (to == NULL || lun_conn_writing(to)
        || (from->in.pos == from->in.last && r->proxy->dial.header.len == 0))
    {
        return true;
    }

    if (to->gone) {
        from->in.pos = from->in.last;
        return true;
    }

    n = 0;

    if (to == r->proxy->dial.conn && r->proxy->dial.header.len != 0) {
        slices[n++] = r->proxy->dial.header;
    }

    if (from->in.pos != from->in.last) {
        slices[n++] = (lun_slice) { from->in.pos,
                                    (size_t) (from->in.last - from->in.pos) };
    }

    if (n == 0) {
        return true;
    }

    hurry(r, slices[n - 1].len);
    err = lun_conn_send(to, slices, n, false, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        r->proxy->s->log->doing = to == r->proxy->dial.conn
                                  ? "proxying and sending to upstream"
                                  : "proxying and sending to client";
        lun_log(to == r->proxy->dial.conn ? LUN_LOG_ERR : LUN_LOG_INFO,
                r->proxy->s->log, err, "writev() failed");
        lun_stream_proxy_end(r->proxy, LUN_FINISHED, LUN_BALANCE_DONE);
        return false;
    }

    if (to == r->proxy->dial.conn && r->proxy->dial.header.len != 0) {
        n = lun_min(sent, r->proxy->dial.header.len);
        r->proxy->dial.header.data += n;
        r->proxy->dial.header.len -= n;
        sent -= n;

        if (r->proxy->dial.header.len != 0) {
            lun_conn_write(to, &r->proxy->dial.header, 1);
            return true;
        }
    }

    from->in.pos += sent;

    if (from->in.pos != from->in.last) {
        slices[0] = (lun_slice) { from->in.pos,
                                  (size_t) (from->in.last - from->in.pos) };
        lun_conn_write(to, slices, 1);
    }

    return true;
}


static void
go_on(lun_stream_proxy *p, lun_stream_relay *r)
{
    lun_conn_touch(p->s->conn);

    if (pass_on(r) && !check_end(p, r)) {
        want(r);
    }
}


/* What a rate allows for the bytes that came takes this long. */
static void
slow_down(lun_stream_relay *r, size_t n)
{
    lun_msec  delay = (lun_msec) n * 1000 / (lun_msec) r->rate;

    LUN_CHECK(r->rate > 0);

    if (delay != 0) {
        lun_timer_start(r->from->loop, &r->delay, delay, on_delay);
    }
}


static void
on_read(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);
    lun_stream_relay  *r = relay_from(p, c);

    if (r->roomless) {
        take_room(r);
        return;
    }

    r->filled = c->in.last == r->end ? r->filled + 1 : 0;

    if (r == &p->down && p->try->header_time < 0) {
        p->try->header_time = (int64_t) (lun_clock.mono - p->try->started);
    }

    if (r->rate != 0) {
        slow_down(r, (size_t) (c->in.last - c->in.pos));
    }

    go_on(p, r);
}


static void
on_written(lun_conn *c)
{
    size_t             n = (size_t) lun_conn_written(c);
    lun_stream_proxy  *p = lun_stream_proxy_of(c);
    lun_stream_relay  *r = relay_to(p, c);

    if (c == p->dial.conn && p->dial.header.len != 0) {
        p->dial.header.data += n;
        p->dial.header.len -= n;

    } else if (!c->gone) {         /* else on_gone() has dropped it */
        LUN_CHECK(n <= (size_t) (r->from->in.last - r->from->in.pos));
        r->from->in.pos += n;
    }

    go_on(p, r);
}


/* The end of its input, or of everything. */
static void
on_gone(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);
    lun_stream_relay  *r = relay_from(p, c), *back = relay_to(p, c);
    bool               upstream = c == p->dial.conn;

    if (c->gone && !r->over) {
        p->s->log->doing = upstream ? "proxying and reading from upstream"
                                    : "proxying and reading from client";
        lun_log(upstream ? LUN_LOG_ERR : LUN_LOG_INFO, p->s->log, c->err,
                "recv() failed");
    }

    r->over = true;

    /* Nobody takes what is for it. */
    if (c->gone) {
        if (back->from != NULL) {
            back->from->in.pos = back->from->in.last;
        }

        back->over = true;
        p->dial.header.len = 0;
    }

    if (!check_end(p, r) && c->gone) {
        (void) check_end(p, back);
    }
}


static void
on_timeout(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    lun_log(LUN_LOG_INFO, p->s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "connection timed out");
    lun_stream_proxy_end(p, LUN_FINISHED, LUN_BALANCE_DONE);
}


/* --- the states ---------------------------------------------------------- */

static void
on_early(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    if (p->up.roomless) {
        take_room(&p->up);

    } else {
        want(&p->up);
    }
}


static void
on_early_end(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    if (c->gone) {
        lun_log(LUN_LOG_INFO, p->s->log, c->err, "recv() failed");
    }

    p->up.over = true;
}


static const lun_conn_state  waiting = {
    .name       = "stream waiting for upstream",
    .doing      = "connecting to upstream",
    .on_read    = on_early,
    .on_gone    = on_early_end,
    .on_shutdown = lun_stream_proxy_shut_down,
};

static const lun_conn_state  client_side = {
    .name       = "stream proxying",
    .doing      = "proxying connection",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .on_shutdown = lun_stream_proxy_shut_down,
    .timeout    = LUN_TIMEOUT(lun_stream_proxy_conf, timeout),
};

static const lun_conn_state  server_side = {
    .name       = "upstream proxying",
    .doing      = "proxying connection",
    .on_read    = on_read,
    .on_written = on_written,
    .on_gone    = on_gone,
};


int64_t
lun_stream_relay_rate(lun_stream_proxy *p, const lun_script *script)
{
    uint64_t  n = 0;

    if (script == NULL
        || lun_str_to_size(lun_script_run(&p->s->session, script), &n)
           != LUN_OK)
    {
        return 0;
    }

    return (int64_t) lun_min(n, (uint64_t) INT32_MAX * 1024);
}


/*
 * What the client's connection has read before is used up first, and the
 * buffer it came to used on if it is as large as one is to be.  The peer's own
 * goes with the peer, which may be gone while the client is written to.
 */
static void
begin_reading(lun_stream_relay *r)
{
    lun_conn  *c = r->from;

    r->size = r->proxy->conf->buffer_size;
    r->end = c->in.end;

    if (r == &r->proxy->up) {
        r->roomy = (size_t) (c->in.end - c->in.start) >= r->size;

        if (r->roomy || lun_conn_reading(c) || c->in.pos != c->in.last) {
            return;
        }
    }

    if (lun_conn_is_plain(c)) {
        r->roomless = true;

    } else {
        make_room(r);
    }
}


void
lun_stream_relay_wait(lun_stream_proxy *p)
{
    lun_conn  *c = p->s->conn;

    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(p->dial.conn == NULL);

    p->up.from = c;
    lun_pool_on_end(p->s->pool, give_buffers, p);
    begin_reading(&p->up);
    p->up.over = c->eof || c->gone;
    p->up.rate = lun_stream_relay_rate(p, p->conf->upload_rate);
    p->start_sec = lun_clock.sec;

    c->timeouts = p->conf;
    lun_conn_enter(c, &waiting);
    want(&p->up);
}


void
lun_stream_relay_start(lun_stream_proxy *p)
{
    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(p->dial.conn != NULL && p->connected);

    p->up.to = p->dial.conn;
    p->down.from = p->dial.conn;
    p->down.to = p->s->conn;
    begin_reading(&p->down);
    p->down.rate = lun_stream_relay_rate(p, p->conf->download_rate);
    p->start_sec = lun_clock.sec;

    lun_conn_enter(p->dial.conn, &server_side);
    lun_conn_enter(p->s->conn, &client_side);

    if (pass_on(&p->up) && !check_end(p, &p->up)) {
        want(&p->up);
        want(&p->down);
    }
}
