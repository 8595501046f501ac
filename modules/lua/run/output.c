/*
 * output.c -- what handlers say, on its way to the filters.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/output.h"

#include "modules/lua/run/native.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"

enum {
    SMALL = 1024,                  /* room of a first buf */
    LARGE = LUN_LUA_GATHER + 1024
};

enum {
    OUTPUT_PHASES = LUN_LUA_SERVER_REWRITE | LUN_LUA_REWRITE | LUN_LUA_ACCESS
        | LUN_LUA_PRECONTENT | LUN_LUA_PREREAD | LUN_LUA_CONTENT
};

/* A buf, and a list of ours: the buf's own link is the filters'. */
struct lun_lua_out {
    lun_buf       buf;
    lun_lua_out  *next;
};


/* A request whose answer has no body. */
static bool
is_header_only(const lun_lua_ctx *ctx)
{
    return ctx->request != NULL && ctx->request->header_only;
}


bool
lun_lua_has_filters(const lun_request *r)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    return conf->header_filter != NULL || conf->body_filter != NULL;
}


lun_rc
lun_lua_send_header(lun_lua_ctx *ctx)
{
    lun_request         *r = ctx->request;
    const lun_lua_conf  *conf;

    if (r == NULL || r->header_sent || ctx->buffering) {
        return LUN_OK;
    }

    conf = lun_lua_conf_of(&r->session);

    if (r->out.status == 0) {
        r->out.status = 200;
    }

    if (r->out.content_type.len == 0 && conf->use_default_type
        && !ctx->type_is_set && r->out.status != 304)
    {
        lun_http_set_type(r);
    }

    /* Without chunks the length is all that tells the end of an answer. */
    if (r->version < 1001 && conf->http10_buffering && !ctx->eof
        && r->out.content_length == -1 && r == r->main
        && r->method != LUN_HEAD)
    {
        lun_debug(ctx->log,
                  "lua buffering output bufs for the HTTP 1.0 request");
        ctx->buffering = true;
        return LUN_OK;
    }

    /* Unless the handler says what it takes. */
    if (r->out.known[LUN_HOUT_ACCEPT_RANGES] == NULL) {
        lun_http_clear_ranges(r);
    }

    return lun_http_send_header(r);
}


/* --- gathering --- */

/*
 * A buffer that was sent is used again by the same request: a script that says
 * a million lines needs no more than are on their way.
 */
static lun_lua_out *
new_out(lun_lua_ctx *ctx, size_t size)
{
    char         *room;
    lun_lua_out  *out, **at;

    for (at = &ctx->spare; (out = *at) != NULL; at = &out->next) {
        if ((size_t) (out->buf.end - out->buf.start) >= size) {
            *at = out->next;
            room = out->buf.start;
            lun_debug(ctx->log, "lua reuse free buf memory %zu >= %zu",
                      (size_t) (out->buf.end - room), size);
            size = (size_t) (out->buf.end - room);
            goto found;
        }
    }

    if (size < SMALL) {
        size = ctx->out == NULL && ctx->busy == NULL ? SMALL : LARGE;
    }

    out = lun_pool_alloc(ctx->pool, sizeof(lun_lua_out));
    room = lun_pool_text(ctx->pool, size);

found:

    memset(out, 0, sizeof(lun_lua_out));
    out->buf.start = out->buf.pos = out->buf.last = room;
    out->buf.end = room + size;
    out->buf.temporary = 1;
    out->buf.tag = (void *) lun_lua_gather;
    *ctx->out_tail = out;
    ctx->out_tail = &out->next;
    return out;
}


/* The buf that the next bytes go to; NULL: a new one is needed. */
static lun_lua_out *
last_out(const lun_lua_ctx *ctx)
{
    if (ctx->out == NULL) {
        return NULL;
    }

    return lun_container_of(ctx->out_tail, lun_lua_out, next);
}


void
lun_lua_gather(lun_lua_ctx *ctx, const char *data, size_t len)
{
    size_t        n;
    lun_lua_out  *out = last_out(ctx);

    /* The answer to HEAD has no body; HTTP/1.0's is counted first. */
    if (len == 0 || (is_header_only(ctx) && !ctx->buffering)) {
        return;
    }

    ctx->out_size += len;

    if (out != NULL) {
        n = lun_min(len, (size_t) (out->buf.end - out->buf.last));
        out->buf.last = lun_copy(out->buf.last, data, n);
        data += n;
        len -= n;
    }

    if (len != 0) {
        out = new_out(ctx, len);
        out->buf.last = lun_copy(out->buf.last, data, len);
    }
}


/* --- handing on --- */

/* Everything has left: the bufs are free again. */
static void
reuse(lun_lua_ctx *ctx)
{
    lun_lua_out  *out;

    if (ctx->busy == NULL || ctx->main->side->holds(ctx)) {
        return;
    }

    while ((out = ctx->busy) != NULL) {
        ctx->busy = out->next;
        out->next = ctx->spare;
        ctx->spare = out;
    }
}


static void
forget(lun_lua_ctx *ctx)
{
    ctx->out = NULL;
    ctx->out_tail = &ctx->out;
    ctx->out_size = 0;
}


/* Gathered bufs as a list for the filters; `last` gets the flags. */
static lun_rc
hand_on(lun_lua_ctx *ctx, bool flush, bool eof)
{
    lun_rc         rc;
    lun_buf       *first, **tail;
    lun_lua_out   *out, *last;

    if (ctx->out == NULL) {
        if (!flush && !eof) {
            return LUN_OK;
        }

        new_out(ctx, 0);
    }

    first = NULL;
    tail = &first;
    last = NULL;

    for (out = ctx->out; out != NULL; out = out->next) {
        *tail = &out->buf;
        tail = &out->buf.next;
        last = out;
    }

    last->buf.flush = flush;
    last->buf.eof = eof && ctx->session == ctx->session->main;
    last->buf.eof_part = eof && ctx->session != ctx->session->main;

    last->next = ctx->busy;
    ctx->busy = ctx->out;
    forget(ctx);

    rc = ctx->main->side->output(ctx, first);
    reuse(ctx);
    return rc == LUN_ERROR ? LUN_ERROR : LUN_OK;
}


lun_rc
lun_lua_send(lun_lua_ctx *ctx)
{
    if (ctx->out == NULL || ctx->buffering) {
        return LUN_OK;
    }

    /* HEAD; it was not known yet when this was said. */
    if (is_header_only(ctx)) {
        forget(ctx);
        return LUN_OK;
    }

    return hand_on(ctx, false, false);
}


static lun_rc
send_flush(lun_lua_ctx *ctx)
{
    return hand_on(ctx, true, false);
}


lun_rc
lun_lua_send_eof(lun_lua_ctx *ctx)
{
    lun_request  *r = ctx->request;

    if (ctx->eof) {
        return LUN_OK;
    }

    ctx->eof = true;

    if (ctx->buffering) {
        ctx->buffering = false;
        r->out.content_length = (int64_t) ctx->out_size;
        lun_debug(ctx->log, "lua sending HTTP 1.0 response headers");
    }

    if (lun_lua_send_header(ctx) == LUN_ERROR) {
        return LUN_ERROR;
    }

    if (is_header_only(ctx)) {
        forget(ctx);
        return LUN_OK;
    }

    return hand_on(ctx, false, true);
}


/* --- what Lua calls --- */

static int
fail(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}


static lun_lua_ctx *
check(lua_State *L)
{
    if (lun_lua_now.phase == LUN_LUA_INIT) {
        luaL_error(L, "no request found");
    }

    if ((lun_lua_now.phase & OUTPUT_PHASES) == 0) {
        luaL_error(L, "API disabled in the context of %s",
                   lun_lua_phase_name(lun_lua_now.phase));
    }

    return lun_lua_now.ctx;
}


/* Nothing more can be said: why, on L. */
static int
fail_ended(lua_State *L, const lun_lua_ctx *ctx)
{
    return fail(L, ctx->raw ? "raw request socket acquired" : "seen eof");
}


/* Behind ngx.say where filters are Lua's: sends what was gathered. */
static int
output_send(lua_State *L)
{
    lun_lua_ctx  *ctx = check(L);

    if (lun_lua_send_header(ctx) == LUN_ERROR
        || lun_lua_send(ctx) == LUN_ERROR)
    {
        return fail(L, "nginx output filter error");
    }

    lua_pushinteger(L, 1);
    return 1;
}


static int
output_send_headers(lua_State *L)
{
    lun_lua_ctx  *ctx = check(L);

    if (lun_lua_send_header(ctx) == LUN_ERROR) {
        return fail(L, "nginx send header filter error");
    }

    lua_pushinteger(L, 1);
    return 1;
}


static int
output_eof(lua_State *L)
{
    lun_lua_ctx  *ctx;

    if (lun_lua_now.phase == LUN_LUA_INIT) {
        return luaL_error(L, "no request object found");
    }

    ctx = check(L);

    if (lua_gettop(L) != 0) {
        return luaL_error(L, "no argument is expected");
    }

    /* A header without a body is all there is. */
    if (ctx->eof || is_header_only(ctx)) {
        return fail_ended(L, ctx);
    }

    if (lun_lua_send_eof(ctx) == LUN_ERROR) {
        return fail(L, "nginx output filter error");
    }

    lua_pushinteger(L, 1);
    return 1;
}


/* Everybody in ngx.flush(true) goes on. */
void
lun_lua_drained(lun_lua_ctx *ctx, const char *why)
{
    int      n;
    lun_co  *co;

    while (!lun_list_empty(&ctx->flushing)) {
        co = lun_container_of(ctx->flushing.next, lun_co, ready);
        lun_list_remove(&co->ready);

        if (why != NULL) {
            n = fail(co->L, why);
        } else {
            lua_pushinteger(co->L, 1);
            n = 1;
        }

        lun_co_wake(co, n);
    }
}


static void
say_waiting(const lun_lua_ctx *ctx)
{
    const lun_request  *r = ctx->request;

    lun_debug(ctx->log, "lua flush requires waiting: buffered 0x1, delayed:%d",
              r != NULL && r->main->write_delay != 0);
}


static int
output_flush(lua_State *L)
{
    int           n = lua_gettop(L);
    bool          wait = false;
    lun_co       *co;
    lun_lua_ctx  *ctx;

    if (n > 1) {
        return luaL_error(L, "attempt to pass %d arguments, but accepted 0 "
                          "or 1", n);
    }

    ctx = check(L);

    /* A subrequest's waits for nobody, whatever it is given. */
    if (n == 1 && ctx->session == ctx->session->main) {
        luaL_checktype(L, 1, LUA_TBOOLEAN);
        wait = lua_toboolean(L, 1);
    }

    if (is_header_only(ctx)) {
        return fail(L, "header only");
    }

    if (ctx->eof) {
        return fail_ended(L, ctx);
    }

    if (ctx->buffering) {
        lun_debug(ctx->log,
                  "lua http 1.0 buffering makes ngx.flush() a no-op");
        return fail(L, "buffering");
    }

    if (ctx->request != NULL && !ctx->request->header_sent) {
        return fail(L, "nothing to flush");
    }

    co = wait ? lun_co_enter(L, OUTPUT_PHASES) : NULL;

    if (send_flush(ctx) == LUN_ERROR) {
        return fail(L, "nginx output filter error");
    }

    if (co == NULL || !ctx->main->side->pending(ctx)) {
        lua_pushinteger(L, 1);
        return 1;
    }

    say_waiting(ctx);
    lun_list_push_back(&ctx->flushing, &co->ready);
    ctx->main->side->await(ctx);
    return lun_co_wait(co, "ngx.flush", NULL, NULL);
}


static const luaL_Reg  functions[] = {
    { "output_send", output_send },
    { "output_send_headers", output_send_headers },
    { "output_eof", output_eof },
    { "output_flush", output_flush },
    { NULL, NULL }
};


void
lun_lua_output_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
