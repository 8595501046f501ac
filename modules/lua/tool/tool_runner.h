/*
 * tool_runner.h -- programs that run `lunette run`: --gdb, --valgrind and such.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_TOOL_RUNNER_H
#define LUN_LUA_TOOL_RUNNER_H

#include "base/array.h"

enum { LUN_TOOL_RUNNERS = 5 };

typedef struct {
    lun_pool    *pool;
    bool         wanted[LUN_TOOL_RUNNERS];
    const char  *options[LUN_TOOL_RUNNERS];   /* of its own; NULL: none */
    lun_array    kept;             /* words that are ours, in their order */
} lun_tool_runner;

void lun_tool_runner_init(lun_tool_runner *r, lun_pool *pool);

/* An option such as "gdb", "gdb-opts" or "user-runner", and its value. */
void lun_tool_runner_take(lun_tool_runner *r, const char *name,
    const char *value);

/* Any other word of the command line. */
void lun_tool_runner_keep(lun_tool_runner *r, const char *word);

/* Whether two are wanted: which. */
bool lun_tool_runner_conflict(const lun_tool_runner *r, const char **one,
    const char **other);

/* The whole command, to NULL; NULL: none is wanted. */
const char **lun_tool_runner_command(const lun_tool_runner *r);

#endif /* LUN_LUA_TOOL_RUNNER_H */
