/*
 * machine.c -- the texts of `lunette check`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/machine.h"

#include <stdarg.h>

#include "base/fmt.h"


void
lun_machine_say(lun_machine_finding *f, lun_machine_verdict verdict,
    const char *advice, const char *fmt, ...)
{
    char     *end;
    va_list   args;

    va_start(args, fmt);
    end = lun_vfmt(f->text, f->text + sizeof(f->text) - 1, fmt, args);
    va_end(args);

    *end = '\0';
    f->verdict = verdict;
    f->advice = advice;
}
