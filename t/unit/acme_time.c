/*
 * acme_time.c -- when something is to be done for a certificate.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/acme/order/acme_time.c"
#include "tap.h"


enum { NOW = 1700000000 };


static void
dates(void)
{
    size_t   i;
    int64_t  sec;

    static const struct {
        const char  *text;
        int64_t      sec;
    } good[] = {
        { "1970-01-01T00:00:00Z", 0 },
        { "2023-11-14T22:13:20Z", NOW },
        { "2023-11-14t22:13:20.999999z", NOW },
        { "2023-11-15T00:13:20+02:00", NOW },
        { "2023-11-14T20:43:20-01:30", NOW }
    };
    static const char *const  bad[] = {
        "", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13:20.Z",
        "2023-13-14T22:13:20Z", "2023-11-14T25:13:20Z",
        "2023-11-14T22:13:20+2:00", "2023-11-14T22:13:20+02:0",
        "2023-11-14T22:13:20Zx", "1969-12-31T00:00:00Z", "x023-11-14T22:13:20Z",
        "2023-11-00T22:13:20Z"
    };

    for (i = 0; i < LUN_ARRAY_LEN(good); i++) {
        ok(lun_acme_time_parse(lun_str_of(tap_edge(good[i].text,
                                                   strlen(good[i].text)),
                                          strlen(good[i].text)), &sec)
           && sec == good[i].sec, "%s", good[i].text);
    }

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        ok(!lun_acme_time_parse(lun_str_of(tap_edge(bad[i], strlen(bad[i])),
                                           strlen(bad[i])), &sec),
           "not \"%s\"", bad[i]);
    }
}


static void
renewals(void)
{
    int64_t  life = 90 * DAY, at;

    is_int(lun_acme_due(NOW, NOW + life, 0), NOW + 60 * DAY,
           "with a third of its life left");
    is_int(lun_acme_due(NOW, NOW + 6 * DAY, 0), NOW + 3 * DAY,
           "or half of a short one");
    is_int(lun_acme_due(NOW, NOW + 10 * DAY, 0), NOW + 10 * DAY / 3 * 2,
           "ten days are not short");
    at = lun_acme_due(NOW, NOW + life, UINT64_MAX);
    ok(at <= NOW + 60 * DAY && at > NOW + 60 * DAY - life / 50,
       "not all at once");
    is_int(lun_acme_due(NOW, NOW, 5), NOW, "no life is no sum");
    is_int(lun_acme_due(NOW, NOW - 1, 5), NOW - 1, "nor is less");
    is_int(lun_acme_due(NOW, NOW + 1, 77), NOW, "a second has a middle");

    is_int(lun_acme_due_in(100, 200, 1000, 250), 150, "within a window");
    is_int(lun_acme_due_in(100, 100, 1000, 7), 100, "of one moment");
    is_int(lun_acme_due_in(100, 200, 120, 50), 120, "not after the end");
}


static void
tries(void)
{
    int64_t  wait;

    is_int(lun_acme_retry_after(LUN_STR("7"), NOW, 1, 60), 7, "seconds");
    is_int(lun_acme_retry_after(LUN_STR("0"), NOW, 1, 60), 1, "at least one");
    is_int(lun_acme_retry_after(LUN_STR("99999999999"), NOW, 1, 60), 60,
           "no more than we like");
    is_int(lun_acme_retry_after(LUN_STR("Tue, 14 Nov 2023 22:13:50 GMT"), NOW,
                                1, 60), 30, "a date");
    is_int(lun_acme_retry_after(LUN_STR("Tue, 14 Nov 2000 22:13:50 GMT"), NOW,
                                3, 60), 3, "that is over");
    is_int(lun_acme_retry_after(LUN_STR("soon"), NOW, 5, 60), 5, "no date");

    is_int(lun_acme_back_off(1, false, 0), 5, "who is away is asked again");
    is_int(lun_acme_back_off(3, false, 0), 20, "later");
    is_int(lun_acme_back_off(1000, false, 0), 3600, "and later");
    is_int(lun_acme_back_off(1, true, 0), 60, "who refuses has more time");
    is_int(lun_acme_back_off(2, true, 0), 240, "each time four times");
    is_int(lun_acme_back_off(UINT32_MAX, true, 0), DAY, "up to a day");
    wait = lun_acme_back_off(9, true, UINT64_MAX);
    ok(wait >= DAY && wait <= DAY + DAY / 10, "not all at once");
}


int
main(void)
{
    dates();
    renewals();
    tries();
    return done_testing();
}
