/*
 * metric_store.c -- numbers by key: modes, a full zone, updates that were cut
 * off, numbers in texts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/metric/metric_store.c"

#include "base/check.h"
#include "base/fmt.h"
#include "tap.h"


enum { ROOM = 32 * 1024 };

static lun_zone   zone;
static lun_pool  *pool;


static lun_store
fresh(bool expire, const char *discard)
{
    lun_store  s = { .zone = &zone, .expire = expire,
                     .discard_key = lun_str_z(discard) };

    if (zone.shm.addr == NULL) {
        zone.shm.size = ROOM;
        zone.shm.addr = (void *) lun_align(lun_calloc(ROOM + 4096), 4096);
    }

    memset(zone.shm.addr, 0, ROOM);
    (void) lun_shm_table_init(&zone, NULL);
    lun_array_init(&s.metrics, pool, sizeof(lun_store_metric), 4);
    return s;
}


static void
add(lun_store *s, lun_store_metric m)
{
    LUN_CHECK(lun_store_add_metric(s, &m));
}


static double
value(const lun_store *s, size_t i, const uint64_t *cells, lun_msec now)
{
    return lun_store_value(lun_array_at(&s->metrics, i), cells, now);
}


static bool
is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}


static void
keeps_modes(void)
{
    size_t             i;
    uint64_t           cells[LUN_METRIC_STORE_CELLS];
    lun_store          s = fresh(false, "");
    lun_store_metric   h = { .mode = LUN_STORE_HISTOGRAM };
    static const double  values[] = { 4, -2, 8 };

    lun_array_init(&h.buckets, pool, sizeof(lun_store_bucket), 2);
    *(lun_store_bucket *) lun_array_push(&h.buckets)
        = (lun_store_bucket) { LUN_STR("0"), 0 };
    *(lun_store_bucket *) lun_array_push(&h.buckets)
        = (lun_store_bucket) { LUN_STR("4"), 4 };

    add(&s, (lun_store_metric) { .mode = LUN_STORE_COUNT });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_MIN });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_MAX });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_LAST });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_GAUGE });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_EXP, .factor = 0.5 });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_MEAN, .count = 2 });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_MEAN, .count = 4,
                                 .window = 100 });
    add(&s, h);
    lun_store_open(&s);

    for (i = 0; i < LUN_ARRAY_LEN(values); i++) {
        ok(lun_store_update(&s, LUN_STR("k"), values[i], 1000 + 60 * i),
           "an update");
    }

    ok(lun_store_get(&s, LUN_STR("k"), cells), "its key is known");
    ok(!lun_store_get(&s, LUN_STR("other"), cells + 64), "and no other");
    ok(is_near(value(&s, 0, cells, 1130), 3), "count");
    ok(is_near(value(&s, 1, cells, 1130), -2), "min");
    ok(is_near(value(&s, 2, cells, 1130), 8), "max");
    ok(is_near(value(&s, 3, cells, 1130), 8), "last");
    ok(is_near(value(&s, 4, cells, 1130), 10), "gauge");
    ok(is_near(value(&s, 5, cells, 1130), 4.5), "average exp");
    ok(is_near(value(&s, 6, cells, 1130), 3), "average mean of the last two");
    ok(is_near(value(&s, 7, cells, 1130), 3), "... of what is not too old");
    ok(is_near(value(&s, 7, cells, 9000), 0), "or of nothing");
    ok(cells[s.cells - 2] == 1 && cells[s.cells - 1] == 2, "histogram");
}


static void
refuses_keys(void)
{
    char       text[300];
    uint64_t   cells[LUN_METRIC_STORE_CELLS];
    lun_store  s = fresh(false, "rest");

    add(&s, (lun_store_metric) { .mode = LUN_STORE_COUNT });
    lun_store_open(&s);
    ok(!lun_store_update(&s, LUN_STR(""), 1, 1), "no key");
    ok(!lun_store_update(&s, LUN_STR("rest"), 1, 1), "that of what is lost");
    ok(!lun_store_update(&s, lun_str_of("\0lost", 5), 1, 1), "the room's own");

    memset(text, 'x', sizeof(text));
    ok(lun_store_update(&s, lun_str_of(text, 300), 1, 1)
       && lun_store_get(&s, lun_str_of(text, 255), cells) && cells[0] == 1,
       "a long one is cut");
}


static void
count_row(void *to, const lun_store_row *row)
{
    uint64_t  *sum = to;

    sum[0]++;
    sum[1] += row->cells[0];
}


/* Whatever goes is added up, and no update is lost or told twice. */
static void
makes_room(bool expire)
{
    char       text[40];
    unsigned   i;
    uint64_t   sum[2] = { 0 }, part[2] = { 0 }, cells[LUN_METRIC_STORE_CELLS];
    lun_str    key;
    lun_store  s = fresh(expire, "rest");

    add(&s, (lun_store_metric) { .mode = LUN_STORE_COUNT });
    add(&s, (lun_store_metric) { .mode = LUN_STORE_MEAN, .count = 3 });
    lun_store_open(&s);

    for (i = 0; i < 1000; i++) {
        key = lun_str_of(text, (size_t) (lun_fmt(text, text + 40,
                         "a key that is long enough %u", i) - text));
        (void) lun_store_update(&s, key, i, i);
    }

    (void) lun_store_each(&s, 0, SIZE_MAX, count_row, sum);
    ok(sum[0] > 50 && sum[0] < 400, "there is room for some");
    is_int((int64_t) sum[1], 1000, "but all are counted");
    ok(lun_store_discarded(&s) >= 1000 - sum[0], "it is told how many went");
    ok(lun_store_get(&s, LUN_STR("rest"), cells)
       && cells[0] == 1000 - (sum[0] - 1), "and what they had");
    ok(lun_store_get(&s, LUN_STR("a key that is long enough 0"), cells)
       != expire, "the oldest goes, or the newest");

    i = 0;

    while (lun_store_each(&s, i, 7, count_row, part) == 7) {
        i += 7;
    }

    ok(part[0] == sum[0] && part[1] == sum[1], "in parts as at once");
}


/* Whoever made it was killed between two records. */
static void
makes_anew_what_is_not_whole(void)
{
    char            room[EXTRA];
    uint64_t        cells[LUN_METRIC_STORE_CELLS];
    lun_store       s = fresh(false, "");
    lun_shm_table  *l = lun_shm_table_of(&zone);

    add(&s, (lun_store_metric) { .mode = LUN_STORE_MEAN, .count = 5 });
    lun_store_open(&s);
    (void) lun_store_update(&s, LUN_STR("k"), 7, 1);
    lun_shm_table_lock(l);
    lun_shm_table_remove(l, lun_shm_table_find(l, extra_key(LUN_STR("k"), 1,
                                                            room), NULL));
    lun_shm_table_unlock(l);
    ok(!lun_store_get(&s, LUN_STR("k"), cells), "half of a key is none");
    ok(lun_store_update(&s, LUN_STR("k"), 3, 2)
       && lun_store_get(&s, LUN_STR("k"), cells)
       && is_near(value(&s, 0, cells, 2), 3), "and begins again");
}


static void
reads_numbers(void)
{
    static const struct {
        const char  *text;
        double       d;
    } texts[] = {
        { "", 0 }, { "1.5", 1.5 }, { "-3x", -3 }, { "x", 1 }, { "nan", 1 },
        { "inf", 1 }, { "1e400", 1 }, { " 2", 2 }, { "-", 1 }
    };

    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        ok(is_near(lun_store_number(lun_str_z(texts[i].text)), texts[i].d),
           "\"%s\"", texts[i].text);
    }
}


static void
has_limits(void)
{
    lun_store         s = fresh(false, "");
    lun_store_metric  m = { .mode = LUN_STORE_MEAN, .count = 127 };

    ok(lun_store_add_metric(&s, &m), "as many cells as may be");
    m.mode = LUN_STORE_COUNT;
    ok(!lun_store_add_metric(&s, &m), "and not one more");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    keeps_modes();
    refuses_keys();
    makes_room(false);
    makes_room(true);
    makes_anew_what_is_not_whole();
    reads_numbers();
    has_limits();
    lun_pool_free(pool);
    return done_testing();
}
