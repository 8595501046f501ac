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

#include "modules/lua/run/downstream.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/output.h"
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

    (void) lun_lua_send(ctx);

    if (lun_lua_downstream_pending(ctx)) {
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
    lun_timer_start(&co->timer,
                    lun_stream_core_of(lun_stream_session_of(ctx->session))
                    ->preread_timeout, on_peek_timeout);
    return lun_co_wait(co, on_peek_cancel, s);
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


static const luaL_Reg  functions[] = {
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
