/*
 * clock.h -- the time, taken once per wake-up of the loop, and its texts,
 * made once per second.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CLOCK_H
#define LUN_CLOCK_H

#include "format/date.h"
#include "format/http_date.h"
#include "os/time.h"

typedef struct {
    lun_msec  mono;                /* never goes back */
    int64_t   sec;                 /* since the epoch, UTC */
    uint32_t  msec;                /* 0 ... 999 of that second */
} lun_clock_time;

/* Read it as lun_clock.sec. */
extern lun_clock_time  lun_clock;

/* Takes the time; the loop calls it after each wait. */
void lun_clock_update(void);

/* Valid until the next update. */
lun_str lun_clock_http(void);      /* "Sat, 21 Nov 2026 03:27:00 GMT" */
lun_str lun_clock_local(void);     /* "21/Nov/2026:03:27:00 +0000" */
lun_str lun_clock_iso8601(void);   /* "2026-11-21T03:27:00+00:00" */
lun_str lun_clock_error(void);     /* "2026/11/21 03:27:00" */

/* lun_http_date_put(), of whose texts the last few are kept. */
char *lun_clock_http_date(char *p, int64_t sec);

/* lun_clock.sec in local time; the zone in minutes east of UTC. */
void lun_clock_local_date(lun_date *d, int *zone);

/* That as a format says; %Z is UTC, or what %z is: lun_date_format(). */
lun_str lun_clock_format_local(lun_pool *pool, lun_str format);

#endif
