/*
 * thread.c -- POSIX threads.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/thread.h"

#include <pthread.h>
#include <signal.h>

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
    lun_monitor  *m = lun_calloc(sizeof(lun_monitor));

    LUN_CHECK(pthread_mutex_init(&m->mutex, NULL) == 0);
    LUN_CHECK(pthread_cond_init(&m->cond, NULL) == 0);
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
lun_monitor_send(lun_monitor *m)
{
    LUN_CHECK(pthread_cond_broadcast(&m->cond) == 0);
}
