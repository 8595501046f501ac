/*
 * date_format.c -- dates as a format says, against those of GNU date.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/date_format.c"

#include "tap.h"


static lun_pool  *pool;

/* A format ends at an unreadable page. */
static const char *
at(const char *format, int64_t sec, int zone)
{
    size_t   len = strlen(format);
    lun_str  s, text = lun_str_of(tap_edge(format, len), len);

    s = lun_date_format(pool, text, sec, zone, LUN_STR("XYZ"));
    return lun_pool_strz(pool, s);
}


#define DAY    "%a %A %b %B %C %d %D %e %F %h %j %m %u %w %y %Y"
#define CLOCK  "%g %G %V %U %W %H %I %k %l %M %S %p %P %r %R %T %c %x %X %s"

static const struct {
    int64_t      sec;
    const char  *day;
    const char  *clock;
} dates[] = {
    { 0,
      "Thu Thursday Jan January 19 01 01/01/70  1 1970-01-01 Jan 001 01 4 4 "
      "70 1970",
      "70 1970 01 00 00 00 12  0 12 00 00 AM am 12:00:00 AM 00:00 00:00:00 "
      "Thu Jan  1 00:00:00 1970 01/01/70 00:00:00 0" },
    { 946771199,
      "Sat Saturday Jan January 20 01 01/01/00  1 2000-01-01 Jan 001 01 6 6 "
      "00 2000",
      "99 1999 52 00 00 23 11 23 11 59 59 PM pm 11:59:59 PM 23:59 23:59:59 "
      "Sat Jan  1 23:59:59 2000 01/01/00 23:59:59 946771199" },
    { 951825600,
      "Tue Tuesday Feb February 20 29 02/29/00 29 2000-02-29 Feb 060 02 2 2 "
      "00 2000",
      "00 2000 09 09 09 12 12 12 12 00 00 PM pm 12:00:00 PM 12:00 12:00:00 "
      "Tue Feb 29 12:00:00 2000 02/29/00 12:00:00 951825600" },
    { 1230768000,
      "Thu Thursday Jan January 20 01 01/01/09  1 2009-01-01 Jan 001 01 4 4 "
      "09 2009",
      "09 2009 01 00 00 00 12  0 12 00 00 AM am 12:00:00 AM 00:00 00:00:00 "
      "Thu Jan  1 00:00:00 2009 01/01/09 00:00:00 1230768000" },
    { 1609632000,
      "Sun Sunday Jan January 20 03 01/03/21  3 2021-01-03 Jan 003 01 7 0 "
      "21 2021",
      "20 2020 53 01 00 00 12  0 12 00 00 AM am 12:00:00 AM 00:00 00:00:00 "
      "Sun Jan  3 00:00:00 2021 01/03/21 00:00:00 1609632000" },
    { 1672531199,
      "Sat Saturday Dec December 20 31 12/31/22 31 2022-12-31 Dec 365 12 6 6 "
      "22 2022",
      "22 2022 52 52 52 23 11 23 11 59 59 PM pm 11:59:59 PM 23:59 23:59:59 "
      "Sat Dec 31 23:59:59 2022 12/31/22 23:59:59 1672531199" },
    { 1672531200,
      "Sun Sunday Jan January 20 01 01/01/23  1 2023-01-01 Jan 001 01 7 0 "
      "23 2023",
      "22 2022 52 01 00 00 12  0 12 00 00 AM am 12:00:00 AM 00:00 00:00:00 "
      "Sun Jan  1 00:00:00 2023 01/01/23 00:00:00 1672531200" },
    { 1704067199,
      "Sun Sunday Dec December 20 31 12/31/23 31 2023-12-31 Dec 365 12 7 0 "
      "23 2023",
      "23 2023 52 53 52 23 11 23 11 59 59 PM pm 11:59:59 PM 23:59 23:59:59 "
      "Sun Dec 31 23:59:59 2023 12/31/23 23:59:59 1704067199" },
    { 1735516800,
      "Mon Monday Dec December 20 30 12/30/24 30 2024-12-30 Dec 365 12 1 1 "
      "24 2024",
      "25 2025 01 52 53 00 12  0 12 00 00 AM am 12:00:00 AM 00:00 00:00:00 "
      "Mon Dec 30 00:00:00 2024 12/30/24 00:00:00 1735516800" },
    { 1798761600,
      "Fri Friday Jan January 20 01 01/01/27  1 2027-01-01 Jan 001 01 5 5 "
      "27 2027",
      "26 2026 53 00 00 00 12  0 12 00 00 AM am 12:00:00 AM 00:00 00:00:00 "
      "Fri Jan  1 00:00:00 2027 01/01/27 00:00:00 1798761600" },
};


static void
zones(void)
{
    is_str(at("%H:%M %z %Z", 3600, 90), "02:30 +0130 XYZ", "east of UTC");
    is_str(at("%F %H:%M %z", 3600, -90), "1969-12-31 23:30 -0130",
           "west of it, the day before");
    is_str(at("%z", 0, 0), "+0000", "UTC");
}


/* Memory has no room to spare: a sanitizer sees the first byte too many. */
static void
sizes(void)
{
    size_t       i;
    const char  *one[] = { "%c", "%r", "%A", "%B", "%s", "%Z", "%z" };
    const char  *want[] = { "Sat Dec 31 23:59:59 2022", "11:59:59 PM",
                            "Saturday", "December", "1672531199", "XYZ",
                            "+0000" };

    for (i = 0; i < LUN_ARRAY_LEN(one); i++) {
        is_str(at(one[i], 1672531199, 0), want[i], "%s alone", one[i]);
    }

    is_str(at("%c%c%c%c", 1672531199, 0),
           "Sat Dec 31 23:59:59 2022Sat Dec 31 23:59:59 2022"
           "Sat Dec 31 23:59:59 2022Sat Dec 31 23:59:59 2022", "and in a row");
    is_str(at("%T", 9, 0), "00:00:09", "digits in front");
}


static void
others(void)
{
    is_str(at("", 0, 0), "", "nothing");
    is_str(at("at %% noon", 0, 0), "at % noon", "a percent sign");
    is_str(at("%", 0, 0), "%", "at the end it is one");
    is_str(at("%Q%", 0, 0), "%Q%", "a letter that nobody knows stays");
    is_str(at("a%nb%tc", 0, 0), "a\nb\tc", "white space");
}


/* As GNU's strftime() has them. */
static void
flags(void)
{
    is_str(at("%EY %Od %Ec", 0, 0), "1970 01 Thu Jan  1 00:00:00 1970",
           "what other locales have");
    is_str(at("%-d %-H %-j %-D", 0, 0), "1 0 1 01/01/70", "no padding");
    is_str(at("%_d %0e %_j %_H", 0, 0), " 1 01   1  0", "another padding");
    is_str(at("%^a %^B %#b %#p %#Z", 0, 0), "THU JANUARY JAN am xyz",
           "letters");
    is_str(at("%E %-Q %E% %-", 0, 0), "%E %-Q % %-", "of nothing");
}


int
main(void)
{
    size_t  i;

    pool = lun_pool_new_sized(4096);

    for (i = 0; i < LUN_ARRAY_LEN(dates); i++) {
        is_str(at(DAY, dates[i].sec, 0), dates[i].day, "the day %lld",
               (long long) dates[i].sec);
        is_str(at(CLOCK, dates[i].sec, 0), dates[i].clock, "the hour %lld",
               (long long) dates[i].sec);
    }

    zones();
    sizes();
    others();
    flags();

    lun_pool_free(pool);
    return done_testing();
}
