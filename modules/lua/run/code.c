/*
 * code.c -- chunks: the code of *_by_lua directives, compiled once per
 * machine.
 *
 * Nothing is compiled while the configuration is read: a chunk that does not
 * compile is the request's failure, as nginx's Lua has it.  But -t compiles
 * all that it can find, and runs nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include "modules/lua/api/error_page.h"
#include "modules/lua/run/entry.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/run/watch.h"
#include "os/file.h"

struct lun_chunk {
    lun_chunk        *before;      /* main->last_chunk before it */
    unsigned          id;          /* among the generation's, from 1 */
    bool              in_file;
    lun_str           code;        /* inline */
    const char       *name;        /* "=content_by_lua(nginx.conf:40)" */
    lun_script       *path;        /* a file's, when it has variables */
    lun_str           fixed;       /* a file's, when it has none */
};


static lun_chunk *
new_chunk(lun_conf *cf)
{
    lun_chunk     *chunk = lun_pool_new(cf->pool, lun_chunk);
    lun_lua_main  *main = lun_lua_main_of(cf->engine);

    chunk->id = ++main->chunks;
    chunk->before = main->last_chunk;
    main->last_chunk = chunk;
    return chunk;
}


lun_str
lun_chunk_code(const lun_lua_main *main, const char *name)
{
    const lun_chunk  *chunk;

    for (chunk = main->last_chunk; chunk != NULL; chunk = chunk->before) {
        if (!chunk->in_file && strcmp(chunk->name, name) == 0) {
            return chunk->code;
        }
    }

    return LUN_STR_NULL;
}


void
lun_chunk_push_inlines(const lun_lua_main *main, lua_State *L)
{
    const lun_chunk  *chunk;

    lua_newtable(L);

    for (chunk = main->last_chunk; chunk != NULL; chunk = chunk->before) {
        if (!chunk->in_file) {
            lua_pushlstring(L, chunk->code.data, chunk->code.len);
            lua_setfield(L, -2, chunk->name + 1);
        }
    }
}


/* In a machine of its own, which has no library.  False: reported. */
static bool
compiles(lun_conf *cf, lun_str code, const char *name)
{
    bool        good;
    lua_State  *L = luaL_newstate();

    if (L == NULL) {
        return true;               /* nobody knows */
    }

    good = luaL_loadbuffer(L, code.data, code.len, name) == 0;

    if (!good) {
        (void) lun_conf_fail(cf, "%s", lua_tostring(L, -1));
    }

    lua_close(L);
    return good;
}


lun_chunk *
lun_chunk_inline(lun_conf *cf, lun_str code, lun_str name)
{
    lun_chunk  *chunk = new_chunk(cf);

    chunk->code = code;
    chunk->name = lun_pool_fmt(cf->pool, "=%.*s", LUN_S(name)).data;

    return cf->read_on && !compiles(cf, code, chunk->name) ? NULL : chunk;
}


/* A first line that begins with # is for the shell. */
static const char *
skip_shebang(const char *p, const char *end)
{
    if (p < end && *p == '#') {
        while (p < end && *p != '\n') {
            p++;
        }
    }

    return p;
}


/* A file may be made later: that it is not there is a warning. */
static bool
file_compiles(lun_conf *cf, lun_str path)
{
    bool         good;
    char        *text, room[256];
    size_t       size;
    lun_err      err = lun_file_slurp(path.data, &text, &size);
    const char  *p;

    if (err != 0) {
        lun_conf_warn(cf, "cannot open \"%.*s\": %.*s", LUN_S(path),
                      LUN_S(lun_err_text(err, room, sizeof(room))));
        return true;
    }

    p = skip_shebang(text, text + size);
    good = compiles(cf, lun_str_of(p, size - (size_t) (p - text)),
                    lun_pool_fmt(cf->temp, "@%.*s", LUN_S(path)).data);
    lun_free(text);
    return good;
}


lun_chunk *
lun_chunk_file(lun_conf *cf, lun_str path, lun_str name)
{
    lun_chunk  *chunk = new_chunk(cf);

    chunk->in_file = true;
    chunk->name = lun_pool_strz(cf->pool, name);

    if (!lun_script_has_variables(path)) {
        chunk->fixed = lun_conf_path(cf, path, false);
        return cf->read_on && !file_compiles(cf, chunk->fixed) ? NULL : chunk;
    }

    chunk->path = lun_script_new(cf, path);
    return chunk->path != NULL ? chunk : NULL;
}


static int
compile(lua_State *L, lun_str code, const char *name)
{
    int  rc = luaL_loadbuffer(L, code.data, code.len, name);

    if (rc == 0) {
        lun_entry_fix(L, code);
    }

    return rc;
}


/* Of a file that can't be had; a name that no file can have is not found. */
static unsigned
status_of(lun_err err)
{
    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_BAD_NAME:
    case LUN_ERR_LINK:
        return 404;

    default:
        return 503;
    }
}


/*
 * Pushes the function, or a message, as all here do.  A path that is made from
 * variables comes with a safe path.
 */
static unsigned
load_file(lun_str path, const lun_safe_path *c, lua_State *L)
{
    int          rc;
    char        *text, room[256];
    size_t       size;
    lun_err      err;
    lun_str      why;
    const char  *p;

    err = c != NULL ? lun_safe_slurp(c, &text, &size)
                    : lun_file_slurp(path.data, &text, &size);

    if (err != 0) {
        why = lun_err_text(err, room, sizeof(room));
        lua_pushfstring(L, "cannot %s %s: ", lun_err_kind_of(err)
                        == LUN_ERR_IS_DIR ? "read" : "open", path.data);
        lua_pushlstring(L, why.data, why.len);
        lua_concat(L, 2);
        return status_of(err);
    }

    p = skip_shebang(text, text + size);
    lua_pushfstring(L, "@%s", path.data);
    rc = compile(L, lun_str_of(p, size - (size_t) (p - text)),
                 lua_tostring(L, -1));
    lun_free(text);
    lua_remove(L, -2);
    return rc == 0 ? 0 : 500;
}


/* What was compiled ahead of its use. */
static bool
push_kept(lun_vm *vm, lua_State *L, const char *path)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->file_table);
    lua_getfield(L, -1, path);
    lua_remove(L, -2);

    if (lua_isfunction(L, -1)) {
        return true;
    }

    lua_pop(L, 1);
    return false;
}


/* The function on top, which stays there. */
static void
keep(lua_State *L, int table, const char *path)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, table);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, path);
    lua_pop(L, 1);
}


/* load_file, and a change of it will be noticed. */
static unsigned
load_noted(lun_str path, const lun_safe_path *c, lun_vm *vm, lua_State *L)
{
    unsigned       status;
    lun_lua_file  *file;

    file = lun_lua_watch_note(vm->main, path.data,
                              c != NULL ? LUN_LUA_NAMED : LUN_LUA_SCRIPT);
    status = load_file(path, c, L);

    if (status == 0) {
        lun_lua_watch_good(file);
    }

    return status;
}


/* A file whose name is known only now: one function per name. */
static unsigned
load_named(const lun_safe_path *c, lun_vm *vm, lua_State *L)
{
    lun_str   path = c->path;
    unsigned  status;

    if (push_kept(vm, L, path.data)) {
        return 0;
    }

    status = load_noted(path, c, vm, L);

    if (status == 0) {
        keep(L, vm->file_table, path.data);
    }

    return status;
}


static void
make_room(lun_vm *vm, unsigned id)
{
    unsigned  room = vm->chunk_room;

    if (id < room) {
        return;
    }

    vm->chunk_room = vm->main->chunks + 1;
    vm->chunks = lun_realloc(vm->chunks, vm->chunk_room * sizeof(int));
    memset(vm->chunks + room, 0, (vm->chunk_room - room) * sizeof(int));
}


static unsigned
load(const lun_chunk *chunk, lun_vm *vm, lua_State *L)
{
    unsigned  status;

    make_room(vm, chunk->id);

    if (vm->chunks[chunk->id] != 0) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->chunks[chunk->id]);
        return 0;
    }

    if (chunk->in_file) {
        status = push_kept(vm, L, chunk->fixed.data)
                 ? 0 : load_noted(chunk->fixed, NULL, vm, L);

    } else {
        status = compile(L, chunk->code, chunk->name) == 0 ? 0 : 500;
    }

    if (status == 0) {
        lua_pushvalue(L, -1);
        vm->chunks[chunk->id] = luaL_ref(L, LUA_REGISTRYINDEX);
    }

    return status;
}


/*
 * A file whose name has variables is looked up by each request, and loaded
 * unless this state has it already; a name that leads nowhere is answered with
 * 404.
 */
unsigned
lun_chunk_push(lun_chunk *chunk, lun_vm *vm, lua_State *L, lun_session *s,
    const lun_log *log)
{
    lun_str        path = chunk->fixed;
    unsigned       status;
    lun_safe_path  c;

    if (chunk->path == NULL) {
        status = load(chunk, vm, L);

    } else if (vm->main->side->path(s, chunk->path, &c) != LUN_OK) {
        return 404;

    } else {
        path = c.path;
        status = load_named(&c, vm, L);
    }

    if (status == 0) {
        return 0;
    }

    if (chunk->in_file) {
        lun_log(LUN_LOG_ERR, log, 0, "failed to load external Lua file "
                "\"%.*s\": %.*s", LUN_S(path), LUN_S(lun_co_error_text(L)));

    } else {
        lun_log(LUN_LOG_ERR, log, 0, "failed to load inlined Lua code: %.*s",
                LUN_S(lun_co_error_text(L)));
    }

    if (status == 500 && s != NULL && lun_lua_ctx_at(s) != NULL) {
        lun_lua_error_page_make(lun_lua_ctx_at(s), lun_lua_ctx_at(s)->phase,
                                NULL, lun_co_error_text(L));
    }

    lua_pop(L, 1);
    return status;
}


unsigned
lun_chunk_keep_file(lun_vm *vm, lun_str path, bool handler)
{
    unsigned  status = load_file(path, NULL, vm->L);

    if (status == 0) {
        keep(vm->L, handler ? vm->file_table : vm->module_table,
             path.data);
        lua_pop(vm->L, 1);
    }

    return status;
}


lun_rc
lun_chunk_try_life(lun_chunk *chunk, lun_lua_ctx *ctx, uint32_t phase)
{
    int               rc;
    lua_State        *L = ctx->vm->L;
    lun_lua_current   was;

    ctx->phase = phase;
    was = lun_lua_enter(ctx);
    rc = (int) load(chunk, ctx->vm, L);

    if (rc == 0) {
        rc = lun_vm_call(L, 0, 0);
    }

    lun_lua_now = was;
    return rc == 0 ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_chunk_run_life(lun_chunk *chunk, lun_lua_ctx *ctx, uint32_t phase,
    const char *name)
{
    lua_State  *L = ctx->vm->L;

    if (lun_chunk_try_life(chunk, ctx, phase) == LUN_OK) {
        return LUN_OK;
    }

    /* Here what is no text has another name than in requests. */
    ctx->life_error = lua_isstring(L, -1)
                      ? lun_pool_str(ctx->pool, lun_co_error_text(L))
                      : LUN_STR("unknown error");
    lun_log(LUN_LOG_ERR, ctx->log, 0, "%s%s error: %.*s", name,
            chunk->in_file ? "_file" : "", LUN_S(ctx->life_error));
    lua_pop(L, 1);
    return LUN_ERROR;
}
