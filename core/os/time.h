/*
 * time.h -- the clocks, as the system has them.  Cached times and their texts
 * are core/os/clock.h's, calendar dates core/format/date.h's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_TIME_H
#define LUN_OS_TIME_H

#include "base/base.h"

/* Milliseconds of a clock that never goes back. */
lun_msec lun_time_monotonic(void);

/* Microseconds of the same, for measuring. */
uint64_t lun_time_monotonic_us(void);

/* Milliseconds since 1970-01-01 00:00 UTC. */
int64_t lun_time_wall(void);

/* Minutes east of UTC that local time is at that moment. */
int lun_time_zone(int64_t sec);

void lun_time_sleep(lun_msec ms);

#endif
