/*
 * acme_time.c -- when something is to be done.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_time.h"

#include "format/date.h"
#include "format/http_date.h"


enum {
    DAY = 86400,
    SHORT_LIFE = 10 * DAY,
    AWAY_FIRST = 5,                /* seconds: then twice as many, up to */
    AWAY_MOST = 3600,
    REFUSED_FIRST = 60,            /* then four times, up to */
    REFUSED_MOST = DAY
};


/* --- dates --------------------------------------------------------------- */

/* So many digits at p. */
static bool
read_digits(const char *p, int n, int *value)
{
    *value = 0;

    while (n-- > 0) {
        if (!lun_is_digit(*p)) {
            return false;
        }

        *value = *value * 10 + (*p++ - '0');
    }

    return true;
}


/* "Z", or "+01:30", behind an optional fraction. */
static bool
read_offset(const char *p, const char *end, int *minutes)
{
    int  sign, hours, rest;

    if (p != end && *p == '.') {
        do {
            p++;
        } while (p != end && lun_is_digit(*p));

        if (p[-1] == '.') {
            return false;
        }
    }

    *minutes = 0;

    if (end - p == 1) {
        return lun_lower(*p) == 'z';
    }

    if (end - p != 6 || (*p != '+' && *p != '-') || p[3] != ':'
        || !read_digits(p + 1, 2, &hours) || !read_digits(p + 4, 2, &rest)
        || hours > 23 || rest > 59)
    {
        return false;
    }

    sign = *p == '-' ? -1 : 1;
    *minutes = sign * (hours * 60 + rest);
    return true;
}


bool
lun_acme_time_parse(lun_str text, int64_t *sec)
{
    enum { LEN = 19 };             /* "2026-01-02T04:00:00" */

    int          offset;
    lun_date     d;
    const char  *p = text.data;

    if (text.len <= LEN || !read_digits(p, 4, &d.year) || p[4] != '-'
        || !read_digits(p + 5, 2, &d.month) || p[7] != '-'
        || !read_digits(p + 8, 2, &d.day)
        || (lun_lower(p[10]) != 't' && p[10] != ' ')
        || !read_digits(p + 11, 2, &d.hour) || p[13] != ':'
        || !read_digits(p + 14, 2, &d.minute) || p[16] != ':'
        || !read_digits(p + 17, 2, &d.second)
        || !read_offset(p + LEN, p + text.len, &offset))
    {
        return false;
    }

    if (d.year < 1970 || d.month < 1 || d.month > 12 || d.day < 1
        || d.day > 31 || d.hour > 23 || d.minute > 59 || d.second > 60)
    {
        return false;
    }

    *sec = lun_date_sec(&d) - (int64_t) offset * 60;
    return true;
}


/* --- when ---------------------------------------------------------------- */

static int64_t
part_of(int64_t span, uint64_t seed)
{
    return span > 0 ? (int64_t) (seed % (uint64_t) span) : 0;
}


int64_t
lun_acme_due(int64_t from, int64_t until, uint64_t seed)
{
    int64_t  life = until - from;

    if (life <= 0) {
        return until;
    }

    return (life < SHORT_LIFE ? from + life / 2 : from + life / 3 * 2)
           - part_of(life / 50, seed);
}


int64_t
lun_acme_due_in(int64_t start, int64_t end, int64_t until, uint64_t seed)
{
    return lun_min(start + part_of(end - start, seed), until);
}


int64_t
lun_acme_retry_after(lun_str text, int64_t now, int64_t least, int64_t most)
{
    int64_t   at;
    uint64_t  n;

    if (lun_str_to_u64(text, &n) == LUN_OK) {
        return lun_max(least, (int64_t) lun_min(n, (uint64_t) most));
    }

    if (text.len == 0 || lun_http_date_parse(text, &at) != LUN_OK) {
        return least;
    }

    return lun_max(least, lun_min(at - now, most));
}


int64_t
lun_acme_back_off(unsigned failures, bool refused, uint64_t seed)
{
    int64_t   wait = refused ? REFUSED_FIRST : AWAY_FIRST;
    int64_t   most = refused ? REFUSED_MOST : AWAY_MOST;

    while (failures > 1 && wait < most) {
        wait *= refused ? 4 : 2;
        failures--;
    }

    wait = lun_min(wait, most);
    return wait + part_of(wait / 10 + 1, seed);
}
