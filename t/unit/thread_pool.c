/*
 * thread_pool.c -- jobs on threads: limits, order, and their return to the
 * loop.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/thread_pool.c"

#include "base/check.h"
#include "os/lock.h"
#include "loop_help.h"
#include "tap.h"

typedef struct {
    lun_job           job;
    _Atomic bool      worked;
    bool              done;
} probe;

static _Atomic bool  go;
static _Atomic int   working, most;
static unsigned      done_count;


static void
work(lun_job *job)
{
    int     now = ++working;
    probe  *p = lun_container_of(job, probe, job);

    if (now > most) {
        most = now;
    }

    while (!go) {
        lun_cpu_yield();
    }

    p->worked = true;
    working--;
}


static void
done(lun_job *job)
{
    probe  *p = lun_container_of(job, probe, job);

    p->done = p->worked;
    done_count++;
}


static lun_rc
add(lun_thread_pool *tp, probe *p)
{
    p->job.work = work;
    p->job.done = done;
    return lun_thread_pool_add(tp, lp, &p->job, NULL);
}


static void
await(unsigned n)
{
    while (done_count < n) {
        lun_loop_turn(lp, 1000);
    }
}


static void
test_limits(void)
{
    int       i;
    probe     jobs[6] = { 0 };
    lun_thread_pool  tp = { .name = LUN_STR("a"), .threads = 2,
        .max_queue = 3 };

    go = false;
    for (i = 0; i < 5; i++) {
        ok(add(&tp, &jobs[i]) == LUN_OK, "two work and three wait: %d", i);
    }

    ok(add(&tp, &jobs[5]) == LUN_ERROR, "a queue that is full refuses");

    while (working < 2) {
        lun_cpu_yield();
    }

    go = true;
    await(5);

    for (i = 0; i < 5; i++) {
        ok(jobs[i].done, "job %d has worked, and then its end came", i);
    }

    ok(most == 2, "never more than two at a time");
    ok(!jobs[5].worked, "the refused one never does");
}


static void
test_rest(void)
{
    probe     jobs[3] = { 0 };
    lun_thread_pool  tp = { .name = LUN_STR("b"), .threads = 1,
        .max_queue = 9 };

    go = true;
    done_count = 0;
    lun_thread_pool_drain(&tp);

    (void) add(&tp, &jobs[0]);
    (void) add(&tp, &jobs[1]);
    (void) add(&tp, &jobs[2]);
    lun_thread_pool_drain(&tp);

    ok(jobs[0].worked && jobs[1].worked && jobs[2].worked,
       "resting waits for those that run and those that wait");
    is_int((int64_t) lun_thread_pool_job_count(), 3, "none is done yet");
    await(3);
    is_int((int64_t) lun_thread_pool_job_count(), 0, "all are");
    ok(threads <= 2, "threads are used again");
}


int
main(void)
{
    lun_clock_update();
    LUN_CHECK(lun_loop_init(lp) == 0);
    test_limits();
    test_rest();
    return done_testing();
}
