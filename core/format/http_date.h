/*
 * http_date.h -- dates as HTTP's fields have them.  Pure; a text that is
 * asked for again and again is core/os/clock.h's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_HTTP_DATE_H
#define LUN_FORMAT_HTTP_DATE_H

#include "base/str.h"

/*
 * The text of a moment (seconds since the epoch, those before it and after
 * the year 9999 are taken for the first and the last), into room of that
 * many bytes.  Return the end.
 */
enum { LUN_HTTP_DATE = 29, LUN_COOKIE_DATE = 29 };
char *lun_http_date_put(char *p, int64_t sec);    /* "Sat, 21 Nov 2026 ..." */
char *lun_cookie_date_put(char *p, int64_t sec);  /* "Sat, 21-Nov-26 ..." */

/* RFC 9110, 5.6.7: all three formats.  LUN_ERROR if it is none. */
lun_rc lun_http_date_parse(lun_str text, int64_t *sec);

#endif
