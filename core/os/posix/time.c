/*
 * time.c -- the clocks of Linux: vDSO calls, no trap.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/time.h"

#include <errno.h>
#include <time.h>


uint64_t
lun_time_monotonic_us(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000 + (uint64_t) ts.tv_nsec / 1000;
}


lun_msec
lun_time_monotonic(void)
{
    return lun_time_monotonic_us() / 1000;
}


int64_t
lun_time_wall(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}


int
lun_time_zone(int64_t sec)
{
    struct tm  tm;
    time_t     at = (time_t) sec;

    return localtime_r(&at, &tm) ? (int) (tm.tm_gmtoff / 60) : 0;
}


void
lun_time_sleep(lun_msec ms)
{
    struct timespec  left = {
        .tv_sec = (time_t) (ms / 1000),
        .tv_nsec = (int) (ms % 1000) * 1000000
    };

    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
        /* a signal: sleep the rest */
    }
}
