/*
 * metric.c -- cells of processes, of those who died, and of generations.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/metric.c"

#include "os/proc.h"
#include "tap.h"


static uint32_t  hits_at, level_at, zone_at, times_at;

static const uint64_t  bounds[] = { 10, 100, 0 };
static const char *const  choice[] = { "a", "b", NULL };

static const lun_metric  table[] = {
    { .name = "hits", .kind = LUN_COUNTER, .at = &hits_at, .help = "Hits" },
    { .name = "level", .kind = LUN_GAUGE, .at = &level_at, .help = "Level" },
    { .name = "zone", .kind = LUN_COUNTER, .at = &zone_at, .labels = "zone",
      .choice = "what", .values = choice, .help = "By zone" },
    { .name = "times", .kind = LUN_HISTOGRAM, .unit = "seconds", .scale = 1000,
      .at = &times_at, .bounds = bounds, .help = "Times" },
    { 0 }
};

static lun_pool        *pool;
static lun_zone_set    *zones, *old;
static lun_metric_set  *set;
static uint32_t         generation;


/* A generation with these names for its zones. */
static void
begin_generation(const char *const *names, uint32_t *at)
{
    lun_str      name;
    const char  *why;

    generation++;
    zones = lun_zone_set_new(pool);
    set = lun_metric_set_new(pool, zones);
    lun_metric_declare(set, table);
    lun_metric_declare(set, table);

    for ( ; *names != NULL; names++) {
        name = lun_str_z(*names);
        lun_metric_want(set, &table[2], &name, at++);
    }

    LUN_CHECK(lun_metric_want_zone(set, 4, &why) == LUN_OK);
    LUN_CHECK(lun_zone_open(zones, old, NULL) == LUN_OK);

    old = zones;
    lun_metric_open(set, generation, NULL);
}


/* The process that counts next is another; returns what names the last. */
static int64_t
become_another(int64_t pid)
{
    uint32_t  i;

    for (i = 1; i < lun_metric_map.h->high; i++) {
        if (lun_metric_row_at(i) == lun_metric_row) {
            atomic_store(&lun_metric_map.places[i].owner,
                         (uint64_t) pid << 32 | 1);
        }
    }

    lun_metric_row = nowhere;
    lun_metric_enter(set, generation, NULL);
    return pid;
}


static void
counts(void)
{
    uint64_t  cells[4];

    lun_metric_add(0, 1);
    lun_metric_enter(set, generation, NULL);
    ok(lun_metric_row != nowhere, "there is a row");
    ok((uintptr_t) lun_metric_row % 64 == 0, "in lines of its own");

    lun_metric_add(hits_at, 2);
    lun_metric_add(level_at, 5);
    lun_metric_sub(level_at, 1);
    lun_metric_observe(times_at, bounds, 10);
    lun_metric_observe(times_at, bounds, 11);
    lun_metric_observe(times_at, bounds, 1000);

    is_int((int64_t) lun_metric_sum(hits_at), 2, "a counter");
    is_int((int64_t) lun_metric_sum(level_at), 4, "a gauge");
    lun_metric_read(times_at, 4, cells);
    ok(cells[0] == 1021 && cells[1] == 1 && cells[2] == 1 && cells[3] == 1,
       "a histogram: its sum, and a bucket for each value");
}


static void
outlives_processes(void)
{
    int64_t  first = become_another(0x7ffffff0);

    lun_metric_add(hits_at, 3);
    lun_metric_add(level_at, 1);
    is_int((int64_t) lun_metric_sum(hits_at), 5, "two processes");
    is_int((int64_t) lun_metric_sum(level_at), 5, "with parts of a gauge");

    lun_zone_mend(zones, first + 1, NULL);
    is_int((int64_t) lun_metric_sum(level_at), 5, "another one's death");
    lun_zone_mend(zones, first, NULL);
    is_int((int64_t) lun_metric_sum(hits_at), 5, "the dead's counts stay");
    is_int((int64_t) lun_metric_sum(level_at), 1, "and its gauges do not");
    lun_zone_mend(zones, first, NULL);
    is_int((int64_t) lun_metric_sum(hits_at), 5, "once only");
}


/* Whoever counts goes on meanwhile; gauges are what they were. */
static void
begins_again(void)
{
    uint64_t  cells[4];
    lun_str   name = LUN_STR("shop"), all[1] = { { 0 } };

    is_int((int64_t) lun_metric_reset("hits", generation, all), 1,
           "a reset of what has no label");
    is_int((int64_t) lun_metric_sum(hits_at), 0, "is of all processes");
    lun_metric_add(hits_at, 2);
    (void) become_another(0x7fffffe0);
    lun_metric_add(hits_at, 3);
    is_int((int64_t) lun_metric_sum(hits_at), 5, "and counts go on");
    lun_zone_mend(zones, 0x7fffffe0, NULL);
    is_int((int64_t) lun_metric_sum(hits_at), 5, "over deaths, too");

    lun_metric_add(level_at, 1);
    (void) lun_metric_reset("level", generation, all);
    is_int((int64_t) lun_metric_sum(level_at), 1, "a gauge stays");
    (void) lun_metric_reset("times", generation, all);
    lun_metric_observe(times_at, bounds, 11);
    lun_metric_read(times_at, 4, cells);
    ok(cells[0] == 11 && cells[1] == 0 && cells[2] == 1 && cells[3] == 0,
       "a histogram begins again");
    is_int((int64_t) lun_metric_reset("zone", generation, &name), 0,
           "nobody has that name");
    is_int((int64_t) lun_metric_reset("nothing", generation, all), 0,
           "there is no such metric");
}


/* Killed with the lock, and in the middle of moving. */
static void
survives_a_half_done_change(void)
{
    uint64_t  sum;

    atomic_store(&lun_metric_map.h->lock.owner,
                 (uint64_t) 0x7ffffff1 << 32 | 1);
    lun_metric_begin_moving();
    sum = lun_metric_sum(hits_at);
    is_int((int64_t) sum, 5, "who reads does not wait for ever");
    lun_zone_mend(zones, 0x7ffffff1, NULL);
    lun_metric_lock();
    ok(atomic_load(&lun_metric_map.h->version) % 2 == 0,
       "the next holder ends it");
    lun_metric_unlock();
}


static size_t
list_zones(char *text, const char *end)
{
    char               *p = text;
    uint32_t            cursor = 0;
    lun_metric_info     info;
    lun_metric_series   s;

    if (!lun_metric_at(2, &info)) {
        return 0;
    }

    while (lun_metric_next(&info, generation, &cursor, &s)) {
        p = lun_fmt(p, end, "%.*s:%" PRIu64 ",%" PRIu64 " ",
                    LUN_S(s.labels[0]), s.cells[0], s.cells[1]);
    }

    *p = '\0';
    return (size_t) (p - text);
}


static void
keeps_cells_by_labels(void)
{
    char                text[200];
    static uint32_t     at[2], again[2];   /* as long as their sets */
    uint32_t            hits = hits_at;
    static const char *const   both[] = { "one", "two", NULL };
    static const char *const   swapped[] = { "three", "two", NULL };
    static const char *const   later[] = { "four", "two", NULL };

    begin_generation(both, at);
    ok(at[0] != 0 && at[1] != 0 && at[0] != at[1] && at[0] != zone_at,
       "cells of their own");
    is_int(hits_at, hits, "and the others are where they were");
    lun_metric_add(at[0], 1);
    lun_metric_add(at[1], 2);
    lun_metric_add(at[1] + 1, 3);
    list_zones(text, text + sizeof(text) - 1);
    is_str(text, "other:0,0 one:1,0 two:2,3 ", "by values");

    begin_generation(swapped, again);
    ok(again[1] == at[1] && again[0] != at[0], "found again by name");
    list_zones(text, text + sizeof(text) - 1);
    is_str(text, "other:0,0 two:2,3 three:0,0 ",
           "what nobody wants any more is not shown");

    /* Nobody of the generation that knew "one" is left. */
    lun_zone_mend(zones, become_another(0x7ffffff2), NULL);
    begin_generation(later, again);
    ok(again[0] == at[0], "its cells are another's later");
    lun_metric_add(again[0], 7);
    list_zones(text, text + sizeof(text) - 1);
    is_str(text, "other:0,0 four:7,0 two:2,3 ", "from nothing");
}


static void
has_no_more_than_its_room(void)
{
    char         name[300];
    unsigned     i;
    uint32_t     at = 0, other_at = zone_at;
    lun_str      value;
    const char  *why = NULL;

    memset(name, 'x', sizeof(name));
    value = lun_str_of(name, sizeof(name));
    is_int(lun_metric_make(&table[2], &value, generation, &why), other_at,
           "a value that is too long is one of the others");

    value = lun_str_of("a\0b", 3);
    is_int(lun_metric_make(&table[2], &value, generation, &why), other_at,
           "and so is one with a zero in it");

    for (i = 0; i < METRIC_BLOCKS + 10; i++) {
        value = lun_str_of(name, (size_t) (lun_fmt(name, name + 20, "%u", i)
                                           - name));
        at = lun_metric_make(&table[2], &value, generation, &why);

        if (at == other_at) {
            break;
        }
    }

    ok(i > 1000 && i <= METRIC_BLOCKS && at == other_at,
       "those behind the last that had room are others, too");
    is_int(lun_metric_make(&table[0], NULL, generation, &why), hits_at,
           "what was there stays");
}


/* Of a reload that wants much, and of one that wants little again. */
static void
grows_and_does_not_shrink(void)
{
    char              text[6000][8];
    static uint32_t   at[6000];
    uint32_t          cells = lun_metric_map.h->cell_room;
    unsigned          i;
    const metric_head  *grown;
    static const char *names[6001];
    static const char *const  none[] = { NULL };

    for (i = 0; i < 6000; i++) {
        *lun_fmt(text[i], text[i] + 7, "n%u", i) = '\0';
        names[i] = text[i];
    }

    begin_generation(names, at);
    lun_metric_enter(set, generation, NULL);
    grown = lun_metric_map.h;
    ok(grown->cell_room > cells && grown->block_room >= 6000,
       "there is room for what a configuration wants");
    ok(at[5999] != zone_at && at[5999] != at[5998], "for the last of it, too");
    lun_metric_add(at[5999] + 1, 7);
    is_int((int64_t) lun_metric_sum(at[5999] + 1), 7, "which is counted");

    begin_generation(none, NULL);
    ok(lun_metric_map.h == grown, "who wants less later has the same zone");
    is_int((int64_t) lun_metric_sum(at[5999] + 1), 7, "and all that was in it");
}


/*
 * A reload with other metrics that fails once all is open: its zone goes, and
 * the process counts on where it did.
 */
static void
comes_back_from_what_failed(void)
{
    char                text[6000][8];
    static uint32_t     at[6000];
    uint32_t            hits = hits_at;
    uint64_t            before = lun_metric_sum(hits_at), *row;
    unsigned            i;
    lun_pool           *kept = pool;
    lun_zone_set       *kept_zones = zones;
    lun_metric_set     *kept_set = set;
    const metric_head  *h = lun_metric_map.h;
    static const char  *names[6001];

    lun_metric_enter(set, generation, NULL);
    row = lun_metric_row;

    for (i = 0; i < 6000; i++) {
        *lun_fmt(text[i], text[i] + 7, "m%u", i) = '\0';
        names[i] = text[i];
    }

    pool = lun_pool_new_sized(4096);
    begin_generation(names, at);
    lun_metric_enter(set, generation, NULL);
    ok(lun_metric_map.h != h && lun_metric_row != row, "another zone");
    lun_pool_free(pool);

    pool = kept;
    old = zones = kept_zones;
    set = kept_set;
    ok(lun_metric_map.h == h && lun_metric_row == row, "and the one before");
    is_int(hits_at, hits, "with its cells");
    lun_metric_add(hits_at, 1);
    is_int((int64_t) lun_metric_sum(hits_at), (int64_t) before + 1,
           "which go on");
}


static void
refuses_what_does_not_fit(void)
{
    lun_metric   m = table[0];
    const char  *why = NULL;

    m.kind = LUN_GAUGE;
    is_int(lun_metric_make(&m, NULL, generation, &why), 0, "another kind");
    is_str(why, "there is another metric of that name", "says why");

    m.name = "a_name_that_is_longer_than_any_metric_may_be_so_that_there_is_no_"
             "room_for_it";
    is_int(lun_metric_make(&m, NULL, generation, &why), 0, "a long name");
}


int
main(void)
{
    static const char *const   none[] = { NULL };

    lun_lock_init_process();

    LUN_CHECK(lun_shm_init() == 0);
    pool = lun_pool_new_sized(4096);
    is_int((int64_t) lun_metric_sum(1), 0, "without a zone there is nothing");
    lun_metric_add(0, 1);
    begin_generation(none, NULL);

    counts();
    outlives_processes();
    survives_a_half_done_change();
    begins_again();
    keeps_cells_by_labels();
    has_no_more_than_its_room();
    refuses_what_does_not_fit();
    comes_back_from_what_failed();
    grows_and_does_not_shrink();

    lun_pool_free(pool);
    return done_testing();
}
