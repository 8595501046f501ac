/*
 * crew.c -- one set of threads for all crews of the process.
 *
 * A job that its crew admits goes to the common queue `ready`; there are at
 * any time as many threads as jobs were ever ready or running at once.  Who
 * ends a job takes the next one of the same crew along.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/crew.h"

#include "net/loop.h"
#include "os/thread.h"

/* All below, and what is the room's own in crews, is guarded by it. */
static lun_monitor  *monitor;
static lun_job      *ready, *ready_last;
static unsigned      threads, busy;    /* busy: ready ones are counted */
static lun_port     *port;


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

    *first = job->next;
    return job;
}


static void
on_done(lun_op *op)
{
    lun_job  *job = lun_container_of(op, lun_job, op);

    job->done(job);
}


/* Its place in the crew is the next one's; from here it is the loop's. */
static void
end_job(lun_job *job)
{
    lun_crew  *crew = job->crew;

    if (crew->first != NULL) {
        crew->waiting--;
        push(&ready, &ready_last, pop(&crew->first));
    } else {
        crew->running--;
        busy--;
    }

    job->op.done = on_done;
    lun_port_post_remote(port, &job->op);
    lun_monitor_tell(monitor);
}


static void
run_thread(void *data)
{
    lun_job  *job;

    (void) data;
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


static lun_rc
admit(lun_crew *crew, lun_job *job, const lun_log *log)
{
    lun_err  err;

    if (crew->running >= crew->threads) {
        if (crew->waiting >= crew->max_queue) {
            lun_log(LUN_LOG_ERR, log, 0, "thread pool \"%.*s\" queue "
                    "overflow: %" PRId64 " tasks waiting", LUN_S(crew->name),
                    crew->waiting);
            return LUN_ERROR;
        }

        crew->waiting++;
        push(&crew->first, &crew->last, job);
        return LUN_OK;
    }

    err = want_thread();

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, log, err, "could not start a thread of thread "
                "pool \"%.*s\"", LUN_S(crew->name));
        return LUN_ERROR;
    }

    crew->running++;
    busy++;
    push(&ready, &ready_last, job);
    lun_monitor_tell(monitor);
    return LUN_OK;
}


lun_rc
lun_crew_add(lun_crew *crew, lun_job *job, const lun_log *log)
{
    lun_rc  rc;

    if (monitor == NULL) {
        monitor = lun_monitor_new();
    }

    job->crew = crew;
    lun_monitor_enter(monitor);
    port = lun_loop_port();
    rc = admit(crew, job, log);
    lun_monitor_leave(monitor);
    return rc;
}


void
lun_crew_rest(lun_crew *crew)
{
    if (monitor == NULL) {
        return;
    }

    lun_monitor_enter(monitor);

    while (crew->running != 0) {
        lun_monitor_wait(monitor);
    }

    lun_monitor_leave(monitor);
}
