/*
 * http_phases.c -- a request's side of the bridge: what the end of a handler
 * means to it, how it waits; the handlers of its phases.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "http/conf/core_conf.h"
#include "modules/lua/api/error_page.h"
#include "modules/lua/run/output.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/sock/sock.h"

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
        if (ctx->exec_args.len != 0) {
            lun_log(LUN_LOG_WARN, r->log, 0, "query strings %.*s ignored when "
                    "exec'ing named location %.*s", LUN_S(ctx->exec_args),
                    LUN_S(ctx->exec_uri));
        }

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
        return r->header_sent ? break_off(ctx) : lun_lua_error_page_send(ctx);
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


/* --- how it waits -------------------------------------------------------- */

/* The client has gone, or whoever began this subrequest. */
static void
on_abort(lun_request *r, void *data)
{
    lun_lua_ctx  *ctx = data;

    if (ctx->running == 0 || ctx->completed) {
        return;
    }

    if (r->parent == NULL) {
        lun_log(LUN_LOG_INFO, r->log, 0,
                "client prematurely closed connection");
    }

    /* A subrequest that nobody waits for any more is not asked. */
    lun_lua_abandon(ctx);
}


static void
wait_for_lua(lun_lua_ctx *ctx)
{
    lun_request  *r = ctx->request;

    lun_http_get(r);

    if (ctx->conf->check_client_abort || r->parent != NULL) {
        lun_http_on_abort(r, on_abort, ctx);
    }
}


static void
go_on(lun_lua_ctx *ctx)
{
    lun_request  *r = ctx->request;

    lun_http_on_abort(r, NULL, NULL);
    lun_http_resume(r);
    lun_http_put(r);
}


static void
on_body(lun_request *r)
{
    lun_lua_ctx  *ctx = lun_lua_ctx_at(&r->session);

    ctx->body_is_read = true;

    if (!ctx->reading_body) {
        lun_http_resume(r);
    }
}


/* lua_need_request_body. */
static lun_verdict
prepare(lun_lua_ctx *ctx)
{
    lun_verdict  v;

    if (!ctx->conf->need_request_body || ctx->body_is_read) {
        return LUN_LEAVE;
    }

    ctx->reading_body = true;
    v = lun_body_read(ctx->request, on_body);
    ctx->reading_body = false;
    return v;
}


/* "lua content handler, uri:"/t" c:1"; phases.c holds one more as it runs. */
static void
say(const lun_session *s, lun_str phase)
{
    const lun_request  *r = lun_request_of(s);

    lun_debug(r->log, "lua %.*s handler, uri:\"%.*s\" c:%u", LUN_S(phase),
              LUN_S(r->uri), r->main->references - r->main->running);
}


/* A subrequest runs in the machine of whoever began it; NULL: no Lua did. */
static const lun_lua_ctx *
above(const lun_session *s)
{
    const lun_request  *r = lun_request_of(s);
    const lun_lua_ctx  *ctx = NULL;

    for (r = r->parent; r != NULL && ctx == NULL; r = r->parent) {
        ctx = lun_lua_ctx_at(&r->session);
    }

    return ctx;
}


static lun_rc
path(lun_session *s, const lun_script *script, lun_safe_path *c)
{
    return lun_http_script_path(lun_request_of(s), script, c) == LUN_NEXT
           ? LUN_OK : LUN_ERROR;
}


/* --- its client ---------------------------------------------------------- */

static lun_rc
output(lun_lua_ctx *ctx, lun_buf *first)
{
    return lun_http_output(ctx->request, first);
}


static bool
holds(const lun_lua_ctx *ctx)
{
    const lun_request  *r = ctx->request;

    return r->buffered || lun_http_pending(r) || r->held != 0
           || r->main->held_whole != 0 || r->main->output.head != NULL;
}


static bool
pending(const lun_lua_ctx *ctx)
{
    return lun_http_pending(ctx->request);
}


/* Why it will never be out; NULL: it is. */
static const char *
loss_of(const lun_request *r)
{
    if (!r->main->aborted) {
        return NULL;
    }

    return lun_err_kind_of(r->main->conn->err) == LUN_ERR_TIMEOUT
           ? "timeout" : "client aborted";
}


static void
on_drained(lun_request *r, void *data)
{
    const char  *why = loss_of(r);

    lun_http_get(r);
    lun_lua_drained(data, why);
    lun_http_put(r);
}


static void
await(lun_lua_ctx *ctx)
{
    lun_http_on_drained(ctx->request, on_drained, ctx);
}


/* --- its settings -------------------------------------------------------- */

static lun_lua_net
net(const lun_lua_ctx *ctx)
{
    const lun_core_conf  *conf = ctx->request != NULL
                                 ? lun_core_conf_of(ctx->request)
                                 : ctx->core;

    return conf == NULL ? (lun_lua_net) { .known = false }
           : (lun_lua_net) {
                .known = true,
                .tcp_nodelay = conf->tcp_nodelay,
                .resolver = conf->resolver,
                .resolver_timeout = conf->resolver_timeout
             };
}


static double
started(const lun_session *s)
{
    const lun_request  *r = lun_request_of(s);

    return (double) r->start_sec + (double) r->start_msec / 1000;
}


static const void *
top(lun_conf *cf)
{
    return lun_http_top_conf(cf, &lun_http_core);
}


/* Requests come later, and there may be many. */
static lun_session *
session_at(const lun_conn *c)
{
    return NULL;
}


static const void *
core(const lun_server *server)
{
    return server->conf[lun_http_core.index];
}


const lun_lua_side  lun_lua_http_side = {
    .subsystem = "http",
    .prefix    = "",
    .prepare   = prepare,
    .conclude  = conclude,
    .wait      = wait_for_lua,
    .go_on     = go_on,
    .say       = say,
    .above     = above,
    .path      = path,
    .output    = output,
    .holds     = holds,
    .pending   = pending,
    .await     = await,
    .client    = lun_cosock_client,
    .net       = net,
    .top       = top,
    .started   = started,
    .session_at = session_at,
    .core      = core,
};


/* --- the handlers of the module ------------------------------------------ */

static const lun_lua_main *
main_of(const lun_request *r)
{
    return lun_lua_main_of(r->session.engine);
}


static lun_verdict
on_server_rewrite(lun_session *s)
{
    lun_request         *r = lun_request_of(s);
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    if (conf->server_rewrite == NULL || lun_request_of(s)->uri_changed) {
        return LUN_NEXT;
    }

    return lun_lua_run_phase(s, LUN_LUA_SERVER_REWRITE, conf->server_rewrite);
}


static lun_verdict
on_rewrite(lun_session *s)
{
    return lun_lua_at_rewrite(lun_request_of(s), false);
}


lun_verdict
lun_lua_at_rewrite(lun_request *r, bool no_postpone)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    /* The rewrite directives have chosen another location. */
    if (conf->rewrite == NULL || r->uri_changed
        || no_postpone != main_of(r)->rewrite_no_postpone)
    {
        return LUN_NEXT;
    }

    return lun_lua_run_phase(&r->session, LUN_LUA_REWRITE, conf->rewrite);
}


static lun_verdict
on_access(lun_session *s)
{
    return lun_lua_at_access(lun_request_of(s), false);
}


lun_verdict
lun_lua_at_access(lun_request *r, bool no_postpone)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    if (conf->access == NULL || no_postpone != main_of(r)->access_no_postpone) {
        return LUN_NEXT;
    }

    return lun_lua_run_phase(&r->session, LUN_LUA_ACCESS, conf->access);
}


static lun_verdict
on_precontent(lun_session *s)
{
    return lun_lua_at_precontent(lun_request_of(s), false);
}


lun_verdict
lun_lua_at_precontent(lun_request *r, bool no_postpone)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    if (conf->precontent == NULL
        || no_postpone != main_of(r)->precontent_no_postpone)
    {
        return LUN_NEXT;
    }

    return lun_lua_run_phase(&r->session, LUN_LUA_PRECONTENT, conf->precontent);
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request         *r = lun_request_of(s);
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    if (!lun_http_has_content(r, &lun_http_lua)) {
        return LUN_NEXT;
    }

    return lun_lua_run_phase(&r->session, LUN_LUA_CONTENT, conf->content);
}


lun_http_module  lun_http_lua = {
    .name = "http_lua",
    .with = &lun_common_lua,
    .on[LUN_SERVER_REWRITE] = on_server_rewrite,
    .on[LUN_REWRITE] = on_rewrite,
    .on[LUN_ACCESS] = on_access,
    .on[LUN_PRECONTENT] = on_precontent,
    .on[LUN_CONTENT] = on_content,
    .header_filter = lun_lua_header_filter,
    .body_filter = lun_lua_body_filter,
    .is_idle = lun_lua_body_is_idle,
};
