/*
 * signals.h -- signals to a master: what the log says of them, and what an
 * answer says when one could not be done.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SIGNALS_H
#define LUN_SIGNALS_H

#include "config/generation.h"
#include "os/proc.h"

/* "signal 1 (SIGHUP) received, reconfiguring" */
void lun_signals_log(lun_signal signal, const lun_log *log);

/*
 * Keeps the first [emerg] line of the default log from here on, until the
 * next default log is set: why a reload has failed, for who asked for it.
 */
void lun_signals_keep_error(const lun_generation *gen);
const char *lun_signals_last_error(void);

/* Another process of ours has logged it. */
void lun_signals_set_error(const char *text);

/*
 * -s: tells the server of that pid file.  The exit status; what is wrong is
 * logged.
 */
int lun_signals_send(const lun_generation *gen, lun_signal signal);

#endif
