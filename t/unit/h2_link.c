/*
 * h2_link.c -- frames of a body within the windows that a server has opened,
 * or closed again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/upstream/h2/h2_link.c"

#include "tap.h"


static const struct {
    int64_t      window;
    int64_t      conn_window;
    int64_t      size;
    bool         last;
    int64_t      framed;
    const char  *name;
} cases[] = {
    { 5, 9, 7, true, 5, "as much as the stream lets through" },
    { 9, 5, 7, true, 5, "as much as the connection does" },
    { 9, 9, 7, true, 7, "all of it" },
    { 9, 9, 7, false, 7, "all of it that is here" },
    { 99999, 99999, 20000, true, LUN_FRAME_MOST, "a frame's most" },
    { 0, 9, 7, true, 0, "a closed window" },
    { -3, 9, 7, true, 0, "a window below nothing" },
    { 0, 9, 0, true, 0, "an end in a closed window" },
    { -3, 9, 0, true, 0, "an end in a window below nothing" }
};


static void
frame(size_t i)
{
    bool           ends = cases[i].last && cases[i].framed == cases[i].size;
    int64_t        n;
    lun_loop       loop = { .port = NULL };
    lun_conn       c = { .loop = &loop }, own = { .loop = &loop };
    lun_h2_link    l = { .window = cases[i].conn_window, .c = &c };
    lun_h2_stream  s = { .window = cases[i].window, .link = &l, .id = 3,
                         .conn = &own };

    loop.posted.tail = &loop.posted.head;
    loop.running.tail = &loop.running.head;
    n = lun_h2_stream_frame(&s, cases[i].size, cases[i].last);

    ok(n == cases[i].framed && s.framed == n
       && s.window == cases[i].window - n
       && l.window == cases[i].conn_window - n, "%s", cases[i].name);
    ok(s.ends == ends, "... and whether it ends");
    ok(s.sent_all == (cases[i].size == 0)
       && l.out.len == (cases[i].size == 0 ? LUN_FRAME_HEAD : 0),
       "an end of nothing is a frame of its own");
    lun_h2_bytes_drop(&l.out);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        frame(i);
    }

    return done_testing();
}
