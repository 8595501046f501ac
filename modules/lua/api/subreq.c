/*
 * subreq.c -- ngx.location.capture and capture_multi: the answers of other
 * locations, for Lua.
 *
 * The Lua side has checked the arguments and made a list of plain tables.  All
 * subrequests are made before the first is started: an error in between leaves
 * nothing behind.  The coroutine waits for all of them, in any order.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/subreq.h"

#include "http/subrequest.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "os/clock.h"

enum {
    PHASES = LUN_LUA_REWRITE | LUN_LUA_SERVER_REWRITE | LUN_LUA_ACCESS
        | LUN_LUA_PRECONTENT | LUN_LUA_CONTENT,
    SLOTS = 8                      /* of the stack, beside one per answer */
};

/* One call; subs beyond `made` are not there yet. */
typedef struct {
    lun_co       *co;
    lun_lua_ctx  *ctx;
    unsigned      pending;
    unsigned      made;
    lun_request  *subs[];
} capture;


/* --- options: the table on top of L is a request's ----------------------- */

/* A copy of a text option; data NULL: there is none. */
static lun_str
text_of(lua_State *L, lun_pool *pool, const char *name)
{
    lun_str  text = LUN_STR_NULL;

    lua_getfield(L, -1, name);

    if (!lua_isnil(L, -1)) {
        text.data = lua_tolstring(L, -1, &text.len);
        text = lun_pool_str(pool, text);
    }

    lua_pop(L, 1);
    return text;
}


static bool
is_set(lua_State *L, const char *name)
{
    bool  yes;

    lua_getfield(L, -1, name);
    yes = lua_toboolean(L, -1);
    lua_pop(L, 1);

    return yes;
}


static unsigned
flags_of(lua_State *L)
{
    unsigned  flags = LUN_SUB_CAPTURE | LUN_SUB_BARE;

    if (is_set(L, "share_all_vars")) {
        return flags;
    }

    return flags | (is_set(L, "copy_all_vars") ? LUN_SUB_COPY_VALUES
                                               : LUN_SUB_OWN_VALUES);
}


static void
set_method(lua_State *L, lun_request *r)
{
    lun_str     name;
    lun_method  method;

    lua_getfield(L, -1, "method");
    method = (lun_method) lun_number_at(L, -1, 0, INT32_MAX);
    lua_pop(L, 1);

    name = lun_method_name(method);

    if (name.len == 0) {
        lun_log(LUN_LOG_ERR, r->parent->log, 0, "unsupported HTTP method: %u",
                (unsigned) method);
        luaL_error(L, "failed to adjust the subrequest: -1");
    }

    r->method = method;
    r->method_name = name;
}


/* One of its own, its parent's, or none. */
static void
set_body(lua_State *L, lun_request *r)
{
    bool     forward = is_set(L, "always_forward_body");
    lun_str  body = text_of(L, r->pool, "body");

    if (body.data != NULL) {
        lun_subrequest_set_body(r, body);

    } else if (forward || (r->method & (LUN_POST | LUN_PUT))) {
        lun_subrequest_share_body(r);

    } else {
        lun_subrequest_drop_body(r);
    }
}


/* vars: { name, value, ... } */
static void
set_vars(lua_State *L, lun_request *r)
{
    int      i, n;
    lun_str  name, value;

    lua_getfield(L, -1, "vars");
    n = lua_istable(L, -1) ? (int) lua_objlen(L, -1) : 0;

    for (i = 1; i < n; i += 2) {
        lua_rawgeti(L, -1, i);
        lua_rawgeti(L, -2, i + 1);
        name.data = lua_tolstring(L, -2, &name.len);
        value.data = lua_tolstring(L, -1, &value.len);

        value = lun_pool_str(r->pool, value);

        switch (lun_var_set_named(&r->session, name, value)) {

        case LUN_VAR_SET:
            break;

        case LUN_VAR_UNKNOWN:
            lun_log(LUN_LOG_ERR, r->parent->log, 0, "variable \"%.*s\" cannot "
                    "be assigned a value (maybe you forgot to define it "
                    "first?) ", LUN_S(name));
            luaL_error(L, "failed to adjust the subrequest: -1");
            break;

        case LUN_VAR_READ_ONLY:
            lun_log(LUN_LOG_ERR, r->parent->log, 0, "variable \"%.*s\" not "
                    "changeable", LUN_S(name));
            luaL_error(L, "failed to adjust the subrequest: 500");
        }

        lua_pop(L, 2);
    }

    lua_pop(L, 1);
}


/* A table for its ngx.ctx: it runs in the same machine. */
static void
set_ctx(lua_State *L, lun_request *r)
{
    lun_lua_ctx  *ctx;

    lua_getfield(L, -1, "ctx");

    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return;
    }

    ctx = lun_lua_ctx_of(&r->session);
    lua_rawgeti(L, LUA_REGISTRYINDEX, ctx->vm->ctx_table);
    lua_insert(L, -2);
    ctx->ctx_ref = luaL_ref(L, -2);
    lua_pop(L, 1);
}


/* The subrequest that the table on top describes; it takes that off. */
static lun_request *
make(lua_State *L, lun_lua_ctx *ctx)
{
    lun_str       uri, args, more;
    lun_request  *r, *parent = ctx->request;

    uri = text_of(L, parent->pool, "uri");

    if (lun_http_read_uri(parent->pool, &uri, &args) != LUN_OK) {
        lua_getfield(L, -1, "uri");
        luaL_error(L, "unsafe uri in argument #1: %s", lua_tostring(L, -1));
    }

    more = text_of(L, parent->pool, "args");

    if (more.len != 0) {
        args = args.len == 0 ? more
               : lun_pool_fmt(parent->pool, "%.*s&%.*s", LUN_S(args),
                              LUN_S(more));
    }

    lun_debug(parent->log, "lua http subrequest \"%.*s?%.*s\"", LUN_S(uri),
              LUN_S(args));
    r = lun_subrequest_new(parent, uri, args, flags_of(L));

    if (r == NULL) {
        lun_log(LUN_LOG_ERR, parent->log, 0, "lua subrequests cycle while "
                "processing \"%.*s\"", LUN_S(uri));
        luaL_error(L, "failed to issue subrequest: -1");
    }

    set_method(L, r);
    set_body(L, r);
    set_vars(L, r);
    set_ctx(L, r);
    lua_pop(L, 1);

    return r;
}


/* --- the answer ---------------------------------------------------------- */

/* header[name] = value, or { value, ... }; the table is on top of L. */
static void
put_header(lua_State *L, lun_str name, lun_str value)
{
    lua_pushlstring(L, name.data, name.len);
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);

    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushlstring(L, value.data, value.len);
        lua_rawset(L, -3);
        return;
    }

    if (!lua_istable(L, -1)) {
        lua_createtable(L, 2, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
    }

    lua_pushlstring(L, value.data, value.len);
    lua_rawseti(L, -2, (int) lua_objlen(L, -2) + 1);
    lua_pop(L, 2);
}


/* What a header sent to a client would say, but for what every answer has. */
static void
put_fields(lua_State *L, const lun_request *r)
{
    char                    date[LUN_HTTP_DATE];
    lun_str                 type = r->out.content_type;
    const lun_headers_out  *out = &r->out;

    if (type.len != 0 && out->charset.len != 0) {
        type = lun_pool_fmt(r->pool, "%.*s; charset=%.*s", LUN_S(type),
                            LUN_S(out->charset));
    }

    if (type.len != 0) {
        lua_pushlstring(L, type.data, type.len);
        lua_setfield(L, -2, "Content-Type");
    }

    if (out->known[LUN_HOUT_CONTENT_LENGTH] == NULL
        && out->content_length >= 0)
    {
        lua_pushnumber(L, (lua_Number) out->content_length);
        lua_setfield(L, -2, "Content-Length");
    }

    if (out->known[LUN_HOUT_LAST_MODIFIED] == NULL && out->last_modified != -1
        && (out->status == 200 || out->status == 206 || out->status == 304
            || out->status == 204))
    {
        (void) lun_clock_http_date(date, out->last_modified);
        lua_pushlstring(L, date, sizeof(date));
        lua_setfield(L, -2, "Last-Modified");
    }
}


static void
push_answer(lua_State *L, lun_request *r)
{
    lun_str  body = lun_subrequest_body(r);

    lua_createtable(L, 0, 4);

    lua_pushinteger(L, (lua_Integer) lun_subrequest_status(r));
    lua_setfield(L, -2, "status");

    lua_pushboolean(L, !r->done);
    lua_setfield(L, -2, "truncated");

    lua_pushlstring(L, body.len != 0 ? body.data : "", body.len);
    lua_setfield(L, -2, "body");
    lun_subrequest_forget(r);

    lua_createtable(L, 0, (int) r->out.list.count + 3);

    lun_header_each(&r->out.list, h) {
        put_header(L, h->name, h->value);
    }

    put_fields(L, r);
    lua_setfield(L, -2, "header");
}


/* --- waiting ------------------------------------------------------------- */

static void
on_done(lun_request *r, void *data)
{
    unsigned      i;
    capture      *cap = data;
    lua_State    *L = cap->co->L;
    lun_lua_ctx  *ctx = cap->ctx;

    /* 444 and its like are for the connection: whoever waits ends as well. */
    if (lun_subrequest_hung_up(r) != 0) {
        ctx->exited = true;
        ctx->exit_code = (int) lun_subrequest_hung_up(r);
        lun_co_quit(ctx);
        return;
    }

    if (--cap->pending > 0) {
        return;
    }

    ctx->capturing--;
    (void) lua_checkstack(L, (int) cap->made + SLOTS);

    for (i = 0; i < cap->made; i++) {
        push_answer(L, cap->subs[i]);
    }

    lun_co_wake(cap->co, (int) cap->made);
}


static void
on_cancel(void *data)
{
    unsigned   i;
    capture   *cap = data;

    cap->ctx->capturing--;

    for (i = 0; i < cap->made; i++) {
        lun_subrequest_cancel(cap->subs[i]);
    }
}


bool
lun_lua_is_capturing(const lun_co *co)
{
    return co->status == LUN_CO_WAITING && co->cancel == on_cancel;
}


/* { request, ... }: yields; rewrite, access, content. */
static int
location_capture(lua_State *L)
{
    int           i, n = (int) lua_objlen(L, 1);
    lun_co       *co;
    capture      *cap;
    lun_lua_ctx  *ctx;

    if (lun_lua_now.phase == LUN_LUA_INIT) {
        return luaL_error(L, "no request object found");
    }

    co = lun_co_enter(L, PHASES);
    ctx = co->ctx;
    luaL_checkstack(L, n + SLOTS, "too many subrequests");

    cap = lun_pool_zalloc(ctx->pool, sizeof(capture)
                          + (size_t) n * sizeof(lun_request *));
    cap->co = co;
    cap->ctx = ctx;

    for (i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, i);
        cap->subs[cap->made++] = make(L, ctx);
    }

    ctx->capturing++;
    cap->pending = cap->made;

    for (i = 0; i < n; i++) {
        lun_subrequest_start(cap->subs[i], on_done, cap);
    }

    return lun_co_wait(co, "ngx.location.capture", on_cancel, cap);
}


static const luaL_Reg  functions[] = {
    { "location_capture", location_capture },
    { NULL, NULL }
};


void
lun_lua_subreq_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
