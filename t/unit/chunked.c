/*
 * chunked.c -- bodies in one piece, in every two pieces, and byte by byte.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/chunked.c"

#include "tap.h"


static const struct {
    const char           *text;
    lun_chunked_verdict   rc;
    const char           *body;
    size_t                rest;    /* bytes behind the end */
} rows[] = {
    { "0\r\n\r\n", LUN_CHUNKED_DONE, "", 0 },
    { "5\r\nhello\r\n0\r\n\r\n", LUN_CHUNKED_DONE, "hello", 0 },
    { "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\nGET /", LUN_CHUNKED_DONE, "hello!", 5 },
    { "00a\r\n0123456789\r\n000\r\n\r\n", LUN_CHUNKED_DONE, "0123456789", 0 },
    { "A;x=y\r\n0123456789\r\n0;z\r\n\r\n", LUN_CHUNKED_DONE, "0123456789", 0 },
    { "2 \t;x=\"\xe4\"\r\n\r\n\r\n0 \r\n\r\n", LUN_CHUNKED_DONE, "\r\n", 0 },
    { "1\r\na\r\n0\r\nA: b\r\nC: \td\r\n\r\nx", LUN_CHUNKED_DONE, "a", 1 },

    { "", LUN_CHUNKED_MORE, "", 0 },
    { "5\r\nhel", LUN_CHUNKED_MORE, "hel", 0 },
    { "1\r\na\r\n0\r\n\r", LUN_CHUNKED_MORE, "a", 0 },
    { "7fffffffffffffff\r\nab", LUN_CHUNKED_MORE, "ab", 0 },

    { "\r\n", LUN_CHUNKED_BAD, "", 0 },
    { ";x\r\n", LUN_CHUNKED_BAD, "", 0 },
    { " 1\r\na\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "-1\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "0x1\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "g\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "1\na\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "1\rxa\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "1\r\nab", LUN_CHUNKED_BAD, "a", 0 },
    { "1\r\na\n", LUN_CHUNKED_BAD, "a", 0 },
    { "1\r\na\rx", LUN_CHUNKED_BAD, "a", 0 },
    { "1;a\nb\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "1;a\rb\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "1;\x01\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "8000000000000000\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "10000000000000000\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "0\r\n\n", LUN_CHUNKED_BAD, "", 0 },
    { "0\r\n\rx", LUN_CHUNKED_BAD, "", 0 },
    { "0\r\nA: b\nC: d\r\n\r\n", LUN_CHUNKED_BAD, "", 0 },
    { "0\r\nA: b\rC: d\r\n\r\n", LUN_CHUNKED_BAD, "", 0 }
};


typedef struct {
    lun_chunked  c;
    char         body[128];
    size_t       body_len;
    size_t       used;
} feeder;


static lun_chunked_verdict
feed(feeder *f, const char *text, size_t len)
{
    lun_str              data;
    const char          *p = tap_edge(text, len), *start = p;
    lun_chunked_verdict  rc;

    do {
        rc = lun_chunked_next(&f->c, &p, start + len, &data);

        if (rc == LUN_CHUNKED_DATA) {
            memcpy(f->body + f->body_len, data.data, data.len);
            f->body_len += data.len;
        }
    } while (rc == LUN_CHUNKED_DATA);

    f->used += (size_t) (p - start);
    return rc;
}


static void
check(size_t i, size_t first, size_t step)
{
    feeder               f = { 0 };
    size_t               n, at, len = strlen(rows[i].text);
    size_t               whole;
    lun_chunked_verdict  rc;

    whole = rows[i].rc == LUN_CHUNKED_DONE ? len - rows[i].rest : 0;
    lun_chunked_init(&f.c);
    rc = feed(&f, rows[i].text, first);

    for (at = first; at < len && rc == LUN_CHUNKED_MORE; at += n) {
        n = lun_min(step, len - at);
        rc = feed(&f, rows[i].text + at, n);
    }

    if (rc != rows[i].rc || f.body_len != strlen(rows[i].body)
        || memcmp(f.body, rows[i].body, f.body_len) != 0
        || (rc == LUN_CHUNKED_DONE && f.used != whole))
    {
        ok(0, "row %d cut at %d by %d: rc %d, %d of body, %d used",
           (int) i, (int) first, (int) step, (int) rc, (int) f.body_len,
           (int) f.used);
    }

    if (rc == LUN_CHUNKED_DONE) {
        n = f.used;
        if (feed(&f, "5\r\n", 3) != LUN_CHUNKED_DONE || f.used != n) {
            ok(0, "row %d: done stays done", (int) i);
        }
    }
}


static lun_chunked_verdict
long_line(const char *head, size_t n, const char *tail)
{
    lun_str      data;
    char         text[32768];
    const char  *p = text;
    size_t       len = strlen(head);
    lun_chunked  c;

    memcpy(text, head, len);
    memset(text + len, 'x', n);
    memcpy(text + len + n, tail, strlen(tail));
    lun_chunked_init(&c);

    return lun_chunked_next(&c, &p, text + len + n + strlen(tail), &data);
}


/* Trailers that are wanted stay where they are. */
static void
kept(void)
{
    feeder       f = { 0 };
    const char  *text = "1\r\na\r\n0\r\nX: y\r\n\r\n";

    f.c.keep = true;
    is_int(feed(&f, text, 8), LUN_CHUNKED_MORE, "in the last size line");
    is_int(feed(&f, text + 8, strlen(text) - 8), LUN_CHUNKED_TAIL, "behind");
    is_int((int) f.used, 9, "nothing of the trailers is used");
}


int
main(void)
{
    size_t  i, cut;

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        check(i, 0, 1);

        for (cut = 0; cut <= strlen(rows[i].text); cut++) {
            check(i, cut, 1000);
        }

        ok(1, "row %d, cut everywhere", (int) i);
    }

    is_int(long_line("0;", 4000, "\r\n\r\n"), LUN_CHUNKED_DONE, "long");
    is_int(long_line("0;", 4096, "\r\n\r\n"), LUN_CHUNKED_BAD, "too long");
    is_int(long_line("0\r\n", 16000, "\r\n\r\n"), LUN_CHUNKED_DONE,
           "long trailers");
    is_int(long_line("0\r\n", 16384, "\r\n\r\n"), LUN_CHUNKED_BAD,
           "too long trailers");
    kept();

    return done_testing();
}
