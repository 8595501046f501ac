/*
 * h1_parse.c -- request lines, header lines and hosts, each whole at the edge
 * of a page, and again as it trickles in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/h1_parse.c"

#include "tap.h"


/*
 * Parses a growing part of the text, moved each time, until the verdict is
 * other than MORE; `*n` is how many bytes that took.
 */
static lun_h1_verdict
trickle_line(const char *text, size_t len, lun_h1_line *line, size_t *n)
{
    lun_h1_parser   p;
    lun_h1_verdict  rc = LUN_H1_MORE;

    lun_h1_parser_reset(&p);

    for (*n = 0; *n <= len && rc == LUN_H1_MORE; (*n)++) {
        rc = lun_h1_parse_line(&p, tap_edge(text, *n), *n, line);
    }

    (*n)--;
    return rc;
}


static const struct {
    const char  *text;
    unsigned     version;
    const char  *method, *target, *path, *query, *scheme, *host;
} lines[] = {
    { "GET / HTTP/1.1\r\n", 1001, "GET", "/", "/", NULL, NULL,
      NULL },
    { "GET / HTTP/1.0\n", 1000, "GET", "/", "/", NULL, NULL,
      NULL },
    { "\r\n\n\r\nPOST /a?b=c HTTP/1.1\r\n", 1001, "POST",
      "/a?b=c", "/a", "b=c", NULL, NULL },
    { "M-SEARCH_X   /a%20b/?  HTTP/1.1  \r\n", 1001,
      "M-SEARCH_X", "/a%20b/?", "/a%20b/", "", NULL, NULL },
    { "GET /a?b?c/%d#e?f HTTP/1.1\r\n", 1001, "GET",
      "/a?b?c/%d#e?f", "/a", "b?c/%d", NULL, NULL },
    { "GET /a#e?f HTTP/1.1\r\n", 1001, "GET", "/a#e?f", "/a",
      NULL, NULL, NULL },
    { "GET /\xe4\xbd\xa0\"<> HTTP/1.15\r\n", 1015, "GET",
      "/\xe4\xbd\xa0\"<>", "/\xe4\xbd\xa0\"<>", NULL, NULL, NULL },
    { "GET /\r\n", 9, "GET", "/", "/", NULL, NULL, NULL },
    { "GET /a  \n", 9, "GET", "/a", "/a", NULL, NULL, NULL },
    { "GET http://h HTTP/1.1\r\n", 1001, "GET", "/", "/", NULL,
      "http", "h" },
    { "GET http://h?x HTTP/1.1\r\n", 1001, "GET", "?x", "/", "x",
      "http", "h" },
    { "GET HTTPS://[::1]:80/a/../b?c HTTP/1.1\r\n", 1001, "GET",
      "/a/../b?c", "/a/../b", "c", "HTTPS", "[::1]:80" }
};

static const struct {
    const char      *text;
    lun_h1_verdict   rc;
} others[] = {
    { "GET / HTTP/2.0\r\n", LUN_H1_BAD_VERSION },
    { "GET / HTTP/11.1\r\n", LUN_H1_BAD_VERSION },
    { "GET / HTTP/0.9\r\n", LUN_H1_BAD },
    { "GET / HTTP/01.1\r\n", LUN_H1_BAD },
    { "GET / HTTP/00.9\r\n", LUN_H1_BAD },
    { "POST /\r\n", LUN_H1_BAD_OLD_METHOD },
    { "GETS / \r\n", LUN_H1_BAD_OLD_METHOD },
    { "GET / HTTP/1\r\n", LUN_H1_BAD },
    { "GET / HTTP/1.\r\n", LUN_H1_BAD },
    { "GET / HTTP/1.100\r\n", LUN_H1_BAD },
    { "GET / HTTP/1.1x\r\n", LUN_H1_BAD },
    { "GET / HTTP/.1\r\n", LUN_H1_BAD },
    { "GET / http/1.1\r\n", LUN_H1_BAD },
    { "GET / HTP/1.1\r\n", LUN_H1_BAD },
    { "GET /a b HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET /a\tHTTP/1.1\r\n", LUN_H1_BAD },
    { "GET /a\x7f HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET /a?\x01 HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET /a#\x01 HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET /a\rb HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET / HTTP/1.1\r\r\n", LUN_H1_BAD },
    { "GET a HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET * HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET http:/h HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET http:///a HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET 1http://h/ HTTP/1.1\r\n", LUN_H1_BAD },
    { "CONNECT h:443 HTTP/1.1\r\n", LUN_H1_DONE },
    { "CONNECT h HTTP/1.1\r\n", LUN_H1_BAD },
    { "CONNECT :443 HTTP/1.1\r\n", LUN_H1_BAD },
    { "CONNECT h: HTTP/1.1\r\n", LUN_H1_BAD },
    { "CONNECT h:443/x HTTP/1.1\r\n", LUN_H1_BAD },
    { "CONNECT http://h:443 HTTP/1.1\r\n", LUN_H1_BAD },
    { "CONNECT / HTTP/1.1\r\n", LUN_H1_BAD },
    { "GET \r\n", LUN_H1_BAD },

    { "GET\r\n", LUN_H1_BAD_METHOD },
    { "get / HTTP/1.1\r\n", LUN_H1_BAD_METHOD },
    { " GET / HTTP/1.1\r\n", LUN_H1_BAD_METHOD },
    { "GE\tT / HTTP/1.1\r\n", LUN_H1_BAD_METHOD },
    { "\x16\x03\x01\x02", LUN_H1_BAD_METHOD },

    { "", LUN_H1_MORE },
    { "\r\n", LUN_H1_MORE },
    { "GET", LUN_H1_MORE },
    { "GET / HTTP/1.1\r", LUN_H1_MORE }
};


static int
is_view(lun_str have, const char *want, const char *name)
{
    return is_mem(have.data, have.len, want != NULL ? want : "",
                  want != NULL ? strlen(want) : 0, "%s", name);
}


static void
check_line(size_t i, const lun_h1_line *line)
{
    const char  *text = lines[i].text;
    size_t       empty = strspn(text, "\r\n");
    size_t       len = strcspn(text + empty, "\r\n");

    is_mem(line->line.data, line->line.len, text + empty, len, "line");
    is_int(line->size, strlen(text), "size");
    is_int(line->version, lines[i].version, "version");
    is_view(line->method, lines[i].method, "method");
    is_view(line->target, lines[i].target, "target");
    is_view(line->path, lines[i].path, "path");
    is_view(line->query, lines[i].query, "query");
    ok((line->query.data == NULL) == (lines[i].query == NULL),
       "no query is another thing than an empty one");
    is_view(line->scheme, lines[i].scheme, "scheme");
    is_view(line->host, lines[i].host, "host");
}


static void
request_lines(void)
{
    size_t         i, n, len;
    lun_h1_line    line;
    lun_h1_parser  p;

    for (i = 0; i < LUN_ARRAY_LEN(lines); i++) {
        len = strlen(lines[i].text);

        lun_h1_parser_reset(&p);
        is_int(lun_h1_parse_line(&p, tap_edge(lines[i].text, len), len, &line),
               LUN_H1_DONE, "line %d, whole", (int) i);
        check_line(i, &line);

        is_int(trickle_line(lines[i].text, len, &line, &n), LUN_H1_DONE,
               "line %d, byte by byte", (int) i);
        is_int(n, len, "not before the last byte");
        check_line(i, &line);
    }

    for (i = 0; i < LUN_ARRAY_LEN(others); i++) {
        len = strlen(others[i].text);

        lun_h1_parser_reset(&p);
        is_int(lun_h1_parse_line(&p, tap_edge(others[i].text, len), len, &line),
               others[i].rc, "other line %d, whole", (int) i);
        is_int(trickle_line(others[i].text, len, &line, &n), others[i].rc,
               "other line %d, byte by byte", (int) i);
    }
}


static void
flags(void)
{
    size_t       i, n;
    lun_h1_line  line;
    static const struct { const char *path; bool escape, special; } rows[] = {
        { "/a/b.c", false, false }, { "/", false, false },
        { "/a%20b", true, false }, { "/a//b", false, true },
        { "/a/.b", false, true }, { "/a\\b", false, true },
        { "//", false, true }, { "/%2f/..", true, true },
        { "/a?//%", false, false }, { "/a./b", false, false }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        char  text[64];

        n = (size_t) snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n",
                              rows[i].path);
        trickle_line(text, n, &line, &n);
        ok(line.has_escape == rows[i].escape, "escape in %s", rows[i].path);
        ok(line.has_special == rows[i].special, "special in %s", rows[i].path);
    }

    is_int(trickle_line("\x16\x03\x01", 3, &line, &n), LUN_H1_BAD_METHOD,
           "a TLS handshake is no method");
    is_int(n, 1, "as its first byte tells");
}


static const struct {
    const char      *text;
    lun_h1_verdict   rc;
    const char      *name, *value;
    bool             odd, underscore;
} headers[] = {
    { "Host: a.example\r\n", LUN_H1_DONE, "Host", "a.example", 0, 0 },
    { "Host:a\n", LUN_H1_DONE, "Host", "a", 0, 0 },
    { "A:\r\n", LUN_H1_DONE, "A", "", 0, 0 },
    { "A: \t \r\n", LUN_H1_DONE, "A", "", 0, 0 },
    { "A: \t b\tc d\t \r\n", LUN_H1_DONE, "A", "b\tc d", 0, 0 },
    { "A: b: c\r\n", LUN_H1_DONE, "A", "b: c", 0, 0 },
    { "X_1-y: z\r\n", LUN_H1_DONE, "X_1-y", "z", 0, 1 },
    { "X.y!: \xe4\xbd\xa0\r\n", LUN_H1_DONE, "X.y!", "\xe4\xbd\xa0", 1, 0 },
    { "\xe4: 1\r\n", LUN_H1_DONE, "\xe4", "1", 1, 0 },
    { "Cookie: a long value, with a\ttab; and more than eight bytes\r\n",
      LUN_H1_DONE, "Cookie",
      "a long value, with a\ttab; and more than eight bytes", 0, 0 },

    { "\r\n", LUN_H1_END, NULL, NULL, 0, 0 },
    { "\n", LUN_H1_END, NULL, NULL, 0, 0 },

    { ": b\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A : b\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { " A: b\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "\tfolded\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A\x01: b\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A: b\rc\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A: b\r\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A: \x7f\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A: 12345678\x1f\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A: 123\x01" "5678 12345678\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "A: 123\x7f" "5678 12345678\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },
    { "\r\r\n", LUN_H1_BAD, NULL, NULL, 0, 0 },

    { "", LUN_H1_MORE, NULL, NULL, 0, 0 },
    { "\r", LUN_H1_MORE, NULL, NULL, 0, 0 },
    { "Host: x\r", LUN_H1_MORE, NULL, NULL, 0, 0 }
};


static void
header_lines(void)
{
    size_t          i, n, len;
    lun_h1_header   h;
    lun_h1_parser   p;
    lun_h1_verdict  rc;

    lun_h1_parser_reset(&p);

    for (i = 0; i < LUN_ARRAY_LEN(headers); i++) {
        len = strlen(headers[i].text);
        rc = LUN_H1_MORE;

        for (n = 0; n <= len && rc == LUN_H1_MORE; n++) {
            rc = lun_h1_parse_header(&p, tap_edge(headers[i].text, n), n, &h);
        }

        is_int(rc, headers[i].rc, "header %d", (int) i);
        lun_h1_parser_reset(&p);

        if (rc == LUN_H1_DONE || rc == LUN_H1_END) {
            is_int(h.size, len, "size");
        }

        if (rc == LUN_H1_DONE) {
            is_view(h.name, headers[i].name, "name");
            is_view(h.value, headers[i].value, "value");
            ok(h.odd == headers[i].odd, "odd");
            ok(h.underscore == headers[i].underscore, "underscore");
        }
    }

    is_int(lun_h1_parse_header(&p, tap_edge("A: b\0c\r\n", 8), 8, &h),
           LUN_H1_BAD, "NUL in a value");
    is_int(lun_h1_parse_header(&p, tap_edge("A\0b: c\r\n", 8), 8, &h),
           LUN_H1_BAD, "NUL in a name");
}


/* As what comes of a value is defined, byte by byte. */
static bool
is_as_defined(const char *text, size_t len, bool cr)
{
    char            line[40] = "A:";
    bool            good = true;
    size_t          i, n = 2 + len;
    lun_str         want = lun_str_trim(lun_str_of(text, len));
    lun_h1_header   h;
    lun_h1_parser   p;
    lun_h1_verdict  rc;

    memcpy(line + 2, text, len);
    memcpy(line + n, cr ? "\r\n" : "\n", 2);

    for (i = 0; i < want.len; i++) {
        good &= want.data[i] == '\t' || ((unsigned char) want.data[i] >= ' '
                                         && want.data[i] != 0x7f);
    }

    lun_h1_parser_reset(&p);
    rc = lun_h1_parse_header(&p, line, n + 1 + cr, &h);

    return rc == (good ? LUN_H1_DONE : LUN_H1_BAD)
           && (!good || (h.value.data - line - 2 == want.data - text
                         && h.value.len == want.len));
}


/* Two bytes of a few, or none, on either side of what needs no looking at. */
static void
values_at_a_glance(void)
{
    char               text[16];
    bool               cr;
    size_t             n, bad = 0;
    unsigned           i, k, pad;
    static const char  few[] = " \ta\r\x01\x7f\x80";

    for (i = 0; i < 8 * 8 * 8 * 8 * 10; i++) {
        for (n = 0, k = 0; k < 4; k++) {
            if ((i >> 3 * k & 7) != 7) {
                text[n++] = few[i >> 3 * k & 7];
            }

            for (pad = k == 1 ? i >> 12 : 0; pad > 0; pad--) {
                text[n++] = 'x';
            }
        }

        cr = n != 0 && text[n - 1] == '\r';   /* else it would be the end's */
        bad += !is_as_defined(text, n, true)
               || (!cr && !is_as_defined(text, n, false));
    }

    is_int((long long) bad, 0, "values at a glance, and byte by byte");
}


/* After DONE the parser is ready for the next line. */
static void
a_whole_head(void)
{
    size_t          pos = 0, count = 0;
    lun_h1_line     line;
    lun_h1_parser   p;
    lun_h1_header   h;
    lun_h1_verdict  rc;
    static const char  text[] =
        "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\nrest";

    lun_h1_parser_reset(&p);
    is_int(lun_h1_parse_line(&p, text, sizeof(text) - 1, &line), LUN_H1_DONE,
           "the line of a head");
    pos = line.size;

    while ((rc = lun_h1_parse_header(&p, text + pos, sizeof(text) - 1 - pos,
                                     &h)) == LUN_H1_DONE)
    {
        pos += h.size;
        count++;
    }

    is_int(rc, LUN_H1_END, "its end");
    is_int(count, 2, "its headers");
    is_str(text + pos + h.size, "rest", "and what follows");
}


int
main(void)
{
    request_lines();
    flags();
    header_lines();
    values_at_a_glance();
    a_whole_head();
    return done_testing();
}
