/*
 * vm.c -- Lua machines.
 *
 * A machine is made bare, then given the API by lua/resty/core.lua, which the
 * executable carries, then the configuration's lua_package_path.  What we
 * carry under the names of the API itself (ngx.*, resty.core.*) is preferred
 * to files of these names, which may be another server's; any other module is
 * looked for in the user's path first.  Where lua_package_path names a
 * lua-resty-core, and that is one whose functions of C we have, the user's
 * comes first with these names, too (stock_core.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/vm.h"

#include "base/check.h"
#include "modules/lua/capi/nginx_stat.h"
#include "modules/lua/capi/stock_core.h"
#include "modules/lua/conf/lua_metrics.h"
#include "modules/lua/json/json.h"
#include "modules/lua/look/coverage.h"
#include "modules/lua/look/debugger.h"
#include "modules/lua/look/profile.h"
#include "modules/lua/run/embed.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/watch.h"
#include "os/dir.h"
#include "os/stat_cache.h"
#include "os/path.h"

/*
 * What `require` finds when the user has no such module; for our own modules
 * there is one whatever the user has.
 */
static const luaL_Reg  native_modules[] = {
    { "cjson", lun_json_open },
    { "cjson.safe", lun_json_open_safe },
    { "lunette.json", lun_json_open }
};

/* Names that are ours whatever the path says; a prefix ends with a dot. */
static const char *const  own_names[] = {
    "ngx.", "resty.core", "resty.core.", "lunette.", "table.", "thread.",
    "jit."
};


/* --- modules that the executable carries --- */

static const lun_lua_embedded *
find_embedded(const char *name)
{
    int            order;
    size_t         low, high, mid;
    static size_t  count;

    while (lun_lua_embedded_files[count].name != NULL) {
        count++;
    }

    for (low = 0, high = count; low < high; ) {
        mid = low + (high - low) / 2;
        order = strcmp(name, lun_lua_embedded_files[mid].name);

        if (order == 0) {
            return &lun_lua_embedded_files[mid];
        }

        if (order < 0) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }

    return NULL;
}


static int
load_embedded(lua_State *L, const char *name)
{
    int                      rc;
    const lun_lua_embedded  *file = find_embedded(name);

    if (file == NULL) {
        lua_pushfstring(L, "\n\tno file '%s' in the executable", name);
        return 1;
    }

    luaL_gsub(L, name, ".", "/");
    lua_pushfstring(L, "@lua/%s.lua", lua_tostring(L, -1));
    rc = luaL_loadbuffer(L, file->data, file->size, lua_tostring(L, -1));

    if (rc != 0) {
        return luaL_error(L, "error loading module '%s':\n\t%s", name,
                          lua_tostring(L, -1));
    }

    return 1;
}


static bool
is_own(lua_State *L, const char *name)
{
    size_t  i, len;

    if (lun_stock_core_has(L, name)) {
        return false;
    }

    for (i = 0; i < LUN_ARRAY_LEN(own_names); i++) {
        len = strlen(own_names[i]);

        if (own_names[i][len - 1] == '.'
            ? strncmp(name, own_names[i], len) == 0
            : strcmp(name, own_names[i]) == 0)
        {
            return true;
        }
    }

    return false;
}


/* Pushes what opens one of native_modules, or what is embedded. */
static int
load_ours(lua_State *L, const char *name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(native_modules); i++) {
        if (strcmp(name, native_modules[i].name) == 0) {
            lua_pushcfunction(L, native_modules[i].func);
            return 1;
        }
    }

    return load_embedded(L, name);
}


/* Before the user's path. */
static int
search_own(lua_State *L)
{
    const char  *name = luaL_checkstring(L, 1);

    if (!is_own(L, name)) {
        lua_pushliteral(L, "");
        return 1;
    }

    return load_ours(L, name);
}


/* Behind it: a module of the user's comes before one of ours. */
static int
search_rest(lua_State *L)
{
    const char  *name = luaL_checkstring(L, 1);

    if (is_own(L, name)) {
        lua_pushliteral(L, "");
        return 1;
    }

    return load_ours(L, name);
}


static void
add_searchers(lua_State *L)
{
    int  i, n;

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaders");
    n = (int) lua_objlen(L, -1);

    /* The first looks into package.preload. */
    for (i = n; i >= 2; i--) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
    }

    lua_pushcfunction(L, search_own);
    lua_rawseti(L, -2, 2);
    lua_pushcfunction(L, search_rest);
    lua_rawseti(L, -2, n + 2);
    lua_pop(L, 2);
}


/* ngx.null, and cjson's, whichever cjson that is. */
static void
add_null(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaded");
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "lunette.null");
    lua_pop(L, 2);
}


/* --- states --- */

static int
on_panic(lua_State *L)
{
    lun_log(LUN_LOG_CRIT, NULL, 0, "lua atpanic: Lua VM crashed, reason: %.*s",
            LUN_S(lun_co_error_text(L)));
    return 0;
}


/*
 * os.tmpname where the C library names files in a folder that nobody may write
 * to.  It makes the file, as the other one does.
 */
static int
make_temp_name(lua_State *L)
{
    char     folder[1024], path[sizeof(folder) + 32];
    lun_fd   fd;
    lun_err  err;

    err = lun_dir_temp(folder, sizeof(folder));

    if (err == 0) {
        err = lun_file_temp(folder, NULL, false, path, sizeof(path), &fd);
    }

    if (err != 0) {
        return luaL_error(L, "unable to generate a unique filename");
    }

    lun_file_close(fd);
    lua_pushstring(L, path);
    return 1;
}


static void
mend_os(lua_State *L)
{
    if (lun_path_native == LUN_PATH_WINDOWS) {
        lua_getglobal(L, "os");
        lua_pushcfunction(L, make_temp_name);
        lua_setfield(L, -2, "tmpname");
        lua_pop(L, 1);
    }
}


lua_State *
lun_vm_open_state(void)
{
    lua_State  *L = luaL_newstate();

    if (L == NULL) {
        return NULL;
    }

    lua_atpanic(L, on_panic);
    luaL_openlibs(L);
    mend_os(L);
    add_searchers(L);
    add_null(L);
    return L;
}


static int
add_traceback(lua_State *L)
{
    if (!lua_isstring(L, 1)) {
        return 1;
    }

    luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}


int
lun_vm_call(lua_State *L, int args, int results)
{
    int  rc, at = lua_gettop(L) - args;

    lun_nginx_stat_look();
    lua_pushcfunction(L, add_traceback);
    lua_insert(L, at);
    rc = lua_pcall(L, args, results, at);
    lua_remove(L, at);
    lun_stat_cache_invalidate();
    return rc;
}


/* --- machines --- */

/* Fills the table that require "lunette.native" gives. */
static void
add_native(lun_vm *vm)
{
    size_t      i;
    lua_State  *L = vm->L;

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaded");
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "lunette.native");

    lun_co_open(L, vm);
    for (i = 0; lun_lua_rooms[i] != NULL; i++) {
        lun_lua_rooms[i](L);
    }

    lua_pushliteral(L, "ctxs");
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->ctx_table);
    lua_rawset(L, -3);
    lua_pop(L, 3);
}


lun_rc
lun_vm_require(lua_State *L, const char *name, const lun_log *log)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, name);

    if (lun_vm_call(L, 1, 0) != 0) {
        lun_log(LUN_LOG_EMERG, log, 0, "failed to load %s: %.*s", name,
                LUN_S(lun_co_error_text(L)));
        lua_pop(L, 1);
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* Replaces every `from` of the text on top of L. */
static void
replace(lua_State *L, const char *from, const char *to)
{
    luaL_gsub(L, lua_tostring(L, -1), from, to);
    lua_remove(L, -2);
}


/* package.path or .cpath: ";;" is what it was, $prefix the server's. */
static void
set_path(lua_State *L, const char *field, lun_str path, const char *prefix)
{
    if (path.len == 0) {
        return;
    }

    lua_getglobal(L, "package");
    lua_pushlstring(L, path.data, path.len);
    replace(L, "${prefix}", prefix);
    replace(L, "$prefix", prefix);
    replace(L, ";;", ";\1;");
    lua_getfield(L, -2, field);
    luaL_gsub(L, lua_tostring(L, -2), "\1", lua_tostring(L, -1));
    lua_setfield(L, -4, field);
    lua_pop(L, 3);
}


/* What LuaRocks has put into $prefix/lua_modules: before all other places. */
static void
add_rocks(lua_State *L, const char *field, const char *places,
    const char *prefix)
{
    lua_getglobal(L, "package");
    lua_pushstring(L, places);
    replace(L, "$prefix/", prefix);        /* it ends with one */
    lua_pushliteral(L, ";");
    lua_getfield(L, -3, field);
    lua_concat(L, 3);
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
}


static void
set_paths(lun_vm *vm)
{
    lun_str      s = vm->main->gen->prefix;
    const char  *prefix = lun_pool_strz(vm->pool, s);

    add_rocks(vm->L, "path", "$prefix/lua_modules/share/lua/5.1/?.lua;"
              "$prefix/lua_modules/share/lua/5.1/?/init.lua", prefix);
    add_rocks(vm->L, "cpath", lun_path_native == LUN_PATH_WINDOWS
              ? "$prefix/lua_modules/lib/lua/5.1/?.dll"
              : "$prefix/lua_modules/lib/lua/5.1/?.so", prefix);
    set_path(vm->L, "path", vm->main->top->block.package_path, prefix);
    set_path(vm->L, "cpath", vm->main->top->block.package_cpath, prefix);
}


static lun_rc
load_api(lun_vm *vm, const lun_log *log)
{
    lun_rc           rc;
    lun_lua_current  was = lun_lua_enter(vm->home);

    rc = lun_vm_require(vm->L, "resty.core", log);
    lun_lua_now = was;

    if (rc == LUN_OK) {
        set_paths(vm);
    }

    return rc;
}


/* LuaJIT keeps the first declaration: an own core's, if there is one. */
static lun_rc
declare(lun_vm *vm, const lun_log *log)
{
    return lun_stock_core_has(vm->L, "resty.core.base")
           ? LUN_OK : lun_vm_require(vm->L, "lunette.declared", log);
}


lun_vm *
lun_vm_new(lun_lua_main *main, const lun_log *log)
{
    lun_vm     *vm;
    lua_State  *L = lun_vm_open_state();

    if (L == NULL) {
        lun_log(LUN_LOG_EMERG, log, 0, "failed to create Lua VM");
        return NULL;
    }

    vm = lun_calloc(sizeof(lun_vm));
    lun_list_push_back(&main->vms, &vm->link);
    vm->references = 1;
    vm->L = L;
    vm->main = main;
    vm->pool = lun_pool_new_sized(1024);
    lun_list_init(&vm->spares);
    lun_list_init(&vm->owned);
    lun_list_init(&vm->waiting);

    /* Other libraries know it by a name. */
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "ngx_lua_ctx_tables");
    vm->ctx_table = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    vm->file_table = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    vm->module_table = luaL_ref(L, LUA_REGISTRYINDEX);
    vm->home = lun_lua_ctx_new(vm->pool, vm, log);
    vm->home->phase = LUN_LUA_INIT;
    add_native(vm);

    if (main->watch != NULL) {
        lun_lua_watch_open(vm);
    }

    if (load_api(vm, log) != LUN_OK || lun_stock_core_load(vm, log) != LUN_OK
        || declare(vm, log) != LUN_OK
        || lun_lua_coverage_begin(vm, log) != LUN_OK
        || lun_lua_debug_open(vm, log) != LUN_OK)
    {
        lun_vm_put(vm);
        return NULL;
    }

    return vm;
}


void
lun_vm_get(lun_vm *vm)
{
    vm->references++;
}


static size_t  lost_coroutines, lost_ctxs;


static bool
is_running(lua_State *L, int index, const lun_vm *vm)
{
    const lun_co  *co;

    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->co_table);
    lua_pushvalue(L, index);
    lua_rawget(L, -2);
    co = lua_touserdata(L, -1);
    lua_pop(L, 2);

    return co != NULL && co->ctx != NULL;
}


/* Contexts have ended, all of them: what they had in the machine is gone. */
static void
count_lost(const lun_vm *vm)
{
    lua_State  *L = vm->L;

    if (!lua_checkstack(L, 8)) {
        return;
    }

    for (lua_pushnil(L); lua_next(L, LUA_REGISTRYINDEX) != 0; lua_pop(L, 1)) {
        lost_coroutines += lua_isthread(L, -1)
                           && is_running(L, lua_gettop(L), vm);
    }

    /* The numbers among them are those of free places. */
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->ctx_table);

    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
        lost_ctxs += lua_istable(L, -1);
    }

    lua_pop(L, 1);
}


size_t
lun_vm_lost_coroutines(void)
{
    return lost_coroutines;
}


size_t
lun_vm_lost_ctxs(void)
{
    return lost_ctxs;
}


/*
 * Once LuaJIT has finalized cdata at its end, ffi.gc() does nothing: what the
 * finalizers of userdata make after that has nobody else to end it.
 */
static void
free_owned(lun_vm *vm)
{
    lun_vm_owned  *o;

    while (!lun_list_empty(&vm->owned)) {
        o = lun_container_of(vm->owned.next, lun_vm_owned, link);
        o->free(o);
    }
}


/*
 * Finalizers may do what init_by_lua may.  Its context has ended before, with
 * what it had in the machine, so they get one of their own.
 */
static void
close_state(lun_vm *vm)
{
    lun_lua_current  was;

    lun_lua_profile_close(vm);
    lun_lua_debug_close(vm);
    lun_pool_free(vm->pool);
    count_lost(vm);
    vm->pool = lun_pool_new_sized(1024);
    vm->home = lun_lua_ctx_new(vm->pool, vm, &vm->main->gen->log);
    vm->home->phase = LUN_LUA_INIT;

    was = lun_lua_enter(vm->home);
    lun_lua_coverage_end(vm);
    lua_close(vm->L);
    lun_lua_now = was;

    vm->L = NULL;
    free_owned(vm);
    lun_pool_free(vm->pool);
}


static void
close_vm(lun_vm *vm)
{
    lun_debug(NULL, "lua close the global Lua VM %" PRIXPTR,
              (uintptr_t) vm->L);

    lun_list_remove(&vm->link);
    lun_lua_measure_end(vm);
    close_state(vm);
    lun_co_close(vm);
    lun_free(vm->chunks);
    lun_free(vm);
}


void
lun_vm_close_all(lun_lua_main *main)
{
    while (!lun_list_empty(&main->vms)) {
        close_vm(lun_container_of(main->vms.next, lun_vm, link));
    }
}


void
lun_vm_put(lun_vm *vm)
{
    LUN_CHECK(vm->references > 0);

    /* One that lasts is everybody's, and nobody counts. */
    if (vm != vm->main->vm) {
        lun_debug(NULL, "lua decrementing the reference count for Lua VM: %u",
                  vm->references);
    }

    if (--vm->references == 0) {
        close_vm(vm);
    }
}


/* --- init_by_lua --- */

/*
 * os.getenv before there are workers: what `env` will give them is there
 * already.  Upvalues: the machine, the function of the library.
 */
static int
get_conf_env(lua_State *L)
{
    size_t            i, len;
    lun_vm           *vm = lua_touserdata(L, lua_upvalueindex(1));
    lun_str           var;
    const char       *name = luaL_checklstring(L, 1, &len);
    const lun_array  *env = vm->main->gen->env;

    /* As in a real environment, the last one counts. */
    for (i = env != NULL ? env->count : 0; i-- > 0; ) {
        var = *(const lun_str *) lun_array_at(env, i);

        if (var.len > len && var.data[len] == '='
            && memcmp(var.data, name, len) == 0)
        {
            lua_pushlstring(L, var.data + len + 1, var.len - len - 1);
            return 1;
        }
    }

    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}


/* Leaves the library's os.getenv on the stack, and the table under it. */
static void
begin_conf_env(lun_vm *vm)
{
    lua_State  *L = vm->L;

    lua_getglobal(L, "os");
    lua_getfield(L, -1, "getenv");
    lua_pushlightuserdata(L, vm);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, get_conf_env, 2);
    lua_setfield(L, -3, "getenv");
}


static void
end_conf_env(lun_vm *vm)
{
    lua_setfield(vm->L, -2, "getenv");
    lua_pop(vm->L, 1);
}


lun_rc
lun_vm_run_init(lun_vm *vm)
{
    lun_rc  rc;

    if (vm->main->top->block.init == NULL) {
        return LUN_OK;
    }

    begin_conf_env(vm);
    rc = lun_chunk_run_life(vm->main->top->block.init, vm->home, LUN_LUA_INIT,
                            "init_by_lua");
    end_conf_env(vm);
    return rc;
}
