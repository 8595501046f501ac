/*
 * ffi_ndk.c -- ndk.set_var.*: directives that are functions from text to
 * text, for lua/resty/core/ndk.lua.
 *
 * Nothing here yields; every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include "http/rewrite.h"
#include "modules/lua/run/ctx.h"

LUN_EXPORT const void *lun_ffi_ndk_find(const char *name, size_t len);
LUN_EXPORT int lun_ffi_ndk_run(const void *function, const char *s, size_t len,
    lun_str *out);


/* NULL: no directive of that name is one. */
const void *
lun_ffi_ndk_find(const char *name, size_t len)
{
    return lun_text_function_of(lun_str_of(name, len));
}


/* 0, or -1: the text is not what the function takes. */
int
lun_ffi_ndk_run(const void *function, const char *s, size_t len, lun_str *out)
{
    lun_rc        rc;
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    *out = LUN_STR("");
    rc = lun_text_run(function, lun_lua_now.request, ctx->pool,
                      lun_str_of(s, len), out);

    return rc == LUN_OK ? 0 : -1;
}
