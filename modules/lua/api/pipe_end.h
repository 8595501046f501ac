/*
 * pipe_end.h -- our end of a pipe to a program, for coroutines that read or
 * write it; and how a coroutine waits in a place where only one may.
 *
 * An end is either read or written.  What has come and was asked for by
 * nobody is kept for the next read: a time-out or a killed thread loses
 * nothing.  A write that is given up takes back what the system has not yet
 * passed on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_PIPE_END_H
#define LUN_LUA_PIPE_END_H

#include "modules/lua/run/thread.h"
#include "os/port.h"

typedef struct lun_pipe_end  lun_pipe_end;

/*
 * `fd` (os/proc.h) is the end's from then on, also after an error, which
 * gives NULL.  `size`: the bytes that one read asks the system for; `name`:
 * "stdin", "stdout" or "stderr".
 */
lun_pipe_end *lun_pipe_end_new(lun_loop *loop, lun_fd fd, size_t size,
    const char *name, lun_err *err);

/*
 * Closes it.  The memory goes when the system has given back what it works
 * on.  NULL does nothing.
 */
void lun_pipe_end_free(lun_pipe_end *e);

/*
 * Closes it: the coroutine that waits gets nil and `why`, what was kept is
 * dropped, later calls get nil, "closed".
 */
void lun_pipe_end_close(lun_pipe_end *e, const char *why);

/*
 * The program has ended.  An end that was ever read stays readable to its
 * end, and what the pipe still holds is fetched now, so that the descriptor
 * can go; every other is closed ("closed").
 */
void lun_pipe_end_finish(lun_pipe_end *e);

/*
 * A piece of what comes; nil, "closed", true at the end of it; or nil and an
 * error.  Returns what the lua_CFunction must return.  limit: ms, 0 for ever.
 */
int lun_pipe_end_read(lun_pipe_end *e, lun_co *co, lun_msec limit);

/* `len` when the system has taken all of the text; or nil and an error. */
int lun_pipe_end_write(lun_pipe_end *e, lun_co *co, const char *text,
    size_t len, lun_msec limit);

/* nil and why: 2, the number of results. */
int lun_pipe_fail(lua_State *L, const char *why);
int lun_pipe_fail_err(lua_State *L, lun_err err);

/* What these say of it, maybe in `room`. */
lun_str lun_pipe_err_text(lun_err err, char *room, size_t size);

/*
 * co is in *place until lun_pipe_waiter() takes it out to wake it; it gets
 * nil, "timeout" after `limit` ms (0: never).  `cancel` is called with data
 * before that, and when the coroutine dies: it takes it out as well.  `what`
 * it does is for the debug log: "reading".
 */
int lun_pipe_await(lun_co **place, lun_co *co, lun_msec limit,
    const char *what, lun_co_cancel_fn *cancel, void *data);
lun_co *lun_pipe_waiter(lun_co **place);

#endif
