/*
 * worker.h -- a process that serves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WORKER_H
#define LUN_WORKER_H

#include "run/boot.h"

/* What this process serves, a master's included. */
typedef struct {
    lun_loop         loop;         /* only what makes a generation asks for it
                                      here */
    lun_generation  *gen;
} lun_worker_info;

extern lun_worker_info  lun_worker;

/* What a worker exits with when another would do no better. */
enum { LUN_EXIT_FATAL = 2 };

/* "worker process", or what its agent is called. */
const char *lun_worker_kind(const lun_generation *gen, unsigned number);

/*
 * Runs a worker of a generation that is open; ends the process.  `beside`: the
 * other generation that the master had open when it forked, or NULL.
 */
LUN_NORETURN void lun_worker_run(lun_generation *gen, lun_boot *boot,
    unsigned number, lun_generation *beside);

/*
 * A Windows worker: builds its generation from the boot block first.  The
 * handles are this process's, in the order of the listeners.
 */
LUN_NORETURN void lun_worker_boot(lun_boot *boot, unsigned number,
    const lun_fd *fds, size_t count);

/* `master_process off`: serves until it is told to end; the exit status. */
int lun_worker_alone(lun_generation *gen, const lun_options *o);

#endif
