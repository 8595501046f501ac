/*
 * debug_sight.c -- what an agent of the debugger sees of its machine: who its
 * coroutines are, and where code stands.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/debug_sight.h"

#include "modules/lua/run/thread_priv.h"
#include "modules/lua/run/vm.h"
#include "os/file.h"


static lun_vm *
vm_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}


lun_co *
lun_debug_co_of(const lun_vm *vm, lua_State *L, lua_State *T)
{
    lun_co  *co;

    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->co_table);
    lua_pushthread(T);

    if (T != L) {
        lua_xmove(T, L, 1);
    }

    lua_rawget(L, -2);
    co = lua_touserdata(L, -1);
    lua_pop(L, 2);
    return co != NULL && co->ctx != NULL ? co : NULL;
}


/* "content_by_lua* GET /x": whose it is. */
static void
push_name(lua_State *L, const lun_lua_ctx *ctx)
{
    const lun_request  *r = ctx->request;

    lua_pushstring(L, lun_lua_phase_name(ctx->phase));

    if (r != NULL) {
        lua_pushliteral(L, " ");
        lua_pushlstring(L, r->method_name.data, r->method_name.len);
        lua_pushliteral(L, " ");
        lua_pushlstring(L, r->uri.data, r->uri.len);
        lua_concat(L, 5);
    }
}


static void
push_co(lua_State *L, const lun_co *co)
{
    static const char *const  kinds[] = {
        [LUN_CO_ENTRY] = "", [LUN_CO_USER] = ", coroutine",
        [LUN_CO_THREAD] = ", light thread"
    };

    lua_createtable(L, 0, 2);
    lua_pushthread(co->L);
    lua_xmove(co->L, L, 1);
    lua_setfield(L, -2, "thread");
    push_name(L, co->ctx);
    lua_pushstring(L, kinds[co->kind]);
    lua_concat(L, 2);
    lua_setfield(L, -2, "name");
}


/* coroutines(): those of all contexts that wait, { thread, name }. */
static int
coroutines(lua_State *L)
{
    int            n = 0;
    const lun_vm  *vm = vm_of(L);

    lua_newtable(L);

    lun_list_each(&vm->waiting, it) {
        lun_lua_ctx  *ctx = lun_container_of(it, lun_lua_ctx, waiting);

        lun_list_each(&ctx->cos, at_co) {
            push_co(L, lun_container_of(at_co, lun_co, link));
            lua_rawseti(L, -2, ++n);
        }
    }

    return 1;
}


/* who(thread): its name and the thread that has resumed it, or nil. */
static int
who(lua_State *L)
{
    lun_co     *co;
    lua_State  *T = lua_tothread(L, 1);

    luaL_argcheck(L, T != NULL, 1, "thread expected");
    co = lun_debug_co_of(vm_of(L), L, T);

    if (co == NULL) {
        if (lun_lua_now.ctx != NULL) {
            push_name(L, lun_lua_now.ctx);
        } else {
            lua_pushliteral(L, "Lua");
        }

        return 1;
    }

    push_co(L, co);
    lua_getfield(L, -1, "name");

    if (co->parent == NULL || co->kind != LUN_CO_USER) {
        return 1;
    }

    lua_pushthread(co->parent->L);
    lua_xmove(co->parent->L, L, 1);
    return 2;
}


/* real(path): without links, or nil: there is no such file. */
static int
real(lua_State *L)
{
    char            room[4096];
    const char     *path = luaL_checkstring(L, 1);
    lun_file_info   info;

    if (lun_file_stat(path, &info) != 0
        || lun_file_real_path(path, room, sizeof(room)) != 0)
    {
        return 0;
    }

    lua_pushstring(L, room);
    return 1;
}


/* inlines(): { ["content_by_lua(nginx.conf:40)"] = code } */
static int
inlines(lua_State *L)
{
    lun_chunk_push_inlines(vm_of(L)->main, L);
    return 1;
}


/* files(): of the configuration. */
static int
files(lua_State *L)
{
    size_t                    i;
    int                       n = 0;
    const lun_conf_snapshot  *s = &vm_of(L)->main->gen->snapshot;

    lua_newtable(L);

    for (i = 0; i < s->file_count; i++) {
        if (!s->files[i].asset) {
            lua_pushlstring(L, s->files[i].path.data, s->files[i].path.len);
            lua_rawseti(L, -2, ++n);
        }
    }

    return 1;
}


const luaL_Reg  lun_debug_sights[] = {
    { "coroutines", coroutines }, { "who", who }, { "real", real },
    { "inlines", inlines }, { "files", files }, { NULL, NULL }
};
