/*
 * escape.c -- escaped text is as long as was said, and what it should be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/escape.c"
#include "tap.h"


static void
check(lun_str got, const char *want, const char *name)
{
    ok(lun_str_eq(got, lun_str_z(want)), "%s: %.*s", name, LUN_S(got));
}


int
main(void)
{
    size_t     i;
    lun_str    s;
    lun_pool  *pool = lun_pool_new_sized(1024);
    char       all[256], room[256 * 6];

    for (i = 0; i < sizeof(all); i++) {
        all[i] = (char) i;
    }

    s = lun_str_of(tap_edge(all, sizeof(all)), sizeof(all));
    ok(lun_escape_json(room, s) - room == (long) lun_escape_json_len(s),
       "the length of every byte, in JSON");
    ok(lun_escape_html(room, s) - room == (long) lun_escape_html_len(s),
       "and on a page");

    check(lun_escape_json_new(pool, LUN_STR("a\"b\\c\n\r\t\b\f\x01\x1f")),
          "a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001F", "JSON");
    check(lun_escape_html_new(pool, LUN_STR("<a href=\"x\">'&'</a>")),
          "&lt;a href=&quot;x&quot;&gt;'&amp;'&lt;/a&gt;", "a page");

    s = LUN_STR("plain \xd1\x84");
    ok(lun_escape_json_new(pool, s).data == s.data
       && lun_escape_html_new(pool, s).data == s.data,
       "what needs nothing is not copied");

    lun_pool_free(pool);
    return done_testing();
}
