/*
 * clock.c -- texts of known moments.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/clock.c"

#include "tap.h"


/* 2026-11-21 03:27:00 UTC, a Saturday. */
#define MOMENT             INT64_C(1795231620)


static void
is_text(lun_str have, const char *want, const char *name)
{
    is_mem(have.data, have.len, want, strlen(want), "%s", name);
}


/* The machine may be in any zone: the texts must agree with each other. */
static void
writes_local_texts(void)
{
    int       zone;
    char      want[64], *p;
    lun_date  d;

    lun_clock.sec = MOMENT;
    lun_clock_local_date(&d, &zone);
    is_int(lun_date_sec(&d) - zone * 60, MOMENT, "local date less its zone");

    is_text(lun_clock_http(), "Sat, 21 Nov 2026 03:27:00 GMT", "http");

    snprintf(want, sizeof(want), "%04d/%02d/%02d %02d:%02d:%02d", d.year,
             d.month, d.day, d.hour, d.minute, d.second);
    is_text(lun_clock_error(), want, "error log");

    snprintf(want, sizeof(want), "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d",
             d.year, d.month, d.day, d.hour, d.minute, d.second,
             zone < 0 ? '-' : '+', abs(zone) / 60, abs(zone) % 60);
    is_text(lun_clock_iso8601(), want, "iso 8601");

    snprintf(want, sizeof(want), "%02d/%s/%04d:%02d:%02d:%02d %c%02d%02d",
             d.day, months[d.month - 1], d.year, d.hour, d.minute, d.second,
             zone < 0 ? '-' : '+', abs(zone) / 60, abs(zone) % 60);
    is_text(lun_clock_local(), want, "common log");

    p = put_zone(want, -210, true);
    is_text(lun_str_of(want, (size_t) (p - want)), "-03:30", "zone west");
    p = put_zone(want, 765, false);
    is_text(lun_str_of(want, (size_t) (p - want)), "+1245", "zone east");
}


/* Texts are kept at a place that other moments have, too. */
static void
keeps_texts_of_moments(void)
{
    int      i;
    char     want[LUN_HTTP_DATE], have[LUN_HTTP_DATE];
    int64_t  sec;

    for (i = 0; i < 6; i++) {
        sec = MOMENT + (i % 3) * DATES;
        (void) lun_http_date_put(want, sec);
        is_int(lun_clock_http_date(have, sec) - have, LUN_HTTP_DATE, "length");
        is_mem(have, sizeof(have), want, sizeof(want), "moment %d", i % 3);
    }
}


static void
makes_texts_anew_each_second(void)
{
    lun_clock.sec = MOMENT;
    (void) lun_clock_http();
    lun_clock.sec = MOMENT + 1;
    is_text(lun_clock_http(), "Sat, 21 Nov 2026 03:27:01 GMT", "a second on");
    lun_clock.sec = MOMENT - 1;
    is_text(lun_clock_http(), "Sat, 21 Nov 2026 03:26:59 GMT", "set back");
}


static void
goes_on(void)
{
    lun_msec  before;

    lun_clock_update();
    before = lun_clock.mono;
    lun_clock_update();
    ok(lun_clock.mono >= before, "never back");
    ok(lun_clock.sec > 1700000000 && lun_clock.msec < 1000, "a wall clock");
}


int
main(void)
{
    writes_local_texts();
    keeps_texts_of_moments();
    makes_texts_anew_each_second();
    goes_on();

    return done_testing();
}
