/*
 * panic_help.h -- whether a statement ends the process, without that end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PANIC_HELP_H
#define LUN_PANIC_HELP_H

#include <setjmp.h>

#include "base/check.h"

static jmp_buf  panic_out;

/* Leaves lun_panic() before it aborts. */
static void
leave_panic(const char *text, size_t size)
{
    longjmp(panic_out, 1);
}

/* 1 if it fails a LUN_CHECK or a LUN_NEVER. */
#define panics(statement)                                                     \
    (lun_panic_set_sink(leave_panic),                                         \
     setjmp(panic_out) == 0 ? ((void) (statement), 0) : 1)

#endif
