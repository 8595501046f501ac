/*
 * clock.h -- a time that stands still until the target lets it pass().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_CLOCK_H
#define LUN_FUZZ_CLOCK_H

#include "os/time.h"

static uint64_t  now_us = 1000 * 1000;


uint64_t
lun_time_monotonic_us(void)
{
    return now_us;
}


lun_msec
lun_time_monotonic(void)
{
    return now_us / 1000;
}


int64_t
lun_time_wall(void)
{
    return INT64_C(1700000000000) + (int64_t) (now_us / 1000);
}


int
lun_time_zone(int64_t sec)
{
    return 0;
}


void
lun_time_sleep(lun_msec ms)
{
    now_us += ms * 1000;
}


static void
pass(lun_msec ms)
{
    now_us += ms * 1000;
}

#endif
