/*
 * pool.c -- alignment, growth, ends, reset.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/pool.c"

#include "tap.h"


static char    order[16];
static size_t  order_len;


static void
note(void *data)
{
    order[order_len++] = *(const char *) data;
    order[order_len] = '\0';
}


static void
register_late(void *data)
{
    lun_pool_on_end(data, note, "L");
    note("R");
}


static void
allocation(void)
{
    int        bad = 0;
    size_t     i, n, size;
    char      *got[2000], *text;
    lun_pool  *pool = lun_pool_new_sized(512);

    for (i = 0; i < LUN_ARRAY_LEN(got); i++) {
        n = i % 700;
        got[i] = i % 3 == 0 ? lun_pool_text(pool, n) : lun_pool_alloc(pool, n);
        bad += i % 3 != 0 && (uintptr_t) got[i] % 16 != 0;
        memset(got[i], (int) (i & 127), n);
    }
    is_int(bad, 0, "objects are aligned to 16");

    for (i = 0; i < LUN_ARRAY_LEN(got); i++) {
        for (n = 0; n < i % 700; n++) {
            bad += got[i][n] != (char) (i & 127);
        }
    }
    is_int(bad, 0, "allocations do not overlap");

    text = lun_pool_zalloc(pool, 300);
    for (i = 0; i < 300; i++) {
        bad += text[i] != 0;
    }
    is_int(bad, 0, "zalloc is zero");

    ok(lun_pool_alloc_try(pool, SIZE_MAX - 8) == NULL, "no such size");
#ifndef LUN_POOL_DEBUG                        /* ASan would stop here */
    ok(lun_pool_alloc_try(pool, SIZE_MAX / 2 - 100) == NULL, "no such memory");
#endif

    size = lun_pool_size(pool);
    lun_pool_reset(pool);
    ok(lun_pool_size(pool) < size, "reset gives memory back");

    text = lun_pool_alloc(pool, 16);
    memset(text, 1, 16);
    ok(lun_pool_alloc(pool, 0) != NULL, "zero bytes are not NULL");
    lun_pool_free(pool);

#ifndef LUN_POOL_DEBUG
    pool = lun_pool_new_sized(1);
    size = lun_pool_size(pool);
    lun_pool_alloc(pool, 128);
    lun_pool_text(pool, 128);
    ok(lun_pool_size(pool) == size, "the least pool has 256 bytes inside");
    lun_pool_text(pool, 1);
    ok(lun_pool_size(pool) > size, "and not one more");
    lun_pool_free(pool);
#endif
}


static void
ends(void)
{
    lun_pool  *pool = lun_pool_new_sized(256);

    lun_pool_on_end(pool, note, "a");
    lun_pool_on_end(pool, note, "b");
    lun_pool_on_end(pool, note, "c");
    lun_pool_reset(pool);
    is_str(order, "cba", "ends run in reverse order");

    order_len = 0;
    lun_pool_on_end(pool, note, "d");
    lun_pool_on_end(pool, register_late, pool);
    lun_pool_free(pool);
    is_str(order, "RLd", "an end may register an end; reset forgot the first");
}


static void
text(void)
{
    char       big[1000];
    lun_str    s;
    lun_str    parts[3] = { LUN_STR("one"), LUN_STR(", "), LUN_STR("two") };
    lun_pool  *pool = lun_pool_new_sized(256);

    s = lun_pool_str(pool, LUN_STR("abc"));
    is_mem(s.data, s.len, "abc", 3, "str");
    is_int(lun_pool_str(pool, LUN_STR_NULL).len, 0, "str of nothing");
    is_str(lun_pool_strz(pool, LUN_STR("xyz")), "xyz", "strz");
    is_str(lun_pool_strz(pool, LUN_STR_NULL), "", "strz of nothing");

    s = lun_pool_join(pool, parts, 3);
    is_str(s.data, "one, two", "join ends with a zero byte, too");
    s = lun_pool_join(pool, parts, 0);
    ok(s.len == 0 && s.data[0] == '\0', "join of nothing");

    s = lun_pool_fmt(pool, "%d-%s", 42, "x");
    is_str(s.data, "42-x", "fmt ends with a zero byte");
    is_int(s.len, 4, "which len does not count");

    memset(big, 'q', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    s = lun_pool_fmt(pool, "%s!", big);
    ok(s.len == 1000 && s.data[998] == 'q' && s.data[999] == '!'
       && s.data[1000] == '\0', "long fmt");

    lun_pool_free(pool);
}


static void
tally_of_all(void)
{
    lun_pool  *older = lun_pool_new_sized(256), *pool;

    lun_pool_tally_begin();
    is_int((int64_t) lun_pool_tally_now().pools, 0, "none from now on");
    is_int((int64_t) lun_pool_tally_now().bytes, 0, "no bytes");

    pool = lun_pool_new_sized(512);
    (void) lun_pool_alloc(pool, 5000);
    (void) lun_pool_alloc(older, 5000);
    is_int((int64_t) lun_pool_tally_now().pools, 1, "one");
    is_int((int64_t) lun_pool_tally_now().bytes,
           (int64_t) lun_pool_size(pool), "with its bytes, and no other's");

    lun_pool_reset(pool);
    is_int((int64_t) lun_pool_tally_now().bytes,
           (int64_t) lun_pool_size(pool), "a reset gives back all but one");

    lun_pool_free(older);
    is_int((int64_t) lun_pool_tally_now().pools, 1, "an older one is no loss");
    lun_pool_free(pool);
    is_int((int64_t) lun_pool_tally_now().pools, 0, "and none again");
    is_int((int64_t) lun_pool_tally_now().bytes, 0, "all bytes are back");
}


int
main(void)
{
    allocation();
    ends();
    text();
    tally_of_all();
    return done_testing();
}
