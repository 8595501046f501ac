/*
 * phases.c -- one runner for all phases of a request.
 *
 * Those that may wait (rewrite, access, content, ...) start a coroutine; a
 * request whose coroutine waits is resumed by the http floor's rules, and
 * comes back here to say how it ended.  The others (filters, log, set) are a
 * plain call on the machine's main stack.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "modules/lua/run/output.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "os/proc.h"

/* ngx.OK, ngx.ERROR, ... as ngx.exit() has them. */
enum {
    EXIT_OK       = 0,
    EXIT_ERROR    = -1,
    EXIT_DECLINED = -5
};


/* --- how a phase ends --- */

static lun_verdict
finish_answer(lun_lua_ctx *ctx)
{
    if (lun_lua_send_eof(ctx) == LUN_ERROR) {
        return LUN_FAILED;
    }

    return LUN_FINISHED;
}


/* Whoever captures the answer gets what there is of it. */
static lun_verdict
break_off(lun_lua_ctx *ctx)
{
    if (ctx->request->header_sent) {
        (void) lun_lua_send(ctx);
    }

    return LUN_FAILED;
}


/* The handler has run to its end. */
static lun_verdict
pass_on(lun_lua_ctx *ctx, uint32_t phase)
{
    if (phase == LUN_LUA_CONTENT || ctx->request->header_sent || ctx->eof
        || ctx->buffering)
    {
        /* What has begun to answer has to do so wholly. */
        return finish_answer(ctx);
    }

    return phase == LUN_LUA_ACCESS ? LUN_LEAVE : LUN_NEXT;
}


static lun_verdict
exit_with(lun_lua_ctx *ctx, uint32_t phase)
{
    int           code = ctx->exit_code;
    lun_request  *r = ctx->request;

    if (code == EXIT_ERROR) {
        return break_off(ctx);
    }

    if (code == EXIT_DECLINED && !r->header_sent) {
        /* After the content handler there is nobody. */
        return phase == LUN_LUA_CONTENT ? LUN_FAILED : LUN_NEXT;
    }

    if (code < 100) {
        return pass_on(ctx, phase);
    }

    if (r->out.status == 0 && !r->header_sent) {
        r->out.status = (unsigned) code;
    }

    if (code >= 300 || code == 204) {
        /* Only a few codes come here once the header is out. */
        return LUN_STATUS + code;
    }

    return finish_answer(ctx);
}


static lun_verdict
redirect(lun_lua_ctx *ctx)
{
    lun_request  *r = ctx->request;

    if (ctx->exec_uri.data[0] == '@') {
        lun_http_named(r, ctx->exec_uri);
    } else {
        lun_http_redirect(r, ctx->exec_uri, ctx->exec_args);
    }

    return LUN_MOVED;
}


/* Inside a phase handler: the entry has ended. */
static lun_verdict
conclude(lun_lua_ctx *ctx, uint32_t phase)
{
    lun_request  *r = ctx->request;

    if (ctx->failed) {
        return r->header_sent ? break_off(ctx) : LUN_STATUS + 500;
    }

    if (ctx->exec_uri.data != NULL) {
        return redirect(ctx);
    }

    if (ctx->redirected) {
        ctx->redirected = false;
        lun_lua_ctx_forget(ctx);
        return LUN_NEXT;
    }

    if (ctx->exited) {
        ctx->exited = false;
        return exit_with(ctx, phase);
    }

    return pass_on(ctx, phase);
}


/* --- phases that may wait --- */

/* From the loop: the entry of a request that waited has ended. */
static void
on_ended(lun_lua_ctx *ctx)
{
    lun_request  *r = ctx->request;

    ctx->completed = true;
    lun_http_on_abort(r, NULL, NULL);
    lun_http_resume(r);
    lun_http_put(r);
}


/* The client has gone, or whoever began this subrequest. */
static void
on_abort(lun_request *r, void *data)
{
    lun_lua_ctx  *ctx = data;
    lua_State    *L = ctx->vm->L;

    if (ctx->running == 0 || ctx->completed) {
        return;
    }

    if (r->parent == NULL) {
        lun_log(LUN_LOG_INFO, r->log, 0,
                "client prematurely closed connection");
    }

    /* A subrequest that nobody waits for any more is not asked. */
    if (r->parent == NULL && ctx->abort_ref != LUA_NOREF) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, ctx->abort_ref);
        luaL_unref(L, LUA_REGISTRYINDEX, ctx->abort_ref);
        ctx->abort_ref = LUA_NOREF;
        lun_co_spawn(ctx, L);
        return;
    }

    ctx->exited = true;
    ctx->exit_code = 499;
    lun_co_quit(ctx);
}


static lun_verdict
start(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk)
{
    lun_co       *co;
    unsigned      status;
    lun_request  *r = ctx->request;

    ctx->phase = phase;
    ctx->exited = false;
    co = lun_co_new(ctx);
    status = lun_chunk_push(chunk, ctx->vm, co->L, r, r->log);

    if (status != 0) {
        lun_co_unused(co);
        return LUN_STATUS + (int) status;
    }

    ctx->ended = on_ended;

    if (lun_co_run_entry(ctx, co, 0) == LUN_OK) {
        return conclude(ctx, phase);
    }

    ctx->running = phase;
    ctx->completed = false;
    lun_http_get(r);

    if (ctx->conf->check_client_abort || r->parent != NULL) {
        lun_http_on_abort(r, on_abort, ctx);
    }

    return LUN_WAIT;
}


static void
on_body(lun_request *r)
{
    lun_lua_ctx  *ctx = lun_http_state(r, &lun_http_lua);

    ctx->body_is_read = true;

    if (!ctx->reading_body) {
        lun_http_resume(r);
    }
}


/* lua_need_request_body. */
static lun_verdict
read_body(lun_lua_ctx *ctx)
{
    lun_verdict  v;

    ctx->reading_body = true;
    v = lun_body_read(ctx->request, on_body);
    ctx->reading_body = false;
    return v;
}


/* "lua content handler, uri:"/t" c:1"; phases.c holds one more as it runs. */
static void
say_handler(const lun_request *r, uint32_t phase)
{
    const char  *name;

    if (!lun_log_wants(r->log, LUN_LOG_DEBUG)) {
        return;
    }

    name = lun_lua_phase_name(phase);
    lun_debug(r->log, "lua %.*s handler, uri:\"%.*s\" c:%u",
              (int) (strstr(name, "_by_") - name), name, LUN_S(r->uri),
              r->main->references - r->main->running);
}


/* Runs a chunk that may yield. */
static lun_verdict
run_phase(lun_request *r, uint32_t phase, lun_chunk *chunk)
{
    lun_verdict   v;
    lun_lua_ctx  *ctx = lun_lua_ctx_of(r);

    if (ctx == NULL) {
        return LUN_STATUS + 500;
    }

    say_handler(r, phase);

    if (ctx->running != 0) {
        if (!ctx->completed) {
            return LUN_WAIT;
        }

        ctx->running = 0;
        return conclude(ctx, phase);
    }

    ctx->conf = lun_http_conf(r, &lun_http_lua);
    ctx->log = r->log;

    if (ctx->conf->need_request_body && !ctx->body_is_read) {
        v = read_body(ctx);

        if (v != LUN_LEAVE) {
            return v;
        }
    }

    return start(ctx, phase, chunk);
}


/* --- phases that may not --- */

int
lun_lua_run_now(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk,
    int results, lua_State **state)
{
    int               rc, index;
    uint32_t          was_phase = ctx->phase;
    lua_State        *L = ctx->vm->L;
    lun_lua_current   was;

    index = lua_gettop(L) + 1;
    if (lun_chunk_push(chunk, ctx->vm, L, ctx->request, ctx->log) != 0) {
        return 0;
    }

    ctx->phase = phase;
    was = lun_lua_enter(ctx);
    rc = lun_vm_call(L, 0, results);
    lun_lua_now = was;
    ctx->phase = was_phase;

    if (rc != 0) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "failed to run %s: %.*s",
                lun_lua_phase_name(phase), LUN_S(lun_co_error_text(L)));
        lua_settop(L, index - 1);
        return 0;
    }

    *state = L;
    return index;
}


/* --- the handlers of the module --- */

static lun_lua_main *
main_of(const lun_request *r)
{
    return lun_lua_main_of(lun_http_generation(r));
}


lun_verdict
lun_lua_on_server_rewrite(lun_session *s)
{
    lun_request         *r = lun_request_of(s);
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (conf->server_rewrite == NULL) {
        return LUN_NEXT;
    }

    return run_phase(r, LUN_LUA_SERVER_REWRITE, conf->server_rewrite);
}


lun_verdict
lun_lua_on_rewrite(lun_session *s)
{
    return lun_lua_at_rewrite(lun_request_of(s), false);
}


lun_verdict
lun_lua_at_rewrite(lun_request *r, bool early)
{
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    /* The rewrite directives have chosen another location. */
    if (conf->rewrite == NULL || r->uri_changed
        || early != main_of(r)->rewrite_no_postpone)
    {
        return LUN_NEXT;
    }

    return run_phase(r, LUN_LUA_REWRITE, conf->rewrite);
}


lun_verdict
lun_lua_on_access(lun_session *s)
{
    return lun_lua_at_access(lun_request_of(s), false);
}


lun_verdict
lun_lua_at_access(lun_request *r, bool early)
{
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (conf->access == NULL || early != main_of(r)->access_no_postpone) {
        return LUN_NEXT;
    }

    return run_phase(r, LUN_LUA_ACCESS, conf->access);
}


lun_verdict
lun_lua_on_precontent(lun_session *s)
{
    return lun_lua_at_precontent(lun_request_of(s), false);
}


lun_verdict
lun_lua_at_precontent(lun_request *r, bool early)
{
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (conf->precontent == NULL
        || early != main_of(r)->precontent_no_postpone)
    {
        return LUN_NEXT;
    }

    return run_phase(r, LUN_LUA_PRECONTENT, conf->precontent);
}


lun_verdict
lun_lua_on_content(lun_session *s)
{
    lun_request         *r = lun_request_of(s);
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (!lun_http_has_content(r, &lun_http_lua)) {
        return LUN_NEXT;
    }

    return run_phase(r, LUN_LUA_CONTENT, conf->content);
}


/* lua_malloc_trim; the line is nginx's, on either system. */
static void
trim(lun_lua_main *main, const lun_log *log)
{
    bool  some;

    if (main->trim_after == 0) {
        lun_debug(log, "malloc_trim() disabled");
        return;
    }

    if (++main->trim_count >= main->trim_after) {
        main->trim_count = 0;
        some = lun_proc_trim();
        lun_debug(log, "malloc_trim(1) returned %d", some);
    }
}


lun_verdict
lun_lua_on_log(lun_session *s)
{
    lun_request         *r = lun_request_of(s);
    int                  index;
    lua_State           *L;
    lun_lua_ctx         *ctx;
    lun_lua_main        *main = main_of(r);
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (main->trims || conf->log != NULL) {
        trim(main, r->log);
    }

    if (conf->log == NULL) {
        return LUN_NEXT;
    }

    say_handler(r, LUN_LUA_LOG);

    ctx = lun_lua_ctx_of(r);
    if (ctx == NULL) {
        return LUN_NEXT;
    }

    index = lun_lua_run_now(ctx, LUN_LUA_LOG, conf->log, 0, &L);
    if (index != 0) {
        lua_settop(L, index - 1);
    }

    return LUN_NEXT;
}
