/*
 * handshake.c -- Lua that runs in a handshake.
 *
 * A handler has a context of its own, without a request (of a stream session,
 * if there is one), and may wait; the handshake goes on when it has ended.  It
 * ends by force when the connection does: the client has left, or was too slow.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/handshake.h"

#include <openssl/ssl.h>

#include "modules/lua/run/side.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/ssl/step.h"
#include "net/tls/tls.h"


static const lun_lua_step  rows[LUN_HANDSHAKE_STEPS] = {
    [LUN_HANDSHAKE_HELLO] = {
        .phase = LUN_LUA_SSL_CLIENT_HELLO,
        .chunk = offsetof(lun_lua_conf, ssl_hello),
        .doing = "loading SSL client hello by lua",
        .name = "ssl_client_hello_by_lua",
        .callback = "client hello cb",
        .title = "ssl client hello"
    },
    [LUN_HANDSHAKE_CERT] = {
        .phase = LUN_LUA_SSL_CERT,
        .chunk = offsetof(lun_lua_conf, ssl_cert),
        .doing = "loading SSL certificate by lua",
        .name = "ssl_certificate_by_lua",
        .callback = "cert cb",
        .title = "ssl cert"
    },
    [LUN_HANDSHAKE_FETCH] = {
        .phase = LUN_LUA_SSL_SESSION_FETCH,
        .chunk = offsetof(lun_lua_conf, ssl_fetch),
        .doing = "loading SSL session by lua",
        .name = "ssl_session_fetch_by_lua*",
        .callback = "sess get cb",
        .title = "ssl session fetch"
    },
    [LUN_HANDSHAKE_STORE] = {
        .phase = LUN_LUA_SSL_SESSION_STORE,
        .chunk = offsetof(lun_lua_conf, ssl_store),
        .doing = "storing SSL session by lua",
        .name = "ssl_session_store_by_lua*",
        .callback = "sess new cb",
        .title = "ssl session store"
    }
};

/* One run; lives in the connection's pool. */
typedef struct {
    lun_list            link;      /* in `runs`, until its context has ended */
    lun_conn           *c;
    const lun_server   *server;
    lun_handshake_step  step;
    lun_pool           *pool;      /* the context's; NULL: it has ended */
    lun_vm             *vm;
    bool                waited;
    lun_log             log;
    lun_log_context_fn *context;   /* the connection's, and what its log says */
    void               *owner;
    const char         *doing;
} handshake_run;

static lun_list  runs = { &runs, &runs };


static lun_chunk *
chunk_of(const lun_server *server, lun_handshake_step step)
{
    return lun_lua_step_chunk(&rows[step],
                              server->conf[lun_common_lua.index]);
}


static bool
wants(const lun_server *server, lun_handshake_step step)
{
    return chunk_of(server, step) != NULL;
}


/* ", context: ssl_certificate_by_lua*, client: ..., server: ..." */
static char *
put_context(void *owner, char *p, const char *end)
{
    const handshake_run  *run = owner;

    p = lun_fmt(p, end, ", context: %s",
                lun_lua_phase_name(rows[run->step].phase));

    return run->context != NULL ? run->context(run->owner, p, end) : p;
}


/* --- how it ends --- */

/*
 * ngx.ctx of the handlers of a connection: lent to a run, and given back with
 * what that has put there.  Sessions that come over it see what is there.
 */
typedef struct {
    lun_list  link;                /* in `tables` */
    lun_vm   *vm;                  /* NULL: it has gone, and the table too */
    int       ref;                 /* LUA_NOREF: it is lent to a run */
} conn_table;

static lun_list  tables = { &tables, &tables };


static int
table_index(void)
{
    static int  n = -1;

    return lun_tls_data_index(&n);
}


static conn_table *
table_of(const lun_conn *c)
{
    SSL  *ssl = lun_tls_of(c);

    return ssl != NULL ? SSL_get_ex_data(ssl, table_index()) : NULL;
}


static void
free_table(void *data)
{
    conn_table  *t = data;
    lun_vm      *vm = t->vm;
    lua_State   *L;

    if (vm == NULL) {
        return;
    }

    L = vm->L;

    if (t->ref != LUA_NOREF) {
        lun_debug(NULL, "lua release ngx.ctx at ref %d", t->ref);
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->ctx_table);
        luaL_unref(L, -1, t->ref);
        lua_pop(L, 1);
    }

    t->vm = NULL;
    lun_list_remove(&t->link);
    lun_vm_put(vm);
}


static void
keep_table(lun_conn *c, lun_lua_ctx *ctx)
{
    conn_table  *t = table_of(c);

    if (ctx->ctx_ref == LUA_NOREF) {
        return;
    }

    if (t == NULL) {
        t = lun_pool_new(lun_conn_memory(c), conn_table);
        t->vm = ctx->vm;
        t->ref = LUA_NOREF;
        lun_list_push_back(&tables, &t->link);
        lun_vm_get(t->vm);
        lun_pool_on_end(lun_conn_memory(c), free_table, t);
        SSL_set_ex_data(lun_tls_of(c), table_index(), t);
    }

    if (t->vm == ctx->vm && t->ref == LUA_NOREF) {
        t->ref = ctx->ctx_ref;
        ctx->ctx_ref = LUA_NOREF;
    }
}


static void
lend_table(const lun_conn *c, lun_lua_ctx *ctx)
{
    conn_table  *t = table_of(c);

    if (t != NULL && t->vm == ctx->vm) {
        ctx->ctx_ref = t->ref;
        t->ref = LUA_NOREF;
    }
}


int
lun_lua_handshake_table(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;
    const conn_table   *t = NULL;

    if (ctx->session != NULL) {
        t = table_of(ctx->session->conn);
    }

    return t != NULL && t->vm == ctx->vm ? t->ref : LUA_NOREF;
}


static void
free_run(handshake_run *run)
{
    lun_vm    *vm = run->vm;
    lun_pool  *pool = run->pool;

    run->pool = NULL;
    lun_list_remove(&run->link);
    lun_pool_free(pool);
    lun_vm_put(vm);
}


static void
finish(handshake_run *run, lun_lua_ctx *ctx, int rc)
{
    bool       good;
    lun_conn  *c = run->c;

    keep_table(c, ctx);
    good = lun_lua_step_end(&rows[run->step], &c->log, rc, run->waited);
    c->log.doing = run->doing;
    free_run(run);

    /* Closed, but not yet gone: the system has still to give back a read. */
    if (!c->closed) {
        lun_listen_of(c)->engine->tls->answer(c, good);
    }
}


static void
on_ended(lun_lua_ctx *ctx)
{
    finish(ctx->data, ctx, lun_lua_step_result(ctx));
}


/* The connection goes. */
static void
on_gone(void *data)
{
    handshake_run  *run = data;

    if (run->pool != NULL) {
        lun_debug(&run->c->log, "%s: %s aborted", rows[run->step].name,
                  rows[run->step].callback);
        free_run(run);
    }
}


void
lun_lua_handshakes_drop(const lun_lua_main *main)
{
    conn_table     *t;
    handshake_run  *run;

    lun_list_each_safe (&tables, it) {
        t = lun_container_of(it, conn_table, link);

        if (t->vm->main == main) {
            free_table(t);
        }
    }

    lun_list_each_safe (&runs, it) {
        run = lun_container_of(it, handshake_run, link);

        if (run->vm->main == main) {
            run->pool = NULL;
            lun_list_remove(&run->link);
        }
    }
}


/* --- how it begins --- */

static handshake_run *
new_run(lun_conn *c, const lun_server *server, lun_handshake_step step)
{
    handshake_run  *run = lun_pool_new(lun_conn_memory(c), handshake_run);
    lun_lua_main   *main = lun_lua_main_of(lun_listen_of(c)->engine);
    const lun_log  *log;

    log = lun_listen_of(c)->engine->listening->error_log(server);

    run->c = c;
    run->server = server;
    run->step = step;
    run->pool = lun_pool_new_sized(LUN_LUA_STEP_POOL);
    run->vm = main->vm;
    lun_vm_get(run->vm);
    lun_list_push_back(&runs, &run->link);
    lun_pool_on_end(c->pool, on_gone, run);

    run->context = c->log.context;
    run->owner = c->log.owner;
    run->log = log != NULL ? *log : main->gen->log;
    run->log.conn = c->log.conn;
    run->log.context = put_context;
    run->log.owner = run;

    run->doing = c->log.doing;
    c->log.doing = rows[step].doing;

    /* As long as Lua has it, it does not give way to others. */
    lun_debug(&c->log, "reusable connection: %d", c->idle);
    lun_debug(&c->log, "%s: connection reusable: %d", rows[step].title,
              c->idle);
    return run;
}


/* Nothing of it may wait, and nothing that it says changes the handshake. */
static void
run_now(handshake_run *run, lun_lua_ctx *ctx)
{
    int         index;
    lua_State  *L;

    index = lun_lua_run_now(ctx, rows[run->step].phase,
                            chunk_of(run->server, run->step), 0, &L);
    if (index != 0) {
        lua_settop(L, index - 1);
    }

    lun_debug(&run->c->log, "%s: handler return value: 0, %s exit code: 0",
              rows[run->step].name, rows[run->step].callback);
    run->c->log.doing = run->doing;
    keep_table(run->c, ctx);
    free_run(run);
}


/* ssl_session_store_by_lua* is not run for TLS 1.3, as in OpenResty. */
static void
ask(lun_conn *c, const lun_server *server, lun_handshake_step step)
{
    int             rc;
    handshake_run  *run;
    lun_lua_ctx    *ctx;

    if (chunk_of(server, step) == NULL) {
        lun_log(LUN_LOG_ALERT, &c->log, 0, "no %s* defined in server %.*s",
                rows[step].name, LUN_S(server->name));
        lun_listen_of(c)->engine->tls->answer(c, false);
        return;
    }

    if (step == LUN_HANDSHAKE_STORE
        && SSL_version(lun_tls_of(c)) >= TLS1_3_VERSION)
    {
        lun_debug(&c->log, "%s: skipped since TLS version >= 1.3 (%d)",
                  rows[step].name, SSL_version(lun_tls_of(c)));
        return;
    }

    run = new_run(c, server, step);
    ctx = lun_lua_ctx_new(run->pool, run->vm, &run->log);
    ctx->phase = rows[step].phase;
    ctx->conf = server->conf[lun_common_lua.index];
    ctx->core = ctx->main->side->core(server);
    ctx->session = ctx->main->side->session_at(c);
    ctx->data = run;

    lend_table(run->c, ctx);

    if (step == LUN_HANDSHAKE_STORE) {
        run_now(run, ctx);
        return;
    }

    ctx->ended = on_ended;

    if (lun_lua_step_run(chunk_of(server, step), ctx, &rc) == LUN_OK) {
        finish(run, ctx, rc);

    } else {
        run->waited = true;
    }
}


const lun_handshake_hooks  lun_lua_handshake = {
    .wants = wants,
    .ask   = ask,
};


/* --- for the API --- */

static const handshake_run *
present_run(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx != NULL
           && (lun_lua_now.phase
               & (LUN_LUA_SSL_CLIENT_HELLO | LUN_LUA_SSL_CERT
                  | LUN_LUA_SSL_SESSION_FETCH | LUN_LUA_SSL_SESSION_STORE))
           ? ctx->data : NULL;
}


lun_conn *
lun_lua_client(void)
{
    const handshake_run  *run = present_run();

    if (lun_lua_now.session != NULL) {
        return lun_lua_now.session->conn;
    }

    return run != NULL ? run->c : NULL;
}
