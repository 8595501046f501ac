/*
 * shdict_fetch.c -- ngx.shared.DICT:fetch of a synced dictionary: what the
 * store has of a key.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/thread.h"
#include "session/store_conf.h"
#include "store/store_fetch.h"


static int
push_value(lua_State *L, const lun_shdict_change *c)
{
    double  n;

    switch (c->type) {

    case LUN_SHDICT_NUMBER:
        memcpy(&n, c->value.data, sizeof(n));
        lua_pushnumber(L, n);
        break;

    case LUN_SHDICT_BOOLEAN:
        lua_pushboolean(L, c->value.data[0]);
        break;

    default:
        lua_pushlstring(L, c->value.data, c->value.len);
    }

    if (c->flags == 0) {
        return 1;
    }

    lua_pushnumber(L, (int32_t) c->flags);
    return 2;
}


static void
on_fetched(void *data, lun_store_verdict verdict, const lun_shdict_change *c)
{
    int      n = 1;
    lun_co  *co = data;

    if (verdict != LUN_STORE_DONE) {
        lua_pushnil(co->L);
        lua_pushliteral(co->L, "store is away");
        n = 2;

    } else if (c == NULL) {
        lua_pushnil(co->L);

    } else {
        n = push_value(co->L, c);
    }

    lun_co_wake(co, n);
}


static void
on_cancel(void *data)
{
    lun_store_fetch_cancel(data);
}


/* The zone whose dictionary it is; NULL: it is not synced. */
static lun_store_zone *
find_zone(const lun_generation *gen, const void *dict)
{
    size_t           i, k;
    lun_store       *s;
    lun_store_zone  *z;

    for (i = 0; (s = lun_store_at(gen, i)) != NULL; i++) {
        for (k = 0; k < s->zones.count; k++) {
            z = *(lun_store_zone **) lun_array_at(&s->zones, k);

            if (z->zone->shm.addr == dict) {
                return z;
            }
        }
    }

    return NULL;
}


/* fetch(cdata of the zone, key): where handlers may wait. */
static int
fetch(lua_State *L)
{
    lun_co           *co;
    size_t            len;
    const char       *key = luaL_checklstring(L, 2, &len);
    const void       *dict;
    lun_store_zone   *z;
    lun_store_fetch  *f;

    luaL_argcheck(L, lua_type(L, 1) == LUN_LUA_CDATA, 1, "no cdata");
    dict = *(void *const *) lua_topointer(L, 1);
    co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    z = find_zone(co->ctx->main->gen, dict);

    if (z == NULL) {
        lua_pushnil(L);
        lua_pushliteral(L, "not synced");
        return 2;
    }

    f = lun_store_fetch_start(z, lun_lua_loop(co->ctx), co->ctx->log,
                              lun_str_of(key, len), on_fetched, co);
    return lun_co_wait(co, "ngx.shared.DICT:fetch", on_cancel, f);
}


static const luaL_Reg  functions[] = {
    { "shdict_fetch", fetch },
    { NULL, NULL }
};


void
lun_lua_shdict_fetch_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
