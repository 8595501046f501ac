/*
 * upreq_h2_request.c -- frames of a body within the windows that a server has
 * opened, or closed again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/upstream/h2/upreq_h2_request.c"

#include "tap.h"


static const struct {
    int64_t      window;
    int64_t      conn_window;
    int64_t      size;
    bool         last;
    int64_t      framed;
    size_t       head;             /* bytes of it */
    const char  *name;
} cases[] = {
    { 5, 9, 7, true, 5, LUN_FRAME_HEAD, "as much as the stream lets through" },
    { 9, 5, 7, true, 5, LUN_FRAME_HEAD, "as much as the connection does" },
    { 0, 9, 7, true, 0, 0, "a closed window" },
    { -3, 9, 7, true, 0, 0, "a window below nothing" },
    { 0, 9, 0, true, 0, LUN_FRAME_HEAD, "an end in a closed window" },
    { -3, 9, 0, true, 0, LUN_FRAME_HEAD, "an end in a window below nothing" }
};


static void
frame(size_t i)
{
    int64_t          n;
    lun_upreq        x = { .r = NULL };
    lun_h2_server    server = { .window = cases[i].conn_window };
    lun_upreq_h2     s = { .window = cases[i].window, .server = &server };
    lun_upreq_frame  f = { .before = LUN_STR_NULL };

    x.protocol_data = &s;
    n = lun_upreq_h2_frame(&x, cases[i].size, cases[i].last, &f);

    ok(n == cases[i].framed && f.before.len == cases[i].head
       && s.window == cases[i].window - n, "%s", cases[i].name);
    ok(f.before.len == 0
       || ((uint8_t) f.room[2] == n
           && ((f.room[4] & LUN_FRAME_END_STREAM) != 0)
              == (cases[i].last && n == cases[i].size)), "... and its head");
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
