/*
 * date.c -- the calendar, against known days and against itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/date.c"

#include "tap.h"


static const struct {
    int64_t   sec;
    lun_date  date;
} cases[] = {
    { 0,           { 1970, 1, 1, 0, 0, 0, 4, 0 } },
    { 951782399,   { 2000, 2, 28, 23, 59, 59, 1, 58 } },
    { 951782400,   { 2000, 2, 29, 0, 0, 0, 2, 59 } },
    { 951868800,   { 2000, 3, 1, 0, 0, 0, 3, 60 } },
    { 978307199,   { 2000, 12, 31, 23, 59, 59, 0, 365 } },
    { 1078012800,  { 2004, 2, 29, 0, 0, 0, 0, 59 } },
    { 2147483648,  { 2038, 1, 19, 3, 14, 8, 2, 18 } },
    { 4107542399,  { 2100, 2, 28, 23, 59, 59, 0, 58 } },
    { 4107542400,  { 2100, 3, 1, 0, 0, 0, 1, 59 } },
    { 13574563200, { 2400, 2, 29, 0, 0, 0, 2, 59 } },
    { -1,          { 1969, 12, 31, 23, 59, 59, 3, 364 } },
    { -11676096000, { 1600, 1, 1, 0, 0, 0, 6, 0 } },
    { -62135596800, { 1, 1, 1, 0, 0, 0, 1, 0 } }
};


static void
known_days(void)
{
    size_t    i;
    lun_date  d;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        memset(&d, 0, sizeof(d));
        lun_date_of(cases[i].sec, &d);
        is_mem(&d, sizeof(d), &cases[i].date, sizeof(d), "the date of %lld",
               (long long) cases[i].sec);
        is_int(lun_date_sec(&cases[i].date), cases[i].sec, "and back");
    }
}


/* Counts the days of 1600 to 2420 by hand. */
static void
every_day(void)
{
    int       year, month, day, days, yearday, weekday = 6, wrong = 0;
    int64_t   sec = -11676096000;
    lun_date  d;

    static const int  lengths[] = {
        31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
    };

    for (year = 1600; year < 2420; year++) {
        yearday = 0;

        for (month = 1; month <= 12; month++) {
            days = lengths[month - 1];
            days += month == 2 && is_leap(year);

            for (day = 1; day <= days; day++, sec += DAY) {
                lun_date_of(sec + DAY - 1, &d);
                wrong += d.year != year || d.month != month || d.day != day
                         || d.yearday != yearday++ || d.weekday != weekday
                         || d.hour != 23 || lun_date_sec(&d) != sec + DAY - 1;
                weekday = (weekday + 1) % 7;
            }
        }
    }

    is_int(wrong, 0, "each day from 1600 to 2419");
    is_int(sec, 14200617600, "and there are 299499 of them");
}


int
main(void)
{
    known_days();
    every_day();

    return done_testing();
}
