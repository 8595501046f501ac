/*
 * pipe.h -- programs that scripts have started, for those who have no Lua
 * object of one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_PIPE_H
#define LUN_LUA_PIPE_H

#include "modules/lua/lua.h"
#include "os/proc.h"

/* As in ngx/pipe.lua: STD... */
enum { LUN_PIPE_IN, LUN_PIPE_OUT, LUN_PIPE_ERR, LUN_PIPE_ENDS };

/* Arguments, or lines of an environment; bytes that one read asks for. */
enum { LUN_PIPE_ARGS_MOST = 4096, LUN_PIPE_PIECE_MOST = 1 << 20 };

typedef struct lun_pipe  lun_pipe;

/* False: not in this process, as *why says. */
bool lun_pipe_can_start(const char **why);

/*
 * The caller has it then, who says lun_pipe_put() in the end; NULL: *err.
 * `merge`: errors go where the output goes.
 */
lun_pipe *lun_pipe_start(const lun_proc_command *command, bool merge,
    size_t size, lun_err *err);

/* One more who has it, and one less: the program of nobody is killed. */
lun_pipe *lun_pipe_get(lun_pipe *p);
void lun_pipe_put(lun_pipe *p);

/* Pushes a userdata, as the functions of `lunette.native` take it. */
void lun_pipe_push(lua_State *L, lun_pipe *p);

int64_t lun_pipe_pid(const lun_pipe *p);

/* NULL, or why not. */
const char *lun_pipe_shutdown(lun_pipe *p, int which);
const char *lun_pipe_kill(lun_pipe *p, int signal);

#endif
