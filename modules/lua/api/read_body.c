/*
 * read_body.c -- ngx.req.read_body and discard_body.
 *
 * Several threads of a request may wait for its body; all are woken when it
 * is whole.  If it never will be, the request's Lua ends with the status that
 * says why.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/native.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/thread.h"

enum {
    PHASES = LUN_LUA_REWRITE | LUN_LUA_SERVER_REWRITE | LUN_LUA_ACCESS
        | LUN_LUA_PRECONTENT | LUN_LUA_CONTENT
};


/* Marks the coroutines that wait here; there is nothing to undo. */
static void
on_cancel(void *data)
{
}


static lun_co *
waiting(lun_lua_ctx *ctx)
{
    lun_co  *co;

    lun_list_each(&ctx->cos, item) {
        co = lun_container_of(item, lun_co, link);

        if (co->status == LUN_CO_WAITING && co->cancel == on_cancel) {
            return co;
        }
    }

    return NULL;
}


static void
on_body(lun_request *r)
{
    lun_co       *co;
    lun_lua_ctx  *ctx = lun_lua_ctx_at(&r->session);

    lun_http_get(r);

    while (ctx != NULL && (co = waiting(ctx)) != NULL) {
        lun_co_wake(co, 0);
        ctx = lun_lua_ctx_at(&r->session);
    }

    lun_http_put(r);
}


static void
on_fail(lun_request *r)
{
    lun_lua_ctx  *ctx = lun_lua_ctx_at(&r->session);

    if (ctx == NULL || ctx->running == 0 || ctx->completed) {
        lun_http_finish(r, LUN_STATUS + (int) r->body->status);
        return;
    }

    ctx->exited = true;
    ctx->exit_code = (int) r->body->status;
    lun_co_quit(ctx);
}


/* ngx.req.read_body(): may yield; rewrite, access, content. */
static int
read_body(lua_State *L)
{
    int           n = lua_gettop(L);
    lun_co       *co;
    lun_request  *r;
    lun_verdict   v;

    if (n != 0) {
        return luaL_error(L, "expecting 0 arguments but seen %d", n);
    }

    if (lun_lua_now.phase == LUN_LUA_INIT) {
        return luaL_error(L, "request object not found");
    }

    co = lun_co_enter(L, PHASES);
    r = co->ctx->request;

    /* Where one was thrown away, there is an empty one now. */
    if (r->body != NULL && r->body->discarding && r->body->complete
        && r->body->bufs.head == NULL)
    {
        r->body->discarding = false;
    }

    /* A subrequest has it, or has none. */
    if (r->parent != NULL
        || (r->body != NULL
            && (r->body->complete || r->body->discarding
            || lun_body_streams(r))))
    {
        return 0;
    }

    if (r->body == NULL) {
        v = lun_body_read(r, on_body);

        if (v == LUN_LEAVE) {
            return 0;
        }

        if (v != LUN_WAIT) {
            co->ctx->exited = true;
            co->ctx->exit_code = (int) (v - LUN_STATUS);
            return lun_co_leave(L);
        }

        r->body->on_fail = on_fail;
    }

    return lun_co_wait(co, "ngx.req.read_body", on_cancel, NULL);
}


/* ngx.req.discard_body(): does not yield; rewrite, access, content. */
static int
discard_body(lua_State *L)
{
    lun_request  *r = lun_lua_now.request;

    if (lua_gettop(L) != 0) {
        return luaL_error(L, "expecting 0 arguments but seen %d",
                          lua_gettop(L));
    }

    if (r == NULL) {
        return luaL_error(L, lun_lua_now.phase == LUN_LUA_INIT
                             ? "request object not found"
                             : "API disabled in the current context");
    }

    if ((lun_lua_now.phase & PHASES) == 0) {
        return luaL_error(L, "API disabled in the context of %s",
                          lun_lua_phase_name(lun_lua_now.phase));
    }

    if (lun_body_discard(r) != LUN_LEAVE) {
        return luaL_error(L, "failed to discard request body");
    }

    return 0;
}


static const luaL_Reg  functions[] = {
    { "read_body", read_body },
    { "discard_body", discard_body },
    { NULL, NULL }
};


void
lun_lua_body_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
