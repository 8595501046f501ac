/*
 * tool.h -- Lua outside of requests: `lunette run`, `spec` and `init`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_TOOL_H
#define LUN_LUA_TOOL_H

#include "config/generation.h"

/* The arguments of this process, by the name that libraries look for. */
extern LUN_EXPORT char  **ngx_argv;

/* What the roof does for a tool that wants timers, sockets or dictionaries. */
typedef struct {
    /*
     * Makes this process the only worker of a generation without listeners:
     * the file `conf` (NULL: the configuration `text`) is read and opened,
     * its on_init and on_start have run, the loop is ready.  `prefix` may be
     * NULL.  The log is standard error unless the configuration says
     * otherwise.  NULL: it was logged why.
     */
    lun_generation  *(*begin)(const char *prefix, const char *conf,
                         lun_str text);

    /* Runs on_exit; nothing of the generation may be used any more. */
    void             (*end)(lun_generation *gen);

    /* -v, or -V. */
    void             (*say_version)(bool build);
} lun_lua_tool_generation;

/* Whether that is a tool of ours: "run", "sync", "spec", "init", "coverage",
   "types". */
bool lun_lua_tool_is(const char *what);

/* `what` is one of them, argv what follows it; the exit status. */
int lun_lua_tool_main(const char *what, int argc, char **argv,
    const lun_lua_tool_generation *generation);

#endif
