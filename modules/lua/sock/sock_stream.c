/*
 * sock_stream.c -- ngx.req.socket() of a stream session: the client's
 * connection as a cosocket.
 *
 * It is read and written like any other, raw or not, and ngx.say() may be used
 * beside it; the connection's events come by downstream.c, and its end is the
 * session's.  peek() looks at what a later phase will get.  Of datagrams the
 * first is read, and any number may be sent.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock.h"

#include <openssl/ssl.h>

#include "modules/lua/run/downstream.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/output.h"
#include "net/tls/tls.h"
#include "session/server_tls.h"
#include "stream/conf/core_conf.h"

enum { PHASES = LUN_LUA_PREREAD | LUN_LUA_CONTENT };

/* What lun_cosock_stream_client() says of the connection; socket.lua's. */
enum { STREAM = 1, DATAGRAMS = 2 };

enum { DATAGRAM_MOST = 65536 };


/* --- the call ------------------------------------------------------------ */

/* (a fresh object): what it is, or nil and why not. */
int
lun_cosock_stream_client(lua_State *L)
{
    lun_co       *co = lun_co_enter(L, PHASES);
    lun_cosock   *s;
    lun_lua_ctx  *ctx = co->ctx;

    if (ctx->downstream->shaking) {
        return lun_cosock_fail(L, "socket busy connecting");
    }

    if (ctx->downstream->unusable) {
        return lun_cosock_fail(L, "closed");
    }

    (void) lun_lua_send(ctx);

    if (lun_lua_downstream_pending(ctx)
        || lun_conn_writing(ctx->session->conn))
    {
        return lun_cosock_fail(L, "pending data to write");
    }

    if (ctx->client != NULL) {
        lun_cosock_close(ctx->client);
    }

    s = lun_cosock_own(L);
    s->lent = true;
    s->raw = true;
    s->conn = ctx->session->conn;
    ctx->client = s;

    lua_pushinteger(L, s->conn->datagram ? DATAGRAMS : STREAM);
    return 1;
}


/* --- peek ---------------------------------------------------------------- */

/* The session ends here: the phase's status. */
static void
end_session(lun_lua_ctx *ctx, int status)
{
    ctx->exited = true;
    ctx->exit_code = status;
}


/*
 * Looks again at what has come.  True: it is enough, and on L; or the session
 * is to end (*status).
 */
static bool
look(lun_cosock *s, lua_State *L, int *status)
{
    lun_conn     *c = s->conn;
    size_t        have = (size_t) (c->in.last - c->in.pos), most;
    lun_session  *session = s->life.ctx->session;

    *status = 0;
    most = lun_stream_core_of(lun_stream_session_of(session))
           ->preread_buffer_size;

    if (have >= s->size && s->size <= most) {
        lua_pushlstring(L, c->in.pos, s->size);
        return true;
    }

    if (c->eof || c->gone) {
        *status = 200;
        return true;
    }

    if (have >= most) {
        lun_log(LUN_LOG_ERR, session->log, 0, "preread buffer full");
        *status = 400;
        return true;
    }

    if (!lun_conn_reading(c)) {
        if ((size_t) (c->in.end - c->in.start) < most) {
            lun_conn_grow(c, most);

        } else if (c->in.last == c->in.end) {
            lun_conn_compact(c);
        }

        lun_conn_want(c);
    }

    return false;
}


/* From the loop: something has come, or nothing will. */
void
lun_cosock_peeked(lun_cosock *s)
{
    int  status;

    if (!look(s, s->reader->L, &status)) {
        return;
    }

    if (status == 0) {
        lun_cosock_wake(s, &s->reader, 1);
        return;
    }

    end_session(s->life.ctx, status);
    lun_co_quit(s->life.ctx);
}


/* The client is too slow; nothing is wrong. */
static void
on_peek_timeout(lun_timer *timer)
{
    lun_co       *co = lun_container_of(timer, lun_co, timer);
    lun_lua_ctx  *ctx = co->ctx;

    end_session(ctx, 200);
    lun_co_quit(ctx);
}


static void
on_peek_cancel(void *data)
{
    lun_cosock  *s = data;

    lun_timer_stop(&s->reader->timer);
    s->reader = NULL;
    lun_cosock_let_go(s);
}


/* (object, size): yields; preread only. */
static int
peek(lua_State *L)
{
    int            n, status;
    lun_co        *co = lun_co_enter(L, LUN_LUA_PREREAD);
    int64_t        size;
    lun_cosock    *s;
    lun_lua_ctx   *ctx = co->ctx;

    if (lua_gettop(L) != 2) {
        return luaL_error(L, "expecting 2 arguments (including the object), "
                          "but got %d", lua_gettop(L));
    }

    size = lun_number_check(L, 2, INT32_MIN, LUN_NUMBER_MOST);

    if (size <= 0) {
        return luaL_argerror(L, 2, "bad size argument");
    }

    s = lun_cosock_ready(L, LUN_COSOCK_READS, &n);

    if (s == NULL) {
        return n;
    }

    if (ctx->downstream->unusable) {
        return lun_cosock_fail(L, "closed");
    }

    if (ctx->downstream->consumed) {
        return luaL_error(L, "attempt to peek on a consumed socket");
    }

    s->want = LUN_COSOCK_PEEK;
    s->size = (size_t) size;

    if (look(s, L, &status)) {
        if (status == 0) {
            return 1;
        }

        end_session(ctx, status);
        return lun_co_leave(L);
    }

    s->reader = co;
    lun_timer_start(lun_lua_loop(co->ctx), &co->timer,
                    lun_stream_core_of(lun_stream_session_of(ctx->session))
                    ->preread_timeout, on_peek_timeout);
    return lun_co_wait(co, "reqsock:peek", on_peek_cancel, s);
}


/* --- datagrams ----------------------------------------------------------- */

/* (object, most or nil): of the datagram that the session began with. */
static int
receive_datagram(lua_State *L)
{
    int          n;
    size_t       size = DATAGRAM_MOST;
    int64_t      most;
    lun_cosock  *s;

    (void) lun_co_enter(L, PHASES);

    if (!lua_isnoneornil(L, 2)) {
        most = lun_number_check(L, 2, INT32_MIN, LUN_NUMBER_MOST);

        if (most < 0) {
            return luaL_argerror(L, 2, "bad size argument");
        }

        size = (size_t) lun_min(most, (int64_t) DATAGRAM_MOST);
    }

    s = lun_cosock_ready(L, LUN_COSOCK_READS, &n);

    if (s == NULL) {
        return n;
    }

    if (s->life.ctx->downstream->consumed
        && s->conn->in.pos == s->conn->in.last)
    {
        return lun_cosock_fail(L, "no more data");
    }

    return lun_cosock_receive_datagram(L, s, size);
}


static int
send_datagram(lua_State *L)
{
    int         n;
    size_t      sent = 0;
    lun_err     err;
    lun_str     data;
    lun_slice   slice;
    lun_cosock *s;

    (void) lun_co_enter(L, PHASES);
    s = lun_cosock_ready(L, LUN_COSOCK_WRITES, &n);

    if (s == NULL) {
        return n;
    }

    data = lun_sock_data(L);
    slice = (lun_slice) { data.data, data.len };
    err = lun_conn_send(s->conn, &slice, 1, false, &sent);

    if (err != 0) {
        return lun_cosock_fail(L, lun_err_sock_text(err));
    }

    lua_pushinteger(L, 1);
    return 1;
}


/* --- what happens -------------------------------------------------------- */

/* Both are told before either runs: see sock_tcp_write.c. */
void
lun_cosock_stream_gone(lun_cosock *s)
{
    int               n = 0;
    lun_co           *reader = s->reader;
    lun_co           *writer = s->conn->gone ? s->writer : NULL;
    const char       *why = s->conn->gone ? lun_err_sock_text(s->conn->err)
                                          : "closed";
    lun_lua_current   was;

    if (reader == NULL && writer == NULL) {
        return;
    }

    was = lun_lua_enter(s->life.ctx);

    if (writer != NULL) {
        s->write_closed = true;
        lun_cosock_wake_error(s, &s->writer, why);
    }

    if (reader != NULL && s->want == LUN_COSOCK_PEEK) {
        lun_cosock_peeked(s);

    } else if (reader != NULL) {
        n = lun_cosock_end_read(s, why);
        lun_cosock_wake(s, &s->reader, n);
    }

    lun_lua_now = was;
}


/* --- TLS from here on ---------------------------------------------------- */

/* The socket that shakes hands on the connection of a session. */
static lun_cosock *
shaking(const lun_conn *c)
{
    return lun_lua_ctx_at(&lun_stream_session_at(c)->session)->client;
}


/* { protocol = "TLSv1.3" } */
static int
push_protocol(lua_State *L, const lun_conn *c)
{
    lua_createtable(L, 0, 1);
    lua_pushstring(L, SSL_get_version(lun_tls_of(c)));
    lua_setfield(L, -2, "protocol");
    return 1;
}


/* The connection's events are downstream.c's again. */
static void
wake_shaking(lun_conn *c, const char *why)
{
    lun_cosock          *s = shaking(c);
    lun_stream_session  *session = lun_stream_session_at(c);

    lun_stream_get(session);

    if (s != NULL && s->connector != NULL) {
        lun_lua_downstream_shaken(s->life.ctx, why);

        if (why != NULL) {
            s->read_closed = s->write_closed = true;
            lun_cosock_wake_error(s, &s->connector, why);

        } else {
            lun_cosock_wake(s, &s->connector,
                            push_protocol(s->connector->L, c));
        }
    }

    lun_stream_put(session);
}


static void
on_shaken(lun_conn *c)
{
    lun_session  *s = &lun_stream_session_at(c)->session;

    wake_shaking(c, s->engine->tls->check(s) == LUN_CLIENT_WELCOME
                    ? NULL : "handshake failed");
}


/* The room of TLS has said why. */
static void
on_refused(lun_conn *c)
{
    wake_shaking(c, "handshake failed");
}


static const lun_conn_state  shaking_hands = {
    .name       = "stream lua handshaking",
    .doing      = "SSL handshaking",
    .on_written = on_shaken,
    .on_gone    = on_refused,
};


static void
on_shake_timeout(lun_timer *timer)
{
    wake_shaking(lun_cosock_timed_out(timer, NULL)->conn,
                 "timeout");
}


static void
on_shake_cancel(void *data)
{
    lun_cosock  *s = data;

    lun_timer_stop(&s->connector->timer);
    s->connector = NULL;
    lun_lua_downstream_shaken(s->life.ctx, "handshake failed");
    s->read_closed = s->write_closed = true;
    lun_cosock_let_go(s);
}


/* (object): the client is to begin a handshake; yields. */
static int
server_handshake(lua_State *L)
{
    int           n;
    bool          strict;
    lun_co       *co = lun_co_enter(L, PHASES);
    lun_conn     *c;
    lun_cosock   *s;
    lun_session  *session = co->ctx->session;

    s = lun_cosock_ready(L, LUN_COSOCK_READS | LUN_COSOCK_WRITES, &n);

    if (s == NULL) {
        return n;
    }

    if (co->ctx->downstream->unusable) {
        return lun_cosock_fail(L, "closed");
    }

    c = s->conn;

    if (lun_tls_of(c) != NULL) {
        return push_protocol(L, c);
    }

    if (c->datagram || session->engine->tls == NULL
        || !session->engine->tls->ready(session->server, &strict))
    {
        return lun_cosock_fail(L, "ssl not configured for this server");
    }

    (void) lun_lua_send(co->ctx);

    if (lun_conn_writing(c)) {
        return lun_cosock_fail(L, "pending data to write");
    }

    if (session->engine->tls->start(c, session->server) != LUN_OK) {
        return lun_cosock_fail(L, "failed to create ssl connection");
    }

    lun_stream_session_of(session)->ssl = 1;
    s->connector = co;
    lun_timer_start(lun_lua_loop(co->ctx), &co->timer,
                    lun_cosock_limit(L, LUN_COSOCK_CONNECT_TIMEOUT,
                                     co->ctx->conf->socket_connect_timeout),
                    on_shake_timeout);
    co->ctx->downstream->shaking = true;
    lun_conn_enter(c, &shaking_hands);
    lun_tls_handshake(c);
    return lun_co_wait(co, "serversslhandshake", on_shake_cancel, s);
}


static const luaL_Reg  functions[] = {
    { "sock_server_handshake", server_handshake },
    { "sock_peek", peek },
    { "sock_receive_datagram", receive_datagram },
    { "sock_send_datagram", send_datagram },
    { NULL, NULL }
};


void
lun_lua_sock_stream_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
