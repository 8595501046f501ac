/*
 * sock_tcp_pool.c -- tcpsock:setkeepalive(): a connection goes to its pool.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_ask.h"

#include "modules/lua/run/ctx.h"
#include "net/conn_sock.h"
#include "net/tls/tls.h"
#include "os/proc.h"


/*
 * What may not be kept: whose other end has closed it, if that was seen, even
 * with something left to read, which can still be read; and one from which
 * something has come that nobody has read.  NULL: it may be kept.  *lost: it
 * can't be used for anything else either.
 */
static const char *
objection(const lun_cosock *s, bool *lost)
{
    lun_err_kind     kind = LUN_ERR_AGAIN;
    const lun_conn  *c = s->conn;

    *lost = false;

    if (!lun_conn_reading(c) && lun_port_may_read(&c->stream)) {
        kind = lun_err_kind_of(lun_conn_peek(c));
    }

    if (c->eof || c->gone || s->read_closed || s->write_closed
        || kind == LUN_ERR_RESET)
    {
        return "closed";
    }

    if (c->in.pos != c->in.last || lun_tls_unread(c)) {
        return "unread data in buffer";
    }

    if (lun_conn_writing(c)) {
        return "invalid connection";
    }

    if (kind == LUN_ERR_AGAIN) {
        return NULL;
    }

    *lost = true;
    return "connection in dubious state";
}


lun_conn_pool *
lun_cosock_pool(const lun_cosock *s, size_t size, int64_t backlog)
{
    const lun_log  *log = s->life.ctx->log;
    lun_loop       *loop = lun_lua_loop(s->life.ctx);
    lun_conn_pool  *pool = lun_conn_pool_get(loop, s->key, 0, -1);

    if (pool != NULL || size == 0) {
        return pool;
    }

    lun_debug(log, "lua tcp socket connection pool size: %zu, backlog: %"
              PRId64, size, backlog);
    lun_debug(log, "lua tcp socket keepalive create connection pool for key "
              "\"%.*s\"", LUN_S(s->key));

    pool = lun_conn_pool_get(loop, s->key, size, backlog);
    lun_conn_pool_sign(pool, "lua tcp socket");
    return pool;
}


static void
log_keeping(const lun_cosock *s, lun_msec limit)
{
    const lun_log  *log = s->life.ctx->log;

    lun_debug(log, "lua tcp socket set keepalive: saving connection %p",
              (void *) s->conn);

    if (limit != 0) {
        lun_debug(log, "lua tcp socket keepalive timeout: %" PRIu64 " ms",
                  limit);

    } else {
        lun_debug(log, "lua tcp socket keepalive timeout: unlimited");
    }
}


static void
keep(lua_State *L, lun_cosock *s, lun_msec limit, size_t size)
{
    lun_conn       *c = s->conn;
    lun_conn_pool  *pool = s->pool;
    bool            counted = pool != NULL;

    if (pool == NULL) {
        pool = lun_cosock_pool(s, size, -1);
    }

    log_keeping(s, limit);

    s->conn = NULL;
    s->pool = NULL;
    s->life.ctx->ended_socks++;

    lun_conn_pool_keep(pool, c, s->reused, limit, counted);
    lun_cosock_retire(L, s);
}


/*
 * The arguments of setkeepalive(): how long, and of how many, which only
 * counts for a pool that there is not yet.
 */
static size_t
read_limits(lua_State *L, const lun_cosock *s, lun_msec *limit)
{
    int64_t  number, usual = s->life.ctx->conf->socket_pool_size;

    *limit = s->life.ctx->conf->socket_keepalive_timeout;

    if (!lua_isnoneornil(L, 2)) {
        *limit = (lun_msec) lun_number_check(L, 2, 0, LUN_NUMBER_MOST);
    }

    if (lua_isnoneornil(L, 3)) {
        return (size_t) usual;
    }

    number = lun_number_check(L, 3, INT32_MIN, INT32_MAX);

    if (s->pool != NULL || lun_cosock_pool(s, 0, -1) != NULL) {
        return (size_t) usual;
    }

    if (number <= 0) {
        luaL_argerror(L, 3, lua_pushfstring(L, "bad \"pool_size\" option "
                                            "value: %d", (int) number));
    }

    return (size_t) number;
}


/*
 * Whatever could surprise the next user is a reason not to keep it: bytes
 * unread, a write under way, a peer that has closed.
 */
int
lun_cosock_keep(lua_State *L)
{
    int          n = lua_gettop(L);
    bool         lost;
    size_t       size;
    lun_msec     limit;
    lun_cosock  *s;
    const char  *why;

    if (n < 1 || n > 3) {
        return luaL_error(L, "expecting 1 to 3 arguments (including the "
                          "object), but got %d", n);
    }

    luaL_checktype(L, 1, LUA_TTABLE);
    s = lun_cosock_ready(L, LUN_COSOCK_READS | LUN_COSOCK_WRITES, &n);

    if (s == NULL) {
        return n;
    }

    if (s->lent) {
        return luaL_error(L, "bad request");
    }

    size = read_limits(L, s, &limit);
    why = objection(s, &lost);

    if (why != NULL) {
        if (lost) {
            lun_cosock_close(s);
        }

        return lun_cosock_fail(L, why);
    }

    if (s->life.ctx->main->gen->exiting || lun_self.exiting) {
        lun_debug(s->life.ctx->log, "lua tcp socket set keepalive while "
                  "process exiting, closing connection %p",
                  (void *) s->conn);
        lun_cosock_close(s);

    } else {
        keep(L, s, limit, size);
    }

    lua_pushinteger(L, 1);
    return 1;
}
