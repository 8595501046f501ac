/*
 * control.h -- telling a running master a word: nginx's `-s`.
 *
 * On Linux it is a signal to the pid of the pid file.  On Windows it is a
 * named pipe that carries the pid in its name, lets in administrators, SYSTEM
 * and the owner, and answers in words when the thing is done.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_CONTROL_H
#define LUN_OS_CONTROL_H

#include "os/proc.h"

typedef struct lun_control  lun_control;

/*
 * A word has come.  Answer exactly once, now or later, with
 * lun_control_answer(); on Linux `c` is NULL and answers go nowhere.
 */
typedef void lun_control_fn(void *data, lun_signal signal, lun_control *c);

/* Master: starts to listen for words.  Replaces lun_proc_listen's on_word. */
lun_err lun_control_open(lun_port *port, lun_control_fn *on_signal, void *data);
void lun_control_close(void);

void lun_control_answer(lun_control *c, bool ok, const char *text);

/*
 * Client: tells the master `pid`.  LUN_OK when it was delivered (Linux) or
 * done (Windows); else LUN_ERROR and why, in words.
 */
lun_rc lun_control_send(int64_t pid, lun_signal signal, lun_msec limit,
    char *why, size_t room);

#endif
