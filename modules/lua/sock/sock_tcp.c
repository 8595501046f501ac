/*
 * sock_tcp.c -- the life of a cosocket: its box in Lua, the context it
 * belongs to, who waits for it, its end.
 *
 * Values on a coroutine's stack are let go when it yields, so a box may be
 * collected while its socket is waited for: the socket then lives on until
 * nobody waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock.h"

#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/check.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/side.h"
#include "modules/lua/sock/sock_ask.h"
#include "modules/lua/sock/sock_inside.h"
#include "modules/lua/sock/sock_ssl.h"
#include "modules/lua/sock/sock_udp.h"
#include "net/conn_sock.h"


static const char  box_type[] = "lunette.sock";


int
lun_cosock_fail(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}


int
lun_cosock_fail_closed(lua_State *L, const lun_cosock *s, const char *verb)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (ctx->conf->socket_log_errors) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "attempt to %s data on a closed "
                "socket: u:%016" PRIXPTR ", c:%016" PRIXPTR ", ft:%d eof:%d",
                verb, (uintptr_t) s, s != NULL ? (uintptr_t) s->conn : 0, 0,
                s != NULL && s->read_closed);
    }

    return lun_cosock_fail(L, "closed");
}


/* Of lines of the log: "stream ", or nothing. */
static const char *
prefix_of(const lun_cosock *s)
{
    return s->life.ctx != NULL ? s->life.ctx->main->side->prefix : "";
}


bool
lun_cosock_logs(const lun_cosock *s)
{
    return s->life.ctx != NULL && s->life.ctx->conf->socket_log_errors;
}


void
lun_cosock_log_timeout(const lun_cosock *s, const char *what)
{
    char             room[LUN_ADDR_TEXT], port[8], *end = port;
    lun_str          addr = LUN_STR("");
    const lun_conn  *c = s->conn;

    if (!lun_cosock_logs(s)) {
        return;
    }

    if (s->host == NULL) {
        lun_log(LUN_LOG_ERR, s->life.ctx->log, 0, "%slua tcp socket %s timed "
                "out", prefix_of(s), what);
        return;
    }

    if (c == NULL || c->remote.family != LUN_AF_UNIX) {
        end = lun_fmt(port, port + sizeof(port), ":%u", s->port);
    }

    if (c != NULL) {
        addr = lun_addr_format(&c->remote, false, room, sizeof(room));
    }

    lun_log(LUN_LOG_ERR, s->life.ctx->log, 0, "%slua tcp socket %s timed out, "
            "upstream: %s%.*s(%.*s)", prefix_of(s), what, s->host,
            (int) (end - port), port, LUN_S(addr));
}


lun_cosock *
lun_cosock_timed_out(lun_timer *timer, const char *what)
{
    lun_co      *co = lun_container_of(timer, lun_co, timer);
    lun_cosock  *s = co->cancel_data;

    if (what != NULL) {
        lun_cosock_log_timeout(s, what);
    }

    return s;
}


/* --- the context --------------------------------------------------------- */

void
lun_cosock_let_go(lun_cosock *s)
{
    if (s->boxes != 0 || s->connector != NULL || s->reader != NULL
        || s->writer != NULL)
    {
        return;
    }

    if (s->lent && s->out != NULL) {
        return;                        /* the system reads from it */
    }

    lun_cosock_close(s);
    lun_list_remove(&s->life.link);
    lun_matcher_put(s->match);
    lun_free(s->names);
    lun_free(s->out);
    free(s->body);
    lun_free(s->ssl.name);
    lun_cosock_ssl_forget(s);
    lun_free(s);
}


static void
on_context_end(void *data)
{
    lun_lua_ctx    *ctx = data;
    lun_sock_life  *life;

    while (!lun_list_empty(&ctx->socks)) {
        life = lun_container_of(ctx->socks.next, lun_sock_life, link);
        lun_list_remove(&life->link);
        life->end(life);
    }
}


void
lun_sock_join(lun_sock_life *life, lun_lua_ctx *ctx)
{
    if (life->ctx == ctx) {
        return;
    }

    if (ctx->socks.next == NULL) {
        lun_list_init(&ctx->socks);
        lun_pool_on_end(ctx->pool, on_context_end, ctx);
    }

    life->ctx = ctx;
    lun_list_push_back(&ctx->socks, &life->link);
}


static void
end(lun_sock_life *life)
{
    lun_cosock  *s = lun_container_of(life, lun_cosock, life);

    lun_cosock_close(s);
    life->ctx = NULL;

    if (s->lent) {
        s->lent = false;
        s->client = NULL;
        lun_free(s->out);              /* its connection has gone */
        s->out = NULL;
        lun_cosock_let_go(s);
    }
}


/* --- the box ------------------------------------------------------------- */

lun_cosock *
lun_cosock_of(lua_State *L)
{
    lun_cosock  *s;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_rawgeti(L, 1, LUN_COSOCK_BOX);
    s = lun_lua_unbox(L, -1, box_type);
    lua_pop(L, 1);

    return s;
}


lun_cosock *
lun_cosock_in(const void *box)
{
    const lun_lua_box  *b = box;

    return b != NULL && b->type == box_type ? b->object : NULL;
}


const lun_conn *
lun_cosock_conn(const void *box)
{
    const lun_cosock  *s = lun_cosock_in(box);

    return s != NULL ? s->conn : NULL;
}


void
lun_cosock_push(lua_State *L, lun_cosock *s)
{
    lun_lua_box  *box = lun_lua_box_new(L, box_type);

    box->object = s;
    s->boxes++;
}


static void
prepare(lun_cosock *s)
{
    s->boxes = 1;
    s->life.end = end;
    lun_list_init(&s->life.link);
}


/*
 * --- sockets to use again.  What a box points to is memory that Lua does not
 * know of: without this, what kept connections were used by would lie about
 * until the collector comes.  Each user has a box of his own: a script that
 * has copied one does not get at the next user's connection.
 */

enum { SPARES_MOST = 256, SPARE_NAMES_MOST = 1024 };

static lun_cosock  *spares[SPARES_MOST];
static size_t       spare_count;


static lun_cosock *
new_sock(lua_State *L)
{
    lun_lua_box  *box = lun_lua_box_new(L, box_type);

    lua_rawseti(L, 1, LUN_COSOCK_BOX);

    if (spare_count != 0) {
        box->object = spares[--spare_count];

    } else {
        box->object = lun_calloc(sizeof(lun_cosock));
        prepare(box->object);
    }

    return box->object;
}


/* Nothing would be left of it but its memory. */
static bool
is_plain(const lun_cosock *s)
{
    return s->boxes == 1 && s->conn == NULL && s->pool == NULL && !s->lent
           && s->connector == NULL && s->reader == NULL && s->writer == NULL
           && s->query == NULL && !s->waiting && s->match == NULL
           && s->body == NULL && s->out == NULL
           && s->local.family == LUN_AF_NONE && s->ssl.name == NULL
           && s->ssl.made == NULL && s->ssl.trusted == NULL
           && s->names_room <= SPARE_NAMES_MOST;
}


void
lun_cosock_retire(lua_State *L, lun_cosock *s)
{
    char         *names = s->names;
    size_t        room = s->names_room;
    lun_lua_box  *box;

    if (!is_plain(s) || spare_count == SPARES_MOST) {
        return;
    }

    lua_rawgeti(L, 1, LUN_COSOCK_BOX);
    box = lua_touserdata(L, -1);
    box->object = NULL;
    lua_pushnil(L);                    /* nothing to do on_collect() */
    lua_setmetatable(L, -2);
    lua_pop(L, 1);

    lun_list_remove(&s->life.link);
    memset(s, 0, sizeof(lun_cosock));
    s->names = names;
    s->names_room = room;
    prepare(s);
    spares[spare_count++] = s;
}


lun_cosock *
lun_cosock_own(lua_State *L)
{
    lun_cosock  *s = lun_cosock_of(L);

    if (s == NULL) {
        s = new_sock(L);

    } else if (s->lent
               || (s->life.ctx != NULL && s->life.ctx != lun_lua_now.ctx))
    {
        luaL_error(L, "bad request");
    }

    lun_sock_join(&s->life, lun_lua_now.ctx);
    return s;
}


static int
on_collect(lua_State *L)
{
    lun_lua_box  *box = lua_touserdata(L, 1);
    lun_cosock   *s = box->object;

    if (s != NULL) {
        box->object = NULL;
        s->boxes--;
        lun_cosock_let_go(s);
    }

    return 0;
}


/* --- what a call may do -------------------------------------------------- */

static const char *
busy_text(const lun_cosock *s, unsigned idle)
{
    if (s->connector != NULL) {
        return "socket busy connecting";
    }

    if ((idle & LUN_COSOCK_READS) && s->reader != NULL) {
        return "socket busy reading";
    }

    if ((idle & LUN_COSOCK_WRITES) && s->writer != NULL) {
        return "socket busy writing";
    }

    return NULL;
}


lun_cosock *
lun_cosock_free_for(lua_State *L, lun_cosock *s, unsigned idle, int *n)
{
    const char  *busy;

    if (s->life.ctx != lun_lua_now.ctx) {
        luaL_error(L, "bad request");
    }

    busy = busy_text(s, idle);

    if (busy != NULL) {
        *n = lun_cosock_fail(L, busy);
        return NULL;
    }

    return s;
}


lun_cosock *
lun_cosock_ready(lua_State *L, unsigned idle, int *n)
{
    lun_cosock  *s = lun_cosock_of(L);

    if (s == NULL || s->conn == NULL) {
        *n = lun_cosock_fail(L, "closed");
        return NULL;
    }

    return lun_cosock_free_for(L, s, idle, n);
}


lun_msec
lun_cosock_limit(lua_State *L, int index, lun_msec fallback)
{
    int64_t  ms;

    lua_rawgeti(L, 1, index);
    ms = lun_number_at(L, -1, 0, LUN_NUMBER_MOST);
    lua_pop(L, 1);

    return ms > 0 ? (lun_msec) ms : fallback;
}


/* (object): its limits count from the next arrival on as well. */
static int
take_limits(lua_State *L)
{
    lun_cosock  *s = lun_cosock_of(L);

    if (s != NULL && s->life.ctx != NULL) {
        s->read_limit = lun_cosock_limit(L, LUN_COSOCK_READ_TIMEOUT,
                                    s->life.ctx->conf->socket_read_timeout);
        s->send_limit = lun_cosock_limit(L, LUN_COSOCK_SEND_TIMEOUT,
                                    s->life.ctx->conf->socket_send_timeout);
        s->connect_limit = lun_cosock_limit(L, LUN_COSOCK_CONNECT_TIMEOUT,
                                    s->life.ctx->conf->socket_connect_timeout);
    }

    return 0;
}


/* --- waking -------------------------------------------------------------- */

void
lun_cosock_wake(lun_cosock *s, lun_co **slot, int n)
{
    lun_co  *co = *slot;

    *slot = NULL;
    lun_timer_stop(&co->timer);
    lun_cosock_let_go(s);
    lun_co_wake(co, n);
}


void
lun_cosock_wake_error(lun_cosock *s, lun_co **slot, const char *why)
{
    lun_cosock_wake(s, slot, lun_cosock_fail((*slot)->L, why));
}


/* --- the end ------------------------------------------------------------- */

/* The system may have been reading from it until now. */
static void
free_out(lun_conn *c)
{
    lun_free(c->data);
}


/*
 * What is still being written lives until the system has given it back; the
 * socket object is closed at once.
 */
void
lun_cosock_close(lun_cosock *s)
{
    lun_conn       *c = s->conn;
    lun_conn_pool  *pool = s->pool;

    if (c != NULL) {
        lun_debug(&c->log, "%slua finalize socket", prefix_of(s));
    }

    if (c != NULL && s->lent) {
        lun_cosock_leave_client(s);

    } else if (c != NULL) {
        s->conn = NULL;

        if (s->life.ctx != NULL) {
            s->life.ctx->ended_socks++;
        }

        c->data = s->out;
        c->on_free = free_out;
        s->out = NULL;
        lun_conn_close(c);
    }

    if (pool != NULL) {
        s->pool = NULL;
        lun_conn_pool_leave(pool);
    }
}


static int
close_(lua_State *L)
{
    int        n;
    lun_cosock  *s;

    if (lua_gettop(L) != 1) {
        return luaL_error(L, "expecting 1 argument (including the object) "
                          "but seen %d", lua_gettop(L));
    }

    s = lun_cosock_ready(L, LUN_COSOCK_READS | LUN_COSOCK_WRITES, &n);

    if (s == NULL) {
        return n;
    }

    lun_cosock_close(s);
    lua_pushinteger(L, 1);
    return 1;
}


/*
 * With TLS it is close_notify, unless a write is under way, which that would
 * cut in two.
 */
static int
shutdown_(lua_State *L)
{
    int         n;
    lun_err     err;
    lun_cosock   *s;
    const char *way;

    if (lua_gettop(L) != 2) {
        return luaL_error(L, "expecting 2 arguments (including the object) "
                          "but seen %d", lua_gettop(L));
    }

    way = luaL_checkstring(L, 2);

    if (strcmp(way, "send") != 0) {
        return luaL_argerror(L, 2, lua_pushfstring(L, "bad shutdown argument: "
                                                   "%s", way));
    }

    s = lun_cosock_ready(L, LUN_COSOCK_WRITES, &n);

    if (s == NULL) {
        return n;
    }

    if (s->write_closed) {
        return lun_cosock_fail(L, "already shutdown");
    }

    err = lun_tls_of(s->conn) != NULL && !lun_conn_writing(s->conn)
          ? lun_conn_end(s->conn)
          : lun_conn_end_socket(s->conn);

    if (err != 0) {
        return lun_cosock_fail(L, lun_err_sock_text(err));
    }

    s->write_closed = true;
    lua_pushinteger(L, 1);
    return 1;
}


static int
reused(lua_State *L)
{
    lun_cosock  *s;

    if (lua_gettop(L) != 1) {
        return luaL_error(L, "expecting 1 argument (including the object), "
                          "but got %d", lua_gettop(L));
    }

    s = lun_cosock_of(L);

    if (s == NULL || s->conn == NULL) {
        return lun_cosock_fail(L, "closed");
    }

    lua_pushnumber(L, (lua_Number) s->reused);
    return 1;
}


/* Only noted: it is the next connect() that binds. */
static int
bind_(lua_State *L)
{
    size_t      len;
    lun_addr    addr;
    lun_cosock   *s;
    const char *text;

    if (lua_gettop(L) != 2 && lua_gettop(L) != 3) {
        return luaL_error(L, "expecting 2 or 3 arguments (including the "
                          "object) but seen %d", lua_gettop(L));
    }

    luaL_checktype(L, 1, LUA_TTABLE);
    text = luaL_checklstring(L, 2, &len);

    if (lun_addr_parse(lun_str_of(text, len), &addr) != LUN_OK
        || addr.family == LUN_AF_UNIX || addr.port != 0)
    {
        return lun_cosock_fail(L, "bad address");
    }

    if (lua_gettop(L) == 3) {
        addr.port = (uint16_t) lun_number_check(L, 3, 0, UINT16_MAX);
    }

    s = lun_cosock_own(L);
    s->local = addr;
    lun_debug(s->life.ctx->log, "lua tcp socket bind ip: %s", text);
    lua_pushboolean(L, 1);
    return 1;
}


/* ngx.req.socket, of whatever protocol. */
static int
client(lua_State *L)
{
    if (lun_lua_now.ctx == NULL) {
        return luaL_error(L, "no request found");
    }

    return lun_lua_now.ctx->main->side->client(L);
}


/* --- matchers, for receiveuntil ------------------------------------------ */

static const char  match_type[] = "lunette.match";


static int
new_match(lua_State *L)
{
    size_t       len;
    lun_matcher  **m;
    const char  *pattern = luaL_checklstring(L, 1, &len);

    m = lua_newuserdata(L, sizeof(lun_matcher *));
    *m = lun_matcher_new(lun_str_of(pattern, len), lua_toboolean(L, 2));
    luaL_getmetatable(L, match_type);
    lua_setmetatable(L, -2);
    return 1;
}


static int
on_collect_match(lua_State *L)
{
    lun_matcher_put(*(lun_matcher **) lua_touserdata(L, 1));
    return 0;
}


void
lun_lua_sock_open(lua_State *L)
{
    static const luaL_Reg  functions[] = {
        { "sock_connect", lun_cosock_connect },
        { "sock_receive", lun_cosock_receive },
        { "sock_receive_line", lun_cosock_receive_line },
        { "sock_receive_any", lun_cosock_receive_any },
        { "sock_receive_until", lun_cosock_receive_until },
        { "sock_match", new_match },
        { "sock_send", lun_cosock_send },
        { "sock_ask", lun_cosock_ask },
        { "sock_receive_frame", lun_cosock_receive_frame },
        { "sock_send_frame", lun_cosock_send_frame },
        { "sock_keep", lun_cosock_keep },
        { "sock_ssl", lun_cosock_ssl },
        { "sock_client", client },
        { "sock_take_limits", take_limits },
        { "sock_reused", reused },
        { "sock_shutdown", shutdown_ },
        { "sock_set_option", lun_cosock_lua_set_option },
        { "sock_get_option", lun_cosock_lua_get_option },
        { "sock_bind", bind_ },
        { "sock_inside", lun_cosock_lua_inside },
        { "sock_close", close_ },
        { NULL, NULL }
    };

    lun_lua_type(L, box_type, on_collect);
    lun_lua_type(L, match_type, on_collect_match);
    luaL_register(L, NULL, functions);
    lun_udp_open(L);
}
