/*
 * redis_reply.c -- how many commands a text is.  Where replies end is the
 * fuzz target's, and that of t/60-modules/redis2.t.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/redis_reply.c"

#include "tap.h"


static int64_t
count(const char *text)
{
    size_t  n = strlen(text);

    return lun_redis_count_commands(lun_str_of(tap_edge(text, n), n));
}


int
main(void)
{
    is_int(count(""), 0, "none");
    is_int(count("ping\r\n"), 1, "a line");
    is_int(count("ping\n"), 1, "whatever it ends with");
    is_int(count("ping\r\nget *1\r\n"), 2, "two lines");
    is_int(count("*1\r\n$4\r\nping\r\n"), 1, "an array");
    is_int(count("*2\r\n$3\r\nget\r\n$3\r\n\r\na\r\n"), 1,
           "with a line's end in it");
    is_int(count("*1\r\n$4\r\nping\r\nping\r\n*1\r\n$1\r\na\r\n"), 3,
           "one after the other");

    is_int(count("ping"), -1, "a line without an end");
    is_int(count("ping\r\n\r\n"), -1, "a line without a word");
    is_int(count("*1\r\n$4\r\npin"), -1, "an array that is cut short");
    is_int(count("*0\r\n"), -1, "one of no parts");
    is_int(count("*-1\r\n"), -1, "or of fewer");
    is_int(count("*x\r\n"), -1, "none at all");
    is_int(count("*9999999999999999999\r\n"), -1, "or of too many");

    is_int(count("auth secret\r\n"), -1, "a line that lasts");
    is_int(count("get a\r\n SELECT 1\r\n"), -1, "among others");
    is_int(count("\tselect 1\r\n"), -1, "behind a tab");
    is_int(count("\"\\x73elect\" 1\r\n"), -1, "in quotes");
    is_int(count("se'lect' 1\r\n"), -1, "partly");
    is_int(count("*2\r\n$6\r\nSeLecT\r\n$1\r\n1\r\n"), -1, "as an array");
    is_int(count("*2\r\n$3\r\nget\r\n$4\r\nauth\r\n"), 1,
           "a key has any name");
    is_int(count("authority\r\n"), 1, "so have other commands");

    return done_testing();
}
