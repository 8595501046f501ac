/*
 * sock_tcp_connect.c -- tcpsock:connect().
 *
 * In this order: a connection from the pool; a place in the pool's queue; the
 * name's address; the connection.  Whatever of it waits, the coroutine waits
 * once, and is cancelled in one place.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock.h"

#include "base/fmt.h"
#include "modules/lua/ffi/ffi_worker.h"
#include "modules/lua/run/side.h"
#include "modules/lua/sock/sock_host.h"
#include "net/conn_sock.h"

enum {
    UNIX_PREFIX = 5,               /* "unix:" */
    KEY_ROOM    = 256
};

typedef struct {
    lun_str      host;
    uint16_t     port;
    const char  *fault;            /* of the host, or NULL */
    lun_str      key;              /* the pool's name */
    char        *room;             /* of KEY_ROOM, for most of these */
    size_t       pool_size;        /* 0: not given */
    int64_t      backlog;          /* -1: not given */
} wish;


/* --- arguments ----------------------------------------------------------- */

static void
read_pool_options(lua_State *L, int at, wish *w)
{
    int64_t  n;

    lua_getfield(L, at, "pool_size");

    if (lua_isnumber(L, -1)) {
        n = lun_number_at(L, -1, INT32_MIN, INT32_MAX);

        if (n <= 0) {
            luaL_argerror(L, at, lua_pushfstring(L, "bad \"pool_size\" option "
                                                 "value: %d", (int) n));
        }

        w->pool_size = (size_t) n;

    } else if (!lua_isnil(L, -1)) {
        luaL_argerror(L, at, lua_pushfstring(L, "bad \"pool_size\" option "
                             "type: %s", luaL_typename(L, -1)));
    }

    lua_getfield(L, at, "backlog");

    if (lua_isnumber(L, -1)) {
        w->backlog = lun_number_at(L, -1, INT32_MIN, INT32_MAX);

        if (w->backlog < 0) {
            luaL_argerror(L, at, lua_pushfstring(L, "bad \"backlog\" option "
                                 "value: %d", (int) w->backlog));
        }

        if (w->pool_size == 0) {
            w->pool_size = (size_t) lun_lua_now.ctx->conf->socket_pool_size;
        }
    }

    lua_pop(L, 2);
}


/* The name stays on the stack, where it lives as long as the call. */
static void
read_pool_name(lua_State *L, int at, wish *w)
{
    lua_getfield(L, at, "pool");

    if (lua_isstring(L, -1)) {
        w->key.data = lua_tolstring(L, -1, &w->key.len);

    } else if (!lua_isnil(L, -1)) {
        luaL_argerror(L, at, lua_pushfstring(L, "bad \"pool\" option type: %s",
                                             luaL_typename(L, -1)));
    }
}


/* Streams want a host first, which a path is none. */
static bool
fail_port(lua_State *L, const wish *w)
{
    if (lun_lua_now.request == NULL && lun_lua_now.session != NULL
        && memchr(w->host.data, '/', w->host.len) != NULL)
    {
        lun_cosock_fail(L, lua_pushfstring(L, "failed to parse host name "
                                           "\"%s\": invalid host",
                                           w->host.data));
        return false;
    }

    lun_cosock_fail(L, "missing the port number");
    return false;
}


/* "host:port"; what has no room stays on the stack. */
static void
make_key(lua_State *L, wish *w)
{
    char    *p;
    size_t   len = w->host.len;

    if (len < KEY_ROOM - 6) {
        p = lun_copy(w->room, w->host.data, len);
        *p++ = ':';
        p = lun_fmt_u64(p, w->port);
        w->key = lun_str_of(w->room, (size_t) (p - w->room));

    } else {
        lua_pushlstring(L, w->host.data, len);
        lua_pushfstring(L, ":%d", (int) w->port);
        lua_concat(L, 2);
        w->key.data = lua_tolstring(L, -1, &w->key.len);
    }
}


/* Sets key and port, or pushes what is wrong and returns false. */
static bool
read_port(lua_State *L, int at, wish *w)
{
    int64_t  port;

    if (!lua_isnumber(L, at)) {
        if (!lun_sock_host_is_unix(w->host)) {
            return fail_port(L, w);
        }

        if (w->key.data == NULL) {
            w->key = w->host;
        }

        return true;
    }

    port = lun_number_at(L, at, INT32_MIN, INT32_MAX);

    if (port < 0 || port > 65535) {
        lun_cosock_fail(L, lua_pushfstring(L, "bad port number: %d",
                                         (int) port));
        return false;
    }

    w->port = (uint16_t) port;

    if (w->key.data == NULL) {
        make_key(L, w);
    }

    return true;
}


/* What is wrong with the host is said when its address is asked for. */
static void
read_host(wish *w)
{
    lun_str  name;

    w->fault = lun_sock_host_read(w->host, &name, &w->port);

    if (w->fault == NULL) {
        w->host = name;
    }
}


static bool
read_wish(lua_State *L, wish *w, char *room)
{
    int  n = lua_gettop(L);

    if (n < 2 || n > 4) {
        luaL_error(L, "ngx.socket connect: expecting 2, 3, or 4 arguments "
                   "(including the object), but seen %d", n);
    }

    *w = (wish) { .backlog = -1, .room = room };
    luaL_checktype(L, 1, LUA_TTABLE);
    w->host.data = luaL_checklstring(L, 2, &w->host.len);

    if (lua_istable(L, n)) {
        read_pool_options(L, n, w);
        read_pool_name(L, n, w);
    }

    if (!read_port(L, 3, w)) {
        return false;
    }

    read_host(w);
    return true;
}


static void
remember(lun_cosock *s, const wish *w)
{
    char    *key;
    size_t   size = w->host.len + 1 + w->key.len + 1;

    if (s->names_room < size) {
        lun_free(s->names);
        s->names = lun_malloc(size);
        s->names_room = size;
    }

    key = lun_copy_str(s->names, w->host);
    *key++ = '\0';
    *lun_copy_str(key, w->key) = '\0';

    s->host = s->names;
    s->host_fault = w->fault;
    s->port = w->port;
    s->key = lun_str_of(key, w->key.len);
}


/* --- the steps ----------------------------------------------------------- */

static void
fail(lun_cosock *s, const char *why)
{
    lun_cosock_close(s);
    lun_cosock_wake_error(s, &s->connector, why);
}


static void
succeed(lun_cosock *s, lun_conn *c)
{
    lun_co  *co = s->connector;

    lun_cosock_begin(s, c);
    lua_pushinteger(co->L, 1);
    lun_cosock_wake(s, &s->connector, 1);
}


void
lun_cosock_nodelay(const lun_cosock *s, lun_conn *c)
{
    lun_lua_net         net;
    const lun_lua_ctx  *ctx = s->life.ctx;

    if (c->remote.family == LUN_AF_UNIX || c->nodelay) {
        return;
    }

    net = ctx->main->side->net(ctx);

    if (net.known && !net.tcp_nodelay) {
        return;
    }

    lun_debug(ctx->log, "lua socket tcp_nodelay");
    lun_conn_nodelay(c);
}


static void
on_connected(lun_conn *c)
{
    lun_cosock  *s = c->data;

    lun_cosock_nodelay(s, c);

    succeed(s, c);
}


/* Nothing that is wrong here. */
static bool
is_refusal(lun_err err)
{
    switch (lun_err_kind_of(err)) {

    case LUN_ERR_REFUSED:
    case LUN_ERR_AGAIN:
    case LUN_ERR_RESET:
        return true;

    default:
        return false;
    }
}


static void
on_refused(lun_conn *c)
{
    lun_err    err = c->err;
    lun_cosock  *s = c->data;

    if (lun_sock_host_is_unix(lun_str_z(s->host))) {
        lun_log(is_refusal(err) ? LUN_LOG_ERR : LUN_LOG_CRIT,
                s->life.ctx->log, err, "connect() to %s failed", s->host);

    } else if (lun_cosock_logs(s)) {
        lun_log(LUN_LOG_ERR, s->life.ctx->log, err, "connect() failed");
    }

    fail(s, lun_err_sock_text(err));
}


static const lun_conn_state  connecting = {
    .name       = "cosocket connecting",
    .doing      = "connecting to a peer",
    .on_written = on_connected,
    .on_gone    = on_refused,
};


static void
stop_waiting(lun_cosock *s)
{
    if (s->waiting) {
        s->waiting = false;
        lun_conn_pool_cancel(lun_cosock_pool(s, 0, -1), &s->waiter);
    }
}


static void
on_timeout(lun_timer *timer)
{
    lun_co    *co = lun_container_of(timer, lun_co, timer);
    lun_cosock  *s = co->cancel_data;

    if (!s->waiting) {
        lun_cosock_log_timeout(s, "connect");

    } else if (lun_cosock_logs(s)) {
        lun_log(LUN_LOG_ERR, s->life.ctx->log, 0, "lua tcp socket queued "
                "connect timed out, when trying to connect to %s:%u", s->host,
                s->port);
    }

    stop_waiting(s);
    fail(s, "timeout");
}


static void
start_clock(lun_cosock *s)
{
    lun_timer_start(lun_lua_loop(s->connector->ctx), &s->connector->timer,
                    s->connect_limit, on_timeout);
}


static lun_err
make_transparent(const lun_cosock *s, const lun_conn *c, lun_family family)
{
    lun_err  err = lun_conn_transparent(c, family);

    lun_debug(s->life.ctx->log, "%slua set TCP upstream with IP_TRANSPARENT",
              s->life.ctx->main->side->prefix);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, s->life.ctx->log, err,
                "setsockopt(IP_TRANSPARENT) failed");
    }

    return err;
}


static lun_err
bind_to(const lun_cosock *s, const lun_conn *c)
{
    char     room[LUN_ADDR_TEXT];
    lun_err  err = lun_conn_bind(c, &s->local);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, s->life.ctx->log, err, "bind(%.*s) failed",
                LUN_S(lun_addr_format(&s->local, s->local.port != 0, room,
                                      sizeof(room))));
    }

    return err;
}


/*
 * Failures go to whoever waits for connect(), which may be this very call:
 * fail() knows.
 */
static void
connect_to(lun_cosock *s, const lun_addr *addr)
{
    lun_err    err = 0;
    lun_conn  *c;

    if (lun_lua_agent_is_full(s->life.ctx)) {
        fail(s, "connect peer error");
        return;
    }

    c = lun_conn_new_out(lun_lua_loop(s->life.ctx), addr->family,
                         s->life.ctx->conf->socket_buffer_size,
                         s->life.ctx->log, &err);

    if (c != NULL && s->transparent && addr->family != LUN_AF_UNIX) {
        err = make_transparent(s, c, addr->family);
    }

    if (c != NULL && err == 0 && s->local.family == addr->family) {
        err = bind_to(s, c);
    }

    if (c != NULL && err != 0) {
        lun_conn_close(c);
        c = NULL;
    }

    if (c == NULL) {
        fail(s, lun_err_sock_text(err));
        return;
    }

    s->conn = c;
    c->data = s;
    lun_conn_enter(c, &connecting);
    start_clock(s);
    lun_conn_connect(c, addr);
}


static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_cosock  *s = data;

    s->query = NULL;

    if (verdict == LUN_RESOLVED && count != 0) {
        connect_to(s, &addrs[0]);
        return;
    }

    lua_pushfstring(s->connector->L, "%s could not be resolved (%d: %s)",
                    s->host, (int) verdict, lun_resolve_text(verdict));
    fail(s, lua_tostring(s->connector->L, -1));
}


/*
 * A cached answer comes at once, within the call: the query is kept only if it
 * waits.
 */
static void
find_address(lun_cosock *s)
{
    lun_str               name = lun_str_z(s->host);
    lun_addr              addr = { .family = LUN_AF_UNIX };
    lun_msec              timeout;
    lun_resolver         *resolver;
    lun_resolve_request  *query;

    if (s->host_fault != NULL) {
        lua_pushfstring(s->connector->L, "failed to parse host name \"%s\": "
                        "%s", s->host, s->host_fault);
        fail(s, lua_tostring(s->connector->L, -1));
        return;
    }

    if (lun_sock_host_is_unix(name)) {
        addr.path = s->host + UNIX_PREFIX;
        connect_to(s, &addr);
        return;
    }

    resolver = lun_sock_host_resolver(s->life.ctx, name, &timeout);

    if (resolver == NULL) {
        lua_pushfstring(s->connector->L, "no resolver defined to resolve "
                        "\"%s\"", s->host);
        fail(s, lua_tostring(s->connector->L, -1));
        return;
    }

    query = lun_resolve(resolver, name, s->port, on_resolved, s);

    if (query != NULL) {
        s->query = query;
        lun_resolve_limit(query, timeout);
    }
}


static void  on_room(lun_conn_waiter *w);


/* Returns false when the queue is full as well. */
static bool
ask_pool(lun_cosock *s, size_t size, int64_t backlog, bool waited)
{
    lun_conn       *c;
    lun_conn_pool  *pool = lun_cosock_pool(s, size, backlog);

    if (pool == NULL) {
        find_address(s);
        return true;
    }

    s->waiter.ready = on_room;

    switch (lun_conn_pool_take(pool, &s->waiter, waited, &c, &s->reused)) {

    case LUN_CONN_POOL_REUSED:
        s->pool = pool;
        lun_debug(s->life.ctx->log, "lua tcp socket get keepalive peer: using "
                  "connection %p, fd:%" PRIdPTR, (void *) c, lun_conn_fd(c));
        succeed(s, c);
        return true;

    case LUN_CONN_POOL_CONNECT:
        s->pool = pool;
        find_address(s);
        return true;

    case LUN_CONN_POOL_WAITING:
        lun_debug(s->life.ctx->log, "lua tcp socket queue connect operation "
                  "for connection pool \"%.*s\"", LUN_S(s->key));
        s->waiting = true;
        start_clock(s);
        return true;

    case LUN_CONN_POOL_FULL:
        break;
    }

    return false;
}


static void
on_room(lun_conn_waiter *w)
{
    lun_cosock  *s = lun_container_of(w, lun_cosock, waiter);

    s->waiting = false;
    lun_timer_stop(&s->connector->timer);
    (void) ask_pool(s, 0, -1, true);
}


static void
on_cancel(void *data)
{
    lun_cosock  *s = data;

    s->connector = NULL;

    if (s->query != NULL) {
        lun_debug(s->life.ctx->log, "lua tcp socket abort resolver");
        lun_resolve_cancel(s->query);
        s->query = NULL;
    }

    if (s->waiting) {
        lun_debug(s->life.ctx->log, "lua tcp socket abort queueing");
    }

    stop_waiting(s);
    lun_cosock_close(s);
    lun_cosock_let_go(s);
}


/* The object has connected before. */
static void
say_again(lua_State *L)
{
    const lun_cosock  *s = lun_cosock_of(L);

    lua_rawgeti(L, 1, LUN_COSOCK_BOX);

    if (s != NULL ? s->host != NULL : !lua_isnil(L, -1)) {
        lun_debug(lun_lua_now.ctx->log, "lua reuse socket upstream ctx");
    }

    lua_pop(L, 1);
}


/* nginx's Lua takes the record of one that has ended for the next. */
static void
say_reuse(const lun_cosock *s)
{
    lun_lua_ctx  *ctx = s->life.ctx;

    if (ctx->ended_socks != 0) {
        ctx->ended_socks--;
        lun_debug(ctx->log, "lua %s cleanup reuse: %p",
                  ctx->main->side->subsystem, (const void *) s);
    }
}


int
lun_cosock_connect(lua_State *L)
{
    char         room[KEY_ROOM];
    wish         w;
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock  *s;

    if (!read_wish(L, &w, room)) {
        return 2;
    }

    if (lun_log_wants(lun_lua_now.ctx->log, LUN_LOG_DEBUG)) {
        say_again(L);
    }

    s = lun_cosock_own(L);

    if (s->connector != NULL) {
        return lun_cosock_fail(L, "socket busy connecting");
    }

    if (s->reader != NULL) {
        return lun_cosock_fail(L, "socket busy reading");
    }

    if (s->writer != NULL) {
        return lun_cosock_fail(L, "socket busy writing");
    }

    if (s->conn != NULL) {
        lun_debug(s->life.ctx->log,
                  "lua tcp socket reconnect without shutting down");
    }

    lun_cosock_close(s);                 /* connects anew */
    remember(s, &w);

    s->reused = 0;
    s->read_closed = false;
    s->write_closed = false;
    s->connect_limit = lun_cosock_limit(L, LUN_COSOCK_CONNECT_TIMEOUT,
                           lun_lua_now.ctx->conf->socket_connect_timeout);
    lua_rawgeti(L, 1, LUN_COSOCK_TRANSPARENT);
    s->transparent = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lun_debug(s->life.ctx->log, "lua tcp socket connect timeout: %" PRIu64,
              s->connect_limit);
    say_reuse(s);
    s->connector = co;

    if (!ask_pool(s, w.pool_size, w.backlog, false)) {
        s->connector = NULL;
        return lun_cosock_fail(L, "too many waiting connect operations");
    }

    return lun_co_wait(co, "tcpsock:connect", on_cancel, s);
}
