/*
 * metric_text.c -- numbers and labels of the page of metrics.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/metric_text.c"

#include "tap.h"


static bool
is_written(uint64_t n, uint32_t scale, const char *text)
{
    char   room[48], *end = write_number(room, room + sizeof(room), n, scale);

    return lun_str_eq(lun_str_of(room, (size_t) (end - room)),
                      lun_str_z(text));
}


static void
writes_numbers(void)
{
    ok(is_written(0, 1, "0") && is_written(UINT64_MAX, 1,
                                           "18446744073709551615"),
       "whole numbers");
    ok(is_written(5, 1000, "0.005") && is_written(1500, 1000, "1.5")
       && is_written(30000, 1000, "30") && is_written(1, 3, "0.333333333"),
       "parts of a unit, without zeros behind");
}


static void
escapes_labels(void)
{
    char        *value = tap_edge("\n\"\\", 3);
    label_text   l;

    l.end = l.text;
    add_label(&l, "a", lun_str_of(value, 3));
    add_label(&l, "b", LUN_STR("x"));
    ok(lun_str_eq(lun_str_of(l.text, (size_t) (l.end - l.text)),
                  LUN_STR("a=\"\\n\\\"\\\\\",b=\"x\"")), "a label is escaped");
}


/* Quotes need twice their bytes. */
static void
bounds_labels(void)
{
    int          i;
    char         quotes[256];
    label_text   l;

    memset(quotes, '"', sizeof(quotes));
    l.end = l.text;

    for (i = 0; i < 8; i++) {
        add_label(&l, "a", lun_str_of(quotes, sizeof(quotes)));
    }

    ok(l.end > l.text + 1024 && l.end <= l.text + sizeof(l.text),
       "labels stay in their room");
}


static void
prints_an_end(void)
{
    lun_pool         *pool = lun_pool_new_sized(4096);
    lun_chain         out;
    lun_metric_page  *page;

    lun_chain_init(&out);
    page = lun_metric_page_new(pool, NULL, 1, LUN_METRIC_OPENMETRICS);
    ok(!lun_metric_page_print(page, 1, &out), "it is a part");
    ok(out.head != NULL && out.head->last - out.head->pos == 6
       && memcmp(out.head->pos, "# EOF\n", 6) == 0,
       "without a server OpenMetrics is its end");
    lun_pool_free(pool);
}


int
main(void)
{
    writes_numbers();
    escapes_labels();
    bounds_labels();
    prints_an_end();
    return done_testing();
}
