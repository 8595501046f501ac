/*
 * radix.c -- the longest beginning counts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/radix.c"

#include "tap.h"


static const char *
find(const lun_radix *t, uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    uint8_t  key[4] = { a, b, c, d };

    return lun_radix_find(t, (const uint8_t *) tap_edge(key, 4), 32);
}


int
main(void)
{
    lun_pool       *pool = lun_pool_new_sized(1024);
    lun_radix       t;
    const uint8_t   ten[4] = { 10, 1, 2, 3 }, all[4] = { 0 };

    lun_radix_init(&t, pool);
    is_str(find(&t, 10, 1, 2, 3), NULL, "nothing is in it");

    *lun_radix_slot(&t, ten, 8) = "8";
    *lun_radix_slot(&t, ten, 32) = "32";
    *lun_radix_slot(&t, ten, 15) = "15";

    is_str(find(&t, 10, 1, 2, 3), "32", "a whole key");
    is_str(find(&t, 10, 0, 0, 0), "15", "the longest");
    is_str(find(&t, 10, 2, 0, 0), "8", "a shorter one");
    is_str(find(&t, 11, 1, 2, 3), NULL, "none fits");

    *lun_radix_slot(&t, all, 0) = "0";
    is_str(find(&t, 11, 1, 2, 3), "0", "no bits at all");

    *lun_radix_slot(&t, ten, 15) = NULL;
    is_str(find(&t, 10, 0, 0, 0), "8", "one was taken away");

    lun_pool_free(pool);
    return done_testing();
}
