/*
 * balancer.c -- balancer_by_lua: Lua says which server a session goes to.
 *
 * It is a method like others: each time a server is asked for the code runs,
 * which may not wait, and ngx.balancer notes what it wants.  When it names
 * nobody, the servers of the block take turns.  Connections that it wants to
 * be kept wait in a pool of the block's own, told apart by server and host.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/balancer.h"

#include "http/upstream/upreq.h"
#include "session/upstream/round_robin.h"
#include "modules/lua/conf/directives.h"
#include "modules/lua/ffi/ffi.h"
#include "modules/lua/run/ctx.h"
#include "net/conn_pool.h"


/* What ngx.exit() may have been called with. */
enum {
    EXIT_ERROR    = -1,
    EXIT_BUSY     = -3,
    EXIT_DECLINED = -5
};

/* What became of the server before, as nginx has it. */
enum {
    STATE_NEXT   = 2,
    STATE_FAILED = 4
};

typedef struct {
    lun_upstream  *upstream;
    lun_chunk     *chunk;
    lun_str        pool;           /* the name of its idle connections' */
} by_lua;

/* A session's. */
typedef struct {
    lun_rr         rr;             /* when nobody is named */
    lun_balance   *balance;
    const by_lua  *method;
    unsigned       total;          /* how often it was asked */
    int32_t        last_state;

    /* What the code has said, this time. */
    bool           named;
    bool           keepalive;
    lun_addr       addr;
    lun_str        name;
    lun_str        host;           /* of the server; may be empty */
    unsigned       more_tries;
    lun_msec       idle;
    uint32_t       requests;       /* 0: no limit */

    lun_str        label;
    uint64_t       reused;
} turn;


/* --- idle connections --- */

static lun_str
label_of(lun_session *s, const turn *t, const lun_balance *b)
{
    char             room[LUN_ADDR_TEXT];
    lun_str          from = LUN_STR("");
    lun_str          key = b->conn_key != NULL ? b->conn_key(s) : from;
    const lun_addr  *local = b->local;

    if (local != NULL) {
        from = lun_addr_format(local, true, room, sizeof(room));
    }

    return lun_pool_fmt(s->pool, "%.*s %.*s %.*s %.*s", LUN_S(t->name),
                        LUN_S(from), LUN_S(t->host), LUN_S(key));
}


static void
take_idle(lun_session *s, turn *t, lun_balance *b)
{
    lun_conn_pool  *pool = lun_conn_pool_get(s->conn->loop, t->method->pool, 0,
                                             -1);

    t->reused = 0;
    t->label = label_of(s, t, b);

    if (pool != NULL) {
        b->conn = lun_conn_pool_take_as(pool, t->label, &t->reused);
        b->cached = b->conn != NULL;
    }

    if (b->cached) {
        lun_debug(s->log, "lua balancer: keepalive reusing connection %p, "
                  "host: %.*s, name: %.*s", (void *) b->conn, LUN_S(t->host),
                  LUN_S(t->name));

    } else {
        lun_debug(s->log, "lua balancer: keepalive no free connection, "
                  "host: %.*s, name: %.*s", LUN_S(t->host), LUN_S(t->name));
    }
}


static void
keep_idle(lun_session *s, turn *t, lun_balance *b, unsigned outcome)
{
    lun_conn_pool       *pool;
    const lun_upstream  *u = t->method->upstream;
    const lun_lua_conf  *conf = u->conf->confs[lun_common_lua.index];

    if (b->conn == NULL || !b->keep || (outcome & LUN_BALANCE_FAILED)
        || t->idle == 0 || conf->balancer_keepalive == 0
        || (t->requests != 0 && t->reused + 1 >= t->requests)
        || s->engine->gen->exiting)
    {
        lun_debug(s->log, "lua balancer: keepalive not saving connection %p",
                  (void *) b->conn);
        return;
    }

    lun_debug(s->log, "lua balancer: keepalive saving connection %p, host: "
              "%.*s, name: %.*s", (void *) b->conn, LUN_S(t->host),
              LUN_S(t->name));

    pool = lun_conn_pool_get(b->conn->loop, t->method->pool,
                             (size_t) conf->balancer_keepalive, -1);
    lun_conn_pool_keep_as(pool, b->conn, t->label, t->reused, t->idle);
    b->conn = NULL;
}


/* --- the method --- */

/* OK: the code has run to its end, or has left without a complaint. */
static lun_balance_verdict
run(lun_session *s, turn *t, lun_balance *b)
{
    int           index;
    lua_State    *L;
    lun_lua_ctx  *ctx = lun_lua_ctx_of(s);

    if (ctx == NULL) {
        return LUN_BALANCE_ERROR;
    }

    ctx->exited = false;
    ctx->turn = t;
    index = lun_lua_run_now(ctx, LUN_LUA_BALANCER, t->method->chunk, 0, &L);
    ctx->turn = NULL;

    if (index == 0) {
        return LUN_BALANCE_ERROR;
    }

    lua_settop(L, index - 1);

    if (!ctx->exited || ctx->exit_code == 0) {
        ctx->exited = false;
        return LUN_BALANCE_OK;
    }

    ctx->exited = false;
    b->status = ctx->exit_code >= 300 ? (unsigned) ctx->exit_code : 0;

    return ctx->exit_code == EXIT_BUSY || ctx->exit_code == EXIT_DECLINED
           ? LUN_BALANCE_NONE : LUN_BALANCE_ERROR;
}


static lun_balance_verdict
take_turns(lun_session *s, turn *t, lun_balance *b)
{
    lun_balance_verdict  verdict;

    if (t->rr.group == NULL) {
        lun_log(LUN_LOG_ERR, s->log, 0, "lua balancer: no peer set");
        return LUN_BALANCE_ERROR;
    }

    lun_upstream_server_lock(t->rr.group);
    verdict = lun_rr_get(s, b);
    lun_upstream_server_unlock(t->rr.group);

    return verdict;
}


/*
 * Lua chooses anew for each try; without set_current_peer() the servers of the
 * block take turns, which they are there for.
 */
static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    turn                 *t = b->data;
    lun_balance_verdict   verdict;

    lun_debug(s->log, "lua balancer: get peer, tries: %u", b->tries);

    t->named = false;
    t->keepalive = false;
    t->more_tries = 0;
    t->total++;
    b->pooled = false;
    b->status = 0;
    b->name = t->method->upstream->name;

    verdict = run(s, t, b);

    if (verdict != LUN_BALANCE_OK) {
        return verdict;
    }

    if (!t->named) {
        return take_turns(s, t, b);
    }

    b->addr = &t->addr;
    b->name = t->name;
    b->tries += t->more_tries;
    b->counts_all |= t->more_tries != 0;
    b->pooled = t->keepalive;

    if (t->keepalive) {
        take_idle(s, t, b);
    }

    return LUN_BALANCE_OK;
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    turn  *t = b->data;

    lun_debug(s->log, "lua balancer: free peer, tries: %u", b->tries);

    if (!t->named) {
        lun_upstream_server_lock(t->rr.group);
        lun_rr_put(s, b, outcome);
        lun_upstream_server_unlock(t->rr.group);
        return;
    }

    t->last_state = outcome & LUN_BALANCE_FAILED ? STATE_FAILED
                    : outcome & LUN_BALANCE_NEXT ? STATE_NEXT : 0;
    b->tries -= b->tries > 0;

    if (t->keepalive) {
        keep_idle(s, t, b, outcome);
    }
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn  *t = lun_pool_new(s->pool, turn);

    t->method = u->data;
    t->balance = b;

    if (u->peers != NULL) {
        lun_rr_begin(s, u->peers, &t->rr, b);

    } else {
        b->tries = 1;
    }

    b->data = t;
    b->get = get;
    b->put = put;
    b->connected = NULL;           /* is the method's, and so was data */

    return LUN_OK;
}


/* --- ngx.balancer --- */

/* Whose turn it is; NULL: why not. */
static turn *
current(const char **why)
{
    const lun_request  *r = lun_lua_now.request;
    const lun_session  *s = lun_lua_now.session;

    if (s == NULL || (r != NULL ? r->upreq == NULL : s->tries == NULL)) {
        *why = "no upstream found";
        return NULL;
    }

    if (lun_lua_now.phase != LUN_LUA_BALANCER || lun_lua_now.ctx->turn == NULL)
    {
        *why = "API disabled in the current context";
        return NULL;
    }

    return lun_lua_now.ctx->turn;
}


/* The upstream request of it, which sessions of streams have none of. */
static lun_upreq *
current_request(const char **why)
{
    if (current(why) == NULL) {
        return NULL;
    }

    if (lun_lua_now.request == NULL) {
        *why = "API disabled in the current context";
        return NULL;
    }

    return lun_lua_now.request->upreq;
}


/*
 * Numbers only: there is no time to look up a name in the middle of a choice.
 */
int
lun_ffi_balancer_set_peer(const char *addr, size_t len, int port,
    const char *host, size_t host_len, const char **why)
{
    char                 room[LUN_ADDR_TEXT];
    turn                *t = current(why);
    lun_session         *s = lun_lua_now.session;
    const char          *bad;
    lun_upstream_place   p;

    if (t == NULL) {
        return LUN_ERROR;
    }

    if (port < 0 || port > UINT16_MAX) {
        *why = "invalid port";
        return LUN_ERROR;
    }

    bad = lun_upstream_parse(s->pool, lun_str_of(addr, len), (uint16_t) port,
                             &p);

    if (bad == NULL && !p.numeric) {
        bad = "no host allowed";
    }

    if (bad != NULL) {
        *why = bad;
        return LUN_ERROR;
    }

    t->named = true;
    t->addr = p.addr;
    t->name = lun_pool_str(s->pool, lun_addr_format(&p.addr, true, room,
                                                    sizeof(room)));
    t->host = lun_pool_str(s->pool, lun_str_of(host, host_len));

    return LUN_OK;
}


int
lun_ffi_balancer_keepalive(int64_t idle, uint32_t requests, const char **why)
{
    turn  *t = current(why);

    if (t == NULL) {
        return LUN_ERROR;
    }

    if (!t->named) {
        *why = "no current peer set";
        return LUN_ERROR;
    }

    t->keepalive = true;
    t->idle = (lun_msec) idle;
    t->requests = requests;

    return LUN_OK;
}


/* OK with *why: fewer than was asked for. */
int
lun_ffi_balancer_more_tries(int count, const char **why)
{
    int64_t           most, total;
    turn             *t = current(why);

    if (t == NULL) {
        return LUN_ERROR;
    }

    *why = NULL;
    most = t->balance->user->most_tries(t->balance);
    total = (int64_t) t->total + t->balance->tries - 1;

    if (most != 0 && total + count > most) {
        count = (int) (most - total);
        *why = "reduced tries due to limit";
    }

    t->more_tries = (unsigned) lun_max(count, 0);
    return LUN_OK;
}


/* The state of the server before (0: there was none) and its answer's. */
int
lun_ffi_balancer_last_failure(int *status, const char **why)
{
    turn                    *t = current(why);
    const lun_upstream_try  *a;

    if (t == NULL) {
        return LUN_ERROR;
    }

    *status = 0;

    /* The last is the one that is being chosen. */
    for (a = lun_lua_now.session->tries; a != NULL; a = a->next) {
        if (a->next != NULL && a->next->next == NULL) {
            *status = (int) a->status;
        }
    }

    return t->last_state;
}


/* Milliseconds; 0: as the configuration says. */
int
lun_ffi_balancer_timeouts(int64_t connect, int64_t send, int64_t read,
    const char **why)
{
    turn  *t;

    /* nginx's stream asks for the context alone; all others for both. */
    if (lun_lua_now.request == NULL && lun_lua_now.phase != LUN_LUA_BALANCER) {
        *why = "API disabled in the current context";
        return LUN_ERROR;
    }

    t = current(why);

    if (t == NULL) {
        return LUN_ERROR;
    }

    t->balance->user->set_timeouts(t->balance, (lun_msec) lun_max(connect, 0),
                                   (lun_msec) lun_max(send, 0),
                                   (lun_msec) lun_max(read, 0));
    return LUN_OK;
}


int
lun_ffi_balancer_recreate(const char **why)
{
    lun_upreq  *x = current_request(why);

    if (x == NULL) {
        return LUN_ERROR;
    }

    *why = "failed to recreate the upstream request";
    return lun_upreq_remake(x);
}


/* It may be switched off, and on again: the settings are of an https url. */
int
lun_ffi_balancer_tls(int on, const char **why)
{
    lun_upreq  *x = current_request(why);

    if (x == NULL) {
        return LUN_ERROR;
    }

    if (on && x->conf->tls.ctx == NULL) {
        *why = "the upstream is not an https one";
        return LUN_ERROR;
    }

    x->target.tls = on ? &x->conf->tls : NULL;
    return LUN_OK;
}


int
lun_ffi_balancer_bind(const char *addr, size_t len, const char **why)
{
    turn      *t = current(why);
    lun_pool  *pool;
    lun_addr  *local;

    if (t == NULL) {
        return LUN_ERROR;
    }

    pool = lun_lua_now.session->pool;
    local = lun_pool_new(pool, lun_addr);

    if (lun_addr_parse(lun_str_of(addr, len), local) != LUN_OK
        || local->family == LUN_AF_UNIX)
    {
        *why = lun_pool_fmt(pool, "invalid addr %.*s", (int) len, addr).data;
        return LUN_ERROR;
    }

    t->balance->local = local;
    return LUN_OK;
}


/* --- the directive --- */

static const lun_balancer  method = {
    .name = "balancer_by_lua",
    .takes = LUN_SERVER_NONE | LUN_SERVER_FOREIGN,
    .begin = begin,
};


lun_rc
lun_lua_set_balancer(lun_conf *cf, const lun_directive *d, void *conf)
{
    by_lua        *m = lun_pool_new(cf->pool, by_lua);
    lun_upstream  *u = lun_upstream_current(cf);

    m->upstream = u;
    m->chunk = lun_lua_chunk_of(cf, d, 1);

    if (m->chunk == NULL) {
        return LUN_ERROR;
    }

    m->pool = lun_pool_fmt(cf->pool, "lua balancer %u:%.*s", cf->gen->number,
                           LUN_S(u->name));
    lun_upstream_set_method(cf, &method);
    u->data = m;

    return LUN_OK;
}
