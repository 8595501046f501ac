/*
 * coverage.c -- see coverage.h.  Counting and the form of what is kept are
 * Lua's (lunette.line_hits); it gets two functions: one that appends to the
 * file, one that gives the code which stands in the configuration.
 *
 * The file is one of the logs, so it is opened by the master, and each machine
 * of each worker appends to it at its end, by one write.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/coverage.h"

#include "log/log_file.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"

#define LINE_HITS  "lunette.line_hits"


lun_rc
lun_lua_set_coverage(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_lua_conf  *c = conf;
    lun_str        path = cf->args[1];

    if (path.len == 0) {
        return lun_conf_bad_value(cf);
    }

    c->block.coverage = lun_log_file_want(&cf->gen->logs,
                                          lun_conf_path(cf, path, false));
    return LUN_OK;
}


/* append(text).  Upvalue: the file. */
static int
append(lua_State *L)
{
    size_t         len;
    const char    *text = luaL_checklstring(L, 1, &len);
    lun_log_file  *file = lua_touserdata(L, lua_upvalueindex(1));

    lun_log_file_write(file, text, len);
    return 0;
}


/* inlines(): { [name] = code }.  Upvalue: the engine's part. */
static int
inlines(lua_State *L)
{
    lun_chunk_push_inlines(lua_touserdata(L, lua_upvalueindex(1)), L);
    return 1;
}


static int
call(lua_State *L, const char *name, int args)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, LINE_HITS);

    if (lun_vm_call(L, 1, 1) != 0) {
        return -1;
    }

    lua_getfield(L, -1, name);
    lua_replace(L, -2);
    lua_insert(L, -args - 1);
    return lun_vm_call(L, args, 0);
}


static lun_rc
failed(lua_State *L, const lun_log *log)
{
    lun_log(LUN_LOG_ERR, log, 0, "lua_coverage: %.*s",
            LUN_S(lun_co_error_text(L)));
    lua_settop(L, 0);
    return LUN_ERROR;
}


lun_rc
lun_lua_coverage_begin(lun_vm *vm, const lun_log *log)
{
    lua_State     *L = vm->L;
    lun_log_file  *file = vm->main->top->block.coverage;

    if (file == NULL) {
        return LUN_OK;
    }

    lua_pushlightuserdata(L, file);
    lua_pushcclosure(L, append, 1);
    lua_pushlightuserdata(L, vm->main);
    lua_pushcclosure(L, inlines, 1);

    return call(L, "begin", 2) == 0 ? LUN_OK : failed(L, log);
}


void
lun_lua_coverage_end(lun_vm *vm)
{
    const lun_lua_conf  *top = vm->main->top;

    if (top != NULL && top->block.coverage != NULL
        && call(vm->L, "finish", 0) != 0)
    {
        (void) failed(vm->L, &vm->main->gen->log);
    }
}
