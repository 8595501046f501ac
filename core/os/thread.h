/*
 * thread.h -- threads, for work that would block the loop, and a monitor for
 * what they share with it: a lock, and one condition to wait for.
 *
 * A thread is never joined and has no name.  Signals are never delivered to
 * one of these.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_THREAD_H
#define LUN_OS_THREAD_H

#include "os/err.h"

typedef void lun_thread_fn(void *data);

/* Runs it in a thread of its own, which ends when it returns. */
lun_err lun_thread_start(lun_thread_fn *run, void *data);

typedef struct lun_monitor  lun_monitor;

/* Never NULL; for the life of the process: there is no end of it. */
lun_monitor *lun_monitor_new(void);

void lun_monitor_enter(lun_monitor *m);
void lun_monitor_leave(lun_monitor *m);

/*
 * Inside: leaves it until somebody tells, and is inside again.  It may return
 * without that, so the caller looks at its condition again.
 */
void lun_monitor_wait(lun_monitor *m);

/* The same for at most `ms`. */
void lun_monitor_wait_for(lun_monitor *m, lun_msec ms);

/* Inside: wakes all who wait. */
void lun_monitor_send(lun_monitor *m);

/*
 * The calling thread is the one that lun_thread_interrupt() interrupts: the
 * loop's.  Once in a process.
 */
lun_err lun_thread_watched(void);

/*
 * From another thread: runs fn while the watched thread stands still, wherever
 * that is (in the middle of malloc, say): fn may do no more than a signal
 * handler may.  On Linux it is one, of SIGVTALRM, in that thread and a moment
 * later; on Windows the caller runs it and the other is suspended.
 */
typedef void lun_interrupt_fn(void);
lun_err lun_thread_interrupt(lun_interrupt_fn *fn);

#endif
