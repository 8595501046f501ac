/*
 * stock_core.c -- lua-resty-core of the user's, in the place of ours.
 *
 * Its files are of no use but to functions of C that they declare (capi), and
 * these change from one version to the next.  Its base.lua says which version
 * of nginx's Lua it wants: where that is one that we know, we are that one.
 *
 * Ours is loaded first, in any case: it makes what those of nginx's Lua have
 * from C, and the user's then replaces it function by function.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/stock_core.h"

#include <stdlib.h>

#include "modules/lua/run/side.h"
#include "os/file.h"

/* In the registry of machines that have one; of those with a resty.core. */
static const char  is_here[] = "lunette.stock_core";
static const char  has_core[] = "lunette.stock_core_alone";

static const char *const  names[] = { "ngx.", "resty.core", "resty.core." };

/* Versions by protocol: the oldest and the newest known, the first of PCRE2. */
typedef struct {
    const char  *subsystem;
    int64_t      oldest, newest, pcre2;
} versions;

static const versions  known[] = {
    { "http", 10023, 10031, 10026 },   /* lua-resty-core 0.1.25 and later */
    { "stream", 12, 19, 14 }
};


static bool
is_name(const char *name)
{
    size_t  i, len;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        len = strlen(names[i]);

        if (names[i][len - 1] == '.' ? strncmp(name, names[i], len) == 0
                                     : strcmp(name, names[i]) == 0)
        {
            return true;
        }
    }

    return false;
}


bool
lun_stock_core_has(lua_State *L, const char *name)
{
    bool  here;

    if (!is_name(name)) {
        return false;
    }

    lua_getfield(L, LUA_REGISTRYINDEX,
                 strcmp(name, "resty.core") == 0 ? has_core : is_here);
    here = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return here;
}


/* --- what is there --- */

/* Pushes the path of the module's file in lua_package_path, or nil. */
static void
push_path(lun_vm *vm, const char *name)
{
    lua_State  *L = vm->L;
    lun_str     path = vm->main->top->block.package_path;
    lun_str     prefix = vm->main->gen->prefix;

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchpath");
    lua_remove(L, -2);
    lua_pushstring(L, name);

    /* Of ours, which ";;" stands for, nothing is the user's. */
    lua_pushlstring(L, path.data, path.len);
    lua_pushlstring(L, prefix.data, prefix.len);
    luaL_gsub(L, lua_tostring(L, -2), "${prefix}", lua_tostring(L, -1));
    luaL_gsub(L, lua_tostring(L, -1), "$prefix", lua_tostring(L, -2));
    luaL_gsub(L, lua_tostring(L, -1), ";;", ";");
    lua_replace(L, -5);
    lua_pop(L, 3);

    if (lua_pcall(L, 2, 1, 0) != 0) {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
}


/* The text of the module's file, malloc'ed and zero-terminated; or NULL. */
static char *
read_module(lun_vm *vm, const char *name)
{
    char    *text = NULL;
    size_t   size;

    push_path(vm, name);

    if (lua_isstring(vm->L, -1)) {
        (void) lun_file_slurp(lua_tostring(vm->L, -1), &text, &size);
    }

    lua_pop(vm->L, 1);
    return text;
}


/* The version of this protocol's module that base.lua wants; 0: none. */
static int64_t
wanted_version(const char *text, const char *subsystem)
{
    const char  *p = strstr(text, subsystem);
    int64_t      n = 0;

    p = p != NULL ? strstr(p, "ngx_lua_version ~= ") : NULL;

    if (p == NULL) {
        return 0;
    }

    for (p += strlen("ngx_lua_version ~= "); *p >= '0' && *p <= '9'; p++) {
        if (n > INT32_MAX) {
            return 0;
        }

        n = n * 10 + (*p - '0');
    }

    return n;
}


/* NULL: that version is none of them. */
static const versions *
find_known(const char *subsystem, int64_t version)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(known); i++) {
        if (strcmp(known[i].subsystem, subsystem) == 0
            && version >= known[i].oldest && version <= known[i].newest)
        {
            return &known[i];
        }
    }

    return NULL;
}


/* Each with the module that declares it, and its arguments today. */
static const struct {
    const char  *module, *function;
    int          count;
} grown[LUN_GROWN] = {
    [LUN_GROWN_PEER]    = { "ngx.balancer", "_balancer_set_current_peer(", 7 },
    [LUN_GROWN_VERIFY]  = { "ngx.ssl", "_ffi_ssl_verify_client(", 5 },
    [LUN_GROWN_CIPHERS] = { "ngx.ssl", "_ffi_req_shared_ssl_ciphers(", 5 },
    [LUN_GROWN_POINTER] = { "ngx.ssl", "_ffi_get_req_ssl_pointer(", 2 },
    [LUN_GROWN_OCSP]    = { "ngx.ocsp", "_ssl_validate_ocsp_response(", 7 }
};


/* How many arguments its declaration has, which comes first; 0: it has none. */
static int
count_arguments(const char *text, const char *function)
{
    int          n = 1;
    const char  *p = strstr(text, function);

    if (p == NULL) {
        return 0;
    }

    for (p += strlen(function); *p != '\0' && *p != ')'; p++) {
        n += *p == ',';
    }

    return n;
}


static bool
is_short(lun_vm *vm, lun_grown i)
{
    int    n;
    char  *text = read_module(vm, grown[i].module);

    if (text == NULL) {
        return false;
    }

    n = count_arguments(text, grown[i].function);
    free(text);
    return n < grown[i].count;
}


/* Whether there is such a module, and that text is not in it. */
static bool
lacks(lun_vm *vm, const char *name, const char *what)
{
    char  *text = read_module(vm, name);
    bool   rc = text != NULL && strstr(text, what) == NULL;

    free(text);
    return rc;
}


/* --- loading --- */

/* What is loaded of ours under these names, or this one, is not from now on. */
static void
forget_ours(lua_State *L, const char *name)
{
    const char  *key;

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaded");

    for (lua_pushnil(L); lua_next(L, -2) != 0; ) {
        lua_pop(L, 1);
        key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";

        if (name != NULL ? strcmp(key, name) == 0 : is_name(key)) {
            lua_pushvalue(L, -1);
            lua_pushnil(L);
            lua_rawset(L, -4);
        }
    }

    lua_pop(L, 2);
}


static void
set_version(lua_State *L, int64_t version)
{
    lua_getglobal(L, "ngx");
    lua_getfield(L, -1, "config");
    lua_pushnumber(L, (lua_Number) version);
    lua_setfield(L, -2, "ngx_lua_version");
    lua_pop(L, 2);
}


/* It keeps the tables of ngx.ctx in a table of its own. */
static void
take_ctx_table(lun_vm *vm)
{
    lua_State  *L = vm->L;

    luaL_unref(L, LUA_REGISTRYINDEX, vm->ctx_table);
    lua_getfield(L, LUA_REGISTRYINDEX, "ngx_lua_ctx_tables");
    vm->ctx_table = luaL_ref(L, LUA_REGISTRYINDEX);
}


/*
 * Its functions of dictionaries go to where the methods of the first one are;
 * there may be none yet.  Pushes nothing.
 */
static void
show_dict(lua_State *L, bool show)
{
    lua_getglobal(L, "ngx");
    lua_getfield(L, -1, "shared");
    lua_pushliteral(L, "");

    if (show) {
        lua_newtable(L);
        lua_getfield(L, LUA_REGISTRYINDEX, "__shdict_mt");
        lua_setmetatable(L, -2);

    } else {
        lua_pushnil(L);
    }

    lua_rawset(L, -3);
    lua_pop(L, 2);
}


static void
set_flag(lua_State *L, const char *flag)
{
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, flag);
}


/* A resty.core with nothing of lua-resty-core behind it, over ours. */
static lun_rc
load_core(lun_vm *vm, const lun_log *log)
{
    lun_rc           rc;
    lun_lua_current  was = lun_lua_enter(vm->home);

    set_flag(vm->L, has_core);
    forget_ours(vm->L, "resty.core");
    rc = lun_vm_require(vm->L, "resty.core", log);
    lun_lua_now = was;
    return rc;
}


static lun_rc
load(lun_vm *vm, int64_t version, const lun_log *log)
{
    lun_rc           rc;
    lun_lua_current  was = lun_lua_enter(vm->home);

    set_flag(vm->L, is_here);
    set_flag(vm->L, has_core);
    forget_ours(vm->L, NULL);
    set_version(vm->L, version);
    show_dict(vm->L, true);
    rc = lun_vm_require(vm->L, "resty.core", log);
    show_dict(vm->L, false);
    take_ctx_table(vm);
    lun_lua_now = was;
    return rc;
}


/*
 * A core that stands in the user's path is used, if it is of a version whose
 * calls are known; else ours, and a line says so.
 */
lun_rc
lun_stock_core_load(lun_vm *vm, const lun_log *log)
{
    char            *text;
    int64_t          version;
    lun_grown        i;
    const char      *subsystem = vm->main->side->subsystem;
    const versions  *v;

    if (vm->main->top->block.own_core
        || vm->main->top->block.package_path.len == 0)
    {
        return LUN_OK;
    }

    text = read_module(vm, "resty.core.base");

    if (text == NULL) {
        return lacks(vm, "resty.core", "\1") ? load_core(vm, log) : LUN_OK;
    }

    version = wanted_version(text, subsystem);
    free(text);

    v = find_known(subsystem, version);

    if (v == NULL) {
        lun_log(LUN_LOG_NOTICE, log, 0, "lua-resty-core in lua_package_path "
                "is for version %" PRId64 " of ngx_%s_lua_module, which is "
                "not known: the one inside is used", version, subsystem);
        return LUN_OK;
    }

    for (i = 0; i < LUN_GROWN; i++) {
        vm->is_short[i] = is_short(vm, i);
    }

    vm->pcre1 = version < v->pcre2;
    return load(vm, version, log);
}
