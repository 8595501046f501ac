/*
 * date.h -- calendar dates, of the proleptic Gregorian calendar.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_DATE_H
#define LUN_FORMAT_DATE_H

#include "base/pool.h"

typedef struct {
    int  year;                     /* 1970 ... */
    int  month;                    /* 1 ... 12 */
    int  day;                      /* 1 ... 31 */
    int  hour, minute, second;
    int  weekday;                  /* 0 = Sunday */
    int  yearday;                  /* 0 ... 365 */
} lun_date;

/* Seconds since 1970-01-01 00:00 UTC, and the date that they are in UTC. */
void lun_date_of(int64_t sec, lun_date *d);
int64_t lun_date_sec(const lun_date *d);

/*
 * What strftime() makes of a format in the "C" locale, with GNU's %k %l %P %s
 * and flags; a letter that it does not know stays as it stands.  The zone:
 * minutes east of UTC, and its name.
 */
lun_str lun_date_format(lun_pool *pool, lun_str format, int64_t sec, int zone,
    lun_str zone_name);

#endif
