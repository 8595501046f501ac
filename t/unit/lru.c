/*
 * lru.c -- names found again, and which was used last.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/lru.c"

#include "tap.h"

enum { MANY = 100 };

static lun_lru        table;
static lun_lru_entry  entries[MANY];
static char           names[MANY][4];


static lun_str
name_of(int i)
{
    snprintf(names[i], sizeof(names[i]), "n%d", i);
    return lun_str_z(names[i]);
}


/* All in one bucket of sixteen, or in all of them. */
static void
fill(uint64_t factor)
{
    int  i;

    for (i = 0; i < MANY; i++) {
        lun_lru_add(&table, &entries[i], name_of(i), (uint64_t) i * factor, 4);
    }
}


static void
all_are_found(uint64_t factor, const char *what)
{
    int  i, bad = 0;

    for (i = 0; i < MANY; i++) {
        bad += lun_lru_find(&table, name_of(i), (uint64_t) i * factor)
               != (entries[i].kept ? &entries[i] : NULL);
    }

    is_int(bad, 0, "%s", what);
}


static void
empty(void)
{
    lun_lru_entry  *e;

    while ((e = lun_lru_oldest(&table)) != NULL) {
        lun_lru_remove(&table, e);
    }

    lun_lru_fini(&table);
}


static void
check(uint64_t factor)
{
    int  i;

    ok(lun_lru_find(&table, LUN_STR("n1"), factor) == NULL, "none at first");
    fill(factor);
    all_are_found(factor, "each by its name");
    ok(lun_lru_find(&table, LUN_STR("n1"), 2 * factor) == NULL,
       "not by another's hash");
    ok(lun_lru_oldest(&table) == &entries[0], "the first is the oldest");

    lun_lru_touch(&table, &entries[0]);
    lun_lru_touch(&table, &entries[0]);
    ok(lun_lru_oldest(&table) == &entries[1], "but not when it is used");

    for (i = 0; i < MANY; i += 2) {
        lun_lru_remove(&table, &entries[i]);
    }

    all_are_found(factor, "those that are left, and no others");
    is_int((long) table.count, MANY / 2, "as many as are left");
    ok(lun_lru_oldest(&table) == &entries[1], "the oldest of these");

    lun_lru_add(&table, &entries[0], name_of(0), 0, 4);
    ok(lun_lru_find(&table, LUN_STR("n0"), 0) == &entries[0], "one comes back");

    empty();
    is_int((long) table.count, 0, "none at last");
}


int
main(void)
{
    check(1);
    check(16);
    return done_testing();
}
