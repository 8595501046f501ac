/*
 * piped.c -- pipes to programs, and writes to them that are given up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/piped.c"
#include "port_help.h"


enum { MUCH = 8 << 20 };           /* more than a pipe takes */

static char  much[MUCH];


static void
write_much(lun_stream *s, size_t size)
{
    lun_slice  slice = { much, size };

    lun_port_write(s, &slice, 1, on_done);
}


/* Writes until the pipe is full: from then on an operation is in flight. */
static void
fill(lun_stream *s)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    do {
        write_much(s, MUCH);
        lun_port_wait(port, 50, NULL);
    } while (!lun_port_busy(s) && lun_time_monotonic() < end);

    calls = 0;
    ok(lun_port_busy(s), "a full pipe keeps a write waiting");
}


static void
a_write_is_given_up(void)
{
    lun_fd      ours, theirs;
    lun_stream  s;

    memset(&s, 0, sizeof(s));
    ok(lun_proc_pipe(&ours, &theirs, false) == 0, "a pipe");
    ok(lun_port_attach_pipe(port, &s, ours) == 0, "is a stream");

    lun_port_cancel_write(&s);
    fill(&s);
    lun_port_cancel_write(&s);
    ok(turn(1) == 1 && lun_err_kind_of(last_err) == LUN_ERR_CANCELLED
       && !lun_port_busy(&s), "and it is given up, once");

    write_much(&s, MUCH);
    lun_port_cancel_write(&s);
    ok(turn(1) == 1 && lun_err_kind_of(last_err) == LUN_ERR_CANCELLED,
       "as well before the system has heard of it");

    write_much(&s, MUCH);
    lun_port_wait(port, 50, NULL);
    ok(lun_port_busy(&s) && calls == 0, "the next one waits like the first");

    lun_port_cancel_write(&s);
    lun_port_close(&s);
    ok(turn(1) == 1 && !lun_port_busy(&s), "a close after that is one end");

    lun_port_wait(port, 10, NULL);
    ok(calls == 0, "nothing comes afterwards");
    lun_file_close(theirs);
}


int
main(void)
{
    begin();
    a_write_is_given_up();
    end();
    return done_testing();
}
