/*
 * upstream.c -- ngx.upstream: the `upstream` blocks, their servers, and how
 * these fare; a server can be taken out of its group, and put back; and which
 * of them a request is passed to.
 *
 * "down" is the process's own: other workers know nothing of it.  Nothing here
 * yields; every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq.h"
#include "session/upstream/round_robin.h"

#include "modules/lua/lua.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"


static const lun_array *
all_upstreams(void)
{
    static const lun_array  none;
    const lun_lua_ctx      *ctx = lun_lua_now.ctx;

    return ctx != NULL && ctx->main->engine != NULL
           ? lun_upstream_all(ctx->main->engine) : &none;
}


/* The block that argument 1 names; NULL: nil and why are pushed. */
static lun_upstream *
check_upstream(lua_State *L)
{
    size_t                i, len;
    const char           *text = luaL_checklstring(L, 1, &len);
    const lun_array      *all = all_upstreams();
    lun_upstream *const  *u = all->items;

    for (i = 0; i < all->count; i++) {
        if (u[i]->block && lun_str_eq(u[i]->name, lun_str_of(text, len))) {
            return u[i];
        }
    }

    lua_pushnil(L);
    lua_pushliteral(L, "upstream not found");
    return NULL;
}


static void
push_str(lua_State *L, lun_str s)
{
    lua_pushlstring(L, s.data, s.len);
}


static void
set_str(lua_State *L, const char *key, lun_str value)
{
    push_str(L, value);
    lua_setfield(L, -2, key);
}


static void
set_number(lua_State *L, const char *key, int64_t value)
{
    lua_pushnumber(L, (lua_Number) value);
    lua_setfield(L, -2, key);
}


static void
set_flag(lua_State *L, const char *key, bool value)
{
    if (value) {
        lua_pushboolean(L, 1);
        lua_setfield(L, -2, key);
    }
}


static int
names(lua_State *L)
{
    int                   n = 0;
    size_t                i;
    const lun_array      *all = all_upstreams();
    lun_upstream *const  *u = all->items;

    lua_newtable(L);

    for (i = 0; i < all->count; i++) {
        if (u[i]->block) {
            push_str(L, u[i]->name);
            lua_rawseti(L, -2, ++n);
        }
    }

    return 1;
}


/* --- servers: lines of the block ------------------------------------------ */

/* One address is a string, several are a list. */
static void
set_addrs(lua_State *L, const lun_upstream_server_conf *s)
{
    size_t  i;

    if (s->count == 1) {
        set_str(L, "addr", s->addr_names[0]);
        return;
    }

    lua_newtable(L);

    for (i = 0; i < s->count; i++) {
        push_str(L, s->addr_names[i]);
        lua_rawseti(L, -2, (int) i + 1);
    }

    lua_setfield(L, -2, "addr");
}


static int
servers(lua_State *L)
{
    size_t                           i;
    const lun_upstream              *u = check_upstream(L);
    const lun_upstream_server_conf  *s;

    if (u == NULL) {
        return 2;
    }

    s = u->servers.items;
    lua_newtable(L);

    for (i = 0; i < u->servers.count; i++) {
        lua_newtable(L);
        set_str(L, "name", s[i].name);
        set_addrs(L, &s[i]);
        set_number(L, "weight", s[i].weight);
        set_number(L, "max_fails", s[i].max_fails);
        set_number(L, "fail_timeout", s[i].fail_timeout);
        set_flag(L, "backup", s[i].backup);
        set_flag(L, "down", s[i].down);
        lua_rawseti(L, -2, (int) i + 1);
    }

    return 1;
}


/* --- peers: addresses, in the order in which they are chosen from --------- */

/* The ordinary ones, or the backups; NULL: there are none. */
static lun_upstream_group *
group_of(lun_upstream *u, bool backup)
{
    lun_upstream_group  *g = lun_upstream_peers(u);

    return g == NULL ? NULL : backup ? g->next : g;
}


static void
push_peer(lua_State *L, const lun_upstream_server *p, size_t id)
{
    lua_newtable(L);
    set_number(L, "id", (int64_t) id);
    set_str(L, "name", p->name);
    set_number(L, "weight", p->weight);
    set_number(L, "current_weight", p->state->current);
    set_number(L, "effective_weight", p->state->effective);
    set_number(L, "conns", p->state->conns);
    set_number(L, "fails", p->state->fails);
    set_number(L, "max_fails", p->max_fails);
    set_number(L, "fail_timeout", p->fail_timeout);
    set_flag(L, "down", p->down);

    if (p->state->accessed != 0) {
        set_number(L, "accessed", p->state->accessed);
    }

    if (p->state->checked != 0) {
        set_number(L, "checked", p->state->checked);
    }
}


/* (name, whether the backups). */
static int
peers(lua_State *L)
{
    size_t                     i;
    lun_upstream              *u = check_upstream(L);
    const lun_upstream_group  *g;

    if (u == NULL) {
        return 2;
    }

    g = group_of(u, lua_toboolean(L, 2));
    lua_newtable(L);

    if (g == NULL) {
        return 1;
    }

    /* Without the lock, since Lua may throw: numbers may be a moment apart. */
    for (i = 0; i < g->count; i++) {
        push_peer(L, &g->peers[i], i);
        lua_rawseti(L, -2, (int) i + 1);
    }

    return 1;
}


/* (name, whether a backup, id from 0, down or not). */
static int
set_down(lua_State *L)
{
    bool                  down;
    int64_t               id = lun_number_check(L, 3, -1, INT32_MAX);
    lun_upstream         *u = check_upstream(L);
    lun_upstream_group   *g;
    lun_upstream_server  *p;

    if (u == NULL) {
        return 2;
    }

    g = group_of(u, lua_toboolean(L, 2));

    if (g == NULL || id < 0 || (size_t) id >= g->count) {
        lua_pushnil(L);
        lua_pushliteral(L, "bad peer id");
        return 2;
    }

    p = &g->peers[(size_t) id];
    down = lua_toboolean(L, 4);

    /* How many tries a request has is how many are up and do not drain. */
    if (p->down != down) {
        g->tries += p->drain ? 0 : down ? -1U : 1U;
        p->down = down;
    }

    lua_pushboolean(L, 1);
    return 1;
}


/* What the request was passed to, as the configuration says it; or nil. */
static int
current(lua_State *L)
{
    const lun_upreq    *x;
    const lun_request  *r = lun_lua_now.request;

    if (r == NULL) {
        return luaL_error(L, "no request found");
    }

    x = r->upreq;

    if (x == NULL || x->target.host.len == 0) {
        lua_pushnil(L);
        return 1;
    }

    push_str(L, x->target.host);

    if (x->target.port_given) {
        lua_pushfstring(L, ":%d", (int) x->target.port);
        lua_concat(L, 2);
    }

    return 1;
}


void
lun_lua_upstream_open(lua_State *L)
{
    static const luaL_Reg  functions[] = {
        { "upstream_names", names },
        { "upstream_servers", servers },
        { "upstream_peers", peers },
        { "upstream_set_down", set_down },
        { "upstream_current", current },
        { NULL, NULL }
    };

    luaL_register(L, NULL, functions);
}
