/*
 * sock_req.c -- ngx.req.socket(): a request's own connection as a cosocket.
 *
 * Plain, it is a sink of the request's body, whatever the protocol, and has a
 * buffer of its own for what is not read yet: as long as nobody reads, nothing
 * is pulled.  Raw, it has all of an HTTP/1 connection, both ways, or of a
 * stream that was asked for by CONNECT, and the answer is whatever the handler
 * sends.
 *
 * The http floor calls for the request, whose context knows the socket; the
 * socket may end long before the request does.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock.h"

#include "modules/lua/run/ctx.h"
#include "http/body.h"

#include <stdlib.h>

enum {
    PHASES = LUN_LUA_REWRITE | LUN_LUA_SERVER_REWRITE | LUN_LUA_ACCESS
        | LUN_LUA_PRECONTENT | LUN_LUA_CONTENT
};


/* --- what happens -------------------------------------------------------- */

/* NULL: it has ended. */
static lun_cosock *
sock_of(lun_request *r)
{
    const lun_lua_ctx  *ctx = lun_lua_ctx_at(&r->session);

    return ctx != NULL ? ctx->client : NULL;
}


static void
on_read(lun_request *r)
{
    lun_cosock  *s = sock_of(r);

    if (s != NULL) {
        lun_cosock_arrived(s);
    }
}


static void
on_written(lun_request *r)
{
    lun_cosock  *s = sock_of(r);

    if (s != NULL) {
        lun_cosock_written(s);
    }
}


/* Both are told before either runs: see sock_tcp_write.c. */
static bool
on_gone(lun_request *r)
{
    int               n = 0;
    bool              lost;
    lun_co           *reader, *writer;
    lun_cosock       *s = sock_of(r);
    const char       *why = "client aborted";
    lun_lua_current   was;

    if (s == NULL) {
        return false;
    }

    lost = s->conn->gone || r->aborted;
    reader = s->reader;
    writer = lost ? s->writer : NULL;

    if (reader == NULL && writer == NULL) {
        return false;
    }

    if (s->conn->gone && s->conn->err != 0) {
        why = lun_err_sock_text(s->conn->err);
    }

    was = lun_lua_enter(s->life.ctx);

    if (reader != NULL) {
        n = lun_cosock_end_read(s, why);
    }

    if (writer != NULL) {
        s->write_closed = true;
        lun_cosock_wake_error(s, &s->writer, why);
    }

    if (reader != NULL) {
        lun_cosock_wake(s, &s->reader, n);
    }

    lun_lua_now = was;
    return true;
}


static const lun_body_sink  body_sink = {
    .on_bytes   = on_read,
    .on_gone    = on_gone,
};

static const lun_takeover  raw_takeover = {
    .on_read    = on_read,
    .on_written = on_written,
    .on_gone    = on_gone,
};


void
lun_cosock_leave_client(lun_cosock *s)
{
    s->conn = NULL;
    s->life.ctx->client = NULL;
}


/* --- the body ------------------------------------------------------------ */

enum { FIRST_ROOM = 4096 };

/* Makes room for n more bytes; false: there is no memory. */
static bool
make_body_room(lun_cosock *s, size_t n)
{
    char    *room;
    size_t   have = s->body_len - s->body_pos, size;

    if (s->body_pos != 0) {
        memmove(s->body, s->body + s->body_pos, have);
        s->body_pos = 0;
        s->body_len = have;
    }

    if (s->body_room - have >= n) {
        return true;
    }

    size = lun_max(s->body_room * 2, lun_max(have + n, (size_t) FIRST_ROOM));
    room = realloc(s->body, size);

    if (room != NULL) {
        s->body = room;
        s->body_room = size;
    }

    return room != NULL;
}


bool
lun_cosock_pull_body(lun_cosock *s)
{
    lun_str       bytes;
    lun_request  *r = s->client;

    if (!lun_body_is_open(r) || lun_body_pull(r, &bytes) == LUN_AGAIN) {
        return false;
    }

    if (bytes.len == 0) {
        return true;                   /* its end, or it has failed */
    }

    if (!make_body_room(s, bytes.len)) {
        lun_log(LUN_LOG_CRIT, r->log, 0, "no memory for a request body");
        lun_body_fail(r, 500);
        return true;
    }

    memcpy(s->body + s->body_len, bytes.data, bytes.len);
    s->body_len += bytes.len;
    return true;
}


/* --- the call ------------------------------------------------------------ */

static const char *
body_objection(const lun_request *r)
{
    /* What other protocols have of no known length is no chunks. */
    if (r->in.chunked && r->version < 2000) {
        return "chunked request bodies not supported yet";
    }

    if (r->discard_body) {
        return "request body discarded";
    }

    if (r->body != NULL) {
        return "request body already exists";
    }

    return r->in.content_length <= 0 && !r->in.chunked ? "no body" : NULL;
}


static const char *
raw_objection(const lun_lua_ctx *ctx)
{
    const lun_request  *r = ctx->request;

    if (ctx->raw) {
        return "duplicate call";
    }

    if (r->body != NULL && !r->body->complete && !r->body->failed) {
        return "pending request body reading in some other thread";
    }

    /* Bytes of a stream come behind an answer's header. */
    if (r->in.tunnel && !r->header_sent) {
        return "response header not sent yet";
    }

    if (ctx->buffering) {
        return "http 1.0 buffering";
    }

    if (ctx->out != NULL || r->output.head != NULL || r->buffered
        || lun_http_pending(r) || lun_http_holds(r))
    {
        return "pending data to write";
    }

    return NULL;
}


/* The place in the text is that of the call of ngx.req.socket(). */
static int
throw_at_caller(lua_State *L, const char *text)
{
    luaL_where(L, 2);
    lua_pushstring(L, text);
    lua_concat(L, 2);
    return lua_error(L);
}


/* (a fresh object, raw): 1, or nil and why not. */
int
lun_cosock_client(lua_State *L)
{
    bool          raw = lua_toboolean(L, 2);
    lun_co       *co = lun_co_enter(L, PHASES);
    lun_cosock   *s;
    lun_lua_ctx  *ctx = co->ctx;
    lun_request  *r = ctx->request;
    lun_conn     *c = r->conn;
    const char   *why;

    if (r != r->main) {
        return throw_at_caller(L, "attempt to read the request body in a "
                               "subrequest");
    }

    if (raw && !lun_body_may_hand_over(r)) {
        return throw_at_caller(L, "http v2 not supported yet");
    }

    why = raw ? raw_objection(ctx) : body_objection(r);

    if (why != NULL) {
        return lun_cosock_fail(L, why);
    }

    if (raw) {
        c = lun_body_hand_over(r, &raw_takeover);

    } else if (lun_body_open(r, &body_sink) != LUN_OK) {
        return lun_cosock_fail(L, "test expect failed");
    }

    if (ctx->client != NULL) {
        lun_cosock_close(ctx->client);         /* it has read the body */
    }

    s = lun_cosock_own(L);
    s->lent = true;
    s->client = r;
    s->raw = raw;
    s->conn = c;
    ctx->client = s;

    if (raw) {
        lun_cosock_nodelay(s, s->conn);
    }

    ctx->raw = raw;
    ctx->eof |= raw;

    lua_pushinteger(L, 1);
    return 1;
}
