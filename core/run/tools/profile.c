/*
 * profile.c -- `lunette profile`: the half of it that knows where the
 * server is.
 *
 * What is done with what the server says is Lua's (lunette.profile): it gets
 * the path of the error log and two functions, one that tells the server, one
 * that waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tools/profile.h"

#include <stdio.h>
#include <string.h>

#include "log/log_file.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "os/shm.h"
#include "os/time.h"
#include "run/generation.h"
#include "run/signals.h"
#include "run/startlog.h"

enum { SLEEP_MOST = 60 * 1000 };   /* ms */

/* Words that say which server is meant; the others are the Lua side's. */
typedef struct {
    int     server_count, own_count;
    char  **server, **own;
} words;


/* "-p", "DIR" or "-pDIR". */
static bool
is_servers(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && strchr("pceg", word[1]) != NULL;
}


static void
split_words(words *w, int argc, char **argv, lun_pool *pool)
{
    int  i;

    w->server = lun_pool_alloc(pool, ((size_t) argc + 1) * sizeof(char *));
    w->own = lun_pool_alloc(pool, ((size_t) argc + 1) * sizeof(char *));
    w->server[0] = argv[0];
    w->server_count = 1;
    w->own_count = 0;

    for (i = 1; i < argc; i++) {
        if (!is_servers(argv[i])) {
            w->own[w->own_count++] = argv[i];
            continue;
        }

        w->server[w->server_count++] = argv[i];

        if (argv[i][2] == '\0' && i + 1 < argc) {
            w->server[w->server_count++] = argv[++i];
        }
    }
}


/* tell(): whether the server was told to begin, or to end. */
static int
tell(lua_State *L)
{
    const lun_generation  *gen = lua_touserdata(L, lua_upvalueindex(1));

    lua_pushboolean(L, lun_signals_send(gen, LUN_SIGNAL_PROFILE) == 0);
    return 1;
}


/* wait(ms) */
static int
wait_a_while(lua_State *L)
{
    lun_time_sleep((lun_msec) lun_number_at(L, 1, 0, SLEEP_MOST));
    return 0;
}


/* require("lunette.profile").main(words, server) */
static int
run_lua(lua_State *L, const words *w, lun_generation *gen)
{
    int      i;
    lun_str  path = lun_error_log_path(&gen->log);

    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunette.profile");

    if (lun_vm_call(L, 1, 1) == 0) {
        lua_getfield(L, -1, "main");
        lua_createtable(L, w->own_count, 0);

        for (i = 0; i < w->own_count; i++) {
            lua_pushstring(L, w->own[i]);
            lua_rawseti(L, -2, i + 1);
        }

        lua_createtable(L, 0, 3);
        lua_pushlstring(L, path.data, path.len);
        lua_setfield(L, -2, "error_log");
        lua_pushlightuserdata(L, gen);
        lua_pushcclosure(L, tell, 1);
        lua_setfield(L, -2, "tell");
        lua_pushcfunction(L, wait_a_while);
        lua_setfield(L, -2, "wait");

        if (lun_vm_call(L, 2, 1) == 0) {
            return (int) lun_number_at(L, -1, 0, 255);
        }
    }

    fprintf(stderr, LUN_PRODUCT ": %.*s\n", LUN_S(lun_co_error_text(L)));
    return 1;
}


/*
 * The configuration is only read to find the running server: its pid file and
 * its control.
 */
int
lun_profile_tool(int argc, char **argv)
{
    int              status = 1;
    words            w;
    lun_err          err;
    lua_State       *L;
    lun_pool        *pool = lun_pool_new_sized(1024);
    lun_options      o;
    lun_generation  *gen;

    lun_startlog_open(LUN_STR("stderr"));
    split_words(&w, argc, argv, pool);

    if (lun_options_parse(&o, w.server_count, w.server, pool) != LUN_OK) {
        goto free_pool;
    }

    err = lun_shm_init();

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "no room for shared memory");
        goto free_pool;
    }

    gen = lun_generation_new(&o, 1, NULL, NULL);

    if (gen == NULL) {
        goto free_pool;
    }

    L = lun_vm_open_state();

    if (L != NULL) {
        status = run_lua(L, &w, gen);
        lua_close(L);
    }

    lun_generation_free(gen);

free_pool:

    lun_pool_free(pool);
    return status;
}
