/*
 * upreq_body.c -- the body of the answer, from the server to the client.
 *
 * What comes is handed out at once, but no more than NAME_busy_buffers_size
 * of memory at a time; when all buffers are full the rest goes to a temporary
 * file.  Without buffering, or when the file may not be longer, the server has
 * to wait for the client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "http/write.h"
#include "net/conn_splice.h"
#include "os/splice.h"

static void  on_bytes(lun_conn *c);
static void  on_readable(lun_conn *c);
static void  on_gone(lun_conn *c);
static void  on_timeout(lun_conn *c);
static void  rate_over(lun_conn *c);

static const lun_conn_state  reading = {
    .name       = "upstream reading",
    .doing      = "reading upstream",
    .on_read    = on_bytes,
    .on_written = lun_upreq_on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, read_timeout),
};

/* What comes goes to the client's socket, and is not seen here. */
static const lun_conn_state  passing_by = {
    .name       = "upstream passing by",
    .doing      = "reading upstream",
    .on_read    = on_readable,
    .on_written = lun_upreq_on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, read_timeout),
};

/* The client has to take some of it first. */
static const lun_conn_state  holding = {
    .name       = "upstream holding",
    .doing      = "reading upstream",
    .on_read    = on_bytes,
    .on_written = lun_upreq_on_written,
    .on_gone    = on_gone,
};

/* NAME_limit_rate: not yet. */
static const lun_conn_state  delaying = {
    .name       = "upstream delaying",
    .doing      = "reading upstream",
    .on_read    = on_bytes,
    .on_written = lun_upreq_on_written,
    .on_timeout = rate_over,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, read_timeout),
};

enum { LEAST_BY = 16384 };             /* bytes that are worth it */


struct lun_upreq_passing {
    int64_t  rate;                 /* bytes/s from the server; 0: any */
    bool     broken;               /* no more of it will come */
    bool     by_memory;            /* the system can't pass it by */
};


/* --- in ------------------------------------------------------------------ */

/* It has a reader: a HEAD has none, though its answer may be kept. */
static bool
is_passed_on(const lun_upreq *x)
{
    return !x->fetch.no_client && !(x->fetch.keep && x->r->header_only);
}


static void
take_piece(lun_upreq *x, lun_str piece)
{
    if (x->fetch.keep) {
        lun_upreq_tell_bytes(x, piece);
    }

    if (is_passed_on(x)) {
        lun_upreq_add(x, piece);
    }
}


/* ERROR: it is no body, and that was logged. */
static lun_rc
take(lun_upreq *x, const char *pos, const char *end)
{
    lun_str  piece;

    for ( ;; ) {
        switch (x->protocol->read_body(x, &pos, end, &piece)) {

        case LUN_UPSTREAM_DATA:
            take_piece(x, piece);
            break;

        case LUN_UPSTREAM_MORE:
            return LUN_OK;

        case LUN_UPSTREAM_DONE:
            x->answer.complete = true;
            x->answer.keep &= pos == end;
            return LUN_OK;

        default:
            return LUN_ERROR;
        }
    }
}


void
lun_upreq_skip_body(lun_upreq *x)
{
    lun_str      piece, rest = lun_upreq_rest(x);
    const char  *pos = rest.data, *end = rest.data + rest.len;

    if (x->protocol->read_body(x, &pos, end, &piece) == LUN_UPSTREAM_DONE) {
        x->answer.complete = true;
        x->answer.keep &= pos == end;
    }
}


/*
 * What is wrong with the answer counts after what was right: bytes before it go
 * to the client.
 */
static void
on_bytes(lun_conn *c)
{
    size_t       n = (size_t) (c->in.last - c->in.pos);
    const char  *pos = c->in.pos;
    lun_upreq   *x = lun_upreq_of(c);

    LUN_CHECK(x->passing != NULL);

    x->r->log->doing = reading.doing;
    x->try->received += (int64_t) n;
    x->try->response_length += (int64_t) n;
    lun_upreq_arrived(x, pos, n);
    c->in.pos = c->in.last;

    if (take(x, pos, c->in.last) != LUN_OK) {
        x->passing->broken = true;
        lun_upreq_pump(x);
        return;
    }

    if (lun_upreq_flush(x) == LUN_OK) {
        lun_upreq_pump(x);
    }
}


/*
 * Where the connection ends, a body of unknown length does.  One that is
 * complete does not need it: what could not be sent was for the next.
 */
static void
on_gone(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    LUN_CHECK(x->passing != NULL);

    x->r->log->doing = reading.doing;

    if (x->answer.complete) {
        x->answer.keep = false;
        lun_upreq_pump(x);
        return;
    }

    if (lun_upreq_stop_sending(x)) {
        if (c->state == &reading) {
            lun_conn_want(c);
        }

        return;
    }

    if (c->err != 0) {             /* also one of sending, and then an end */
        lun_upreq_log_failed(x);

    } else if ((x->answer.length < 0 && !x->answer.framed)
               || x->answer.may_end)
    {
        x->answer.complete = true;
        lun_upreq_pump(x);
        return;

    } else {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream prematurely closed "
                "connection");
    }

    x->passing->broken = true;
    lun_upreq_pump(x);
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    x->r->log->doing = reading.doing;
    lun_log(LUN_LOG_ERR, x->r->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "upstream timed out");
    x->passing->broken = true;
    lun_upreq_pump(x);
}


/* --- out ----------------------------------------------------------------- */

/* A list of what may be handed out; *last is its last buf. */
static lun_buf *
hand_out(lun_upreq *x, lun_buf **last)
{
    return lun_upreq_hand_out(x, x->answer.complete || x->passing->broken
                                 || !x->buffered, last);
}


static void
drained(lun_request *r, void *data)
{
    lun_upreq  *x = data;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (!r->aborted && !r->conn->gone) {
        lun_upreq_pump(x);

    } else if (x->fetch.keep) {
        lun_upreq_drop_client(x);

    } else {
        lun_upreq_end(x, LUN_FAILED);
    }
}


/*
 * The client gets what there is, however slow it is, and no end of it: a body
 * that is too short, or without a last chunk, tells that there was more.  Who
 * asked for the header alone has all of it.
 */
static void
cut_off(lun_upreq *x, lun_buf *out, lun_buf *last)
{
    lun_rc        rc;
    lun_request  *r = x->r;

    if (r->header_only) {
        lun_upreq_end(x, LUN_FINISHED);
        return;
    }

    last->flush = 1;               /* the header, too, which may be all */
    r->cut = 1;
    r->keepalive = 0;
    lun_http_get(r);
    rc = lun_http_output(r, out);
    lun_upreq_end(x, rc == LUN_ERROR || r->parent != NULL ? LUN_FAILED
                                                          : LUN_FINISHED);
    lun_http_put(r);
}


/* All of it is here: what is left is the business of the request's end. */
static void
finish(lun_upreq *x)
{
    lun_rc        rc;
    lun_buf      *last, *out = hand_out(x, &last);
    lun_request  *r = x->r;

    LUN_CHECK(x->passing != NULL);

    if (x->fetch.no_client) {
        lun_upreq_end(x, x->passing->broken || r->aborted || r->conn->gone
                         ? LUN_FAILED : LUN_FINISHED);
        return;
    }

    if (last == NULL) {
        last = lun_buf_new(r->pool);
        out = last;
    }

    if (x->passing->broken) {
        cut_off(x, out, last);
        return;
    }

    lun_upreq_pass_trailers(x);
    lun_http_mark_last(r, last);
    lun_http_get(r);
    rc = lun_http_output(r, out);
    lun_upreq_end(x, rc == LUN_ERROR ? LUN_FAILED : LUN_FINISHED);
    lun_http_put(r);
}


/* NAME_limit_rate: how many ms too early it is for more. */
static lun_msec
too_early(lun_upreq *x)
{
    int64_t  passed, due;

    if (x->passing->rate == 0) {
        return 0;
    }

    passed = (int64_t) (lun_clock.mono - x->try->started);
    due = x->try->received * 1000 / x->passing->rate;

    return due > passed ? (lun_msec) (due - passed) : 0;
}


/*
 * proxy_limit_rate: too early is a state of its own, in which nothing is read
 * and no time-out of reading runs.
 */
static void
ask(lun_upreq *x)
{
    lun_conn  *c = x->conn;
    lun_msec   delay = too_early(x);

    LUN_CHECK(x->conn != NULL && !lun_conn_reading(x->conn));

    if (delay != 0) {
        lun_upreq_enter(x, &delaying);
        lun_conn_limit(c, delay);
        return;
    }

    if (c->state != &reading) {
        lun_upreq_enter(x, &reading);

    } else {
        lun_conn_touch(c);
    }

    if (c->eof || c->gone) {
        on_gone(c);
        return;
    }

    lun_conn_want(c);
}


static void
rate_over(lun_conn *c)
{
    lun_upreq_pump(lun_upreq_of(c));
}


/*
 * How much may come next without being looked at by anybody: to a client that
 * has taken all so far, of a body whose length is known.  What its socket does
 * not take has room here.
 */
static size_t
size_to_pass_by(lun_upreq *x)
{
    int64_t  left;

    if (x->protocol->pass_by == NULL || x->fetch.keep || x->fetch.no_client
        || x->passing->rate != 0 || x->passing->by_memory
        || !lun_upreq_is_sent(x)
        || !lun_conn_splices(x->conn, x->r->conn))
    {
        return 0;
    }

    left = lun_min(x->protocol->pass_by(x, 0),
                   (int64_t) lun_upreq_free_size(x));

    return left >= LEAST_BY && lun_http_is_straight(x->r) ? (size_t) left : 0;
}


/* It is asked for when it is there: no memory waits for it. */
static void
await(lun_upreq *x)
{
    lun_conn  *c = x->conn;

    if (c->state != &passing_by) {
        lun_upreq_restore_input(x);
        lun_upreq_enter(x, &passing_by);

    } else {
        lun_conn_touch(c);
    }

    if (c->eof || c->gone) {
        on_gone(c);
        return;
    }

    lun_conn_watch(c);
}


/* A client that takes what is his gives room; else there is only the disk. */
static void
read_on(lun_upreq *x)
{
    bool  waits = !x->fetch.no_client && lun_http_pending(x->r);

    /*
     * More of the request went out meanwhile, and asked for the answer, too:
     * neither a delay nor the client is what is waited for any more.
     */
    if (lun_conn_reading(x->conn)) {
        if (x->conn->state != &reading) {
            lun_upreq_enter(x, &reading);
        }

        return;
    }

    if (size_to_pass_by(x) != 0) {
        await(x);
        return;
    }

    if (lun_upreq_room_next(x)) {
        ask(x);
        return;
    }

    if (lun_upreq_may_spool(x) || (!waits && lun_upreq_waits(x))) {

        if (lun_upreq_spool(x) != LUN_OK) {
            lun_upreq_end(x, LUN_FAILED);

        } else if (lun_upreq_room_next(x)) {
            ask(x);

        } else {
            lun_upreq_enter(x, &holding);
        }

        return;
    }

    lun_upreq_enter(x, &holding);
}


/* `rest` of what has just gone by the client did not take: they wait here. */
static void
take_rest(lun_upreq *x, size_t rest)
{
    char  *room = lun_upreq_free_room(x, rest);

    lun_port_splice_rest(room, rest);
    lun_upreq_arrived(x, room, rest);
    lun_upreq_add(x, lun_str_of(room, rest));
}


/*
 * The protocol finds the end by itself, with no byte more.  A server that has
 * said more than it was to say is not asked again on that connection.
 */
static void
end_by(lun_upreq *x)
{
    lun_conn  *c = x->conn;

    if (take(x, c->in.pos, c->in.pos) != LUN_OK) {
        x->passing->broken = true;
    }

    x->answer.keep = x->answer.keep && !lun_port_has_more(&c->stream);
}


static void
went_by(lun_upreq *x, size_t taken, size_t sent)
{
    x->try->received += (int64_t) taken;
    x->try->response_length += (int64_t) taken;

    if (x->r->conn->gone) {
        lun_upreq_end(x, LUN_FAILED);
        return;
    }

    lun_http_went_straight(x->r, (int64_t) sent);

    if (x->protocol->pass_by(x, taken) == 0) {
        end_by(x);
    }

    lun_upreq_pump(x);
}


/* Bytes have come, or the end. */
static void
on_readable(lun_conn *c)
{
    size_t      taken, rest;
    lun_err     err;
    lun_upreq  *x = lun_upreq_of(c);
    size_t      most = size_to_pass_by(x);

    LUN_CHECK(x->passing != NULL);
    x->r->log->doing = passing_by.doing;

    if (most == 0) {
        read_on(x);                    /* the client's part has changed */
        return;
    }

    err = lun_conn_splice(c, x->r->conn, most, &taken, &rest);

    switch (err == 0 ? LUN_ERR_NONE : lun_err_kind_of(err)) {

    case LUN_ERR_NONE:
        break;

    case LUN_ERR_AGAIN:
        lun_conn_watch(c);
        return;

    case LUN_ERR_NOT_SUPPORTED:
        x->passing->by_memory = true;
        read_on(x);
        return;

    default:
        c->err = err;
        c->gone = 1;
        on_gone(c);
        return;
    }

    if (taken == 0) {
        c->eof = 1;
        on_gone(c);
        return;
    }

    if (rest != 0) {
        take_rest(x, rest);
    }

    went_by(x, taken, taken - rest);
}


/* ERROR: the client cannot be told any more. */
static lun_rc
give(lun_upreq *x)
{
    lun_rc    rc = LUN_OK;
    lun_buf  *out, *last;

    while (rc != LUN_ERROR && lun_upreq_waits(x)) {
        out = hand_out(x, &last);

        if (out == NULL) {
            break;
        }

        last->flush = 1;
        rc = lun_http_output(x->r, out);
        lun_upreq_collect(x);
    }

    return rc;
}


void
lun_upreq_pump(lun_upreq *x)
{
    lun_request  *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->passing != NULL);

    lun_upreq_collect(x);

    if (x->answer.complete || x->passing->broken) {
        finish(x);
        return;
    }

    if (x->fetch.no_client && !x->fetch.keep) {
        lun_upreq_end(x, LUN_FAILED);      /* it could not be kept after all */
        return;
    }

    if (give(x) == LUN_ERROR) {
        if (x->fetch.keep) {
            lun_upreq_drop_client(x);

        } else {
            lun_upreq_end(x, LUN_FAILED);
        }

        return;
    }

    if (!x->fetch.no_client && lun_http_pending(r)) {
        lun_http_on_drained(r, drained, x);
    }

    read_on(x);
}


/*
 * Nobody takes it any more, but it is kept.  What was handed out may be on its
 * way yet: the rest of the body goes through other memory.
 */
void
lun_upreq_drop_client(lun_upreq *x)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->fetch.keep);

    x->fetch.no_client = true;
    lun_upreq_unwatch_client(x);

    if (x->stage != LUN_UPREQ_BODY) {
        return;
    }

    lun_upreq_forget_buffer(x);
    lun_upreq_pump(x);
}


/* --- its beginning ------------------------------------------------------- */

/* A header without a body yet is shown at once where nothing is gathered. */
static void
flush_header(lun_upreq *x)
{
    lun_buf  *b;

    if (x->buffered || x->answer.complete || lun_upreq_waits(x)
        || x->fetch.no_client)
    {
        return;
    }

    b = lun_buf_new(x->r->pool);
    b->flush = 1;
    (void) lun_http_output(x->r, b);
}


static int64_t
rate_of(const lun_upreq *x)
{
    lun_str   rate;
    uint64_t  n;

    if (x->conf->limit_rate == NULL || !x->buffered) {
        return 0;
    }

    rate = lun_script_run(&x->r->session, x->conf->limit_rate);

    if (lun_str_to_size(rate, &n) != LUN_OK || n > INT64_MAX / 1000) {
        return 0;
    }

    return (int64_t) n;
}


void
lun_upreq_pass(lun_upreq *x)
{
    lun_str  rest = lun_upreq_rest(x);

    LUN_CHECK(x->stage == LUN_UPREQ_BODY && x->passing == NULL);

    x->passing = lun_pool_new(x->r->pool, struct lun_upreq_passing);
    x->passing->rate = rate_of(x);
    x->r->log->doing = reading.doing;
    x->try->response_length = (int64_t) rest.len;

    if (take(x, rest.data, rest.data + rest.len) != LUN_OK) {
        x->passing->broken = true;
        lun_upreq_pump(x);
        return;
    }

    if (x->r->header_only && (x->r->method != LUN_HEAD || x->fetch.get)
        && !x->answer.complete && !x->fetch.keep)
    {
        lun_upreq_end(x, LUN_FINISHED);        /* nobody wants it */
        return;
    }

    if (!x->answer.complete || !lun_upreq_is_sent(x)) {
        lun_upreq_enter(x, &reading);
        flush_header(x);

        if (lun_upreq_flush(x) != LUN_OK) {
            return;
        }
    }

    lun_upreq_pump(x);
}
