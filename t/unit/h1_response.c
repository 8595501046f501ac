/*
 * h1_response.c -- status lines, each whole at the edge of a page, and again
 * as it trickles in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/h1_response.c"

#include "tap.h"


static const struct {
    const char      *text;
    lun_h1_verdict   rc;
    unsigned         version, status;
    const char      *line;
} cases[] = {
    { "HTTP/1.1 200 OK\r\n", LUN_H1_DONE, 1001, 200, "200 OK" },
    { "HTTP/1.0 404\r\n", LUN_H1_DONE, 1000, 404, "404" },
    { "HTTP/1.1 204 \n", LUN_H1_DONE, 1001, 204, "204 " },
    { "HTTP/1.12  403.1 No way\n", LUN_H1_DONE, 1012, 403, "403.1 No way" },
    { "HTTP/1.1 999 \xc3\xa9\r\n", LUN_H1_DONE, 1001, 999, "999 \xc3\xa9" },

    { "", LUN_H1_MORE, 0, 0, NULL },
    { "HT", LUN_H1_MORE, 0, 0, NULL },
    { "HTTP/1.1 200 OK\r", LUN_H1_MORE, 0, 0, NULL },

    { "X", LUN_H1_BAD, 0, 0, NULL },
    { "HTTQ", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/2.0 200 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1 200 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1. 200 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.100 200 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1\t200 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1 20 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1 2000 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1 099 OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1 200OK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1 200 O\rK\n", LUN_H1_BAD, 0, 0, NULL },
    { "HTTP/1.1\n", LUN_H1_BAD, 0, 0, NULL }
};


static lun_h1_verdict
trickle(const char *text, size_t len, lun_h1_status *out)
{
    size_t          n;
    lun_h1_parser   p;
    lun_h1_verdict  rc = LUN_H1_MORE;

    lun_h1_parser_reset(&p);

    for (n = 0; n <= len && rc == LUN_H1_MORE; n++) {
        rc = lun_h1_parse_status(&p, tap_edge(text, n), n, out);
    }

    return rc;
}


static void
one(size_t i)
{
    size_t          len = strlen(cases[i].text);
    const char     *text = tap_edge(cases[i].text, len);
    lun_h1_parser   p;
    lun_h1_status   s, slow;

    lun_h1_parser_reset(&p);

    is_int(lun_h1_parse_status(&p, text, len, &s), cases[i].rc, "%s",
           cases[i].text);

    if (cases[i].rc == LUN_H1_DONE) {
        is_int(s.version, cases[i].version, "version");
        is_int(s.status, cases[i].status, "status");
        is_int((int64_t) s.size, (int64_t) len, "size");
        is_mem(s.line.data, s.line.len, cases[i].line, strlen(cases[i].line),
               "line");
    }

    is_int(trickle(cases[i].text, len, &slow), cases[i].rc, "byte by byte");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        one(i);
    }

    return done_testing();
}
