/*
 * cache_rules.c -- what an answer's headers say of keeping it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/cache/cache_rules.c"

#include "tap.h"

enum { NOW = 1700000000, NEVER = -1, UNSAID = -2 };

static const struct {
    const char  *accel, *control, *expires;
    bool         cookie;
    int64_t      want;             /* seconds from now, or the above */
} answers[] = {
    { NULL, NULL, NULL, false, UNSAID },
    { NULL, "max-age=60", NULL, false, 60 },
    { NULL, "public, Max-Age=60", NULL, false, 60 },
    { NULL, "max-age=\"60\"", NULL, false, 60 },
    { NULL, "max-age=60, s-maxage=30", NULL, false, 30 },
    { NULL, "s-maxage=90,max-age=60", NULL, false, 90 },
    { NULL, "max-age=0", NULL, false, NEVER },
    { NULL, "s-maxage=0, max-age=60", NULL, false, NEVER },
    { NULL, "max-age=60x", NULL, false, NEVER },
    { NULL, "max-age=-1", NULL, false, NEVER },
    { NULL, "max-age", NULL, false, NEVER },
    { NULL, "max-age=99999999999999999999", NULL, false, LONGEST },
    { NULL, "no-cache", NULL, false, NEVER },
    { NULL, "max-age=60, no-store", NULL, false, NEVER },
    { NULL, "PRIVATE=\"a, b\"", NULL, false, NEVER },
    { NULL, "ext=\"no-store, private\", max-age=5", NULL, false, NEVER },
    { NULL, "x-no-cache", NULL, false, NEVER },
    { NULL, "max-age=60;private", NULL, false, NEVER },
    { NULL, "MAX-AGE=60; no-store", NULL, false, NEVER },
    { NULL, "\"private\", max-age=60", NULL, false, NEVER },
    { NULL, "private-x, max-age=60", NULL, false, NEVER },
    { NULL, "max-age=60 No-Cache", NULL, false, NEVER },
    { NULL, "max-age=60\tprivate", NULL, false, NEVER },
    { NULL, "max-age=\"60;PRIVATE\"", NULL, false, NEVER },
    { NULL, "privat, no-stor", NULL, false, UNSAID },
    { NULL, "max-age=60;public", NULL, false, 60 },
    { NULL, "max-age=60;s-maxage=0", NULL, false, NEVER },
    { NULL, "public;max-age=60;s-maxage=30", NULL, false, 30 },
    { NULL, "ext=\"a, max-age=5\", max-age=60", NULL, false, 60 },
    { NULL, "ext=\"a, max-age=0", NULL, false, NEVER },
    { NULL, "ext=\"a\\\", max-age=0\", max-age=60", NULL, false, 60 },
    { NULL, "ext=\"a\\", NULL, false, UNSAID },
    { NULL, "max-age=60, max-age=0", NULL, false, NEVER },
    { NULL, "max-age=0, max-age=60", NULL, false, NEVER },
    { NULL, "max-age=", NULL, false, NEVER },
    { NULL, "max-age=60, stale-if-error=x", NULL, false, NEVER },
    { NULL, "max-age=60, stale-while-revalidate", NULL, false, NEVER },
    { NULL, "max-age=60;stale-while-revalidate=5", NULL, false, 60 },
    { "20", "stale-if-error=x", NULL, false, NEVER },
    { NULL, ",;, ;max-age=60;,", NULL, false, 60 },
    { NULL, NULL, "Tue, 14 Nov 2023 22:13:30 GMT", false, 10 },
    { NULL, NULL, "Tue, 14 Nov 2023 22:13:10 GMT", false, NEVER },
    { NULL, NULL, "0", false, NEVER },
    { NULL, "max-age=60", "0", false, 60 },
    { NULL, "public", "Tue, 14 Nov 2023 22:13:30 GMT", false, 10 },
    { "20", "no-store", "0", false, 20 },
    { "0", "max-age=60", NULL, false, NEVER },
    { "@1700000007", "max-age=60", NULL, false, 7 },
    { "@0", NULL, NULL, false, UNSAID },
    { "@0", "max-age=60", NULL, false, 60 },
    { "x", "max-age=60", NULL, false, 60 },
    { "", NULL, NULL, false, UNSAID },
    { "20", NULL, NULL, true, NEVER },
    { NULL, "max-age=60", NULL, true, NEVER },
};


static lun_str
text_of(const char *z)
{
    return z != NULL ? lun_str_z(z) : LUN_STR_NULL;
}


static void
judges(void)
{
    size_t   i;
    int64_t  until, have;

    for (i = 0; i < LUN_ARRAY_LEN(answers); i++) {
        lun_cache_fields  f = { .accel_expires = text_of(answers[i].accel),
                                .expires = text_of(answers[i].expires),
                                .cookie = answers[i].cookie };

        if (answers[i].control != NULL) {
            lun_cache_read_control(&f, lun_str_z(answers[i].control));
        }

        switch (lun_cache_judge_fields(&f, NOW, &until)) {

        case LUN_CACHE_UNTIL:
            have = until - NOW;
            break;

        case LUN_CACHE_NEVER:
            have = NEVER;
            break;

        default:
            have = UNSAID;
            break;
        }

        ok(have == answers[i].want, "%s | %s | %s%s: %lld",
           answers[i].accel ? answers[i].accel : "-",
           answers[i].control ? answers[i].control : "-",
           answers[i].expires ? answers[i].expires : "-",
           answers[i].cookie ? ", a cookie" : "", (long long) have);
    }
}


static void
reads_fields_apart(void)
{
    lun_cache_fields  f = { 0 };

    lun_cache_read_control(&f, LUN_STR("stale-if-error=10"));
    lun_cache_read_control(&f, LUN_STR("stale-while-revalidate=20 , "
                                       "stale-if-error=x"));
    ok(f.stale_error == 10 && f.stale_updating == 20 && f.bad_stale,
       "how long it is of use when it is over");
}


static void
statuses(void)
{
    lun_cache_valid  rules[] = { { 404, 1 }, { 301, 0 }, { 0, 5 },
                                 { 500, 7 } };

    ok(lun_cache_valid_for(rules, 4, 404) == 1
       && lun_cache_valid_for(rules, 4, 301) == 0
       && lun_cache_valid_for(rules, 4, 500) == 5
       && lun_cache_valid_for(rules, 2, 200) == 0,
       "the first rule for a status");
}


static void
varies(void)
{
    char     out[64];
    lun_str  name, vary = LUN_STR(" Accept ,,Cookie");

    ok(lun_cache_next_name(&vary, &name)
       && lun_str_eq(name, LUN_STR("Accept"))
       && lun_cache_next_name(&vary, &name)
       && lun_str_eq(name, LUN_STR("Cookie"))
       && !lun_cache_next_name(&vary, &name), "names of Vary");

    *lun_cache_put_field(out, LUN_STR("gzip ,  deflate,")) = '\0';
    is_str(out, "gzip,deflate,", "spaces do not make another variant");
    *lun_cache_put_field(out, LUN_STR("gzip;q=1 deflate")) = '\0';
    is_str(out, "gzip;q=1 deflate,", "but at commas they do");
}


int
main(void)
{
    judges();
    reads_fields_apart();
    statuses();
    varies();

    return done_testing();
}
