/*
 * loop.h -- the one loop of a process: wait, dispatch, timers, posted tasks.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOOP_H
#define LUN_LOOP_H

#include "os/clock.h"
#include "net/timer.h"
#include "os/port.h"

/* Something to do soon, outside the present call. */
typedef struct lun_task  lun_task;
typedef void lun_task_fn(lun_task *task);
struct lun_task {
    lun_task_fn  *run;
    lun_task     *next;
    bool          posted;
};

/*
 * Makes the process's port; call it again in a forked worker (everything that
 * was registered before is forgotten, not closed).
 */
lun_err lun_loop_init(void);
void lun_loop_fini(void);

lun_port *lun_loop_port(void);

/*
 * Runs until lun_loop_stop(), which may have come before.  One turn: a wait no
 * longer than the next timer (none if a task is posted), completions, due
 * timers, posted tasks.  So a turn that was waited for has also done what it
 * woke up for.
 */
void lun_loop_run(void);
void lun_loop_turn(lun_msec limit);
void lun_loop_stop(void);

/*
 * Runs it at the end of this turn, or of the next if tasks run already; in
 * order; twice is once.
 */
void lun_loop_post(lun_task *task, lun_task_fn *run);
/* Takes it back. */
void lun_loop_unpost(lun_task *task);
/* Posted, and not yet begun. */
size_t lun_loop_task_count(void);

#endif
