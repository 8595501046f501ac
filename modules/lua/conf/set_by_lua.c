/*
 * set_by_lua.c -- set_by_lua $result: an instruction among those of `set`,
 * `if` and `rewrite`, in the order of the text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "http/rewrite.h"
#include "modules/lua/conf/directives.h"
#include "modules/lua/run/ctx.h"

typedef struct {
    lun_chunk    *chunk;
    unsigned      variable;
    unsigned      count;
    lun_script  **args;
} set_code;


/* What is neither a text nor a number is nothing, as in nginx's Lua. */
static lun_str
result_of(lun_request *r, lua_State *L, int index)
{
    lun_str  text;

    text.data = lua_tolstring(L, index, &text.len);
    return text.data != NULL ? lun_pool_str(r->pool, text) : LUN_STR("");
}


/*
 * It can't yield, so the call is made on the main state, without a coroutine.
 */
static lun_verdict
run(lun_request *r, void *data)
{
    int           index;
    unsigned      i;
    lua_State    *L;
    set_code     *code = data;
    lun_verdict   refusal;
    lun_lua_ctx  *ctx = lun_lua_ctx_or(&r->session, &refusal);

    if (ctx == NULL) {
        return refusal;
    }

    ctx->args = lun_pool_new_n(r->pool, lun_str, code->count + 1);
    ctx->arg_count = code->count;

    for (i = 0; i < code->count; i++) {
        ctx->args[i] = lun_script_run(&r->session, code->args[i]);
    }

    index = lun_lua_run_now(ctx, LUN_LUA_SET, code->chunk, 1, &L);
    ctx->arg_count = 0;

    if (index == 0) {
        return LUN_STATUS + 500;
    }

    lun_var_set(&r->session, code->variable, result_of(r, L, index));
    lua_settop(L, index - 1);
    return LUN_NEXT;
}


/* set_by_lua $result <code> [$arg ...] */
lun_rc
lun_lua_set_set(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t     i;
    set_code  *code = lun_pool_new(cf->pool, set_code);

    code->variable = lun_rewrite_variable(cf, cf->args[1]);
    if (code->variable == 0) {
        return LUN_ERROR;
    }

    code->chunk = lun_lua_chunk_of(cf, d, 2);
    if (code->chunk == NULL) {
        return LUN_ERROR;
    }

    if (!d->raw && cf->argc > 3) {
        code->count = (unsigned) cf->argc - 3;
    }

    code->args = lun_pool_new_n(cf->pool, lun_script *, code->count + 1);

    for (i = 0; i < code->count; i++) {
        code->args[i] = lun_script_new(cf, cf->args[3 + i]);

        if (code->args[i] == NULL) {
            return LUN_ERROR;
        }
    }

    lun_rewrite_add(cf, run, code);
    return LUN_OK;
}
