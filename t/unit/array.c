/*
 * array.c -- growing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/array.c"

#include "tap.h"


int
main(void)
{
    int         i, bad = 0;
    int        *p;
    lun_array   a, *b;
    lun_pool   *pool = lun_pool_new_sized(256);

    lun_array_init(&a, pool, sizeof(int), 0);

    for (i = 0; i < 1000; i++) {
        p = lun_array_push(&a);
        bad += *p != 0;
        *p = i;
    }
    is_int(bad, 0, "pushed items are zero");

    for (i = 0; i < 1000; i++) {
        bad += *(int *) lun_array_at(&a, (size_t) i) != i;
    }
    is_int(bad, 0, "items survive growth");
    is_int(a.count, 1000, "count");

    b = lun_array_new(pool, 3, 2);
    memcpy(lun_array_push_n(b, 2), "abcdef", 6);
    memcpy(lun_array_push_n(b, 5), "ghijklmnopqrstu", 15);
    is_mem(b->items, b->count * 3, "abcdefghijklmnopqrstu", 21, "push_n");

    lun_pool_free(pool);
    return done_testing();
}
