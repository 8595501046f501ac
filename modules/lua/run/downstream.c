/*
 * downstream.c -- the client of a stream session while Lua has its connection.
 *
 * Bytes that have come stay in the connection's buffer until a socket takes
 * them (sock/sock_stream.c) or another module reads on.  What is said waits in
 * bufs of output.c's; what the connection does not take at once is posted, and
 * the rest goes behind it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/downstream.h"

#include "modules/lua/run/output.h"
#include "modules/lua/run/phases.h"
#include "modules/lua/sock/sock.h"
#include "stream/stream_session.h"

enum { SLICES = 16 };


static lun_lua_ctx *
ctx_of(const lun_conn *c)
{
    return lun_lua_ctx_at(&lun_stream_session_at(c)->session);
}


/* --- output -------------------------------------------------------------- */

/* The first bytes of what is to be sent: how many slices. */
static size_t
fill(lun_lua_downstream *d, lun_slice *slices)
{
    size_t           n = 0;
    const lun_buf   *b;

    while (d->first != NULL && d->first->pos == d->first->last) {
        d->first = d->first->next;
    }

    for (b = d->first; b != NULL && n < SLICES; b = b->next) {
        if (b->pos != b->last) {
            slices[n++] = (lun_slice) { b->pos, (size_t) (b->last - b->pos) };
        }
    }

    if (n == 0) {
        d->first = NULL;
        d->tail = &d->first;
    }

    return n;
}


static void
skip(lun_lua_downstream *d, size_t sent)
{
    size_t    n;
    lun_buf  *b;

    for (b = d->first; b != NULL && sent != 0; b = b->next) {
        n = lun_min(sent, (size_t) (b->last - b->pos));
        b->pos += n;
        sent -= n;
    }
}


/* What the system still reads from is never filled again. */
static void
drop(lun_lua_downstream *d, const char *why)
{
    if (d->writing) {
        d->ctx->busy = NULL;
    }

    d->lost = why;
    d->first = NULL;
    d->tail = &d->first;
}


/* A datagram leaves whole, or is lost as on any network. */
static bool
is_over(const lun_conn *c, lun_err err, size_t *sent, size_t all)
{
    if (c->datagram && lun_err_kind_of(err) == LUN_ERR_AGAIN) {
        *sent = all;
        return false;
    }

    return err != 0;
}


static size_t
size_of(const lun_slice *slices, size_t n)
{
    size_t  i, size = 0;

    for (i = 0; i < n; i++) {
        size += slices[i].len;
    }

    return size;
}


/*
 * Sent until the socket takes no more; then the rest is posted, and its time
 * limit begins.
 */
static lun_rc
send_all(lun_lua_downstream *d)
{
    size_t      n, sent;
    lun_err     err;
    lun_conn   *c = d->ctx->session->conn;
    lun_slice   slices[SLICES];

    while ((n = fill(d, slices)) != 0) {
        sent = 0;
        err = lun_conn_send(c, slices, n, false, &sent);

        if (!is_over(c, err, &sent, size_of(slices, n))) {
            skip(d, sent);
            continue;
        }

        if (lun_err_kind_of(err) != LUN_ERR_AGAIN) {
            lun_log(LUN_LOG_INFO, d->ctx->log, err, "writev() failed");
            drop(d, "client aborted");
            return LUN_ERROR;
        }

        skip(d, sent);
        n = fill(d, slices);
        d->writing = true;
        lun_conn_limit(c, d->ctx->conf->socket_send_timeout);
        lun_conn_write(c, slices, n);
        return LUN_OK;
    }

    return LUN_OK;
}


lun_rc
lun_lua_downstream_output(lun_lua_ctx *ctx, lun_buf *first)
{
    lun_lua_downstream  *d = ctx->downstream;

    if (d->lost != NULL) {
        return LUN_ERROR;
    }

    for (*d->tail = first; *d->tail != NULL; d->tail = &(*d->tail)->next) {
        /* to its end */
    }

    return d->shaking || lun_conn_writing(ctx->session->conn) ? LUN_OK
                                                              : send_all(d);
}


bool
lun_lua_downstream_pending(const lun_lua_ctx *ctx)
{
    return ctx->downstream->first != NULL;
}


/* Whoever waits for it goes on; the session may be gone afterwards. */
static void
tell(lun_lua_downstream *d)
{
    bool          ending = d->ending;
    lun_session  *s = d->ctx->session;

    d->ending = false;
    lun_lua_drained(d->ctx, d->lost);

    if (ending) {
        lun_stream_resume(lun_stream_session_of(s));
    }
}


/* --- what happens -------------------------------------------------------- */

static void  on_read(lun_conn *c);
static void  on_written(lun_conn *c);
static void  on_timeout(lun_conn *c);
static void  on_gone(lun_conn *c);

static const lun_conn_state  prereading = {
    .name       = "stream lua prereading",
    .doing      = "prereading client data",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
};

static const lun_conn_state  serving = {
    .name       = "stream lua",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
};


/* Lua waits for something, and the connection is still its own. */
static bool
is_waiting(const lun_lua_ctx *ctx)
{
    const lun_conn  *c = ctx->session->conn;

    return ctx->running != 0 && !ctx->completed && !c->closed
           && (c->state == &prereading || c->state == &serving);
}


void
lun_lua_downstream_watch(lun_lua_ctx *ctx)
{
    lun_conn          *c = ctx->session->conn;
    const lun_cosock  *sock = ctx->client;

    if (!ctx->conf->check_client_abort || !is_waiting(ctx) || c->datagram
        || ctx->downstream->unusable
        || lun_conn_reading(c) || (sock != NULL && sock->reader != NULL))
    {
        return;
    }

    if (c->in.pos == c->in.last) {
        lun_conn_compact(c);
    }

    lun_conn_want(c);
}


static void
on_read(lun_conn *c)
{
    lun_lua_ctx         *ctx = ctx_of(c);
    lun_stream_session  *s = lun_stream_session_at(c);

    lun_stream_get(s);

    if (ctx->client != NULL) {
        lun_cosock_arrived(ctx->client);
    }

    lun_lua_downstream_watch(ctx);
    lun_stream_put(s);
}


/*
 * A write has ended: what was said goes on, then what a socket has waited
 * with.
 */
static void
go_on_sending(lun_lua_ctx *ctx)
{
    lun_conn            *c = ctx->session->conn;
    lun_lua_downstream  *d = ctx->downstream;

    if (c->closed || d->shaking || lun_conn_writing(c)) {
        return;
    }

    if (d->lost == NULL) {
        (void) send_all(d);
    }

    if (d->writing) {
        return;
    }

    if (ctx->client != NULL && d->lost == NULL) {
        lun_cosock_unblock(ctx->client, NULL);
    }

    tell(d);
}


static void
on_written(lun_conn *c)
{
    lun_lua_ctx         *ctx = ctx_of(c);
    lun_lua_downstream  *d = ctx->downstream;
    lun_stream_session  *s = lun_stream_session_at(c);

    lun_stream_get(s);

    if (d->writing) {
        d->writing = false;
        lun_timer_stop(&c->timer);
        skip(d, (size_t) lun_conn_written(c));

    } else if (ctx->client != NULL) {
        lun_cosock_written(ctx->client);
    }

    go_on_sending(ctx);
    lun_stream_put(s);
}


/* The client does not take what it is told. */
static void
on_timeout(lun_conn *c)
{
    lun_lua_ctx         *ctx = ctx_of(c);
    lun_stream_session  *s = lun_stream_session_at(c);

    lun_log(LUN_LOG_INFO, ctx->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");

    lun_stream_get(s);
    drop(ctx->downstream, "timeout");

    if (ctx->client != NULL) {
        lun_cosock_unblock(ctx->client, "timeout");
    }

    tell(ctx->downstream);
    lun_stream_put(s);
}


/* Nothing can be said any more. */
static void
lose(lun_lua_ctx *ctx)
{
    lun_lua_downstream  *d = ctx->downstream;

    if (d->lost == NULL) {
        drop(d, "client aborted");
        lun_timer_stop(&ctx->session->conn->timer);
        tell(d);
    }
}


static void
on_gone(lun_conn *c)
{
    lun_lua_ctx         *ctx = ctx_of(c);
    lun_stream_session  *s = lun_stream_session_at(c);

    lun_stream_get(s);

    if (ctx->conf->check_client_abort && is_waiting(ctx)) {
        lun_log(LUN_LOG_INFO, ctx->log, 0,
                "stream client prematurely closed connection");
        lun_lua_abandon(ctx);
    }

    if (ctx->client != NULL) {
        lun_cosock_stream_gone(ctx->client);
    }

    if (c->gone) {
        lose(ctx);
    }

    lun_stream_put(s);
}


/*
 * A connection whose handshake has not succeeded can't be used for anything.
 * Who waits in ngx.flush() is told, but does not run before the one who shook
 * hands is told as well: it may end both.
 */
void
lun_lua_downstream_shaken(lun_lua_ctx *ctx, const char *why)
{
    lun_lua_current      was = lun_lua_enter(ctx);
    lun_lua_downstream  *d = ctx->downstream;

    lun_lua_downstream_take(ctx);
    d->shaking = false;

    if (why != NULL) {
        d->unusable = true;
        drop(d, why);
        tell(d);

    } else {
        go_on_sending(ctx);
    }

    lun_lua_now = was;
}


/* --- its beginning ------------------------------------------------------- */

void
lun_lua_downstream_take(lun_lua_ctx *ctx)
{
    lun_conn            *c = ctx->session->conn;
    lun_lua_downstream  *d = ctx->downstream;

    if (d == NULL) {
        d = lun_pool_new(ctx->pool, lun_lua_downstream);
        d->ctx = ctx;
        d->tail = &d->first;
        ctx->downstream = d;
    }

    lun_conn_enter(c, lun_stream_session_of(ctx->session)->phase
                      == LUN_STREAM_PREREAD ? &prereading : &serving);
}
