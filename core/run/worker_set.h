/*
 * worker_set.h -- the master's workers: starting them, telling them a word,
 * starting anew what has died.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WORKER_SET_H
#define LUN_WORKER_SET_H

#include "base/list.h"
#include "net/timer.h"
#include "run/boot.h"

typedef struct lun_worker_proc  lun_worker_proc;

/* The workers of one generation. */
typedef struct {
    lun_generation  *gen;
    uint32_t         number;           /* its */
    lun_generation  *beside;           /* also open, during a reload */
    lun_boot        *boot;
    lun_shm          shm;              /* it lies in that */
    lun_list         list;             /* of lun_worker_proc */
    size_t           alive;
    bool             respawn;          /* those that die */
    bool             fatal;            /* one said that none would do better */
} lun_worker_set;

/* Starts all workers of a generation.  LUN_ERROR: none could be. */
lun_worker_set *lun_worker_set_new(lun_generation *gen, const lun_options *o);

/* Those that are still alive are no longer known. */
void lun_worker_set_free(lun_worker_set *w);

/* Starts all of them; a system that refuses one is logged. */
lun_rc lun_worker_set_start(lun_worker_set *w);

/* Whether each accepts connections. */
bool lun_worker_set_ready(const lun_worker_set *w);

/* QUIT and STOP also end the respawning. */
void lun_worker_set_send(lun_worker_set *w, lun_signal signal);
void lun_worker_set_kill(lun_worker_set *w);

/*
 * A process has died: false if it is not one of these.  It is forgotten, or
 * started anew: at once, later if it has died young again and again.
 */
bool lun_worker_set_died(lun_worker_set *w, int64_t pid, int code);

#endif
