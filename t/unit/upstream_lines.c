/*
 * upstream_lines.c -- servers as text, and back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/upstream/upstream_lines.c"
#include "tap.h"


static lun_pool                  *pool;
static lun_upstream               upstream;
static lun_upstream_server_conf   known;
static unsigned                   at;


static lun_array *
lines(const char *text, const char **why)
{
    size_t      n = strlen(text);
    lun_array  *to = lun_array_new(pool, sizeof(known), 4);

    *why = lun_upstream_lines_read(pool, &upstream,
                                   lun_str_of(tap_edge(text, n), n), to, &at);
    return to;
}


/* What becomes of a text that is read and written. */
static const char *
again(const char *text)
{
    lun_str      s;
    lun_array   *to;
    const char  *why;

    to = lines(text, &why);
    s = lun_upstream_lines_write(pool, to->items, to->count);
    return why != NULL ? why : lun_pool_strz(pool, s);
}


static void
test_texts(void)
{
    is_str(again(""), "", "nothing");
    is_str(again("server 127.0.0.1:80;"), "server 127.0.0.1:80; # 0\n",
           "a server");
    is_str(again("\n # a\n  server\t127.0.0.1  weight=2 ; # 7\r\n"),
           "server 127.0.0.1 weight=2; # 7\n", "space and remarks");
    is_str(again("server 127.0.0.1:1; # 3\nserver 127.0.0.1:2;\n"),
           "server 127.0.0.1:1; # 3\nserver 127.0.0.1:2; # 4\n",
           "one without a number gets the next");
    is_str(again("server 127.0.0.1:1; # 3\nserver 127.0.0.1:2; # 3\n"),
           "server 127.0.0.1:1; # 3\nserver 127.0.0.1:2; # 4\n",
           "no two have one");
    is_str(again("server [::1]:5 max_conns=1 max_fails=0 fail_timeout=1m "
                 "slow_start=2s route=a backup down drain; # 1"),
           "server [::1]:5 max_conns=1 max_fails=0 fail_timeout=60s "
           "slow_start=2000ms route=a backup down drain; # 1\n", "all words");
}


static void
test_faults(void)
{
    const char  *why;

    is_str(again("listen 80;"), "invalid line", "another directive");
    is_str(again("server 127.0.0.1:1; server 127.0.0.1:2;"), "invalid line",
           "two in one line");
    is_str(again("server;"), "invalid line", "no address");
    is_str(again("server 127.0.0.1:1 x=1;"), "invalid parameter",
           "an unknown word");
    is_str(again("server 127.0.0.1:0;"), "invalid port", "a port that is none");
    is_str(again("server 127.0.0.1:1\n\nserver 127.0.0.1:2 y;\n"),
           "invalid parameter", "in a later line");
    is_int(at, 3, "... which is named");
    (void) lines("server nobody:1;", &why);
    ok(why == NULL, "a name may be known elsewhere");
    ok(!lun_upstream_lines_takes(LUN_STR("a b"))
       && !lun_upstream_lines_takes(LUN_STR("a;"))
       && !lun_upstream_lines_takes(LUN_STR("a\n"))
       && !lun_upstream_lines_takes(LUN_STR("")), "what no line can have");
}


static void
test_names(void)
{
    lun_array                       *to;
    const char                      *why;
    const lun_upstream_server_conf  *s;

    known.name = LUN_STR("app:1");
    known.count = 3;
    upstream.servers = (lun_array) { .items = &known, .count = 1,
                                     .item_size = sizeof(known) };
    to = lines("server app:1 weight=4;\nserver other:1;", &why);
    s = to->items;
    ok(s[0].count == 3 && s[0].weight == 4, "a name that is known");
    ok(s[1].count == 0 && !s[1].resolve, "... and one that is not");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    upstream.protocol = LUN_STR("http");
    upstream.method = &lun_round_robin;
    test_texts();
    test_faults();
    test_names();
    lun_pool_free(pool);
    return done_testing();
}
