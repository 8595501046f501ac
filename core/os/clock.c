/*
 * clock.c -- cached time.  The texts of a second are made when somebody asks
 * for them first; a server that only logs nothing formats nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/clock.h"

#include "base/fmt.h"


enum { TEXT_SIZE = 32 };

/* Zones change their distance from UTC at quarters of an hour. */
enum { ZONE_STEP = 900 };

/* Of how many moments the text is kept; neighbours do not meet. */
enum { DATES = 64 };

/* 9999-12-31 23:59:59: a later year would not fit into the texts. */
#define LAST_SECOND        INT64_C(253402300799)

typedef enum { HTTP, LOCAL, ISO8601, ERROR, TEXTS } text_kind;

typedef struct {
    int64_t  sec;                  /* the second it was made for */
    size_t   len;
    char     data[TEXT_SIZE];
} cached;

static const char  weekdays[7][4] = {
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"
};
static const char  months[12][4] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
};

lun_clock_time  lun_clock;

static cached   texts[TEXTS] = { { .sec = -1 }, { .sec = -1 }, { .sec = -1 },
                                 { .sec = -1 } };


/* Within a millisecond a busy loop comes by many times: one look is enough. */
void
lun_clock_update(void)
{
    int64_t   wall;
    lun_msec  mono = lun_time_monotonic();

    if (mono == lun_clock.mono && lun_clock.sec != 0) {
        return;
    }

    wall = lun_time_wall();
    lun_clock.mono = mono;
    lun_clock.sec = wall / 1000;
    lun_clock.msec = (uint32_t) (wall % 1000);
}


static int
zone_of(int64_t sec)
{
    static int      zone;
    static int64_t  step = -1;

    if (sec / ZONE_STEP != step) {
        step = sec / ZONE_STEP;
        zone = lun_time_zone(sec);
    }

    return zone;
}


void
lun_clock_local_date(lun_date *d, int *zone)
{
    *zone = zone_of(lun_clock.sec);
    lun_date_of(lun_clock.sec + *zone * 60, d);
}


/* The systems' names of time zones have nothing in common: +0100 is one. */
lun_str
lun_clock_format_local(lun_pool *pool, lun_str format)
{
    int       zone;
    lun_str   name = LUN_STR("UTC");
    lun_date  d;

    lun_clock_local_date(&d, &zone);

    if (zone != 0) {
        name = lun_date_format(pool, LUN_STR("%z"), lun_clock.sec, zone, name);
    }

    return lun_date_format(pool, format, lun_clock.sec, zone, name);
}


static char *
put_hms(char *p, const lun_date *d)
{
    p = lun_fmt_pad(p, (uint64_t) d->hour, 2);
    *p++ = ':';
    p = lun_fmt_pad(p, (uint64_t) d->minute, 2);
    *p++ = ':';
    return lun_fmt_pad(p, (uint64_t) d->second, 2);
}


static char *
put_ymd(char *p, const lun_date *d, char between)
{
    p = lun_fmt_pad(p, (uint64_t) d->year, 4);
    *p++ = between;
    p = lun_fmt_pad(p, (uint64_t) d->month, 2);
    *p++ = between;
    return lun_fmt_pad(p, (uint64_t) d->day, 2);
}


static char *
put_zone(char *p, int zone, bool colon)
{
    *p++ = zone < 0 ? '-' : '+';
    zone = zone < 0 ? -zone : zone;

    p = lun_fmt_pad(p, (uint64_t) zone / 60, 2);

    if (colon) {
        *p++ = ':';
    }

    return lun_fmt_pad(p, (uint64_t) zone % 60, 2);
}


static void
date_of(int64_t sec, lun_date *d)
{
    lun_date_of(sec < 0 ? 0 : lun_min(sec, LAST_SECOND), d);
}


static char *
put_http_date(char *p, int64_t sec)
{
    lun_date  d;

    date_of(sec, &d);

    p = lun_copy(p, weekdays[d.weekday], 3);
    p = lun_copy(p, ", ", 2);
    p = lun_fmt_pad(p, (uint64_t) d.day, 2);
    *p++ = ' ';
    p = lun_copy(p, months[d.month - 1], 3);
    *p++ = ' ';
    p = lun_fmt_pad(p, (uint64_t) d.year, 4);
    *p++ = ' ';
    p = put_hms(p, &d);
    return lun_copy(p, " GMT", 4);
}


/* Files are asked for again and again, and so is when they were changed. */
char *
lun_clock_http_date(char *p, int64_t sec)
{
    static struct {
        int64_t  sec;
        bool     known;
        char     text[LUN_HTTP_DATE];
    } dates[DATES], *d;

    d = &dates[(uint64_t) sec % DATES];

    if (!d->known || d->sec != sec) {
        (void) put_http_date(d->text, sec);
        d->sec = sec;
        d->known = true;
    }

    return lun_copy(p, d->text, LUN_HTTP_DATE);
}


/* Browsers read a two-digit year as 1970 .. 2069; nginx stops at 2037. */
char *
lun_clock_cookie_date(char *p, int64_t sec)
{
    lun_date  d;

    date_of(sec, &d);

    p = lun_copy(p, weekdays[d.weekday], 3);
    p = lun_copy(p, ", ", 2);
    p = lun_fmt_pad(p, (uint64_t) d.day, 2);
    *p++ = '-';
    p = lun_copy(p, months[d.month - 1], 3);
    *p++ = '-';
    p = d.year > 2037 ? lun_fmt_pad(p, (uint64_t) d.year, 4)
                      : lun_fmt_pad(p, (uint64_t) d.year % 100, 2);
    *p++ = ' ';
    p = put_hms(p, &d);
    return lun_copy(p, " GMT", 4);
}


static char *
put_local(char *p)
{
    int       zone;
    lun_date  d;

    lun_clock_local_date(&d, &zone);

    p = lun_fmt_pad(p, (uint64_t) d.day, 2);
    *p++ = '/';
    p = lun_copy(p, months[d.month - 1], 3);
    *p++ = '/';
    p = lun_fmt_pad(p, (uint64_t) d.year, 4);
    *p++ = ':';
    p = put_hms(p, &d);
    *p++ = ' ';
    return put_zone(p, zone, false);
}


static char *
put_iso8601(char *p)
{
    int       zone;
    lun_date  d;

    lun_clock_local_date(&d, &zone);

    p = put_ymd(p, &d, '-');
    *p++ = 'T';
    p = put_hms(p, &d);
    return put_zone(p, zone, true);
}


static char *
put_error(char *p)
{
    int       zone;
    lun_date  d;

    lun_clock_local_date(&d, &zone);

    p = put_ymd(p, &d, '/');
    *p++ = ' ';
    return put_hms(p, &d);
}


static lun_str
text_of(text_kind kind)
{
    char    *end;
    cached  *t = &texts[kind];

    if (t->sec != lun_clock.sec) {
        switch (kind) {
        case HTTP:     end = lun_clock_http_date(t->data, lun_clock.sec); break;
        case LOCAL:    end = put_local(t->data);    break;
        case ISO8601:  end = put_iso8601(t->data);  break;
        default:       end = put_error(t->data);    break;
        }

        t->len = (size_t) (end - t->data);
        t->sec = lun_clock.sec;
    }

    return lun_str_of(t->data, t->len);
}


lun_str
lun_clock_http(void)
{
    return text_of(HTTP);
}


lun_str
lun_clock_local(void)
{
    return text_of(LOCAL);
}


lun_str
lun_clock_iso8601(void)
{
    return text_of(ISO8601);
}


lun_str
lun_clock_error(void)
{
    return text_of(ERROR);
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
lun_clock_parse_http(lun_str s, int64_t *sec)
{
    lun_date  d = { 0 };

    if ((!read_usual(s, &d) && !read_any(s, &d)) || !is_possible(&d)) {
        return LUN_ERROR;
    }

    *sec = lun_date_sec(&d);
    return LUN_OK;
}
