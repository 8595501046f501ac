/*
 * thread_pool.c -- one set of threads for all pools of the process.
 *
 * A job that its pool admits goes to the common queue `ready`; there are at
 * any time as many threads as jobs were ever ready or running at once.  Who
 * ends a job takes the next one of the same pool along.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/thread_pool.h"

#include "base/check.h"
#include "os/thread.h"

/* All below, and what is the room's own in pools, is guarded by it. */
static lun_monitor  *monitor;
static lun_job      *ready, *ready_last;
static unsigned      threads, busy;    /* busy: ready ones are counted */

static size_t        job_count;        /* of those below; the loops' own */


static void
push(lun_job **first, lun_job **last, lun_job *job)
{
    job->next = NULL;

    if (*first == NULL) {
        *first = job;
    } else {
        (*last)->next = job;
    }

    *last = job;
}


static lun_job *
pop(lun_job **first)
{
    lun_job  *job = *first;

    LUN_CHECK(*first != NULL);

    *first = job->next;
    return job;
}


static void
on_done(lun_op *op)
{
    lun_job  *job = lun_container_of(op, lun_job, op);

    LUN_CHECK(job_count > 0);

    job_count--;
    job->done(job);
}


/* Its place in the pool is the next one's; from here it is the loop's. */
static void
end_job(lun_job *job)
{
    lun_thread_pool  *tp = job->tp;

    LUN_CHECK(tp->running > 0);

    if (tp->first != NULL) {
        tp->waiting--;
        push(&ready, &ready_last, pop(&tp->first));
    } else {
        tp->running--;
        busy--;
    }

    job->op.done = on_done;
    lun_port_post_remote(job->port, &job->op);
    lun_monitor_send(monitor);
}


static void
run_thread(void *data)
{
    lun_job  *job;

    lun_monitor_enter(monitor);

    for ( ;; ) {
        while (ready == NULL) {
            lun_monitor_wait(monitor);
        }

        job = pop(&ready);
        lun_monitor_leave(monitor);
        job->work(job);
        lun_monitor_enter(monitor);
        end_job(job);
    }
}


/* One thread for each job that is on its way: 0, or why there is none. */
static lun_err
want_thread(void)
{
    lun_err  err;

    if (busy < threads) {
        return 0;
    }

    err = lun_thread_start(run_thread, NULL);

    if (err == 0) {
        threads++;
    }

    return err;
}


/*
 * Threads are shared by all pools of the process; a pool's `threads` bounds how
 * many it has at work at a time.
 */
static lun_rc
admit(lun_thread_pool *tp, lun_job *job, const lun_log *log)
{
    lun_err  err;

    if (tp->running >= tp->threads) {
        if (tp->waiting >= tp->max_queue) {
            lun_log(LUN_LOG_ERR, log, 0, "thread pool \"%.*s\" queue "
                    "overflow: %" PRId64 " tasks waiting", LUN_S(tp->name),
                    tp->waiting);
            return LUN_ERROR;
        }

        tp->waiting++;
        push(&tp->first, &tp->last, job);
        return LUN_OK;
    }

    err = want_thread();

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, log, err, "could not start a thread of thread "
                "pool \"%.*s\"", LUN_S(tp->name));
        return LUN_ERROR;
    }

    tp->running++;
    busy++;
    push(&ready, &ready_last, job);
    lun_monitor_send(monitor);
    return LUN_OK;
}


lun_rc
lun_thread_pool_add(lun_thread_pool *tp, lun_loop *loop, lun_job *job,
    const lun_log *log)
{
    lun_rc  rc;

    LUN_CHECK(job->work != NULL && job->done != NULL);

    if (monitor == NULL) {
        monitor = lun_monitor_new();
    }

    job->tp = tp;
    job->port = loop->port;
    lun_monitor_enter(monitor);
    rc = admit(tp, job, log);
    lun_monitor_leave(monitor);
    job_count += rc == LUN_OK;
    return rc;
}


size_t
lun_thread_pool_job_count(void)
{
    return job_count;
}


void
lun_thread_pool_drain(lun_thread_pool *tp)
{
    if (monitor == NULL) {
        return;
    }

    lun_monitor_enter(monitor);

    while (tp->running != 0) {
        lun_monitor_wait(monitor);
    }

    lun_monitor_leave(monitor);
}
