/*
 * body_window.c -- bytes that come in pieces and are taken in others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/mux/body_window.c"

#include "tap.h"


int
main(void)
{
    char             big[10000];
    lun_str          a, b;
    lun_body_window  w = { .len = 0 };

    memset(big, 'x', sizeof(big));

    ok(lun_body_window_add(&w, "ab", 2) == LUN_OK
       && lun_body_window_add(&w, "cd", 2) == LUN_OK, "two pieces");
    a = lun_body_window_take(&w, false);
    ok(lun_str_eq(a, LUN_STR("abcd")) && w.held == 4 && w.len == 0,
       "are one, which is held");

    ok(lun_body_window_add(&w, big, sizeof(big)) == LUN_OK, "a large one");
    a = lun_body_window_take(&w, true);
    ok(a.len == sizeof(big) && memcmp(a.data, big, a.len) == 0
       && w.bytes == NULL, "goes with its memory");

    ok(lun_body_window_add(&w, "ef", 2) == LUN_OK
       && memcmp(a.data, big, a.len) == 0, "which stays while more comes");
    b = lun_body_window_take(&w, true);
    ok(lun_str_eq(b, LUN_STR("ef")), "until that is taken");

    a = lun_body_window_take(&w, true);
    ok(a.len == 0 && w.held == 0, "nothing is there");
    lun_body_window_fini(&w);
    ok(w.bytes == NULL && w.taken == NULL, "nor is any memory");
    return done_testing();
}
