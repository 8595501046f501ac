/*
 * ffi_control.c -- ngx.exit, ngx.exec, ngx.redirect, ngx.on_abort, for
 * lua/resty/core/control.lua.
 *
 * These only note what is wanted; the Lua side then yields, and phases.c does
 * it.  Phases are checked on the Lua side.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "modules/lua/ffi/ffi_headers.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"

/* What control.lua knows by the same names. */
enum {
    LEAVE = 0,                     /* now yield */
    STAY  = 1,                     /* a filter or balancer runs to its end */
    ERROR = -1,                    /* throw *why */
    BUSY  = -2                     /* likewise, at the caller's line */
};

/* ngx.AGAIN, ngx.DONE. */
enum {
    EXIT_AGAIN = -2,
    EXIT_DONE  = -4
};

/* Of three digits, as ngx.status. */
enum { STATUS_MOST = 999 };


static bool
is_final(int status)
{
    return status >= 300 && status != 408 && status != 499 && status != 444;
}


/* ngx.exit() and its like would leave subrequests behind. */
static bool
is_capturing(const lun_lua_ctx *ctx, const char **why)
{
    *why = "attempt to abort with pending subrequests";
    return ctx->capturing != 0;
}


/* The others are an end by force, which takes subrequests along. */
static bool
ends_answer(int status)
{
    return status != -1 && status != 408 && status != 444 && status != 499;
}


/* Any phase that can be left. */
int
lun_ffi_exit(int status, const char **why)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_request  *r = lun_lua_now.request;

    if (status == EXIT_AGAIN || status == EXIT_DONE) {
        *why = "bad argument to 'ngx.exit': does not accept NGX_AGAIN or "
               "NGX_DONE";
        return ERROR;
    }

    if (ends_answer(status) && is_capturing(ctx, why)) {
        return BUSY;
    }

    if (r != NULL && (r->header_sent || ctx->buffering) && is_final(status)) {
        /* What HTTP/1.0 buffers has not gone out: no word about that. */
        if (r->header_sent && status != (int) r->out.status) {
            lun_log(LUN_LOG_ERR, ctx->log, 0, "attempt to set status %d via "
                    "ngx.exit after sending out the response status %u",
                    status, r->out.status);
        }

        status = 200;
    }

    ctx->exited = true;
    ctx->exit_code = lun_min(status, STATUS_MOST);
    lun_debug(ctx->log, "lua exit with code %d", status);

    if (lun_lua_now.phase & (LUN_LUA_HEADER_FILTER | LUN_LUA_BALANCER
                             | LUN_LUA_SSL_SESSION_STORE))
    {
        return STAY;
    }

    ctx->leaving = true;
    return LEAVE;
}


/* Only noted: the request moves when the coroutine has been left. */
int
lun_ffi_exec(const char *uri, size_t uri_len, const char *args,
    size_t args_len, const char **why)
{
    lun_str       query, text = { uri_len, uri };
    lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_request  *r = lun_lua_now.request;

    if (is_capturing(ctx, why)) {
        return ERROR;
    }

    if (lun_http_read_uri(ctx->pool, &text, &query) != LUN_OK) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "unsafe URI \"%.*s\" was detected",
                (int) uri_len, uri);
        *why = "unsafe uri";
        return ERROR;
    }

    ctx->exec_args = query.len == 0 ? query
                     : lun_pool_str(ctx->pool, query);

    if (args != NULL && args_len != 0) {
        ctx->exec_args = ctx->exec_args.len == 0
            ? lun_pool_str(ctx->pool, lun_str_of(args, args_len))
            : lun_pool_fmt(ctx->pool, "%.*s&%.*s", LUN_S(ctx->exec_args),
                           (int) args_len, args);
    }

    if (r->header_sent || ctx->buffering) {
        *why = "attempt to call ngx.exec after sending out response headers";
        return ERROR;
    }

    lun_debug(ctx->log, "lua exec \"%.*s?%.*s\"", LUN_S(text),
              LUN_S(ctx->exec_args));
    ctx->exec_uri = lun_pool_str(ctx->pool, text);
    ctx->leaving = true;
    return LEAVE;
}


int
lun_ffi_redirect(const char *uri, size_t len, int status, const char **why)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_request  *r = lun_lua_now.request;

    if (is_capturing(ctx, why)) {
        return ERROR;
    }

    if (r->header_sent || ctx->buffering) {
        *why = "attempt to call ngx.redirect after sending out the headers";
        return ERROR;
    }

    lun_lua_set_location(r, LUN_STR("Location"),
                         lun_pool_str(r->pool, lun_str_of(uri, len)));
    r->out.status = (unsigned) status;
    lun_debug(ctx->log, "lua redirect to \"%.*s\" with code %d", (int) len,
              uri, status);
    ctx->exited = true;
    ctx->exit_code = status;
    ctx->leaving = true;
    return LEAVE;
}


/* ngx.on_abort(function) */
static int
on_abort(lua_State *L)
{
    bool          there = lun_lua_now.session != NULL;
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    /* In any phase, before all else. */
    if (there && !ctx->conf->check_client_abort) {
        lua_pushnil(L);
        lua_pushliteral(L, "lua_check_client_abort is off");
        return 2;
    }

    if (there && ctx->abort_ref != LUA_NOREF) {
        lua_pushnil(L);
        lua_pushliteral(L, "duplicate call");
        return 2;
    }

    luaL_argcheck(L, lua_isfunction(L, 1) && !lua_iscfunction(L, 1), 1,
                  "Lua function expected");

    if (lun_lua_now.phase == LUN_LUA_INIT) {
        return luaL_error(L, "no request found");
    }

    if (!there
        || (lun_lua_now.phase & (LUN_LUA_SERVER_REWRITE | LUN_LUA_REWRITE
                                 | LUN_LUA_ACCESS | LUN_LUA_PRECONTENT
                                 | LUN_LUA_PREREAD | LUN_LUA_CONTENT)) == 0)
    {
        return luaL_error(L, "API disabled in the context of %s",
                          lun_lua_phase_name(lun_lua_now.phase));
    }

    lua_settop(L, 1);
    ctx->abort_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushinteger(L, 1);
    return 1;
}


static const luaL_Reg  functions[] = {
    { "on_abort", on_abort },
    { NULL, NULL }
};


void
lun_lua_control_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
