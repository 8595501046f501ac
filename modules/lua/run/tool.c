/*
 * tool.c -- `lunette run` and `lunette spec`.
 *
 * run: the script is a coroutine in a context like a timer's, in a generation
 * without listeners; the loop turns until the script has ended.  Timers that
 * are still pending then run prematurely, as in a worker that quits.
 *
 * spec: a plain call of lunette.spec in such a generation; the runner has no
 * use for our loop, which is what it tests.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/tool.h"

#include <stdio.h>

#include "modules/lua/run/number.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/api/timer.h"
#include "modules/lua/run/vm.h"

enum { POOL_SIZE = 4096, PATH_SIZE = 4096 };

typedef struct {
    const char  *prefix;
    const char  *conf;
    const char  *code;
    const char  *script;
    char         path[PATH_SIZE];  /* of -I: "a/?.lua;b/?.lua;" */
    char        *path_end;
    int          argc;             /* the script's own */
    char       **argv;
} options;

typedef struct {
    bool  over;
    int   status;
} run_state;


/* --- the command line --- */

static int
usage(void)
{
    fprintf(stderr,
            "usage: lunette run [-c conf] [-p prefix] [-I path]... [-e code] "
            "[script [args]]\n");
    return 1;
}


/* `-I dir` adds to package.path. */
static void
add_path(options *o, const char *dir)
{
    o->path_end = lun_fmt(o->path_end, o->path + PATH_SIZE - 1,
                          "%s/?.lua;%s/?/init.lua;", dir, dir);
}


static bool
take_option(options *o, char letter, const char *value)
{
    switch (letter) {

    case 'c':
        o->conf = value;
        return true;

    case 'p':
        o->prefix = value;
        return true;

    case 'e':
        o->code = value;
        return true;

    case 'I':
        add_path(o, value);
        return true;

    default:
        return false;
    }
}


/* Options end at the script's name, or at --. */
static bool
read_options(options *o, int argc, char **argv)
{
    int          i;
    const char  *a, *value;

    memset(o, 0, sizeof(options));
    o->path_end = o->path;

    for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        a = argv[i];

        if (strcmp(a, "--") == 0) {
            i++;
            break;
        }

        value = a[2] != '\0' ? a + 2 : i + 1 < argc ? argv[++i] : NULL;

        if (value == NULL || !take_option(o, a[1], value)) {
            return false;
        }
    }

    if (i < argc) {
        o->script = argv[i++];
    }

    o->argc = argc - i;
    o->argv = argv + i;
    return o->script != NULL || o->code != NULL;
}


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


/* --- run --- */

static void
add_package_path(lua_State *L, const options *o)
{
    if (o->path_end == o->path) {
        return;
    }

    lua_getglobal(L, "package");
    lua_pushlstring(L, o->path, (size_t) (o->path_end - o->path));
    lua_getfield(L, -2, "path");
    lua_concat(L, 2);
    lua_setfield(L, -2, "path");
    lua_pop(L, 1);
}


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


/*
 * A function that calls lunette.tool's run with our arguments and keeps what
 * it returns: (loader)(set_status, code, script, args).
 */
static const char  starter[] =
    "local set_status, code, script, args = ...\n"
    "set_status(require('lunette.tool').run(code, script, args))\n";


static void
start(lun_lua_ctx *ctx, const options *o)
{
    lun_co     *co = lun_co_new(ctx);
    lua_State  *L = co->L;

    luaL_loadbuffer(L, starter, sizeof(starter) - 1, "=lunette run");
    lua_pushcfunction(L, set_status);
    lua_pushstring(L, o->code);
    lua_pushstring(L, o->script);
    push_args(L, o->script, o->argc, o->argv);

    if (lun_co_run_entry(ctx, co, 4) == LUN_OK) {
        take_status(ctx);
    }
}


static void
wait_for(const run_state *state, const lun_lua_main *main)
{
    while (!state->over) {
        lun_loop_turn(UINT64_MAX);
    }

    lun_worker.exiting = true;
    lun_lua_timers_quit(main);

    while (lun_lua_timers_running() != 0) {
        lun_loop_turn(UINT64_MAX);
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


static int
run(const options *o, lun_lua_main *main)
{
    run_state     state = { false, 0 };
    lun_lua_ctx  *ctx = new_ctx(main);

    if (ctx == NULL) {
        return 1;
    }

    ctx->data = &state;
    ctx->ended = take_status;
    add_package_path(main->vm->L, o);

    start(ctx, o);
    wait_for(&state, main);
    lun_pool_free(ctx->pool);
    return state.status;
}


static int
run_main(int argc, char **argv, const lun_lua_tool_generation *generation)
{
    int              status;
    options          o;
    lun_generation  *gen;

    if (!read_options(&o, argc, argv)) {
        return usage();
    }

    gen = generation->begin(o.prefix, o.conf);
    if (gen == NULL) {
        return 1;
    }

    status = run(&o, lun_lua_main_of(gen));
    fflush(stdout);
    generation->end(gen);
    return status;
}


/* --- spec --- */

/* require("lunette.spec").main(args) */
static int
call_spec(lua_State *L, int argc, char **argv)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunette.spec");

    if (lun_vm_call(L, 1, 1) == 0) {
        lua_getfield(L, -1, "main");
        push_args(L, "spec", argc, argv);

        if (lun_vm_call(L, 1, 1) == 0) {
            return (int) lun_number_at(L, -1, INT32_MIN, INT32_MAX);
        }
    }

    fprintf(stderr, "lunette: %.*s\n", LUN_S(lun_co_error_text(L)));
    return 1;
}


static int
spec_main(int argc, char **argv, const lun_lua_tool_generation *generation)
{
    int               status;
    lun_lua_ctx      *ctx;
    lun_generation   *gen = generation->begin(NULL, NULL);
    lun_lua_current   was;

    if (gen == NULL) {
        return 1;
    }

    ctx = new_ctx(lun_lua_main_of(gen));
    if (ctx == NULL) {
        return 1;
    }

    was = lun_lua_enter(ctx);
    status = call_spec(ctx->vm->L, argc, argv);
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
    return strcmp(what, "spec") == 0 ? spec_main(argc, argv, generation)
                                     : run_main(argc, argv, generation);
}
