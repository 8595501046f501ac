/*
 * ffi_output.c -- ngx.say and ngx.print, for lua/resty/core/output.lua.
 *
 * Text is only gathered here, and the header sent, as long as no Lua looks at
 * either on their way: FFI may run none.  Otherwise the Lua side calls
 * native.output_send, an ordinary C function, right after.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "http/conf/core_conf.h"

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/output.h"

/* What output.lua knows by the same names. */
enum {
    DONE   = 0,
    SEND   = 1,                    /* now call native.output_send */
    FAILED = -1,
    EOF_   = -2,
    RAW    = -3,
    HEAD   = -4                    /* nobody wants a body */
};


/*
 * Whether the client has closed its side: what it is told goes at once then,
 * as far as nothing says to postpone it, so that a script learns that nobody
 * is there any more.
 */
static bool
may_be_gone(const lun_lua_ctx *ctx)
{
    return LUN_UNLIKELY(ctx->session->conn->stream.hung_up)
           && (ctx->request == NULL || ctx->out_size
               >= lun_core_conf_of(ctx->request)->postpone_output);
}


/* A datagram for each call. */
static int
say_to_session(lun_lua_ctx *ctx, const char *data, size_t len, int newline)
{
    if (ctx->eof) {
        return ctx->raw ? RAW : EOF_;
    }

    lun_lua_gather(ctx, data, len);
    if (newline) {
        lun_lua_gather(ctx, "\n", 1);
    }

    if ((ctx->out_size >= LUN_LUA_GATHER || ctx->session->conn->datagram
         || may_be_gone(ctx))
        && lun_lua_send(ctx) == LUN_ERROR)
    {
        return FAILED;
    }

    return DONE;
}


/* The phase was checked: there is a session. */
int
lun_ffi_output(const char *data, size_t len, int newline)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_request  *r = ctx->request;

    if (r == NULL) {
        return say_to_session(ctx, data, len, newline);
    }

    if (r->header_only) {
        return HEAD;
    }

    if (ctx->eof) {
        return ctx->raw ? RAW : EOF_;
    }

    if (lun_lua_has_filters(r)) {
        lun_lua_gather(ctx, data, len);
        if (newline) {
            lun_lua_gather(ctx, "\n", 1);
        }

        return SEND;
    }

    if (!r->header_sent && lun_lua_send_header(ctx) == LUN_ERROR) {
        return FAILED;
    }

    lun_lua_gather(ctx, data, len);
    if (newline) {
        lun_lua_gather(ctx, "\n", 1);
    }

    if ((ctx->out_size >= LUN_LUA_GATHER || may_be_gone(ctx))
        && lun_lua_send(ctx) == LUN_ERROR)
    {
        return FAILED;
    }

    return DONE;
}
