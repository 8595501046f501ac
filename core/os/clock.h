/*
 * clock.h -- the time, taken once per wake-up of the loop, and its texts,
 * made once per second.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CLOCK_H
#define LUN_CLOCK_H

#include "base/str.h"
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

/* Any moment; room as the text is long plus nothing.  Return the end. */
enum { LUN_HTTP_DATE = 29, LUN_COOKIE_DATE = 29 };
char *lun_clock_http_date(char *p, int64_t sec);
char *lun_clock_cookie_date(char *p, int64_t sec);  /* "Sat, 21-Nov-26 ..." */

/* RFC 9110, 5.6.7: all three formats.  LUN_ERROR if it is none. */
lun_rc lun_clock_parse_http(lun_str text, int64_t *sec);

/* lun_clock.sec in local time; the zone in minutes east of UTC. */
void lun_clock_local_date(lun_date *d, int *zone);

/* That as a format says; %Z is UTC, or what %z is: lun_date_format(). */
lun_str lun_clock_format_local(lun_pool *pool, lun_str format);

#endif
