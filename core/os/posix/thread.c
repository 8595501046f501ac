/*
 * thread.c -- POSIX threads.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/check.h"
#include "base/pool.h"

struct lun_monitor {
    pthread_mutex_t  mutex;
    pthread_cond_t   cond;
};

typedef struct {
    lun_thread_fn  *run;
    void           *data;
} order;

static pthread_t                    watched;
static _Atomic(lun_interrupt_fn *)  interruption;


static void *
begin(void *data)
{
    order  o = *(order *) data;

    lun_free(data);
    o.run(o.data);
    return NULL;
}


/* It is born with the signals of its maker, so those are all blocked then. */
lun_err
lun_thread_start(lun_thread_fn *run, void *data)
{
    int        rc;
    order     *o = lun_calloc(sizeof(order));
    sigset_t   all, were;
    pthread_t  thread;

    o->run = run;
    o->data = data;

    (void) sigfillset(&all);
    LUN_CHECK(pthread_sigmask(SIG_SETMASK, &all, &were) == 0);
    rc = pthread_create(&thread, NULL, begin, o);
    LUN_CHECK(pthread_sigmask(SIG_SETMASK, &were, NULL) == 0);

    if (rc != 0) {
        lun_free(o);
        return rc;
    }

    (void) pthread_detach(thread);
    return 0;
}


lun_monitor *
lun_monitor_new(void)
{
    lun_monitor         *m = lun_calloc(sizeof(lun_monitor));
    pthread_condattr_t   attr;

    /* The wall clock may be set while somebody waits. */
    LUN_CHECK(pthread_condattr_init(&attr) == 0);
    LUN_CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    LUN_CHECK(pthread_mutex_init(&m->mutex, NULL) == 0);
    LUN_CHECK(pthread_cond_init(&m->cond, &attr) == 0);
    LUN_CHECK(pthread_condattr_destroy(&attr) == 0);
    return m;
}


void
lun_monitor_enter(lun_monitor *m)
{
    LUN_CHECK(pthread_mutex_lock(&m->mutex) == 0);
}


void
lun_monitor_leave(lun_monitor *m)
{
    LUN_CHECK(pthread_mutex_unlock(&m->mutex) == 0);
}


void
lun_monitor_wait(lun_monitor *m)
{
    LUN_CHECK(pthread_cond_wait(&m->cond, &m->mutex) == 0);
}


void
lun_monitor_wait_for(lun_monitor *m, lun_msec ms)
{
    int              rc;
    struct timespec  until;

    LUN_CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
    until.tv_sec += (time_t) (ms / 1000);
    until.tv_nsec += (long) (ms % 1000) * 1000000;

    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }

    rc = pthread_cond_timedwait(&m->cond, &m->mutex, &until);
    LUN_CHECK(rc == 0 || rc == ETIMEDOUT);
}


void
lun_monitor_send(lun_monitor *m)
{
    LUN_CHECK(pthread_cond_broadcast(&m->cond) == 0);
}


static void
on_interrupt(int signo)
{
    int                err = errno;
    lun_interrupt_fn  *fn = atomic_exchange(&interruption, NULL);

    if (fn != NULL) {
        fn();
    }

    errno = err;
}


lun_err
lun_thread_watched(void)
{
    struct sigaction  action = { .sa_handler = on_interrupt,
                                 .sa_flags = SA_RESTART };

    /* SIGURG is that of wake.c. */
    watched = pthread_self();
    return sigaction(SIGVTALRM, &action, NULL) == 0 ? 0 : errno;
}


lun_err
lun_thread_interrupt(lun_interrupt_fn *fn)
{
    atomic_store(&interruption, fn);
    return pthread_kill(watched, SIGVTALRM);
}
