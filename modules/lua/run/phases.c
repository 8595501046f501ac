/*
 * phases.c -- one runner for all phases of a session.
 *
 * Those that may wait (rewrite, access, content, ...) start a coroutine; a
 * session whose coroutine waits is resumed by the rules of its protocol
 * (side.h), and comes back here to say how it ended.  The others (filters,
 * log, set) are a plain call on the machine's main stack.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "os/proc.h"


/* --- phases that may wait --- */

/* From the loop: the entry of a session that waited has ended. */
static void
on_ended(lun_lua_ctx *ctx)
{
    ctx->completed = true;
    ctx->main->side->go_on(ctx);
}


/* What one phase's handler gave to ngx.on_abort() ends with that handler. */
static void
forget_on_abort(lun_lua_ctx *ctx)
{
    if (ctx->abort_ref != LUA_NOREF) {
        luaL_unref(ctx->vm->L, LUA_REGISTRYINDEX, ctx->abort_ref);
        ctx->abort_ref = LUA_NOREF;
    }
}


/*
 * A handler that ends without waiting costs no more than a call: the request is
 * not told to wait before it does.
 */
static lun_verdict
start(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk)
{
    lun_co    *co;
    unsigned   status;

    ctx->phase = phase;
    ctx->exited = false;
    forget_on_abort(ctx);
    co = lun_co_new(ctx);
    status = lun_chunk_push(chunk, ctx->vm, co->L, ctx->session, ctx->log);

    if (status != 0) {
        lun_co_unused(co);

        if (status == 500 && ctx->error_page != NULL) {
            ctx->failed = true;
            return ctx->main->side->conclude(ctx, phase);
        }

        return LUN_STATUS + (int) status;
    }

    ctx->ended = on_ended;

    if (lun_co_run_entry(ctx, co, 0) == LUN_OK) {
        return ctx->main->side->conclude(ctx, phase);
    }

    ctx->running = phase;
    ctx->completed = false;
    ctx->main->side->wait(ctx);
    return LUN_WAIT;
}


static void
say_handler(const lun_session *s, const lun_lua_main *main, uint32_t phase)
{
    const char  *name;

    if (lun_log_wants(s->log, LUN_LOG_DEBUG)) {
        name = lun_lua_phase_name(phase);
        main->side->say(s, lun_str_of(name, (size_t) (strstr(name, "_by_")
                                                      - name)));
    }
}


lun_verdict
lun_lua_run_phase(lun_session *s, uint32_t phase, lun_chunk *chunk)
{
    lun_verdict   v;
    lun_lua_ctx  *ctx = lun_lua_ctx_or(s, &v);

    if (ctx == NULL) {
        return v;
    }

    say_handler(s, ctx->main, phase);

    if (ctx->running != 0) {
        if (!ctx->completed) {
            return LUN_WAIT;
        }

        ctx->running = 0;
        return ctx->main->side->conclude(ctx, phase);
    }

    ctx->conf = lun_lua_conf_of(s);
    ctx->log = s->log;

    v = ctx->main->side->prepare(ctx);
    return v == LUN_LEAVE ? start(ctx, phase, chunk) : v;
}


void
lun_lua_abandon(lun_lua_ctx *ctx)
{
    lua_State  *L = ctx->vm->L;

    if (ctx->session == ctx->session->main && ctx->abort_ref != LUA_NOREF) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, ctx->abort_ref);
        forget_on_abort(ctx);
        lun_co_spawn(ctx, L);
        return;
    }

    ctx->exited = true;
    ctx->exit_code = 499;
    lun_co_quit(ctx);
}


/* --- phases that may not --- */

/*
 * The phase before comes back, since this may be called in the middle of
 * another handler (a filter's).
 */
int
lun_lua_run_now(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk,
    int results, lua_State **state)
{
    int               rc, index;
    uint32_t          was_phase = ctx->phase;
    lua_State        *L = ctx->vm->L;
    lun_lua_current   was;

    index = lua_gettop(L) + 1;
    if (lun_chunk_push(chunk, ctx->vm, L, ctx->session, ctx->log) != 0) {
        return 0;
    }

    ctx->phase = phase;
    was = lun_lua_enter(ctx);
    rc = lun_vm_call(L, 0, results);
    lun_lua_now = was;
    ctx->phase = was_phase;

    if (rc != 0) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "failed to run %s: %.*s",
                phase == LUN_LUA_SSL_SESSION_STORE ? "session_store_by_lua*"
                : lun_lua_phase_name(phase), LUN_S(lun_co_error_text(L)));
        lua_settop(L, index - 1);
        return 0;
    }

    *state = L;
    return index;
}


/* --- the log, of every protocol --- */

/* lua_malloc_trim; the line is nginx's, on either system. */
static void
trim(lun_lua_main *main, const lun_log *log)
{
    bool  some;

    if (main->top->block.trim_after == 0) {
        lun_debug(log, "malloc_trim() disabled");
        return;
    }

    if (++main->trim_count >= main->top->block.trim_after) {
        main->trim_count = 0;
        some = lun_proc_trim();
        lun_debug(log, "malloc_trim(1) returned %d", some);
    }
}


/*
 * Memory is given back to the system here (lua_malloc_trim), after the client
 * has its answer, whether or not there is a handler.
 */
lun_verdict
lun_lua_on_log(lun_session *s)
{
    int                  index;
    lua_State           *L;
    lun_lua_ctx         *ctx;
    lun_lua_main        *main = lun_lua_main_of(s->engine);
    const lun_lua_conf  *conf = lun_lua_conf_of(s);

    if (main->trims || conf->log != NULL) {
        trim(main, s->log);
    }

    if (conf->log == NULL) {
        return LUN_NEXT;
    }

    say_handler(s, main, LUN_LUA_LOG);

    ctx = lun_lua_ctx_of(s);
    if (ctx == NULL) {
        return LUN_NEXT;
    }

    index = lun_lua_run_now(ctx, LUN_LUA_LOG, conf->log, 0, &L);
    if (index != 0) {
        lua_settop(L, index - 1);
    }

    return LUN_NEXT;
}
