/*
 * check.c -- the panic report: what failed, and what this process was doing.
 *
 * The report is put together in static memory and handed over in one piece,
 * because nothing can be trusted any more: not the stack, not the allocator.
 * A panic inside a panic ends the process without another word.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"


enum { MAX_REPORTERS = 8, REPORT_SIZE = 8192 };


static void to_stderr(const char *text, size_t size);


static lun_panic_fn       *reporters[MAX_REPORTERS];
static size_t              reporter_count;
static lun_panic_sink_fn  *sink = to_stderr;


static void
to_stderr(const char *text, size_t size)
{
    fwrite(text, 1, size, stderr);
    fflush(stderr);
}


void
lun_panic_add(lun_panic_fn *report)
{
    if (reporter_count < MAX_REPORTERS) {
        reporters[reporter_count++] = report;
    }
}


void
lun_panic_set_sink(lun_panic_sink_fn *to)
{
    sink = to != NULL ? to : to_stderr;
}


void
lun_panic(const char *file, int line, const char *what)
{
    size_t        i;
    char         *p;
    const char   *end;
    static char   text[REPORT_SIZE];
    static bool   busy;

    if (busy) {
        abort();
    }

    busy = true;

    p = text;
    end = text + sizeof(text) - 1;
    p = lun_fmt(p, end, "panic: %s (%s:%d)\n", what, file, line);

    /* What is said already goes out first: a reporter may crash. */
    sink(text, (size_t) (p - text));

    for (i = 0; i < reporter_count; i++) {
        p = text + reporters[i](text, sizeof(text) - 1);

        if (p != text) {
            *p++ = '\n';
            sink(text, (size_t) (p - text));
        }
    }

    abort();
}
