/*
 * time.h -- the clocks, as the system has them.  Cached times and their texts
 * are core/os/clock.h's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_TIME_H
#define LUN_OS_TIME_H

#include "base/pool.h"

/* Milliseconds of a clock that never goes back. */
lun_msec lun_time_monotonic(void);

/* Microseconds of the same, for measuring. */
uint64_t lun_time_monotonic_us(void);

/* Milliseconds since 1970-01-01 00:00 UTC. */
int64_t lun_time_wall(void);

/* Minutes east of UTC that local time is at that moment. */
int lun_time_zone(int64_t sec);

typedef struct {
    int  year;                     /* 1970 ... */
    int  month;                    /* 1 ... 12 */
    int  day;                      /* 1 ... 31 */
    int  hour, minute, second;
    int  weekday;                  /* 0 = Sunday */
    int  yearday;                  /* 0 ... 365 */
} lun_date;

/* Of the proleptic Gregorian calendar, UTC; pure. */
void lun_date_of(int64_t sec, lun_date *d);
int64_t lun_date_sec(const lun_date *d);

/*
 * What strftime() makes of a format in the "C" locale, with GNU's %k %l %P %s
 * and flags; a letter that it does not know stays as it stands.  The zone:
 * minutes east of UTC, and its name.  Pure.
 */
lun_str lun_date_format(lun_pool *pool, lun_str format, int64_t sec, int zone,
    lun_str zone_name);

void lun_time_sleep(lun_msec ms);

#endif
