/*
 * error_page.c -- see error_page.h.
 *
 * The page has the site's source in it, so it is for nobody but a browser on
 * this machine, and only while `lua_code_cache` is off or watches.  What
 * counts is the connection's own peer, never what a header, the PROXY protocol
 * or realip says of it; and a request with any sign of a proxy's hand gets
 * the plain page, because the peer is then the proxy, and the reader anybody.
 * A name in Host that a name server may give to 127.0.0.1 is refused as well:
 * by it a page from elsewhere would read ours in the developer's browser.
 *
 * What the page looks like is lua/lunette/error_page.lua's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/error_page.h"

#include "base/check.h"
#include "http/output.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/embed.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "os/cidr.h"
#include "os/file.h"
#include "session/listen_conf.h"

/* Threads in a chain of coroutines; bytes of a source that is shown. */
enum { MOST_THREADS = 10, MOST_SOURCE = 4 * 1024 * 1024 };


/* --- who may see it ------------------------------------------------------ */

static bool
is_loopback(const lun_addr *addr)
{
    static const uint8_t  v6[16] = { [15] = 1 };

    lun_addr  a = lun_addr_unmap(addr);

    return a.family == LUN_AF_INET ? a.ip[0] == 127
           : a.family == LUN_AF_INET6 && memcmp(a.ip, v6, sizeof(v6)) == 0;
}


/* ".test" and ".localhost" are reserved; an address is no name at all. */
bool
lun_lua_error_page_is_local_name(lun_str host)
{
    size_t    i;
    lun_addr  addr;

    static const lun_str  ends[] = {
        LUN_STR_INIT(".localhost"), LUN_STR_INIT(".test")
    };

    if (lun_str_eq(host, LUN_STR("localhost"))) {
        return true;
    }

    for (i = 0; i < LUN_ARRAY_LEN(ends); i++) {
        if (host.len > ends[i].len
            && lun_str_eq(lun_str_of(host.data + host.len - ends[i].len,
                                     ends[i].len), ends[i]))
        {
            return true;
        }
    }

    return lun_addr_parse(host, &addr) == LUN_OK && is_loopback(&addr);
}


/* The rest of one range of Accept, behind its type: is it refused? */
static bool
is_refused(lun_str params)
{
    size_t       i;
    const char  *q = NULL;

    for (i = 0; i + 1 < params.len && q == NULL; i++) {
        if ((params.data[i] == 'q' || params.data[i] == 'Q')
            && params.data[i + 1] == '=')
        {
            q = params.data + i + 2;
        }
    }

    if (q == NULL) {
        return false;
    }

    for ( ; q < params.data + params.len; q++) {
        if (*q >= '1' && *q <= '9') {
            return false;
        }
    }

    return true;
}


/*
 * Only a browser gets the page: the wildcard of all types, which every program
 * sends, is no wish for HTML.
 */
bool
lun_lua_error_page_accepts(lun_str accept)
{
    lun_str      range, rest = accept;
    const char  *comma;

    static const lun_str  html = LUN_STR_INIT("text/html");

    while (rest.len != 0) {
        comma = lun_str_chr(rest, ',');
        range = comma == NULL ? rest
                : lun_str_of(rest.data, (size_t) (comma - rest.data));
        rest = comma == NULL ? LUN_STR("")
               : lun_str_of(comma + 1, rest.len - range.len - 1);

        while (range.len != 0 && range.data[0] == ' ') {
            range = lun_str_of(range.data + 1, range.len - 1);
        }

        if (lun_str_casestarts(range, html)
            && (range.len == html.len || range.data[html.len] == ';'
                || range.data[html.len] == ' '))
        {
            return !is_refused(lun_str_of(range.data + html.len,
                                          range.len - html.len));
        }
    }

    return false;
}


/*
 * Every browser says so in HTTP/1.1; it is meant for the next hop, and proxies
 * that do not say who they are do not hand it on.  In HTTP/2 nobody may say it.
 */
static bool
keeps_connection(const lun_request *r)
{
    const lun_header  *h = r->in.known[LUN_HIN_CONNECTION];

    return r->version >= 2000
           || (r->version >= 1001 && h != NULL
               && lun_str_casefind(h->value, LUN_STR("keep-alive")) != NULL);
}


/* A proxy on this machine would be the peer, and speak for anybody. */
static bool
is_forwarded(const lun_request *r)
{
    size_t  i;

    static const lun_str  marks[] = {
        LUN_STR_INIT("forwarded"), LUN_STR_INIT("via"),
        LUN_STR_INIT("x-real-ip"), LUN_STR_INIT("x-forwarded-for"),
        LUN_STR_INIT("x-forwarded-host"), LUN_STR_INIT("x-forwarded-proto"),
        LUN_STR_INIT("x-forwarded-server"), LUN_STR_INIT("cf-connecting-ip"),
        LUN_STR_INIT("true-client-ip"), LUN_STR_INIT("x-client-ip")
    };

    for (i = 0; i < LUN_ARRAY_LEN(marks); i++) {
        if (lun_header_find(&r->in.list, marks[i]) != NULL) {
            return true;
        }
    }

    return !keeps_connection(r) || r->conn->proxied != NULL
           || lun_listen_of(r->conn)->proxy_protocol
           || r->main->session.remote != &r->conn->remote;
}


/* Asked for by a page from elsewhere, which a CORS header might let read. */
static bool
is_foreign(const lun_request *r)
{
    size_t             i;
    const lun_header  *origin, *host = r->in.known[LUN_HIN_HOST];

    static const lun_str  schemes[] = {
        LUN_STR_INIT("http://"), LUN_STR_INIT("https://")
    };

    origin = lun_header_find(&r->in.list, LUN_STR("origin"));

    if (origin == NULL) {
        return false;
    }

    for (i = 0; host != NULL && i < LUN_ARRAY_LEN(schemes); i++) {
        if (lun_str_starts(origin->value, schemes[i])
            && lun_str_caseeq(lun_str_of(origin->value.data + schemes[i].len,
                                         origin->value.len - schemes[i].len),
                              host->value))
        {
            return false;
        }
    }

    return true;
}


static bool
may_see(const lun_lua_ctx *ctx)
{
    const lun_header   *accept;
    const lun_request  *r = ctx->request;

    if (r == NULL || r != r->main || r->header_sent
        || (ctx->conf->code_cache && ctx->main->watch == NULL))
    {
        return false;
    }

    accept = r->in.known[LUN_HIN_ACCEPT];

    return is_loopback(&r->conn->remote)
           && !is_forwarded(r) && !is_foreign(r)
           && lun_lua_error_page_is_local_name(r->in.host)
           && accept != NULL && lun_lua_error_page_accepts(accept->value);
}


/* --- making it ----------------------------------------------------------- */

static bool
push_embedded(lua_State *L, const char *name)
{
    size_t                   len = strlen(name);
    const char              *module;
    const lun_lua_embedded  *f;

    if (strncmp(name, "@lua/", 5) != 0 || len < 9
        || strcmp(name + len - 4, ".lua") != 0)
    {
        return false;
    }

    lua_pushlstring(L, name + 5, len - 9);
    module = luaL_gsub(L, lua_tostring(L, -1), "/", ".");

    for (f = lun_lua_embedded_files; f->name != NULL; f++) {
        if (strcmp(f->name, module) == 0) {
            lua_pushlstring(L, f->data, f->size);
            return true;
        }
    }

    return false;
}


static bool
push_file(lua_State *L, const char *path)
{
    char          *text;
    size_t         size;
    lun_file_info  info;

    if (lun_file_stat(path, &info) != 0 || !info.is_file
        || info.size > MOST_SOURCE
        || lun_file_slurp(path, &text, &size) != 0)
    {
        return false;
    }

    lua_pushlstring(L, text, size);
    lun_free(text);
    return true;
}


/* source(NAME of a chunk): its text, or nil.  Upvalue: the bridge's. */
static int
get_source(lua_State *L)
{
    lun_str              code;
    const char          *name = luaL_checkstring(L, 1);
    const lun_lua_main  *main = lua_touserdata(L, lua_upvalueindex(1));

    if (name[0] == '=') {
        code = lun_chunk_code(main, name);

        if (code.data == NULL) {
            return 0;
        }

        lua_pushlstring(L, code.data, code.len);
        return 1;
    }

    return name[0] == '@' && (push_embedded(L, name)
                              || push_file(L, name + 1));
}


/*
 * { thread, ... }: the one in which the error was thrown comes first, those
 * that it went through after it, the entry last.
 */
static void
push_threads(lua_State *L, lun_co *co, const char *error)
{
    int      n, chain[MOST_THREADS];
    lun_co  *at;

    lua_newtable(L);

    if (co == NULL) {
        return;
    }

    chain[0] = co->ref;
    n = 1;

    for (at = co; n < MOST_THREADS && at->failed_co != NULL
                  && at->fallen_error == error; at = at->failed_co)
    {
        chain[n++] = at->fallen_ref;
    }

    while (n > 0) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, chain[--n]);
        lua_rawseti(L, -2, (int) lua_objlen(L, -2) + 1);
    }
}


/*
 * Made by Lua, out of the state that has just failed: should that fail as well,
 * the plain 500 goes out.
 */
void
lun_lua_error_page_make(lun_lua_ctx *ctx, uint32_t phase, lun_co *co,
    lun_str text)
{
    int               top;
    lua_State        *L = ctx->vm->L;
    lun_lua_current   was;

    ctx->error_page = NULL;

    if (!may_see(ctx) || !lua_checkstack(L, 8)) {
        return;
    }

    top = lua_gettop(L);
    was = lun_lua_enter(ctx);

    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunette.error_page");

    if (lun_vm_call(L, 1, 1) == 0) {
        lua_getfield(L, -1, "build");
        lua_pushlstring(L, text.data, text.len);
        push_threads(L, co, text.data);
        lua_pushlightuserdata(L, ctx->main);
        lua_pushcclosure(L, get_source, 1);
        lua_pushstring(L, lun_lua_phase_name(phase));

        if (lun_vm_call(L, 4, 1) == 0 && lua_isstring(L, -1)) {
            ctx->error_page = lun_pool_new(ctx->pool, lun_str);
            ctx->error_page->data = lua_tolstring(L, -1,
                                                  &ctx->error_page->len);
            *ctx->error_page = lun_pool_str(ctx->pool, *ctx->error_page);
        }
    }

    if (ctx->error_page == NULL) {
        lun_log(LUN_LOG_ERR, ctx->log, 0, "no page about a Lua error: %.*s",
                LUN_S(lun_co_error_text(L)));
    }

    lun_lua_now = was;
    lua_settop(L, top);
}


/* --- sending it ---------------------------------------------------------- */

lun_verdict
lun_lua_error_page_send(lun_lua_ctx *ctx)
{
    lun_str       page;
    lun_request  *r = ctx->request;

    if (ctx->error_page == NULL) {
        return LUN_STATUS + 500;
    }

    page = *ctx->error_page;
    ctx->error_page = NULL;
    LUN_CHECK(r == r->main && !r->header_sent);

    r->keepalive = 0;
    r->header_held = 0;
    r->expect_tested = 1;
    r->out.status_line = LUN_STR_NULL;
    r->out.charset = LUN_STR("utf-8");
    lun_http_clear_ranges(r);
    lun_http_clear_last_modified(r);
    lun_http_clear_etag(r);
    lun_http_set_out(r, LUN_STR("Content-Encoding"), LUN_STR_NULL);

    /* It is nobody's to keep, to frame, or to run anything in. */
    lun_http_set_out(r, LUN_STR("Cache-Control"), LUN_STR("no-store"));
    lun_http_set_out(r, LUN_STR("X-Content-Type-Options"), LUN_STR("nosniff"));
    lun_http_set_out(r, LUN_STR("Cross-Origin-Resource-Policy"),
                     LUN_STR("same-origin"));
    lun_http_set_out(r, LUN_STR("Content-Security-Policy"),
                     LUN_STR("default-src 'none'; style-src 'unsafe-inline'; "
                             "frame-ancestors 'none'"));

    return lun_http_respond(r, 500, LUN_STR("text/html"), page);
}
