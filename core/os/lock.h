/*
 * lock.h -- a lock word in shared memory that outlives its holder.
 *
 * The word holds the owner's process.  Whoever waits too long asks whether
 * the owner lives; the master frees the locks of a worker that it reaped.
 * What the lock guards may then be half-written: the taker is told.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_LOCK_H
#define LUN_OS_LOCK_H

#include <stdatomic.h>

#include "base/base.h"

typedef struct {
    _Atomic uint64_t  owner;       /* 0: free; else pid and start time */
} lun_lock;

typedef enum {
    LUN_LOCK_TAKEN,
    LUN_LOCK_ORPHAN                /* taken from a dead owner: check it */
} lun_lock_verdict;

/* This process, as the word has it.  Not 0; differs after a pid's reuse. */
uint64_t lun_lock_self(void);

/* Call in a worker's first moments (after a fork the cached self is wrong). */
void lun_lock_init_process(void);

bool lun_lock_try(lun_lock *lock);
lun_lock_verdict lun_lock_take(lun_lock *lock);
void lun_lock_free(lun_lock *lock);

/* The process that such a word names, as in proc.h. */
static inline int64_t
lun_lock_pid_of(uint64_t owner)
{
    return (int64_t) (owner >> 32);
}

/* Whether the process of such a word still runs. */
bool lun_lock_owner_lives(uint64_t owner);

/*
 * Frees the lock if that process held it.  True when it did: its data may be
 * half-written.  `pid` as in proc.h; for the master only.
 */
bool lun_lock_seize(lun_lock *lock, int64_t pid);

/* A hint to the processor, and to the scheduler, inside a spin loop. */
void lun_cpu_relax(void);
void lun_cpu_yield(void);

#endif
