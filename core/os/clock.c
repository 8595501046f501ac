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

typedef enum { HTTP, LOCAL, ISO8601, ERROR, TEXTS } text_kind;

typedef struct {
    int64_t  sec;                  /* the second it was made for */
    size_t   len;
    char     data[TEXT_SIZE];
} cached;

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
        (void) lun_http_date_put(d->text, sec);
        d->sec = sec;
        d->known = true;
    }

    return lun_copy(p, d->text, LUN_HTTP_DATE);
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
