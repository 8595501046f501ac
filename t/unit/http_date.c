/*
 * http_date.c -- the three formats of HTTP dates, and those of cookies.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/http_date.c"

#include "tap.h"


/* 2026-11-21 03:27:00 UTC, a Saturday. */
#define MOMENT             INT64_C(1795231620)


static void
is_text(lun_str have, const char *want, const char *name)
{
    is_mem(have.data, have.len, want, strlen(want), "%s", name);
}


static void
writes_dates(void)
{
    char  text[64], *end;

    static const struct {
        int64_t      sec;
        const char  *http;
        const char  *cookie;
    } cases[] = {
        { MOMENT, "Sat, 21 Nov 2026 03:27:00 GMT",
          "Sat, 21-Nov-26 03:27:00 GMT" },
        { 0, "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01-Jan-70 00:00:00 GMT" },
        { 951782400, "Tue, 29 Feb 2000 00:00:00 GMT",
          "Tue, 29-Feb-00 00:00:00 GMT" },
        { 2147483647, "Tue, 19 Jan 2038 03:14:07 GMT",
          "Tue, 19-Jan-2038 03:14:07 GMT" },
        { -5, "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01-Jan-70 00:00:00 GMT" },
        { INT64_MAX, "Fri, 31 Dec 9999 23:59:59 GMT",
          "Fri, 31-Dec-9999 23:59:59 GMT" },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        end = lun_http_date_put(text, cases[i].sec);
        is_text(lun_str_of(text, (size_t) (end - text)), cases[i].http,
                "http date");
        end = lun_cookie_date_put(text, cases[i].sec);
        is_text(lun_str_of(text, (size_t) (end - text)), cases[i].cookie,
                "cookie date");
    }
}


static void
reads_dates(void)
{
    lun_rc   rc;
    int64_t  sec;

    static const struct {
        const char  *text;
        int64_t      sec;          /* -1: not a date */
    } cases[] = {
        { "Sat, 21 Nov 2026 03:27:00 GMT", MOMENT },
        { "Saturday, 21-Nov-26 03:27:00 GMT", MOMENT },
        { "Sat Nov 21 03:27:00 2026", MOMENT },
        { "Thu, 01 Jan 1970 00:00:00 GMT", 0 },
        { "Thu Jan  1 00:00:00 1970", 0 },
        { "Sunday, 01-Jan-70 00:00:00 GMT", 0 },
        { "Tue, 29 Feb 2000 00:00:00 GMT", 951782400 },
        { "Thu, 28 Feb 1901 00:00:00 GMT", -1 },
        { "Tue, 29 Feb 2026 00:00:00 GMT", -1 },
        { "Mon, 29 Feb 2100 00:00:00 GMT", -1 },
        { "Sat, 21 Nov 2026 24:00:00 GMT", -1 },
        { "Sat, 21 Nov 2026 03:60:00 GMT", -1 },
        { "Sat, 21 Nov 2026 03:27:60 GMT", -1 },
        { "Sat, 32 Dec 2026 03:27:00 GMT", -1 },
        { "Sat, 00 Dec 2026 03:27:00 GMT", -1 },
        { "Sat, 21 Nox 2026 03:27:00 GMT", -1 },
        { "Sat, 21 Nov-2026 03:27:00 GMT", -1 },
        { "Sat, 2x Nov 2026 03:27:00 GMT", -1 },
        { "Sat, 21 Nov 20:6 03:27:00 GMT", -1 },
        { "Sat, 21 Nov /026 03:27:00 GMT", -1 },
        { "Sat, 21 Nov 2026 03:27:0: GMT", -1 },
        { "Sat, 21 Nov 2026 03-27:00 GMT", -1 },
        { "S t, 21 Nov 2026 03:27:00 GMT", -1 },
        { ",at, 21 Nov 2026 03:27:00 GMT", -1 },
        { "Sa , 21 Nov 2026 03:27:00 GMT", -1 },
        { "Sat, 21 Nov 2026 03:27:00 XYZ", MOMENT },
        { "\xe5\x9c\x9f, 21 Nov 2026 03:27:00 GMT", MOMENT },
        { "Sat, 21 Nov 2026", -1 },
        { "Sat, 21 Nov 2026 03:27", -1 },
        { "Sat Nov 21 03:27:00", -1 },
        { "Sat,", -1 },
        { "Sat", -1 },
        { "", -1 },
        { "1795231620", -1 },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        size_t  len = strlen(cases[i].text);

        sec = -1;
        rc = lun_http_date_parse(
            lun_str_of(tap_edge(cases[i].text, len), len), &sec);

        is_int(sec, cases[i].sec, "%s", cases[i].text);
        ok((rc == LUN_OK) == (cases[i].sec != -1), "says so");
    }
}


/* What is read at a glance is what reading it would find. */
static bool
is_read_alike(const char *text, size_t i, char c, size_t k, char d)
{
    char      other[32];
    lun_str   s = lun_str_of(other, strlen(text));
    lun_date  a = { 0 }, b = { 0 };

    memcpy(other, text, s.len);
    other[i] = c;
    other[k] = d;

    return !read_usual(s, &a)
           || (read_any(s, &b) && memcmp(&a, &b, sizeof(a)) == 0);
}


static void
reads_the_usual_as_any(void)
{
    size_t             i, k, m, n, wrong = 0;
    const char         usual[] = "Sat, 21 Nov 2026 03:27:00 GMT";
    static const char  few[] = " ,:-/09aN\x80";

    for (i = 0; i < strlen(usual); i++) {
        for (m = 0; m < 256; m++) {
            wrong += !is_read_alike(usual, i, (char) m, i, (char) m);
        }

        for (m = 0; m < strlen(few); m++) {
            for (k = 0; k < i; k++) {
                for (n = 0; n < strlen(few); n++) {
                    wrong += !is_read_alike(usual, i, few[m], k, few[n]);
                }
            }
        }
    }

    is_int((int64_t) wrong, 0, "at a glance, and by reading it");
}


static void
reads_no_byte_too_far(void)
{
    size_t      n, good;
    int64_t     sec;
    const char  text[] = "Sat, 21 Nov 2026 03:27:00 GMT";

    for (n = 0, good = 0; n < sizeof(text); n++) {
        good += lun_http_date_parse(lun_str_of(tap_edge(text, n), n), &sec)
                == LUN_OK;
    }

    is_int((int64_t) good, 5, "complete with the seconds, whatever follows");
}

int
main(void)
{
    writes_dates();
    reads_dates();
    reads_the_usual_as_any();
    reads_no_byte_too_far();
    return done_testing();
}
