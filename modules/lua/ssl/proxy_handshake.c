/*
 * proxy_handshake.c -- proxy_ssl_certificate_by_lua, proxy_ssl_verify_by_lua:
 * Lua that runs in a handshake with a server of an upstream.
 *
 * A handler runs for a request that is on its way to a server: it has its
 * variables and its ngx.ctx, but a context of its own, and may wait.  It ends
 * by force when the connection does, or the request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/proxy_handshake.h"

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/ssl/step.h"


static const lun_lua_step  rows[LUN_UPSTREAM_STEPS] = {
    [LUN_UPSTREAM_CERT] = {
        .phase = LUN_LUA_PROXY_SSL_CERT,
        .chunk = offsetof(lun_lua_conf, proxy_ssl_cert),
        .doing = "loading proxy ssl certificate by lua",
        .name = "proxy_ssl_certificate_by_lua",
        .callback = "cert cb"
    },
    [LUN_UPSTREAM_VERIFY] = {
        .phase = LUN_LUA_PROXY_SSL_VERIFY,
        .chunk = offsetof(lun_lua_conf, proxy_ssl_verify),
        .doing = "loading proxy ssl verify by lua",
        .name = "proxy_ssl_verify_by_lua",
        .callback = "cert verify callback"
    }
};

/* One run.  The connection and the request may end in either order. */
typedef struct {
    lun_list                link;  /* in `runs`, as long as there is a ctx */
    lun_conn               *c;
    lun_session            *s;
    lun_lua_ctx            *home;  /* the request's */
    lun_lua_ctx            *ctx;   /* NULL: it has ended */
    lun_vm                 *vm;
    lun_upstream_tls_step   step;
    bool                    waited;
    const char             *doing; /* before: the log said so */
    unsigned                holds; /* the connection, the request */
} proxy_run;

static lun_list  runs = { &runs, &runs };


static lun_chunk *
chunk_of(const lun_session *s, lun_upstream_tls_step step)
{
    return lun_lua_step_chunk(&rows[step], lun_lua_conf_of(s));
}


static bool
wants(const lun_session *s, lun_upstream_tls_step step)
{
    return chunk_of(s, step) != NULL;
}


static bool
skips_default(const lun_session *s)
{
    return lun_lua_conf_of(s)->skip_default_verify;
}


/* --- how it ends --- */

/*
 * ngx.ctx was lent.  One that the request has made meanwhile ends with the
 * context of the run.
 */
static void
end_ctx(proxy_run *run)
{
    int32_t       own = run->home->ctx_ref;
    lun_vm       *vm = run->vm;
    lun_lua_ctx  *ctx = run->ctx;

    run->ctx = NULL;
    lun_list_remove(&run->link);

    if (ctx->ctx_ref != LUA_NOREF) {
        run->home->ctx_ref = ctx->ctx_ref;
        ctx->ctx_ref = own;
    }

    run->s->log->doing = run->doing;
    lun_pool_free(ctx->pool);
    lun_vm_put(vm);
}


static void
on_holder_gone(void *data)
{
    proxy_run  *run = data;

    if (run->ctx != NULL) {
        lun_debug(run->s->log, "%s: %s aborted", rows[run->step].name,
                  rows[run->step].callback);
        end_ctx(run);
    }

    if (--run->holds == 0) {
        lun_free(run);
    }
}


void
lun_lua_upstream_handshakes_drop(const lun_lua_main *main)
{
    proxy_run  *run;

    lun_list_each_safe (&runs, it) {
        run = lun_container_of(it, proxy_run, link);

        if (run->vm->main == main) {
            run->ctx = NULL;
            lun_list_remove(&run->link);
        }
    }
}


static void
finish(proxy_run *run, int rc)
{
    bool       good;
    lun_conn  *c = run->c;

    end_ctx(run);
    good = lun_lua_step_end(&rows[run->step], run->s->log, rc, run->waited);

    if (!c->closed) {
        lun_upstream_tls_answer(c, good);
    }
}


static void
on_ended(lun_lua_ctx *ctx)
{
    finish(ctx->data, lun_lua_step_result(ctx));
}


/* --- how it begins --- */

/* NULL: the request can have no machine, which is logged. */
static proxy_run *
new_run(lun_session *s, lun_conn *c, lun_upstream_tls_step step)
{
    proxy_run    *run;
    lun_lua_ctx  *ctx, *home = lun_lua_ctx_of(s);

    if (home == NULL) {
        return NULL;
    }

    run = lun_calloc(sizeof(proxy_run));
    ctx = lun_lua_ctx_new(lun_pool_new_sized(LUN_LUA_STEP_POOL), home->vm,
                          s->log);
    lun_vm_get(home->vm);
    ctx->session = s;
    ctx->request = home->request;
    ctx->conf = home->conf;
    ctx->ctx_ref = home->ctx_ref;
    ctx->phase = rows[step].phase;
    ctx->data = run;
    ctx->ended = on_ended;
    home->ctx_ref = LUA_NOREF;

    *run = (proxy_run) {
        .c = c, .s = s, .home = home, .ctx = ctx, .vm = home->vm,
        .step = step, .doing = s->log->doing, .holds = 2
    };
    s->log->doing = rows[step].doing;
    lun_list_push_back(&runs, &run->link);
    lun_pool_on_end(lun_conn_memory(c), on_holder_gone, run);
    lun_pool_on_end(s->pool, on_holder_gone, run);
    return run;
}


static void
ask(lun_session *s, lun_conn *c, lun_upstream_tls_step step)
{
    int         rc;
    proxy_run  *run = new_run(s, c, step);

    if (run == NULL) {
        lun_upstream_tls_answer(c, false);
        return;
    }

    if (lun_lua_step_run(chunk_of(s, step), run->ctx, &rc) == LUN_OK) {
        finish(run, rc);

    } else {
        run->waited = true;
    }
}


/* The block's own, and not of one around it. */
static const char *
given(const lun_block *b)
{
    size_t                i;
    const char           *conf = b->confs[lun_common_lua.index], *above;
    const lun_chunk      *own, *theirs;

    above = b->parent != NULL ? b->parent->confs[lun_common_lua.index] : NULL;

    for (i = 0; conf != NULL && i < LUN_ARRAY_LEN(rows); i++) {
        own = lun_lua_step_chunk(&rows[i], conf);
        theirs = above == NULL ? NULL : lun_lua_step_chunk(&rows[i], above);

        if (own != NULL && own != theirs) {
            return lun_lua_phase_name(rows[i].phase);
        }
    }

    return NULL;
}


const lun_upstream_tls_hooks  lun_lua_upstream_handshake = {
    .given = given,
    .wants = wants,
    .skips_default = skips_default,
    .ask = ask,
};


/* --- for the API --- */

lun_conn *
lun_lua_upstream_conn(void)
{
    const proxy_run    *run;
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (ctx == NULL || (lun_lua_now.phase & (LUN_LUA_PROXY_SSL_CERT
                                             | LUN_LUA_PROXY_SSL_VERIFY)) == 0)
    {
        return NULL;
    }

    run = ctx->data;
    return run->c;
}
