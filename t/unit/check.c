/*
 * check.c -- the panic report, seen through its sink.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/check.c"

#include <setjmp.h>
#include <string.h>

#include "tap.h"


static jmp_buf  out;
static char     said[512];
static size_t   said_len;


static size_t
report(char *text, size_t size)
{
    memcpy(text, "serving /x", 10);
    return 10;
}


/* Leaves lun_panic before it aborts, once the reporter has spoken. */
static void
listen(const char *text, size_t size)
{
    memcpy(said + said_len, text, size);
    said_len += size;
    said[said_len] = '\0';

    if (strstr(said, "serving") != NULL) {
        longjmp(out, 1);
    }
}


int
main(void)
{
    struct { uint32_t mark; } object = { LUN_MARK_CONN };
    int i;

    LUN_CHECK(1 + 1 == 2);
    LUN_CHECK_MARK(&object, LUN_MARK_CONN);
    ok(1, "what is true passes");

    for (i = 0; i < 20; i++) {
        lun_panic_add(report);
    }

    is_int(reporter_count, MAX_REPORTERS, "too many reporters are ignored");

    lun_panic_set_sink(listen);

    if (setjmp(out) == 0) {
        lun_panic("file.c", 12, "n <= room");
    }

    is_str(said, "panic: n <= room (file.c:12)\nserving /x\n",
           "the report names the check, the place, and the work");

    return done_testing();
}
