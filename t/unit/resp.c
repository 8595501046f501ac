/*
 * resp.c -- replies of a Redis server, value by value.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/resp.c"

#include "tap.h"


/* What a text is, as a text: a letter and a depth for each value. */
static const char *
told(lun_str text)
{
    static char        out[400];
    char              *p = out;
    const char        *pos, *end;
    lun_resp           r = { .text_most = 100 };
    lun_resp_value     v;
    lun_resp_verdict   rc;

    pos = tap_edge(text.data, text.len);
    end = pos + text.len;

    while ((rc = lun_resp_next(&r, &pos, end, &v)) == LUN_RESP_VALUE) {
        p = lun_fmt(p, out + sizeof(out) - 8, "%c%u", "TENZA"[v.kind],
                    v.depth);
        p = v.kind == LUN_RESP_TEXT || v.kind == LUN_RESP_ERROR
            ? lun_fmt(p, out + sizeof(out) - 8, "(%.*s)", LUN_S(v.text))
            : v.kind == LUN_RESP_NIL ? p
            : lun_fmt(p, out + sizeof(out) - 8, "(%" PRId64 ")", v.number);
        *p++ = v.last ? ';' : ' ';
    }

    p = lun_fmt(p, out + sizeof(out) - 1, "%s",
                rc == LUN_RESP_BAD ? "bad" : pos == end ? "" : "more");
    *p = '\0';
    return out;
}


#define SAYS(text, wanted)  is_str(told(LUN_STR(text)), wanted, "%s", #text)

static void
test_values(void)
{
    SAYS("+OK\r\n", "T0(OK);");
    SAYS("-ERR no\r\n", "E0(ERR no);");
    SAYS(":-12\r\n:3\r\n", "N0(-12);N0(3);");
    SAYS("$5\r\na\r\nbc\r\n", "T0(a\r\nbc);");
    SAYS("$0\r\n\r\n", "T0();");
    SAYS("$-1\r\n*-1\r\n_\r\n", "Z0;Z0;Z0;");
    SAYS("#t\r\n#f\r\n,1.5\r\n", "N0(1);N0(0);T0(1.5);");
    SAYS("=7\r\ntxt:abc\r\n!3\r\nERR\r\n", "T0(abc);E0(ERR);");
}


static void
test_arrays(void)
{
    SAYS("*0\r\n", "A0(0);");
    SAYS("*2\r\n$1\r\na\r\n:1\r\n", "A0(2) T1(a) N1(1);");
    SAYS("*2\r\n*1\r\n:1\r\n*0\r\n+x\r\n", "A0(2) A1(1) N2(1) A1(0);T0(x);");
    SAYS("*1\r\n*1\r\n*1\r\n:1\r\n", "A0(1) A1(1) A2(1) N3(1);");
    SAYS("*2\r\n$-1\r\n*-1\r\n", "A0(2) Z1 Z1;");
    SAYS("%1\r\n+k\r\n+v\r\n", "A0(2) T1(k) T1(v);");
    SAYS(">1\r\n+news\r\n", "A0(1) T1(news);");
}


static void
test_cut_short(void)
{
    SAYS("$5\r\nabc", "more");
    SAYS("$5\r\nabcde\r", "more");
    SAYS("*2\r\n:1\r\n:", "A0(2) N1(1) more");
    SAYS("+OK", "more");

    {
        lun_resp         r = { .text_most = 100 };
        const char      *pos = "$50\r\nabc";
        lun_resp_value   v;

        (void) lun_resp_next(&r, &pos, pos + 8, &v);
        is_int(r.needs, 57, "it says how much it needs");
    }
}


static void
test_nonsense(void)
{
    char  line[LUN_RESP_LINE + 10];

    SAYS("HTTP/1.1 200 OK\r\n", "bad");
    SAYS("\r\n", "bad");
    SAYS("+OK\n", "bad");
    SAYS(":x\r\n", "bad");
    SAYS(":\r\n", "bad");
    SAYS("$101\r\n", "bad");
    SAYS("$-2\r\n", "bad");
    SAYS("$99999999999999999999\r\n", "bad");
    SAYS("$1\r\nabc", "bad");
    SAYS("*-2\r\n", "bad");
    SAYS("*9999999999\r\n", "bad");
    SAYS("=2\r\nab\r\n", "bad");
    SAYS("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"
         "*1\r\n", "A0(1) A1(1) A2(1) A3(1) A4(1) A5(1) A6(1) A7(1) bad");

    memset(line, '+', sizeof(line));
    is_str(told(lun_str_of(line, sizeof(line))), "bad",
           "a line without an end");
}


int
main(void)
{
    char  head[LUN_RESP_HEAD + 1] = "";

    test_values();
    test_arrays();
    test_cut_short();
    test_nonsense();

    is_int(lun_resp_head(head, '$', UINT64_MAX), 23, "the longest head");
    is_str(head, "$18446744073709551615\r\n", "as it is sent");
    return done_testing();
}
