/*
 * date.c -- seconds to calendar dates and back.
 *
 * The year is taken to begin in March: a leap day is then the last of its
 * year, and the lengths of the months before it repeat every five (153 days).
 * 400 years, an era, have 146097 days.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/date.h"


enum {
    DAY          = 86400,          /* seconds */
    ERA_DAYS     = 146097,
    EPOCH        = 719468,         /* days from 0000-03-01 to 1970-01-01 */
    EPOCH_WEEKDAY = 4              /* a Thursday */
};


/* Rounds down, also below zero. */
static int64_t
floor_div(int64_t n, int64_t by)
{
    return n / by - (n % by < 0);
}


static bool
is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}


void
lun_date_of(int64_t sec, lun_date *d)
{
    int64_t  days, era, year;
    int      left, day, month;

    days = floor_div(sec, DAY);
    left = (int) (sec - days * DAY);

    d->hour = left / 3600;
    d->minute = left / 60 % 60;
    d->second = left % 60;
    d->weekday = (int) ((days % 7 + 7 + EPOCH_WEEKDAY) % 7);

    days += EPOCH;
    era = floor_div(days, ERA_DAYS);
    day = (int) (days - era * ERA_DAYS);

    /* Leave out the leap days that have passed to get whole years. */
    year = (day - day / 1460 + day / 36524 - day / (ERA_DAYS - 1)) / 365;
    day -= (int) (year * 365 + year / 4 - year / 100);
    year += era * 400;

    month = (5 * day + 2) / 153;       /* 0: March */
    d->day = day - (153 * month + 2) / 5 + 1;
    d->month = month < 10 ? month + 3 : month - 9;

    /* 306 days from the first of March to the end of the year. */
    d->yearday = day >= 306 ? day - 306
                            : day + 59 + is_leap(year);
    d->year = (int) (year + (month >= 10));
}


int64_t
lun_date_sec(const lun_date *d)
{
    int64_t  year, era, days;
    int      month, of_era;

    year = (int64_t) d->year - (d->month <= 2);
    month = d->month > 2 ? d->month - 3 : d->month + 9;

    era = floor_div(year, 400);
    of_era = (int) (year - era * 400);

    days = era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100
           + (153 * month + 2) / 5 + d->day - 1 - EPOCH;

    return days * DAY + d->hour * 3600 + d->minute * 60 + d->second;
}
