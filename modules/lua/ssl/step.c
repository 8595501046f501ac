/*
 * step.c -- see step.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/step.h"

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"


enum { FAILED = 500, EXIT_ERROR = -1, REFUSALS = 300 };


lun_chunk *
lun_lua_step_chunk(const lun_lua_step *step, const void *conf)
{
    return *(lun_chunk *const *) (const void *) ((const char *) conf
                                                 + step->chunk);
}


int
lun_lua_step_result(const lun_lua_ctx *ctx)
{
    return ctx->failed ? FAILED : ctx->exited ? ctx->exit_code : 0;
}


lun_rc
lun_lua_step_run(lun_chunk *chunk, lun_lua_ctx *ctx, int *rc)
{
    lun_co    *co = lun_co_new(ctx);
    unsigned   status;

    status = lun_chunk_push(chunk, ctx->vm, co->L, NULL, ctx->log);

    if (status != 0) {
        lun_co_unused(co);
        *rc = (int) status;
        return LUN_OK;
    }

    if (lun_co_run_entry(ctx, co, 0) != LUN_OK) {
        return LUN_AGAIN;
    }

    *rc = lun_lua_step_result(ctx);
    return LUN_OK;
}


/* What a handler that waited returned is not told. */
bool
lun_lua_step_end(const lun_lua_step *step, const lun_log *log, int rc,
    bool waited)
{
    bool  good = rc != EXIT_ERROR && rc < REFUSALS;

    if (waited) {
        lun_debug(log, "%s: %s exit code: %d", step->name, step->callback,
                  good);
    } else {
        lun_debug(log, "%s: handler return value: %d, %s exit code: %d",
                  step->name, rc, step->callback, good);
    }

    return good;
}
