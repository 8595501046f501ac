/*
 * tool.c -- `lunette run`, `spec`, `init`, `coverage`, `types`.
 *
 * run: the script is a coroutine in a context like a timer's, in a generation
 * without listeners; the loop turns until the script has ended.  Timers that
 * are still pending then run prematurely, as in a worker that quits.
 *
 * The others: a plain call of a module of ours in such a generation; they have
 * no use for our loop.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/tool/tool.h"

#include <stdio.h>

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/tool/tool_options.h"
#include "modules/lua/api/timer.h"
#include "modules/lua/run/vm.h"
#include "config/default_paths.h"
#include "os/dir.h"
#include "os/file.h"
#include "os/proc.h"
#include "session/engine.h"

enum { POOL_SIZE = 4096, NO_PROGRAM = 2 };

/* resty's, whose options these are. */
#define RESTY_VERSION  "0.29"

typedef struct {
    bool  over;
    int   status;
} run_state;


/* { [0] = script, args... } */
static void
push_args(lua_State *L, const char *script, int argc, char **argv)
{
    int  i;

    lua_createtable(L, argc, 1);
    lua_pushstring(L, script != NULL ? script : "");
    lua_rawseti(L, -2, 0);

    for (i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i + 1);
    }
}


/* What stands before the script, as lua and resty have it: [-1] and below. */
static void
push_words_before(lua_State *L, const lun_tool_options *o)
{
    int     n = 0;
    char  **word = o->argv - 1;

    if (o->script == NULL) {
        return;
    }

    while (word != ngx_argv) {
        lua_pushstring(L, *--word);
        lua_rawseti(L, -2, --n);
    }
}


/* --- run --- */

static void
take_status(lun_lua_ctx *ctx)
{
    run_state  *state = ctx->data;

    state->over = true;

    if (ctx->exited) {
        state->status = ctx->exit_code;

    } else if (ctx->failed) {
        state->status = 1;
    }
}


/* The coroutine's last word: the status of the script. */
static int
set_status(lua_State *L)
{
    run_state  *state = lun_lua_now.ctx->data;

    state->status = (int) lun_number_at(L, 1, INT32_MIN, INT32_MAX);
    return 0;
}


static void
set_text(lua_State *L, const char *name, lun_str text)
{
    if (text.len != 0) {
        lua_pushlstring(L, text.data, text.len);
        lua_setfield(L, -2, name);
    }
}


/* What lunette.tool reads: script, code, path, jit. */
static void
push_options(lua_State *L, const lun_tool_options *o)
{
    lua_createtable(L, 0, 4);
    lua_pushstring(L, o->script);
    lua_setfield(L, -2, "script");
    lua_pushstring(L, o->jit);
    lua_setfield(L, -2, "jit");
    set_text(L, "code", o->code);
    set_text(L, "path", o->path);
}


/*
 * A function that calls lunette.tool's run with our arguments and keeps what
 * it returns: (loader)(set_status, options, args).
 */
static const char  starter[] =
    "local set_status, options, args = ...\n"
    "set_status(require('lunette.tool').run(options, args))\n";


static void
start(lun_lua_ctx *ctx, const lun_tool_options *o)
{
    lun_co     *co = lun_co_new(ctx);
    lua_State  *L = co->L;

    luaL_loadbuffer(L, starter, sizeof(starter) - 1, "=lunette run");
    lua_pushcfunction(L, set_status);
    push_options(L, o);
    push_args(L, o->script, o->argc, o->argv);
    push_words_before(L, o);

    if (lun_co_run_entry(ctx, co, 3) == LUN_OK) {
        take_status(ctx);
    }
}


static void
wait_for(const run_state *state, const lun_lua_main *main)
{
    while (!state->over) {
        lun_loop_turn(main->gen->loop, UINT64_MAX);
    }

    lun_self.exiting = true;
    lun_lua_timers_quit(main);

    while (lun_lua_timers_running() != 0) {
        lun_loop_turn(main->gen->loop, UINT64_MAX);
    }
}


/* The context of a tool; NULL: it was logged why there is no machine. */
static lun_lua_ctx *
new_ctx(lun_lua_main *main)
{
    lun_lua_ctx  *ctx;

    /* A configuration without Lua directives has none. */
    if (main->vm == NULL && lun_lua_main_open(main, &main->gen->log) != LUN_OK)
    {
        return NULL;
    }

    ctx = lun_lua_ctx_new(lun_pool_new_sized(POOL_SIZE), main->vm,
                          lun_lua_worker_log(main, main->gen->pool,
                                             LUN_LUA_TOOL));
    ctx->phase = LUN_LUA_TOOL;
    return ctx;
}


static void
on_child_ended(void *data, int64_t pid, int code, const char *text)
{
    lun_proc_tell_child(pid, code, text);
}


static int
run(const lun_tool_options *o, lun_lua_main *main)
{
    run_state     state = { false, 0 };
    lun_lua_ctx  *ctx = new_ctx(main);

    if (ctx == NULL) {
        return 1;
    }

    ctx->data = &state;
    ctx->ended = take_status;
    lun_self.hears_children = lun_proc_hear_children(main->gen->loop->port,
                                                     on_child_ended, NULL)
                              == 0;

    start(ctx, o);
    wait_for(&state, main);
    lun_pool_free(ctx->pool);
    return state.status;
}


/* A tool has an http block, unless its configuration is a file: then NULL. */
static lun_lua_main *
main_of(const lun_generation *gen)
{
    lun_engine  *e = lun_engine_find(gen, &lun_http);

    return e != NULL ? lun_lua_main_of(e) : NULL;
}


static int
run_in(const lun_tool_options *o, const lun_generation *gen)
{
    lun_lua_main  *main = main_of(gen);

    if (main == NULL) {
        fprintf(stderr, "lunette run: no http block in \"%s\"\n", o->conf);
        return 1;
    }

    return run(o, main);
}


/* It takes our place: what it returns is why not. */
static int
run_under(const char *const *command)
{
    char     room[256];
    lun_err  err = lun_proc_become(command);

    fprintf(stderr, "ERROR: failed to run command \"%s\": %.*s\n", command[0],
            LUN_S(lun_err_text(err, room, sizeof(room))));
    return NO_PROGRAM;
}


/* The exit status of what is said instead of run; -1: it is to be run. */
static int
say_instead(const lun_tool_options *o, const lun_lua_tool_generation *host)
{
    if (o->show_help) {
        lun_tool_options_help();
        return 0;
    }

    if (o->show_version || o->show_build) {
        fprintf(stderr, "resty %s\n", RESTY_VERSION);
        host->say_version(o->show_build);
        return 0;
    }

    return o->runner != NULL ? run_under(o->runner) : -1;
}


static int
run_main(int argc, char **argv, const lun_lua_tool_generation *host)
{
    int                status;
    lun_pool          *pool = lun_pool_new_sized(POOL_SIZE);
    lun_generation    *gen;
    lun_tool_options   o;

    status = lun_tool_options_read(&o, argc, argv, pool) == LUN_OK
             ? say_instead(&o, host) : o.status;

    if (status == -1) {
        gen = host->begin(o.prefix, o.conf, o.text);
        status = 1;

        if (gen != NULL) {
            status = run_in(&o, gen);
            fflush(stdout);
            host->end(gen);
        }
    }

    lun_pool_free(pool);
    return status;
}


/* --- sync --- */

/* One that waits for others: a script, which the tool has written itself. */
static int
sync_main(int argc, char **argv, const lun_lua_tool_generation *host)
{
    int               status = 1;
    lun_generation   *gen;
    lun_tool_options  o = {
        .text = LUN_STR("events { }\nhttp { access_log off; "
                        "lua_ssl_trusted_certificate system; "
                        "lua_socket_log_errors off; }\n"),
        .code = LUN_STR("ngx.exit(require('lunette.sync').main(arg))"),
        .argc = argc, .argv = argv
    };

    gen = host->begin(o.prefix, o.conf, o.text);

    if (gen != NULL) {
        status = run_in(&o, gen);
        fflush(stdout);
        host->end(gen);
    }

    return status;
}


/* --- spec, init, coverage, types, import --- */

/* Tools that are a module's main(), and wait for nothing. */
static const struct {
    const char  *name, *module;
} modules[] = {
    { "spec", "spec" }, { "init", "site" }, { "coverage", "coverage" },
    { "types", "stubs" }, { "import", "import" }
};


static const char *
module_of(const char *what)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(modules); i++) {
        if (strcmp(modules[i].name, what) == 0) {
            return modules[i].module;
        }
    }

    return NULL;
}


bool
lun_lua_tool_is(const char *what)
{
    return strcmp(what, "run") == 0 || strcmp(what, "sync") == 0
           || module_of(what) != NULL;
}


/* The spec runner is no part of the program: scripts and a library of it are
   in a folder. */
static bool
find_spec_runner(lua_State *L)
{
    char           folder[4096];
    const char    *file;
    lun_file_info  info;

    snprintf(folder, sizeof(folder), "%s", LUN_SPEC_PATH);
    if (folder[0] == '\0') {
        if (lun_dir_program(folder, sizeof(folder) - sizeof("/spec")) != 0) {
            return false;
        }
        strcat(folder, "/spec");
    }

    file = lua_pushfstring(L, "%s/lunette/spec.lua", folder);
    if (lun_file_stat(file, &info) != 0) {
        fprintf(stderr, "lunette: the spec runner is not here: no %s\n", file);
        return false;
    }

    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/?.lua;", folder);
    lua_getfield(L, -2, "path");
    lua_concat(L, 2);
    lua_setfield(L, -2, "path");
    lua_pop(L, 2);
    return true;
}


/* require("lunette.NAME").main(args) */
static int
call_module(lua_State *L, const char *name, int argc, char **argv)
{
    lua_getglobal(L, "require");
    lua_pushfstring(L, "lunette.%s", name);

    if (lun_vm_call(L, 1, 1) == 0) {
        lua_getfield(L, -1, "main");
        push_args(L, name, argc, argv);

        if (lun_vm_call(L, 1, 1) == 0) {
            return (int) lun_number_at(L, -1, INT32_MIN, INT32_MAX);
        }
    }

    fprintf(stderr, "lunette: %.*s\n", LUN_S(lun_co_error_text(L)));
    return 1;
}


static int
module_main(const char *name, int argc, char **argv,
    const lun_lua_tool_generation *generation)
{
    int               status;
    lun_lua_ctx      *ctx;
    lun_generation   *gen = generation->begin(
        NULL, NULL, LUN_STR("events { } http { access_log off; }"));
    lun_lua_current   was;

    if (gen == NULL) {
        return 1;
    }

    ctx = new_ctx(main_of(gen));
    if (ctx == NULL) {
        return 1;
    }

    was = lun_lua_enter(ctx);
    status = strcmp(name, "spec") != 0 || find_spec_runner(ctx->vm->L)
             ? call_module(ctx->vm->L, name, argc, argv) : 1;
    lun_lua_now = was;

    fflush(stdout);
    lun_pool_free(ctx->pool);
    generation->end(gen);
    return status;
}


int
lun_lua_tool_main(const char *what, int argc, char **argv,
    const lun_lua_tool_generation *generation)
{
    if (strcmp(what, "run") == 0) {
        return run_main(argc, argv, generation);
    }

    if (strcmp(what, "sync") == 0) {
        return sync_main(argc, argv, generation);
    }

    return module_main(module_of(what), argc, argv, generation);
}
