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

#include "base/uri.h"
#include "modules/lua/ffi/ffi_headers.h"
#include "modules/lua/native.h"

/* What control.lua knows by the same names. */
enum {
    LEAVE = 0,                     /* now yield */
    STAY  = 1,                     /* a header filter goes on to its end */
    ERROR = -1                     /* throw *why */
};

/* ngx.AGAIN, ngx.DONE. */
enum {
    EXIT_AGAIN = -2,
    EXIT_DONE  = -4
};


static bool
is_final(int status)
{
    return status >= 300 && status != 408 && status != 499 && status != 444;
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

    if (r != NULL && (r->header_sent || ctx->buffering) && is_final(status)) {
        if (status != (int) r->out.status) {
            lun_log(LUN_LOG_ERR, ctx->log, 0, "attempt to set status %d via "
                    "ngx.exit after sending out the response status %u",
                    status, r->out.status);
        }

        status = 200;
    }

    ctx->exited = true;
    ctx->exit_code = status;
    lun_debug(ctx->log, "lua exit with code %d", status);

    if (lun_lua_now.phase == LUN_LUA_HEADER_FILTER) {
        return STAY;
    }

    ctx->leaving = true;
    return LEAVE;
}


/* A path that leaves its root, or ends before its end. */
static bool
is_unsafe(lun_str path)
{
    size_t       len;
    const char  *p = path.data, *end = p + path.len, *next;

    if (path.len == 0 || memchr(p, '\0', path.len) != NULL) {
        return true;
    }

    for (; p <= end; p = next + 1) {
        next = memchr(p, '/', (size_t) (end - p));
        next = next != NULL ? next : end;
        len = (size_t) (next - p);

        if (len == 2 && memcmp(p, "..", 2) == 0) {
            return true;
        }
    }

    return false;
}


/* What `%41` stands for; as is_unsafe(), before and after. */
static lun_rc
decode_path(lun_lua_ctx *ctx, lun_str *path)
{
    char     *text;
    lun_str   raw = *path;

    if (!is_unsafe(raw) && lun_str_chr(raw, '%') != NULL) {
        text = lun_pool_text(ctx->pool, raw.len);
        path->len = (size_t) (lun_uri_unescape(text, raw, false) - text);
        path->data = text;
    }

    if (is_unsafe(*path)) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "unsafe URI \"%.*s\" was detected",
                LUN_S(raw));
        return LUN_ERROR;
    }

    return LUN_OK;
}


int
lun_ffi_exec(const char *uri, size_t uri_len, const char *args,
    size_t args_len, const char **why)
{
    lun_str       text = { uri_len, uri };
    const char   *mark;
    lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_request  *r = lun_lua_now.request;

    if (uri_len == 0) {
        *why = "The uri argument is empty";
        return ERROR;
    }

    ctx->exec_args = LUN_STR_NULL;
    mark = lun_str_chr(text, '?');

    if (mark != NULL) {
        ctx->exec_args = lun_pool_str(ctx->pool, lun_str_of(mark + 1,
                             uri_len - (size_t) (mark + 1 - uri)));
        text.len = (size_t) (mark - uri);
    }

    if (decode_path(ctx, &text) != LUN_OK) {
        *why = "unsafe uri";
        return ERROR;
    }

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
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    luaL_checktype(L, 1, LUA_TFUNCTION);

    if (lun_lua_now.request == NULL
        || (lun_lua_now.phase & (LUN_LUA_SERVER_REWRITE | LUN_LUA_REWRITE
                                 | LUN_LUA_ACCESS | LUN_LUA_PRECONTENT
                                 | LUN_LUA_CONTENT)) == 0)
    {
        return luaL_error(L, "API disabled in the context of %s",
                          lun_lua_phase_name(lun_lua_now.phase));
    }

    if (!ctx->conf->check_client_abort) {
        lua_pushnil(L);
        lua_pushliteral(L, "lua_check_client_abort is off");
        return 2;
    }

    if (ctx->abort_ref != LUA_NOREF) {
        lua_pushnil(L);
        lua_pushliteral(L, "duplicate call");
        return 2;
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
