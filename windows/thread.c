/*
 * thread.c -- threads, slim locks and condition variables.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/thread.h"

#include "windows/win.h"

#include "base/check.h"
#include "base/pool.h"

struct lun_monitor {
    SRWLOCK             lock;
    CONDITION_VARIABLE  cond;
};

typedef struct {
    lun_thread_fn  *run;
    void           *data;
} order;

static HANDLE  watched;


static DWORD WINAPI
begin(void *data)
{
    order  o = *(order *) data;

    lun_free(data);
    o.run(o.data);
    return 0;
}


lun_err
lun_thread_start(lun_thread_fn *run, void *data)
{
    order    *o = lun_calloc(sizeof(order));
    HANDLE    thread;
    lun_err   err;

    o->run = run;
    o->data = data;
    thread = CreateThread(NULL, 0, begin, o, 0, NULL);

    if (thread == NULL) {
        err = (lun_err) GetLastError();
        lun_free(o);
        return err;
    }

    (void) CloseHandle(thread);
    return 0;
}


lun_monitor *
lun_monitor_new(void)
{
    lun_monitor  *m = lun_calloc(sizeof(lun_monitor));

    InitializeSRWLock(&m->lock);
    InitializeConditionVariable(&m->cond);
    return m;
}


void
lun_monitor_enter(lun_monitor *m)
{
    AcquireSRWLockExclusive(&m->lock);
}


void
lun_monitor_leave(lun_monitor *m)
{
    ReleaseSRWLockExclusive(&m->lock);
}


void
lun_monitor_wait(lun_monitor *m)
{
    LUN_CHECK(SleepConditionVariableSRW(&m->cond, &m->lock, INFINITE, 0));
}


void
lun_monitor_wait_for(lun_monitor *m, lun_msec ms)
{
    (void) SleepConditionVariableSRW(&m->cond, &m->lock, (DWORD) ms, 0);
}


void
lun_monitor_send(lun_monitor *m)
{
    WakeAllConditionVariable(&m->cond);
}


lun_err
lun_thread_watched(void)
{
    HANDLE  process = GetCurrentProcess();

    if (watched != NULL) {
        return 0;
    }

    return DuplicateHandle(process, GetCurrentThread(), process, &watched, 0,
                           FALSE, DUPLICATE_SAME_ACCESS)
           ? 0 : (lun_err) GetLastError();
}


/* SuspendThread() only asks; who reads the context has waited for it. */
lun_err
lun_thread_interrupt(lun_interrupt_fn *fn)
{
    CONTEXT  at = { .ContextFlags = CONTEXT_CONTROL };

    if (SuspendThread(watched) == (DWORD) -1) {
        return (lun_err) GetLastError();
    }

    if (GetThreadContext(watched, &at)) {
        fn();
    }

    (void) ResumeThread(watched);
    return 0;
}
