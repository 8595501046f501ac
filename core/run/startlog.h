/*
 * startlog.h -- the log before there is a generation: standard error, as
 * "lunette: [emerg] text", and the error log of -e or its default.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STARTLOG_H
#define LUN_STARTLOG_H

#include "config/generation.h"

/* Makes it the default log.  path: absolute, or "stderr". */
void lun_startlog_open(lun_str path);

/* From now on lines go to the generation's log, and to standard error. */
void lun_startlog_use(const lun_generation *gen);

/* The generation's log alone is the default one. */
void lun_startlog_close(const lun_generation *gen);

/*
 * The terminal is let go: what is written to standard error, by whomever,
 * goes to the generation's error log.  Again after a reload or a reopen.
 */
void lun_startlog_redirect(const lun_generation *gen);

/* Gives the log the time, the process and the errors' texts. */
void lun_startlog_services(void);

/* One line "lunette: text" on standard error. */
void lun_startlog_say(const char *fmt, ...) LUN_PRINTF(1, 2);

#endif
