/*
 * sock_tcp_write.c -- send, and what both directions share of a connected
 * socket's state.
 *
 * A string is sent as it is, where it is.  Only what the system does not take
 * at once is copied, because Lua may collect it while the coroutine waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock.h"

#include "modules/lua/run/downstream.h"
#include "modules/lua/run/output.h"
#include "modules/lua/sock/sock_ask.h"


/* --- the data ------------------------------------------------------------ */

/* A table's pieces end up here; used before anything yields. */
static struct {
    char    *data;
    size_t   len, room;
} gathered;

enum { KEEP_MOST = 65536, DEPTH_MOST = 64, MOST_ITEMS = 1 << 26 };


void
lun_sock_gather_none(void)
{
    gathered.len = 0;
}


lun_str
lun_sock_gathered(void)
{
    return lun_str_of(gathered.data, gathered.len);
}


void
lun_sock_gather(const char *data, size_t len)
{
    if (gathered.room - gathered.len < len) {
        gathered.room = lun_max(gathered.room * 2, gathered.len + len);
        gathered.data = lun_realloc(gathered.data, gathered.room);
    }

    memcpy(gathered.data + gathered.len, data, len);
    gathered.len += len;
}


/* Text of a value that is no table; the value may become a string. */
static bool
text_of(lua_State *L, int at, lun_str *text)
{
    switch (lua_type(L, at)) {

    case LUA_TSTRING:
    case LUA_TNUMBER:
        text->data = lua_tolstring(L, at, &text->len);
        return true;

    case LUA_TNIL:
        *text = LUN_STR("nil");
        return true;

    case LUA_TBOOLEAN:
        *text = lua_toboolean(L, at) ? LUN_STR("true") : LUN_STR("false");
        return true;

    default:
        return false;
    }
}


/* The length of an array; throws when the table is none. */
static int
array_len(lua_State *L, int at)
{
    int      max = 0;
    int64_t  key;

    lua_pushnil(L);

    while (lua_next(L, at) != 0) {
        key = lua_type(L, -2) != LUA_TNUMBER ? 0
              : lun_number_at(L, -2, 0, MOST_ITEMS);
        lua_pushinteger(L, (lua_Integer) key);

        /* One with a fraction, or too far away, is not the same any more. */
        if (key < 1 || !lua_rawequal(L, -1, -3)) {
            luaL_argerror(L, 2, "non-array table found");
        }

        max = lun_max(max, (int) key);
        lua_pop(L, 2);
    }

    return max;
}


static void
add_table(lua_State *L, int at, int depth)
{
    int      i, n;
    lun_str  text;

    if (depth > DEPTH_MOST || !lua_checkstack(L, 4)) {
        luaL_argerror(L, 2, "table nested too deep");
    }

    n = array_len(L, at);

    for (i = 1; i <= n; i++) {
        lua_rawgeti(L, at, i);

        if (lua_istable(L, -1)) {
            add_table(L, lua_gettop(L), depth + 1);

        } else if (lua_isstring(L, -1)) {
            text.data = lua_tolstring(L, -1, &text.len);
            lun_sock_gather(text.data, text.len);

        } else {
            luaL_argerror(L, 2, lua_pushfstring(L, "bad data type %s found",
                                                luaL_typename(L, -1)));
        }

        lua_pop(L, 1);
    }
}


lun_str
lun_sock_data(lua_State *L)
{
    lun_str  text;

    if (lua_istable(L, 2)) {
        lun_sock_gather_none();
        add_table(L, 2, 0);
        return lun_sock_gathered();
    }

    if (!text_of(L, 2, &text)) {
        luaL_argerror(L, 2, lua_pushfstring(L, "string, number, boolean, nil, "
                            "or array table expected, got %s",
                            luaL_typename(L, 2)));
    }

    return text;
}


static void
trim_gathered(void)
{
    if (gathered.room > KEEP_MOST) {
        lun_free(gathered.data);
        gathered.data = NULL;
        gathered.room = 0;
    }
}


/* --- what happens -------------------------------------------------------- */

/* Who did not send everything cannot send any more. */
static void
on_timeout(lun_timer *timer)
{
    lun_cosock  *s = lun_cosock_timed_out(timer, "write");

    s->write_closed = true;
    lun_cosock_wake_error(s, &s->writer, "timeout");
}


static void
write_rest(lun_cosock *s)
{
    lun_slice  rest = { s->out + s->out_done, s->out_len - s->out_done };

    if (s->writer != NULL) {
        lun_timer_start(s->conn->loop, &s->writer->timer, s->send_limit,
                        on_timeout);
    }

    lun_conn_write(s->conn, &rest, 1);
}


static void
drop_out(lun_cosock *s)
{
    lun_free(s->out);
    s->out = NULL;
}


void
lun_cosock_written(lun_cosock *s)
{
    s->out_done += (size_t) lun_conn_written(s->conn);

    if (s->out_done < s->out_len) {
        write_rest(s);
        return;
    }

    drop_out(s);

    if (s->writer != NULL) {
        lua_pushnumber(s->writer->L, (lua_Number) s->total);
        lun_cosock_wake(s, &s->writer, 1);

    } else {
        lun_cosock_let_go(s);
    }
}


static void
on_written(lun_conn *c)
{
    lun_cosock_written(c->data);
}


static void
on_cancel(void *data)
{
    lun_cosock  *s = data;

    s->writer = NULL;
    lun_cosock_close(s);               /* half a message cannot be mended */
    lun_cosock_let_go(s);
}


/* --- the call ------------------------------------------------------------ */

/* Of a stream session: what ngx.say() has said goes first. */
static bool
is_blocked(const lun_cosock *s)
{
    return s->lent && s->client == NULL
           && lun_lua_downstream_pending(s->life.ctx);
}


static int
wait_for_rest(lun_co *co, lun_cosock *s, lun_str rest)
{
    s->out = lun_malloc(rest.len);
    s->out_len = rest.len;
    s->out_done = 0;
    memcpy(s->out, rest.data, rest.len);
    trim_gathered();

    s->writer = co;

    if (!is_blocked(s)) {
        write_rest(s);
    }

    return lun_co_wait(co, "tcpsock:send", on_cancel, s);
}


void
lun_cosock_unblock(lun_cosock *s, const char *why)
{
    /* What was said may still be on its way: nothing can follow it. */
    s->write_closed |= why != NULL;

    if (s->out == NULL) {
        return;
    }

    if (why == NULL) {
        write_rest(s);
        return;
    }

    drop_out(s);

    if (s->writer != NULL) {
        lun_cosock_wake_error(s, &s->writer, why);
    }
}


lun_cosock *
lun_cosock_writable(lua_State *L, int *n)
{
    lun_cosock  *s = lun_cosock_of(L);

    if (s == NULL || s->conn == NULL || s->write_closed) {
        *n = lun_cosock_fail_closed(L, s, "send");
        return NULL;
    }

    return lun_cosock_free_for(L, s, LUN_COSOCK_WRITES, n);
}


/* What could not be sent, and why: what the call gets. */
static int
fail_send(lua_State *L, lun_cosock *s, lun_err err)
{
    if (lun_cosock_logs(s)) {
        lun_log(LUN_LOG_ERR, s->life.ctx->log, err, "send() failed");
    }

    if (s->reader == NULL) {
        lun_cosock_close(s);

    } else {
        s->write_closed = true;        /* the reader learns it by itself */
    }

    return lun_cosock_fail(L, lun_err_sock_text(err));
}


/* Sent at once as far as it goes; only the rest is copied and waited for. */
lun_rc
lun_cosock_send_data(lua_State *L, lun_co *co, lun_cosock *s, lun_str data,
    int *n)
{
    size_t     sent;
    lun_err    err;
    lun_slice  slice;

    s->total = data.len;

    if (is_blocked(s) && data.len != 0) {
        *n = wait_for_rest(co, s, data);
        return LUN_AGAIN;
    }

    for (err = 0; err == 0 && data.len != 0; ) {
        slice = (lun_slice) { data.data, data.len };
        err = lun_conn_send(s->conn, &slice, 1, false, &sent);
        data.data += sent;
        data.len -= sent;
    }

    if (data.len == 0) {
        trim_gathered();
        return LUN_OK;
    }

    *n = lun_err_kind_of(err) == LUN_ERR_AGAIN ? wait_for_rest(co, s, data)
                                               : fail_send(L, s, err);
    return LUN_AGAIN;
}


void
lun_cosock_before_send(lua_State *L, lun_cosock *s)
{
    s->send_limit = lun_cosock_limit(L, LUN_COSOCK_SEND_TIMEOUT,
                                     s->life.ctx->conf->socket_send_timeout);
    lun_debug(s->life.ctx->log, "lua tcp socket send timeout: %" PRIu64,
              s->send_limit);

    if (s->lent) {
        (void) lun_lua_send(s->life.ctx);
    }
}


int
lun_cosock_send(lua_State *L)
{
    int          n = lua_gettop(L);
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock  *s;

    if (n != 2) {
        return luaL_error(L, "expecting 2 arguments (including the object), "
                          "but got %d", n);
    }

    s = lun_cosock_writable(L, &n);

    if (s == NULL) {
        return n;
    }

    lun_cosock_before_send(L, s);

    if (lun_cosock_send_data(L, co, s, lun_sock_data(L), &n) != LUN_OK) {
        return n;
    }

    lua_pushnumber(L, (lua_Number) s->total);
    return 1;
}


/* --- a connected socket -------------------------------------------------- */

/*
 * The end of all of it.  Both who wait are told before either runs, because
 * what runs may end the socket, the context, and the other one.
 */
static void
on_broken(lun_cosock *s, const char *why)
{
    int               n = 0;
    lun_co           *reader = s->reader, *writer = s->writer;
    lun_lua_current   was;

    if (reader == NULL && writer == NULL) {
        lun_cosock_close(s);
        return;
    }

    was = lun_lua_enter(s->life.ctx);

    if (reader != NULL) {
        n = lun_cosock_end_read(s, why);
    }

    lun_cosock_close(s);

    if (writer != NULL) {
        lun_cosock_wake_error(s, &s->writer, why);
    }

    if (reader != NULL) {
        lun_cosock_wake(s, &s->reader, n);
    }

    lun_lua_now = was;
}


/* The peer has ended its side, which leaves ours; or all of it is broken. */
static void
on_gone(lun_conn *c)
{
    lun_err    err = c->err;
    lun_cosock  *s = c->data;

    if (c->gone) {
        if (lun_cosock_logs(s) && (s->reader != NULL || s->writer != NULL)) {
            lun_log(LUN_LOG_ERR, s->life.ctx->log, err, "%s failed",
                    s->reader != NULL ? "recv()" : "send()");
        }

        on_broken(s, lun_err_sock_text(err));
        return;
    }

    if (s->reader != NULL) {
        lun_cosock_wake(s, &s->reader, lun_cosock_end_read(s, "closed"));
    }
}


static void
on_read(lun_conn *c)
{
    lun_cosock_arrived(c->data);
}


static const lun_conn_state  connected = {
    .name       = "cosocket connected",
    .doing      = "talking to a peer",
    .on_read    = on_read,
    .on_written = on_written,
    .on_gone    = on_gone,
};


void
lun_cosock_begin(lun_cosock *s, lun_conn *c)
{
    s->conn = c;
    c->data = s;
    lun_conn_enter(c, &connected);
}
