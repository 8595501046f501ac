/*
 * proc_priv.h -- what proc.c, child.c, self.c, control.c and wake.c share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POSIX_PROC_PRIV_H
#define LUN_POSIX_PROC_PRIV_H

#include <sys/types.h>

#include "os/proc.h"
#include "os/wake.h"

/* Calls on_word(data, word) for each word told to this process. */
void lun_proc_on_signal(lun_port *port, lun_signal_fn *on_signal, void *data);

/* Calls woken(data) when another process has sent SIGURG; NULL: no more. */
lun_err lun_proc_on_wake(lun_wake_fn *woken, void *data);

/* The signal that carries a word; 0 if none does. */
int lun_proc_signal(lun_signal signal);

/* --- child.c: the processes that we started and have not forgotten --- */

void lun_child_add(pid_t pid);

/* Whether it was started with all that it starts as a group. */
bool lun_child_is_group(const lun_proc *proc);

/* In a forked child: they are the parent's. */
void lun_child_clear(void);

/* Collects those that have died. */
void lun_child_reap(lun_proc_exit_fn *on_exit, void *data);

#endif
