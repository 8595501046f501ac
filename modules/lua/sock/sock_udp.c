/*
 * sock_udp.c -- ngx.socket.udp: datagrams to and from one peer.
 *
 * The socket proper (a channel) is an allocation of its own, because the
 * system may have its buffer when the Lua object is done with it.  A datagram
 * that comes while nobody waits is kept for the next receive().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_udp.h"

#include "modules/lua/run/native.h"
#include "modules/lua/sock/sock.h"
#include "modules/lua/sock/sock_host.h"

enum { DATAGRAM = 65536, UNIX_PREFIX = 5 };

typedef struct lun_udp  lun_udp;

typedef struct {
    lun_stream   stream;
    lun_udp     *udp;              /* NULL: closed */
    bool         full;             /* a datagram of `len` bytes is there */
    lun_err      err;              /* or this, instead */
    size_t       len;
    char         buf[DATAGRAM];
} channel;

struct lun_udp {
    lun_sock_life          life;
    channel               *ch;
    bool                   boxed;
    lun_co                *waiter;
    lun_resolve_request   *query;
    char                  *host;   /* malloc'ed */
    lun_addr               local;
    size_t                 size;   /* of what receive() returns at most */
};

static const char  box_type[] = "lunette.udp";


/* --- life ---------------------------------------------------------------- */

static void
close_channel(lun_udp *u)
{
    channel  *ch = u->ch;

    if (ch == NULL) {
        return;
    }

    u->ch = NULL;
    ch->udp = NULL;
    lun_port_close(&ch->stream);

    if (!lun_port_busy(&ch->stream)) {
        lun_free(ch);
    }
}


static void
let_go(lun_udp *u)
{
    if (!u->boxed && u->waiter == NULL) {
        close_channel(u);
        lun_list_remove(&u->life.link);
        lun_free(u->host);
        lun_free(u);
    }
}


static void
on_context_end(lun_sock_life *life)
{
    close_channel(lun_container_of(life, lun_udp, life));
    life->ctx = NULL;
}


static lun_udp *
udp_of(lua_State *L)
{
    lun_udp  *u;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_rawgeti(L, 1, LUN_COSOCK_BOX);
    u = lun_lua_unbox(L, -1, box_type);
    lua_pop(L, 1);

    return u;
}


static lun_udp *
own(lua_State *L)
{
    lun_udp      *u = udp_of(L);
    lun_lua_box  *box;

    if (u == NULL) {
        box = lun_lua_box_new(L, box_type);
        lua_rawseti(L, 1, LUN_COSOCK_BOX);

        box->object = u = lun_calloc(sizeof(lun_udp));
        u->boxed = true;
        u->life.end = on_context_end;
        lun_list_init(&u->life.link);

    } else if (u->life.ctx != NULL && u->life.ctx != lun_lua_now.ctx) {
        luaL_error(L, "bad request");
    }

    lun_sock_join(&u->life, lun_lua_now.ctx);
    return u;
}


static int
on_collect(lua_State *L)
{
    lun_lua_box  *box = lua_touserdata(L, 1);
    lun_udp      *u = box->object;

    if (u != NULL) {
        box->object = NULL;
        u->boxed = false;
        let_go(u);
    }

    return 0;
}


/* The socket with a peer, nobody waiting; else NULL with *n results. */
static lun_udp *
ready(lua_State *L, const char *doing, int *n)
{
    lun_udp            *u = udp_of(L);
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (u == NULL || (u->ch == NULL && u->waiter == NULL)) {
        if (doing != NULL && ctx->conf->socket_log_errors) {
            lun_log(LUN_LOG_ERR, ctx->log, 0, "attempt to %s data on a closed "
                    "socket: u:%016" PRIXPTR ", c:%016" PRIXPTR, doing,
                    (uintptr_t) u, (uintptr_t) 0);
        }

        *n = lun_cosock_fail(L, "closed");
        return NULL;
    }

    if (u->life.ctx != ctx) {
        luaL_error(L, "bad request");
    }

    if (u->waiter != NULL) {
        *n = lun_cosock_fail(L, "socket busy");
        return NULL;
    }

    return u;
}


static void
wake(lun_udp *u, int n)
{
    lun_co  *co = u->waiter;

    u->waiter = NULL;
    lun_timer_stop(&co->timer);
    let_go(u);
    lun_co_wake(co, n);
}


/* --- receiving ----------------------------------------------------------- */

static void  on_datagram(lun_op *op);


/* There is always a read, so that nothing that comes gets lost. */
static void
listen_to_peer(channel *ch)
{
    ch->full = false;
    lun_port_read(&ch->stream, ch->buf, DATAGRAM, on_datagram);
}


static int
push_datagram(lun_udp *u, lua_State *L)
{
    lun_err   err = u->ch->err;
    channel  *ch = u->ch;

    if (err == 0) {
        lua_pushlstring(L, ch->buf, lun_min(ch->len, u->size));

    } else if (u->life.ctx->conf->socket_log_errors) {
        lun_log(LUN_LOG_ERR, u->life.ctx->log, err, "recv() failed");
    }

    listen_to_peer(ch);
    return err == 0 ? 1 : lun_cosock_fail(L, lun_err_sock_text(err));
}


static void
on_datagram(lun_op *op)
{
    channel  *ch = lun_container_of(op, channel, stream.in);
    lun_udp  *u = ch->udp;

    if (u == NULL) {
        lun_free(ch);
        return;
    }

    ch->full = true;
    ch->err = op->err;
    ch->len = op->err == 0 ? (size_t) op->result : 0;

    if (u->waiter != NULL) {
        wake(u, push_datagram(u, u->waiter->L));
    }
}


static void
on_timeout(lun_timer *timer)
{
    lun_co             *co = lun_container_of(timer, lun_co, timer);
    lun_udp            *u = co->cancel_data;
    const lun_lua_ctx  *ctx = u->life.ctx;

    if (ctx->conf->socket_log_errors) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "lua udp socket read timed out");
    }

    wake(u, lun_cosock_fail(co->L, "timeout"));
}


static void
on_cancel(void *data)
{
    lun_udp  *u = data;

    u->waiter = NULL;

    if (u->query != NULL) {
        lun_resolve_cancel(u->query);
        u->query = NULL;
    }

    let_go(u);
}


/*
 * A datagram that came while nobody asked is here already; there is room for
 * one.
 */
static int
receive(lua_State *L)
{
    int           n = lua_gettop(L);
    lun_co       *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_udp      *u;
    int64_t       size;

    if (n != 1 && n != 2) {
        return luaL_error(L, "expecting 1 or 2 arguments (including the "
                          "object), but got %d", n);
    }

    size = lua_isnoneornil(L, 2) ? DATAGRAM
                                 : lun_number_check(L, 2, 0, DATAGRAM);
    u = ready(L, "receive", &n);

    if (u == NULL) {
        return n;
    }

    u->size = (size_t) size;

    lun_debug(u->life.ctx->log, "lua udp socket receive buffer size: %zu",
              u->size);

    if (u->ch->full) {
        return push_datagram(u, L);
    }

    u->waiter = co;
    lun_timer_start(lun_lua_loop(co->ctx), &co->timer,
                    lun_cosock_limit(L, LUN_COSOCK_READ_TIMEOUT,
                                     u->life.ctx->conf->socket_read_timeout),
                    on_timeout);
    return lun_co_wait(co, "udpsock:receive", on_cancel, u);
}


/* --- the peer ------------------------------------------------------------ */

static const char *
open_channel(lun_udp *u, const lun_addr *addr)
{
    lun_fd    fd;
    lun_err   err;
    channel  *ch;

    err = lun_sock_datagram(addr->family, &fd);

    if (err != 0) {
        return lun_err_sock_text(err);
    }

    if (u->local.family == addr->family) {
        err = lun_sock_bind(fd, &u->local);
    }

    if (err == 0) {
        err = lun_sock_connect_datagram(fd, addr);
    }

    /* Not zeroed: most of it is never looked at. */
    ch = lun_malloc(sizeof(channel));
    memset(ch, 0, offsetof(channel, buf));

    if (err == 0) {
        err = lun_port_attach(lun_lua_loop(u->life.ctx)->port, &ch->stream, fd,
                              true);
    }

    if (err != 0) {
        lun_sock_close(fd);
        lun_free(ch);
        return lun_err_sock_text(err);
    }

    ch->udp = u;
    u->ch = ch;
    listen_to_peer(ch);
    return NULL;
}


static void
finish_peer(lun_udp *u, const lun_addr *addr)
{
    lua_State   *L = u->waiter->L;
    const char  *why = open_channel(u, addr);

    if (why != NULL) {
        wake(u, lun_cosock_fail(L, why));
        return;
    }

    lua_pushinteger(L, 1);
    wake(u, 1);
}


static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_udp    *u = data;
    lua_State  *L = u->waiter->L;

    u->query = NULL;

    if (verdict == LUN_RESOLVED && count != 0) {
        finish_peer(u, &addrs[0]);
        return;
    }

    lua_pushnil(L);
    lua_pushfstring(L, "%s could not be resolved (%d: %s)", u->host,
                    (int) verdict, lun_resolve_text(verdict));
    wake(u, 2);
}


static void
find_peer(lun_udp *u, uint16_t port)
{
    lun_str               name = lun_str_z(u->host);
    lun_addr              addr = { .family = LUN_AF_UNIX };
    lua_State            *L = u->waiter->L;
    lun_msec              timeout;
    lun_resolver         *resolver;
    lun_resolve_request  *query;

    if (lun_sock_host_is_unix(name)) {
        addr.path = u->host + UNIX_PREFIX;
        finish_peer(u, &addr);
        return;
    }

    resolver = lun_sock_host_resolver(u->life.ctx, name, &timeout);

    if (resolver == NULL) {
        lua_pushnil(L);
        lua_pushfstring(L, "no resolver defined to resolve \"%s\"", u->host);
        wake(u, 2);
        return;
    }

    query = lun_resolve(resolver, name, port, on_resolved, u);

    if (query != NULL) {
        u->query = query;
        lun_resolve_limit(query, timeout);
    }
}


/*
 * The old socket is closed first: what it might still receive is from somebody
 * else.
 */
static int
set_peer_name(lua_State *L)
{
    int           n = lua_gettop(L);
    lun_co       *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_udp      *u;
    lun_str       host, name;
    int64_t       number;
    uint16_t      port = 0;
    const char   *why;

    if (n != 2 && n != 3) {
        return luaL_error(L, "ngx.socket.udp setpeername: expecting 2 or 3 "
                          "arguments (including the object), but seen %d", n);
    }

    luaL_checktype(L, 1, LUA_TTABLE);
    host.data = luaL_checklstring(L, 2, &host.len);

    if (n == 3) {
        number = lun_number_check(L, 3, INT32_MIN, INT32_MAX);

        if (number < 0 || number > UINT16_MAX) {
            return lun_cosock_fail(L, lua_pushfstring(L, "bad port number: %d",
                                                      (int) number));
        }

        port = (uint16_t) number;
    }

    why = lun_sock_host_read(host, &name, &port);

    if (why != NULL) {
        return lun_cosock_fail(L, lua_pushfstring(L, "failed to parse host "
                                                  "name \"%s\": %s",
                                                  host.data, why));
    }

    u = own(L);

    if (u->waiter != NULL) {
        return lun_cosock_fail(L, "socket busy");
    }

    if (u->ch != NULL) {
        lun_debug(u->life.ctx->log,
                  "lua udp socket reconnect without shutting down");
    }

    if (u->host != NULL) {
        lun_debug(u->life.ctx->log, "lua reuse socket upstream ctx");
    }

    close_channel(u);
    lun_free(u->host);
    u->host = lun_malloc(name.len + 1);
    memcpy(u->host, name.data, name.len);
    u->host[name.len] = '\0';
    u->waiter = co;
    find_peer(u, port);

    return lun_co_wait(co, "udpsock:setpeername", on_cancel, u);
}


/* --- the rest ------------------------------------------------------------ */

static int
send_(lua_State *L)
{
    int         n = lua_gettop(L);
    size_t      sent;
    lun_str     data;
    lun_udp    *u;
    lun_err     err;
    lun_slice   slice;

    if (n != 2) {
        return luaL_error(L, "expecting 2 arguments (including the object), "
                          "but got %d", n);
    }

    u = ready(L, "send", &n);

    if (u == NULL) {
        return n;
    }

    data = lun_sock_data(L);
    slice = (lun_slice) { data.data, data.len };
    err = lun_port_send(&u->ch->stream, &slice, 1, false, &sent);

    if (err == 0) {
        lun_debug(u->life.ctx->log, "send: fd:%" PRIdPTR " %zu of %zu",
                  u->ch->stream.fd, sent, data.len);

    } else {
        return lun_cosock_fail(L, lun_err_sock_text(err));
    }

    lua_pushinteger(L, 1);
    return 1;
}


static int
close_(lua_State *L)
{
    int       n = lua_gettop(L);
    lun_udp  *u;

    if (n != 1) {
        return luaL_error(L, "expecting 1 argument (including the object) but "
                          "seen %d", n);
    }

    u = ready(L, NULL, &n);

    if (u == NULL) {
        return n;
    }

    close_channel(u);
    lua_pushinteger(L, 1);
    return 1;
}


static int
bind_(lua_State *L)
{
    size_t       len;
    lun_addr     addr;
    const char  *text = luaL_checklstring(L, 2, &len);

    if (lun_addr_parse(lun_str_of(text, len), &addr) != LUN_OK
        || addr.family == LUN_AF_UNIX)
    {
        return lun_cosock_fail(L, "bad address");
    }

    own(L)->local = addr;
    lua_pushboolean(L, 1);
    return 1;
}


void
lun_udp_open(lua_State *L)
{
    static const luaL_Reg  functions[] = {
        { "udp_set_peer_name", set_peer_name },
        { "udp_send", send_ },
        { "udp_receive", receive },
        { "udp_bind", bind_ },
        { "udp_close", close_ },
        { NULL, NULL }
    };

    lun_lua_type(L, box_type, on_collect);
    luaL_register(L, NULL, functions);
}
