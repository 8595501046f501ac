/*
 * http_date.c -- dates as HTTP's fields have them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/http_date.h"

#include "base/fmt.h"
#include "format/date.h"


/* 9999-12-31 23:59:59: a later year would not fit into the texts. */
#define LAST_SECOND        INT64_C(253402300799)

static const char  weekdays[7][4] = {
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"
};
static const char  months[12][4] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
};


static char *
put_hms(char *p, const lun_date *d)
{
    p = lun_fmt_pad(p, (uint64_t) d->hour, 2);
    *p++ = ':';
    p = lun_fmt_pad(p, (uint64_t) d->minute, 2);
    *p++ = ':';
    return lun_fmt_pad(p, (uint64_t) d->second, 2);
}


static void
date_of(int64_t sec, lun_date *d)
{
    lun_date_of(sec < 0 ? 0 : lun_min(sec, LAST_SECOND), d);
}


/* "Sat, 21 Nov ", or with dashes. */
static char *
put_day(char *p, const lun_date *d, char between)
{
    p = lun_copy(p, weekdays[d->weekday], 3);
    p = lun_copy(p, ", ", 2);
    p = lun_fmt_pad(p, (uint64_t) d->day, 2);
    *p++ = between;
    p = lun_copy(p, months[d->month - 1], 3);
    *p++ = between;
    return p;
}


char *
lun_http_date_put(char *p, int64_t sec)
{
    lun_date  d;

    date_of(sec, &d);

    p = put_day(p, &d, ' ');
    p = lun_fmt_pad(p, (uint64_t) d.year, 4);
    *p++ = ' ';
    p = put_hms(p, &d);
    return lun_copy(p, " GMT", 4);
}


/* Browsers read a two-digit year as 1970 .. 2069; nginx stops at 2037. */
char *
lun_cookie_date_put(char *p, int64_t sec)
{
    lun_date  d;

    date_of(sec, &d);

    p = put_day(p, &d, '-');
    p = d.year > 2037 ? lun_fmt_pad(p, (uint64_t) d.year, 4)
                      : lun_fmt_pad(p, (uint64_t) d.year % 100, 2);
    *p++ = ' ';
    p = put_hms(p, &d);
    return lun_copy(p, " GMT", 4);
}


/* --- reading a date ------------------------------------------------------ */

typedef struct {
    const char  *pos;
    const char  *end;
} cursor;


static bool
skip_char(cursor *in, char c)
{
    if (in->pos == in->end || *in->pos != c) {
        return false;
    }

    in->pos++;
    return true;
}


static bool
read_number(cursor *in, int digits, int *n)
{
    *n = 0;

    for ( ; digits > 0; digits--) {
        if (in->pos == in->end || !lun_is_digit(*in->pos)) {
            return false;
        }

        *n = *n * 10 + (*in->pos++ - '0');
    }

    return true;
}


static bool
read_month(cursor *in, int *month)
{
    size_t  i;

    if (in->end - in->pos < 3) {
        return false;
    }

    for (i = 0; i < LUN_ARRAY_LEN(months); i++) {
        if (memcmp(in->pos, months[i], 3) == 0) {
            in->pos += 3;
            *month = (int) i + 1;
            return true;
        }
    }

    return false;
}


static bool
read_hms(cursor *in, lun_date *d)
{
    return read_number(in, 2, &d->hour) && skip_char(in, ':')
           && read_number(in, 2, &d->minute) && skip_char(in, ':')
           && read_number(in, 2, &d->second);
}


/* "Nov 21 03:27:00 2026", the day of the month padded with a space. */
static bool
read_asctime(cursor *in, lun_date *d)
{
    return read_month(in, &d->month) && skip_char(in, ' ')
           && read_number(in, skip_char(in, ' ') ? 1 : 2, &d->day)
           && skip_char(in, ' ') && read_hms(in, d) && skip_char(in, ' ')
           && read_number(in, 4, &d->year);
}


/* "21 Nov 2026 03:27:00", or with dashes and a year of two digits. */
static bool
read_mail_date(cursor *in, lun_date *d)
{
    char  between;

    while (skip_char(in, ' ')) { /* after the comma */ }

    if (!read_number(in, 2, &d->day) || in->pos == in->end) {
        return false;
    }

    between = *in->pos == '-' ? '-' : ' ';

    if (!skip_char(in, between) || !read_month(in, &d->month)
        || !skip_char(in, between)
        || !read_number(in, between == '-' ? 2 : 4, &d->year))
    {
        return false;
    }

    if (between == '-') {
        d->year += d->year < 70 ? 2000 : 1900;
    }

    return skip_char(in, ' ') && read_hms(in, d);
}


static inline bool
read_two(const char *p, int *n)
{
    unsigned  a = (unsigned) (p[0] - '0'), b = (unsigned) (p[1] - '0');

    *n = (int) (a * 10 + b);
    return a < 10 && b < 10;
}


/*
 * What nearly all send, "Sat, 21 Nov 2026 03:27:00 GMT", at a glance; false:
 * it has to be read.
 */
static bool
read_usual(lun_str s, lun_date *d)
{
    int          century = 0, year = 0;
    cursor       month;
    const char  *p = s.data;

    if (s.len != sizeof("Sat, 21 Nov 2026 03:27:00 GMT") - 1
        || p[0] <= ',' || p[1] <= ',' || p[2] <= ',' || p[3] != ','
        || p[4] != ' ' || p[7] != ' ' || p[11] != ' ' || p[16] != ' '
        || p[19] != ':' || p[22] != ':')
    {
        return false;
    }

    month = (cursor) { p + 8, p + 11 };

    if (!read_two(p + 5, &d->day) || !read_month(&month, &d->month)
        || !read_two(p + 12, &century) || !read_two(p + 14, &year)
        || !read_two(p + 17, &d->hour) || !read_two(p + 20, &d->minute)
        || !read_two(p + 23, &d->second))
    {
        return false;
    }

    d->year = century * 100 + year;
    return true;
}


static bool
is_possible(const lun_date *d)
{
    static const int  days[12] = {
        31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
    };
    bool  leap = (d->year % 4 == 0 && d->year % 100 != 0)
                 || d->year % 400 == 0;

    return d->year >= 1970 && d->day >= 1
           && d->day <= days[d->month - 1] + (d->month == 2 && leap)
           && d->hour <= 23 && d->minute <= 59 && d->second <= 59;
}


static bool
read_any(lun_str s, lun_date *d)
{
    cursor  in = { s.data, s.data + s.len };

    while (in.pos < in.end && *in.pos != ',' && *in.pos != ' ') {
        in.pos++;
    }

    if (in.pos == in.end) {
        return false;
    }

    return *in.pos++ == ',' ? read_mail_date(&in, d) : read_asctime(&in, d);
}


/* The name of the weekday and of the zone are not looked at. */
lun_rc
lun_http_date_parse(lun_str s, int64_t *sec)
{
    lun_date  d = { 0 };

    if ((!read_usual(s, &d) && !read_any(s, &d)) || !is_possible(&d)) {
        return LUN_ERROR;
    }

    *sec = lun_date_sec(&d);
    return LUN_OK;
}
