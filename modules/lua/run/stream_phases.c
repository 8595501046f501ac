/*
 * stream_phases.c -- a stream session's side of the bridge: what the end of a
 * handler means to it, how it waits; the handlers of its phases.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "modules/lua/conf/directives.h"
#include "modules/lua/run/downstream.h"
#include "modules/lua/run/output.h"
#include "modules/lua/run/side.h"
#include "modules/lua/sock/sock.h"
#include "stream/conf/core_conf.h"
#include "stream/stream_session.h"

/* ngx.OK, ngx.ERROR as ngx.exit() has them; status codes begin at FIRST. */
enum { EXIT_OK = 0, EXIT_ERROR = -1, FIRST_STATUS = 100 };

extern lun_module  lun_stream_lua, lun_stream_lua_no_postpone;


/* --- how a phase ends ---------------------------------------------------- */

static lun_verdict
prepare(lun_lua_ctx *ctx)
{
    ctx->idle = lun_lua_downstream_watch;
    lun_lua_downstream_take(ctx);
    return LUN_LEAVE;
}


/* What comes next could not use the connection. */
static bool
is_stuck(const lun_lua_ctx *ctx)
{
    return ctx->downstream->unusable || lun_conn_writing(ctx->session->conn);
}


static lun_verdict
verdict_of(const lun_lua_ctx *ctx, uint32_t phase)
{
    int  code = ctx->exited ? ctx->exit_code : EXIT_OK;

    if (ctx->failed
        || (phase == LUN_LUA_PREREAD && is_stuck(ctx)))
    {
        return LUN_STATUS + 500;
    }

    if (code == EXIT_ERROR) {
        return LUN_FAILED;
    }

    if (code >= FIRST_STATUS) {
        return LUN_STATUS + code;
    }

    return phase == LUN_LUA_PREREAD ? LUN_NEXT : LUN_FINISHED;
}


/*
 * What was said has to leave first, however it ended; then this is asked
 * again.
 */
static lun_verdict
conclude(lun_lua_ctx *ctx, uint32_t phase)
{
    (void) lun_lua_send(ctx);

    if (lun_lua_downstream_pending(ctx)) {
        ctx->running = phase;
        ctx->completed = true;
        ctx->downstream->ending = true;
        return LUN_WAIT;
    }

    return verdict_of(ctx, phase);
}


/* --- how it waits -------------------------------------------------------- */

static void
wait_for_lua(lun_lua_ctx *ctx)
{
    lun_stream_get(lun_stream_session_of(ctx->session));
    lun_lua_downstream_watch(ctx);
}


static void
go_on(lun_lua_ctx *ctx)
{
    lun_stream_session  *s = lun_stream_session_of(ctx->session);

    lun_stream_resume(s);
    lun_stream_put(s);
}


static void
say(const lun_session *s, lun_str phase)
{
    lun_debug(s->log, "stream lua %.*s handler", LUN_S(phase));
}


static const lun_lua_ctx *
above(const lun_session *s)
{
    return NULL;
}


static lun_rc
path(lun_session *s, const lun_script *script, lun_safe_path *c)
{
    return lun_script_path(s, script, c) == LUN_OK
           ? lun_script_path_check(s, c->path, c->from) : LUN_ERROR;
}


/* Its end is told without being asked. */
static void
await(lun_lua_ctx *ctx)
{
}


/* --- its settings -------------------------------------------------------- */

static lun_lua_net
net(const lun_lua_ctx *ctx)
{
    const lun_stream_core_conf  *conf = ctx->core;

    if (ctx->session != NULL) {
        conf = lun_session_conf(ctx->session, &lun_stream_core);
    }

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
    const lun_stream_session  *own = lun_stream_session_of(s);

    return (double) own->start_sec + (double) own->start_msec / 1000;
}


static const void *
top(lun_conf *cf)
{
    return lun_module_top_conf(cf, &lun_stream_core);
}


static lun_session *
session_at(const lun_conn *c)
{
    return &lun_stream_session_at(c)->session;
}


static const void *
core(const lun_server *server)
{
    return server->conf[lun_stream_core.index];
}


const lun_lua_side  lun_lua_stream_side = {
    .subsystem = "stream",
    .prefix    = "stream ",
    .prepare   = prepare,
    .conclude  = conclude,
    .wait      = wait_for_lua,
    .go_on     = go_on,
    .say       = say,
    .above     = above,
    .path      = path,
    .output    = lun_lua_downstream_output,
    .holds     = lun_lua_downstream_pending,
    .pending   = lun_lua_downstream_pending,
    .await     = await,
    .client    = lun_cosock_stream_client,
    .net       = net,
    .top       = top,
    .started   = started,
    .session_at = session_at,
    .core      = core,
};


/* --- the handlers of the module ------------------------------------------ */

static lun_verdict
preread(lun_session *s, bool no_postpone)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(s);

    if (conf->preread == NULL
        || no_postpone != lun_lua_main_of(s->engine)->preread_no_postpone)
    {
        return LUN_NEXT;
    }

    return lun_lua_run_phase(s, LUN_LUA_PREREAD, conf->preread);
}


static lun_verdict
on_preread(lun_session *s)
{
    return preread(s, false);
}


static lun_verdict
on_preread_no_postpone(lun_session *s)
{
    return preread(s, true);
}


static lun_verdict
on_content(lun_session *s)
{
    lun_stream_nodelay(lun_stream_session_of(s));
    return lun_lua_run_phase(s, LUN_LUA_CONTENT, lun_lua_conf_of(s)->content);
}


void
lun_lua_set_stream_content(lun_conf *cf)
{
    lun_stream_set_content(cf, on_content);
}


/* lua_add_variable $name: one that Lua may set; it has no value at first. */
lun_rc
lun_lua_set_add_variable(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str  name;

    if (lun_var_name(cf, cf->args[1], &name) != LUN_OK
        || lun_var_define(cf, name, LUN_VAR_CHANGEABLE) == NULL)
    {
        return LUN_ERROR;
    }

    return lun_var_index(cf, name) != 0 ? LUN_OK : LUN_ERROR;
}


lun_module  lun_stream_lua = {
    .name = "stream_lua",
    .with = &lun_common_lua,
    .on[LUN_STREAM_PREREAD] = on_preread,
};


static lun_rc
set_no_postpone(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_set_flag(cf, d, lun_lua_main_of(cf->engine));
}


static const lun_directive  directives[] = {
    { .name = "preread_by_lua_no_postpone", .where = LUN_STREAM, .args = 1,
      .set = set_no_postpone,
      .field = offsetof(lun_lua_main, preread_no_postpone),
      .values = "on | off",
      .help = "whether preread_by_lua comes before other modules" },
    { 0 }
};

lun_module  lun_stream_lua_no_postpone = {
    .name = "stream_lua_no_postpone",
    .directives = directives,
    .on[LUN_STREAM_PREREAD] = on_preread_no_postpone,
};
