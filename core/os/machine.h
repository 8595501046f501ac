/*
 * machine.h -- what this system gives a server: `lunette check`.
 *
 * A row looks at one thing and says what it found, in a text that a person
 * reads and may hand on. The rows here are those that only the system's own
 * calls can answer; core/run/tools/check.c has those that hold on both.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_MACHINE_H
#define LUN_OS_MACHINE_H

#include "os/err.h"

typedef enum {
    LUN_MACHINE_GOOD,
    LUN_MACHINE_NOTE,              /* it serves, but not as well as it could */
    LUN_MACHINE_BAD                /* something will not work */
} lun_machine_verdict;

typedef struct {
    lun_machine_verdict  verdict;
    char                 text[256];        /* what was found, one line */
    const char          *advice;   /* what to do, static; NULL: nothing */
} lun_machine_finding;

/* `folder` may be written to; it is empty, and is cleared afterwards. */
typedef void lun_machine_fn(const char *folder, lun_machine_finding *f);

typedef struct {
    const char      *name;         /* "open files"; at most 20 letters */
    lun_machine_fn  *look;
} lun_machine_row;

/* This system's; the last one's name is NULL. */
extern const lun_machine_row  lun_machine_rows[];

/* Fills a finding; the text is printf's, and cut when it is too long. */
void lun_machine_say(lun_machine_finding *f, lun_machine_verdict verdict,
    const char *advice, const char *fmt, ...) LUN_PRINTF(4, 5);

#endif
