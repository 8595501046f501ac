/*
 * ffi_ctx.c -- ngx.ctx, for lua/resty/core/ctx.lua: which table is whose.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "modules/lua/run/ctx.h"
#include "modules/lua/ssl/handshake.h"


/* Any phase: -2 (LUA_NOREF) when it has none yet. */
int
lun_ffi_ctx_ref(void)
{
    return lun_lua_now.ctx->ctx_ref;
}


void
lun_ffi_set_ctx_ref(int ref)
{
    lun_lua_now.ctx->ctx_ref = ref;
}


/* What handlers of the connection's handshake have left; the same. */
int
lun_ffi_ctx_handshake(void)
{
    return lun_lua_handshake_table();
}
