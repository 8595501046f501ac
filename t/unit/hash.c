/*
 * hash.c -- the table against what was put in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/hash.c"

#include "tap.h"


enum { KEYS = 20000 };

static int  values[KEYS];


static lun_str
key(lun_pool *pool, int i)
{
    return lun_pool_fmt(pool, "Server-%d.example.com", i);
}


static void
many(lun_pool *pool, size_t room)
{
    int             i, bad = 0;
    lun_hash        h;
    lun_hash_slot  *slot;
    size_t          seen = 0;

    lun_hash_init(&h, pool, room, false);
    ok(lun_hash_get(&h, LUN_STR("x")) == NULL, "an empty table has nothing");
    ok(lun_hash_next(&h, NULL) == NULL, "and ends at once");

    for (i = 0; i < KEYS; i++) {
        bad += lun_hash_add(&h, key(pool, i), &values[i]) != NULL;
    }
    is_int(bad, 0, "all new");

    for (i = 0; i < KEYS; i++) {
        bad += lun_hash_get(&h, key(pool, i)) != &values[i];
        bad += lun_hash_get(&h, key(pool, i + KEYS)) != NULL;
    }
    is_int(bad, 0, "all found, and no others");

    for (slot = NULL; (slot = lun_hash_next(&h, slot)); ) {
        seen++;
    }
    is_int(seen, KEYS, "each is seen once");
    ok(h.count <= (h.mask + 1) / 3 * 2, "at most two thirds full");
}


int
main(void)
{
    int        a, b;
    size_t     mask;
    lun_hash   h;
    lun_pool  *pool = lun_pool_new_sized(65536);

    many(pool, 0);
    many(pool, KEYS);

    lun_hash_init(&h, pool, 100, true);
    mask = h.mask;
    for (a = 0; a < 100; a++) {
        lun_hash_add(&h, key(pool, a), &a);
    }
    ok(h.mask == mask, "the room asked for is enough");

    ok(lun_hash_add(&h, LUN_STR("Host"), &a) == NULL, "add");
    ok(lun_hash_add(&h, LUN_STR("HOST"), &b) == &a, "add again: what is there");
    ok(lun_hash_get(&h, LUN_STR("host")) == &a, "which stays");
    lun_hash_set(&h, LUN_STR("hOST"), &b);
    ok(lun_hash_get(&h, LUN_STR("host")) == &b, "set replaces");

    lun_hash_init(&h, pool, 0, false);
    lun_hash_set(&h, LUN_STR(""), &a);
    ok(lun_hash_get(&h, LUN_STR("")) == &a, "the empty key");
    lun_hash_add(&h, LUN_STR("Host"), &a);
    ok(lun_hash_get(&h, LUN_STR("host")) == NULL, "case matters if asked to");

    lun_pool_free(pool);
    return done_testing();
}
