/*
 * shm_table.c -- records by key, and a worker killed at any instruction.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/shm_table.c"

#include "os/proc.h"
#include "tap_step.h"

enum { ROOM = 16 * 1024, KEYS = 40, LONGEST = 300 };

typedef struct {
    const char  *what;
    void       (*run)(lun_shm_table *l);
} operation;

static lun_zone          zone, copy;
static const operation  *op;

static struct {
    unsigned  steps, inside, bad;
} seen;


static lun_shm_table *
fresh(lun_zone *z)
{
    if (z->shm.addr == NULL) {
        z->shm.size = ROOM;
        z->shm.addr = (void *) lun_align(lun_calloc(ROOM + 4096), 4096);
    }

    memset(z->shm.addr, 0, ROOM);
    (void) lun_shm_table_init(z, NULL);
    return lun_shm_table_of(z);
}


/* Every third key is a long one. */
static lun_str
key_of(unsigned i)
{
    static char  text[KEYS + 1][LONGEST];

    char    *p = text[i];
    size_t   len = i % 3 == 0 ? LONGEST : 4;

    memset(p, 'k', LONGEST);
    p[len - 2] = (char) ('0' + i / 10);
    p[len - 1] = (char) ('0' + i % 10);
    return lun_str_of(p, len);
}


static uint32_t
count_free(lun_shm_table *l)
{
    uint32_t  n, count = 0;

    for (n = l->free; n != 0; n = ((head *) at(l, n))->rest) {
        count++;
    }

    return count;
}


/* Every block is free, or a part of one record, and all are in the order. */
static bool
books_are_right(lun_shm_table *l)
{
    uint32_t               used = 0;
    const lun_shm_record  *e;

    for (e = lun_shm_table_oldest(l); e != NULL; e = lun_shm_table_newer(l,
         e)) {
        used += 1 + rest_of(((const head *) e)->key_len);
    }

    return used + count_free(l) == l->blocks;
}


static void
keeps_records(void)
{
    lun_shm_table   *l = fresh(&zone);
    lun_shm_record  *a, *b, *c;

    lun_shm_table_lock(l);
    ok(lun_shm_table_find(l, LUN_STR("a"), NULL) == NULL, "nothing is there");

    a = lun_shm_table_add(l, LUN_STR("a"), 1, 10);
    b = lun_shm_table_add(l, key_of(3), 2, 20);
    c = lun_shm_table_add(l, LUN_STR("a"), 3, 30);
    ok(lun_shm_table_find(l, LUN_STR("a"), NULL) == c
       && lun_shm_table_find(l, LUN_STR("a"), c) == a
       && lun_shm_table_find(l, LUN_STR("a"), a) == NULL,
       "a key has several records");
    ok(lun_shm_table_find(l, key_of(3), NULL) == b && b->value == 20,
       "a long key is found");
    ok(lun_shm_table_find(l, key_of(6), NULL) == NULL, "it alone");

    ok(lun_shm_table_oldest(l) == a && lun_shm_table_newer(l, a) == b,
       "in order");
    lun_shm_table_touch(l, a);
    ok(lun_shm_table_oldest(l) == b && lun_shm_table_newer(l, c) == a
       && lun_shm_table_newer(l, a) == NULL, "use moves a record to the end");

    lun_shm_table_remove(l, b);
    lun_shm_table_remove(l, c);
    ok(lun_shm_table_find(l, key_of(3), NULL) == NULL
       && lun_shm_table_find(l, LUN_STR("a"), NULL) == a
       && books_are_right(l), "what is removed is gone");
    lun_shm_table_unlock(l);
}


static void
fills(void)
{
    unsigned        n = 0;
    char            big[LUN_SHM_TABLE_KEY + 1] = "";
    lun_shm_table  *l = fresh(&zone);

    lun_shm_table_lock(l);
    ok(lun_shm_table_add(l, lun_str_of(big, sizeof(big)), 0, 0) == NULL
       && lun_shm_table_add(l, lun_str_of(big, 20000), 0, 0) == NULL
       && books_are_right(l), "a key that is too long takes nothing");

    while (lun_shm_table_add(l, LUN_STR("k"), n, n) != NULL) {
        n++;
    }

    ok(n == l->blocks && n > ROOM / 80, "%u records fit", n);

    while (lun_shm_table_oldest(l) != NULL) {
        lun_shm_table_remove(l, lun_shm_table_oldest(l));
    }

    ok(books_are_right(l) && l->newest == 0, "and all go");
    lun_shm_table_unlock(l);
}


static void
binds(void)
{
    lun_str         before;
    lun_shm_table  *l = fresh(&zone);

    ok(lun_shm_table_bind(l, LUN_STR("$uri"), &before) == LUN_OK
       && lun_shm_table_bind(l, LUN_STR("$uri"), &before) == LUN_OK,
       "the keys of a zone stay what they are");
    ok(lun_shm_table_bind(l, LUN_STR("$args"), &before) == LUN_ERROR
       && lun_str_eq(before, LUN_STR("$uri")), "others are refused");
}


/* --- killed -------------------------------------------------------------- */

static void
furnish(lun_shm_table *l)
{
    unsigned  i;

    lun_shm_table_lock(l);

    for (i = 1; i < KEYS; i++) {
        (void) lun_shm_table_add(l, key_of(i), i, i);
    }

    lun_shm_table_unlock(l);
}


static void
add(lun_shm_table *l)
{
    (void) lun_shm_table_add(l, key_of(0), 0, 7);
}


static void
touch(lun_shm_table *l)
{
    lun_shm_table_touch(l, lun_shm_table_find(l, key_of(9), NULL));
}


/* Neither these nor key 0 are looked for afterwards. */
static void
remove_two(lun_shm_table *l)
{
    lun_shm_table_remove(l, lun_shm_table_oldest(l));
    lun_shm_table_remove(l, lun_shm_table_oldest(l));
}


static void
repair_all(lun_shm_table *l)
{
    l->free = l->oldest = l->newest = 0x5a5a5a5a;
    repair(l);
}


static const operation  operations[] = {
    { "a new record", add },
    { "a record is used", touch },
    { "records are removed", remove_two },
    { "the repair itself", repair_all },
};


static void
run(void *data)
{
    lun_shm_table  *l = data;

    lun_shm_table_lock(l);
    op->run(l);
    lun_shm_table_unlock(l);
}


static bool
is_fine(lun_shm_table *l)
{
    unsigned               i;
    const lun_shm_record  *e;

    if (!books_are_right(l)) {
        return false;
    }

    for (i = 3; i < KEYS; i++) {
        e = lun_shm_table_find(l, key_of(i), NULL);

        if (e == NULL || e->value != i || e->stamp != i) {
            return false;
        }
    }

    e = lun_shm_table_find(l, key_of(0), NULL);
    return e == NULL || e->value == 7;
}


static void
look(void *data)
{
    lun_shm_table  *l = copy.shm.addr;

    memcpy(l, zone.shm.addr, ROOM);
    seen.steps++;
    seen.inside += atomic_load(&l->busy) != 0;

    lun_shm_table_seize(l, lun_proc_pid());
    lun_shm_table_lock(l);
    seen.bad += !is_fine(l);
    lun_shm_table_unlock(l);
}


static void
killed(void)
{
    size_t  i;

    (void) fresh(&copy);

    for (i = 0; i < LUN_ARRAY_LEN(operations); i++) {
        op = &operations[i];
        memset(&seen, 0, sizeof(seen));
        furnish(fresh(&zone));

        if (!tap_step(run, look, zone.shm.addr)) {
            skip("no trap flag here");
            continue;
        }

        ok(seen.bad == 0 && seen.inside > 0, "%s: killed at %u instructions, "
           "%u of them inside, %u bad", op->what, seen.steps, seen.inside,
           seen.bad);
    }
}


int
main(void)
{
    lun_lock_init_process();
    keeps_records();
    fills();
    binds();
    killed();

    return done_testing();
}
