/*
 * knock.h -- a worker makes its master look, at something that it has put into
 * memory which both see.
 *
 * wake.h is among equals: a master that may do more than its workers can not be
 * sent a signal by them.  A knock says nothing, and two may be heard as one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_KNOCK_H
#define LUN_OS_KNOCK_H

#include "os/port.h"

typedef void lun_knock_fn(void);

/*
 * In a master, or a process that serves alone: `heard` is called from
 * lun_port_wait() from now on, when a worker that is started later, or this
 * process, has knocked.  Again is harmless, with the same port.
 */
lun_err lun_knock_open(lun_port *port, lun_knock_fn *heard);

/* Nothing is heard any more.  Before the port goes. */
void lun_knock_close(void);

/* Does nothing where nobody listens. */
void lun_knock(void);

#endif
