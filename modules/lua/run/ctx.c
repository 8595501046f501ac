/*
 * ctx.c -- contexts: whose turn it is, and how a context begins and ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/ctx.h"

#include "base/check.h"
#include "modules/lua/api/error_page.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"

lun_lua_current  lun_lua_now;

static const struct {
    uint32_t     phase;
    const char  *name;
} names[] = {
    { LUN_LUA_SET, "set_by_lua*" },
    { LUN_LUA_SERVER_REWRITE, "server_rewrite_by_lua*" },
    { LUN_LUA_REWRITE, "rewrite_by_lua*" },
    { LUN_LUA_ACCESS, "access_by_lua*" },
    { LUN_LUA_PRECONTENT, "precontent_by_lua*" },
    { LUN_LUA_PREREAD, "preread_by_lua*" },
    { LUN_LUA_CONTENT, "content_by_lua*" },
    { LUN_LUA_LOG, "log_by_lua*" },
    { LUN_LUA_HEADER_FILTER, "header_filter_by_lua*" },
    { LUN_LUA_BODY_FILTER, "body_filter_by_lua*" },
    { LUN_LUA_TIMER, "ngx.timer" },
    { LUN_LUA_TOOL, "ngx.timer" },
    { LUN_LUA_INIT, "init_by_lua*" },
    { LUN_LUA_INIT_WORKER, "init_worker_by_lua*" },
    { LUN_LUA_EXIT_WORKER, "exit_worker_by_lua*" },
    { LUN_LUA_BALANCER, "balancer_by_lua*" },
    { LUN_LUA_SSL_CLIENT_HELLO, "ssl_client_hello_by_lua*" },
    { LUN_LUA_SSL_CERT, "ssl_certificate_by_lua*" },
    { LUN_LUA_SSL_SESSION_STORE, "ssl_session_store_by_lua*" },
    { LUN_LUA_SSL_SESSION_FETCH, "ssl_session_fetch_by_lua*" },
    { LUN_LUA_PROXY_SSL_CERT, "proxy_ssl_certificate_by_lua*" },
    { LUN_LUA_PROXY_SSL_VERIFY, "proxy_ssl_verify_by_lua*" }
};


const char *
lun_lua_phase_name(uint32_t phase)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (names[i].phase == phase) {
            return names[i].name;
        }
    }

    return "(unknown)";
}


lun_lua_current *
lun_ffi_current(void)
{
    return &lun_lua_now;
}


const char *
lun_ffi_subsystem(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx != NULL ? ctx->main->side->subsystem : "http";
}


void
lun_lua_ctx_forget(lun_lua_ctx *ctx)
{
    lua_State  *L = ctx->vm->L;

    if (ctx->ctx_ref != LUA_NOREF) {
        lun_debug(NULL, "lua release ngx.ctx at ref %d", ctx->ctx_ref);
        lua_rawgeti(L, LUA_REGISTRYINDEX, ctx->vm->ctx_table);
        luaL_unref(L, -1, ctx->ctx_ref);
        lua_pop(L, 1);
        ctx->ctx_ref = LUA_NOREF;
    }
}


static void
on_end(void *data)
{
    lun_lua_ctx  *ctx = data;

    LUN_CHECK_MARK(ctx, LUN_MARK_LUA_CTX);

    /* That of finalizers: what they began has gone with the machine. */
    if (ctx->vm->L == NULL) {
        return;
    }

    lun_co_kill_all(ctx);
    luaL_unref(ctx->vm->L, LUA_REGISTRYINDEX, ctx->abort_ref);
    lun_lua_ctx_forget(ctx);
}


lun_lua_ctx *
lun_lua_ctx_new(lun_pool *pool, lun_vm *vm, const lun_log *log)
{
    lun_lua_ctx  *ctx = lun_pool_new(pool, lun_lua_ctx);

    ctx->mark = LUN_MARK_LUA_CTX;
    ctx->vm = vm;
    ctx->main = vm->main;
    ctx->conf = vm->main->top;
    ctx->core = vm->main->core;
    ctx->pool = pool;
    ctx->log = log;
    ctx->ctx_ref = LUA_NOREF;
    ctx->abort_ref = LUA_NOREF;
    ctx->out_tail = &ctx->out;
    lun_list_init(&ctx->cos);
    lun_list_init(&ctx->ready);
    lun_list_init(&ctx->flushing);
    lun_list_init(&ctx->waiting);
    lun_pool_on_end(pool, on_end, ctx);
    return ctx;
}


static void
put_vm(void *data)
{
    lun_vm_put(data);
}


/*
 * `fresh`: with lua_code_cache off, a machine that nobody has used before, and
 * in which init_by_lua has not run.
 */
static lun_vm *
take_vm(const lun_session *s, const lun_lua_conf *conf, bool *fresh)
{
    lun_vm             *vm;
    lun_lua_main       *main = lun_lua_main_of(s->engine);
    const lun_lua_ctx  *above = main->side->above(s);

    *fresh = above == NULL && !conf->code_cache;

    if (*fresh) {
        return lun_vm_new(main, s->log);
    }

    vm = above != NULL ? above->vm : main->vm;
    lun_vm_get(vm);
    return vm;
}


/* Whoever writes init_by_lua is shown what it died of. */
static lun_verdict
refuse(lun_lua_ctx *ctx)
{
    if (ctx->request == NULL) {
        return LUN_STATUS + 500;
    }

    ctx->phase = LUN_LUA_CONTENT;
    lun_lua_error_page_make(ctx, LUN_LUA_INIT, NULL,
                            ctx->vm->home->life_error);
    return lun_lua_error_page_send(ctx);
}


static LUN_NOINLINE lun_lua_ctx *
make_ctx(lun_session *s, lun_verdict *refusal)
{
    bool                 fresh;
    lun_lua_ctx         *ctx;
    const lun_lua_conf  *conf = lun_lua_conf_of(s);
    lun_vm              *vm = take_vm(s, conf, &fresh);

    if (vm == NULL) {
        return NULL;
    }

    lun_pool_on_end(s->pool, put_vm, vm);
    ctx = lun_lua_ctx_new(s->pool, vm, s->log);
    ctx->session = s;
    ctx->request = s->engine->protocol == &lun_http ? lun_request_of(s) : NULL;
    ctx->conf = conf;

    if (fresh && lun_vm_run_init(vm) != LUN_OK) {
        if (refusal != NULL) {
            *refusal = refuse(ctx);
        }

        return NULL;
    }

    lun_session_set_state(s, &lun_common_lua, ctx);
    return ctx;
}


lun_lua_ctx *
lun_lua_ctx_of(lun_session *s)
{
    lun_lua_ctx  *ctx = lun_lua_ctx_at(s);

    return ctx != NULL ? ctx : make_ctx(s, NULL);
}


lun_lua_ctx *
lun_lua_ctx_or(lun_session *s, lun_verdict *refusal)
{
    lun_lua_ctx  *ctx = lun_lua_ctx_at(s);

    *refusal = LUN_STATUS + 500;
    return ctx != NULL ? ctx : make_ctx(s, refusal);
}
