/*
 * wake.h -- a process wakes another one, for something that it has put into
 * memory which both see.
 *
 * A lun_wake lies in shared memory (shm.h), zeroed at first.  It carries no
 * message and counts nothing: who is woken looks at what is there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_WAKE_H
#define LUN_OS_WAKE_H

#include <stdatomic.h>

#include "os/port.h"

typedef struct {
    _Atomic uint64_t  owner;       /* as in lock.h: who can be woken; 0: nobody
                                      at present */
    _Atomic intptr_t  handle;      /* the system's own */
} lun_wake;

typedef void lun_wake_fn(void *data);

/*
 * From now on this process is woken by it: `woken` is called from
 * lun_port_wait(), and may be when another lun_wake of this process was meant.
 * There can be a few of them (woken.h), all of one port, for which the process
 * has called lun_proc_listen().
 */
lun_err lun_wake_open(lun_wake *w, lun_port *port, lun_wake_fn *woken,
    void *data);
void lun_wake_close(lun_wake *w);

/* Does nothing when its owner is not there any more. */
void lun_wake_send(lun_wake *w);

#endif
