/*
 * thread_pool.h -- blocking work on threads: what `thread_pool` asks for.
 *
 * A thread pool is a limit and a queue: so many jobs at a time, so many that
 * wait. The threads are the process's, are started when there is work for
 * them, and stay.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_THREAD_POOL_H
#define LUN_THREAD_POOL_H

#include "base/log.h"
#include "net/loop.h"

typedef struct lun_thread_pool  lun_thread_pool;
typedef struct lun_job   lun_job;
typedef void lun_job_fn(lun_job *job);

struct lun_job {
    lun_job_fn  *work;             /* in a thread */
    lun_job_fn  *done;             /* in its loop, after that: has the job */

    /* The room's own. */
    lun_thread_pool    *tp;
    lun_job            *next;
    lun_port           *port;      /* that it comes back by */
    lun_op              op;
};

struct lun_thread_pool {
    lun_str      name;
    int64_t      threads;          /* jobs at a time */
    int64_t      max_queue;        /* jobs that wait for their turn */

    /* The room's own. */
    int64_t      running;
    int64_t      waiting;
    lun_job     *first, *last;     /* those that wait */
};

/*
 * Zeroed, with work and done set: runs the job, soon, for that loop.
 * LUN_ERROR: logged, the queue is full or the system has no thread, and the
 * job is the caller's.
 */
lun_rc lun_thread_pool_add(lun_thread_pool *tp, lun_loop *loop, lun_job *job,
    const lun_log *log);

/* Jobs of all thread pools that were added and are not yet `done`. */
size_t lun_thread_pool_job_count(void);

/*
 * Waits, blocking, until no job of it runs or is queued.  Their `done` may
 * still come from the loop.
 */
void lun_thread_pool_drain(lun_thread_pool *tp);

#endif
