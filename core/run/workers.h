/*
 * workers.h -- the master's workers: starting them, telling them a word,
 * starting anew what has died.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WORKERS_H
#define LUN_WORKERS_H

#include "base/list.h"
#include "net/timer.h"
#include "run/boot.h"

typedef struct lun_worker_proc  lun_worker_proc;

/* The workers of one generation. */
typedef struct {
    lun_generation  *gen;
    lun_generation  *beside;           /* also open, during a reload */
    lun_boot        *boot;
    lun_list         list;             /* of lun_worker_proc */
    size_t           alive;
    bool             respawn;          /* those that die */
    bool             fatal;            /* one said that none would do better */
} lun_workers;

/* Starts all workers of a generation.  LUN_ERROR: none could be. */
lun_workers *lun_workers_new(lun_generation *gen, const lun_options *o);

/* Those that are still alive are no longer known. */
void lun_workers_free(lun_workers *w);

/* Starts all of them; a system that refuses one is logged. */
lun_rc lun_workers_start(lun_workers *w);

/* Whether each accepts connections. */
bool lun_workers_ready(const lun_workers *w);

/* QUIT and STOP also end the respawning. */
void lun_workers_send(lun_workers *w, lun_signal signal);
void lun_workers_kill(lun_workers *w);

/*
 * A process has died: false if it is not one of these.  It is forgotten, or
 * started anew: at once, later if it has died young again and again.
 */
bool lun_workers_died(lun_workers *w, int64_t pid, int code);

#endif
