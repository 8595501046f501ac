/*
 * date_format.c -- dates as a format says.
 *
 * The systems' strftime() differ in what they know, and in what they do with
 * what they don't; this is the one of POSIX in the "C" locale, with GNU's
 * %k %l %P %s and flags.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/date.h"

#include "base/fmt.h"
#include "base/pool.h"


enum { PIECE = 32 };               /* at most behind one '%', but for %Z */

typedef struct {
    lun_date  date;
    int64_t   sec;
    int       zone;
    lun_str   zone_name;
} moment;

static const char *const  days[] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
    "Saturday"
};

static const char *const  months[] = {
    "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"
};

/* Those that are made of others. */
static const struct {
    char         letter;
    const char  *format;
} whole[] = {
    { 'c', "%a %b %e %H:%M:%S %Y" }, { 'D', "%m/%d/%y" }, { 'F', "%Y-%m-%d" },
    { 'r', "%I:%M:%S %p" }, { 'R', "%H:%M" }, { 'T', "%H:%M:%S" },
    { 'x', "%m/%d/%y" }, { 'X', "%H:%M:%S" }, { 'n', "\n" }, { 't', "\t" }
};


static char *
put_number(char *p, int n, int width, char fill)
{
    int  i;

    for (i = width - 1; i >= 0; i--) {
        p[i] = n != 0 || i == width - 1 ? (char) ('0' + n % 10) : fill;
        n /= 10;
    }

    return p + width;
}


/* Days of a year's first week count from its Thursday: ISO 8601. */
static int
iso_week(const lun_date *d, int *year)
{
    int       monday = (d->weekday + 6) % 7;
    int       week = (d->yearday - monday + 10) / 7;
    lun_date  last = { .year = d->year, .month = 12, .day = 31 };

    *year = d->year;

    if (week < 1) {
        last.year--;
        lun_date_of(lun_date_sec(&last), &last);
        return iso_week(&last, year);
    }

    if (week == 53) {
        lun_date_of(lun_date_sec(&last), &last);

        if (last.weekday >= 1 && last.weekday <= 3) {
            *year = d->year + 1;
            return 1;
        }
    }

    return week;
}


static char *
put_week(char *p, const lun_date *d, char letter)
{
    int  year, week = iso_week(d, &year);

    switch (letter) {

    case 'V':
        return put_number(p, week, 2, '0');

    case 'G':
        return put_number(p, year, 4, '0');

    default:
        return put_number(p, year % 100, 2, '0');
    }
}


static char *
put_name(char *p, const char *name, bool brief)
{
    return lun_copy(p, name, brief ? 3 : strlen(name));
}


static int
twelve(int hour)
{
    return hour % 12 == 0 ? 12 : hour % 12;
}


/* NULL: nobody knows that letter. */
static char *
put_clock(char *p, const moment *m, char letter)
{
    const lun_date  *d = &m->date;
    int              zone = m->zone < 0 ? -m->zone : m->zone;

    switch (letter) {

    case 'H':
        return put_number(p, d->hour, 2, '0');

    case 'I':
        return put_number(p, twelve(d->hour), 2, '0');

    case 'k':
        return put_number(p, d->hour, 2, ' ');

    case 'l':
        return put_number(p, twelve(d->hour), 2, ' ');

    case 'M':
        return put_number(p, d->minute, 2, '0');

    case 'S':
        return put_number(p, d->second, 2, '0');

    case 'p':
        return lun_copy(p, d->hour < 12 ? "AM" : "PM", 2);

    case 'P':
        return lun_copy(p, d->hour < 12 ? "am" : "pm", 2);

    case 's':
        return lun_fmt_u64(p, (uint64_t) m->sec);

    case 'z':
        *p++ = m->zone < 0 ? '-' : '+';
        return put_number(p, zone / 60 * 100 + zone % 60, 4, '0');

    default:
        return NULL;
    }
}


static char *
put_day(char *p, const moment *m, char letter)
{
    const lun_date  *d = &m->date;

    switch (letter) {

    case 'a':
    case 'A':
        return put_name(p, days[d->weekday], letter == 'a');

    case 'b':
    case 'B':
    case 'h':
        return put_name(p, months[d->month - 1], letter != 'B');

    case 'C':
        return put_number(p, d->year / 100, 2, '0');

    case 'd':
        return put_number(p, d->day, 2, '0');

    case 'e':
        return put_number(p, d->day, 2, ' ');

    case 'j':
        return put_number(p, d->yearday + 1, 3, '0');

    case 'm':
        return put_number(p, d->month, 2, '0');

    case 'u':
        return put_number(p, d->weekday == 0 ? 7 : d->weekday, 1, '0');

    case 'w':
        return put_number(p, d->weekday, 1, '0');

    case 'U':
        return put_number(p, (d->yearday + 7 - d->weekday) / 7, 2, '0');

    case 'W':
        return put_number(p, (d->yearday + 7 - (d->weekday + 6) % 7) / 7, 2,
                          '0');

    case 'y':
        return put_number(p, d->year % 100, 2, '0');

    case 'Y':
        return put_number(p, d->year, 4, '0');

    case 'g':
    case 'G':
    case 'V':
        return put_week(p, d, letter);

    default:
        return put_clock(p, m, letter);
    }
}


static char *format(char *p, const moment *m, lun_str text);


/*
 * An unknown letter stays as it was written, with its percent sign, as most
 * strftime() have it.
 */
static char *
put_piece(char *p, const moment *m, char letter)
{
    char    *next;
    size_t   i;

    if (letter == 'Z') {
        return lun_copy_str(p, m->zone_name);
    }

    if (letter == '%') {
        *p++ = '%';
        return p;
    }

    for (i = 0; i < LUN_ARRAY_LEN(whole); i++) {
        if (whole[i].letter == letter) {
            return format(p, m, lun_str_z(whole[i].format));
        }
    }

    next = put_day(p, m, letter);

    if (next == NULL) {
        *p++ = '%';
        *p++ = letter;
        return p;
    }

    return next;
}


/* Only a number has what fills it up. */
static char *
fill(char *start, char *end, char flag)
{
    char  *p = start, *q;

    for (q = start; q != end; q++) {
        if (!lun_is_digit(*q) && *q != ' ') {
            return end;
        }
    }

    for ( ; p + 1 < end && (*p == '0' || *p == ' '); p++) {
        *p = flag == '_' ? ' ' : '0';
    }

    if (flag == '-') {
        memmove(start, p, (size_t) (end - p));
        end -= p - start;
    }

    return end;
}


static char *
apply_flag(char *start, char *end, char flag, char letter)
{
    char  *p;
    bool   lower = flag == '#' && (letter == 'p' || letter == 'Z');

    if (flag != '^' && flag != '#') {
        return fill(start, end, flag);
    }

    for (p = start; p != end; p++) {
        if (lower) {
            *p = lun_lower(*p);

        } else if (*p >= 'a' && *p <= 'z') {
            *p = (char) (*p - 'a' + 'A');
        }
    }

    return end;
}


/* What follows a '%': flags, the E and O of locales, a letter; its length. */
static size_t
put_flagged(char **p, const moment *m, lun_str text)
{
    char    flag = '\0', *start = *p;
    size_t  i = 0;

    while (i + 1 < text.len && lun_str_chr(LUN_STR("-_0^#"), text.data[i])) {
        flag = text.data[i++];
    }

    if (i + 1 < text.len && (text.data[i] == 'E' || text.data[i] == 'O')) {
        i++;
    }

    *p = put_piece(start, m, text.data[i]);

    if (*start == '%' && text.data[i] != '%') {
        *p = lun_copy_str(start + 1, lun_str_of(text.data, i + 1));

    } else if (flag != '\0') {
        *p = apply_flag(start, *p, flag, text.data[i]);
    }

    return i + 1;
}


static char *
format(char *p, const moment *m, lun_str text)
{
    size_t  i;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] == '%' && i + 1 < text.len) {
            i += put_flagged(&p, m, lun_str_of(text.data + i + 1,
                                               text.len - i - 1));

        } else {
            *p++ = text.data[i];
        }
    }

    return p;
}


lun_str
lun_date_format(lun_pool *pool, lun_str text, int64_t sec, int zone,
    lun_str zone_name)
{
    char    *start;
    size_t   i, percents = 0;
    moment   m = { .sec = sec, .zone = zone, .zone_name = zone_name };

    for (i = 0; i < text.len; i++) {
        percents += text.data[i] == '%';
    }

    lun_date_of(sec + zone * 60, &m.date);
    start = lun_pool_text(pool, text.len + 1
                                + percents * (PIECE + zone_name.len));

    return lun_str_of(start, (size_t) (format(start, &m, text) - start));
}
