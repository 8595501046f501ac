/*
 * hpack_table.c -- what a table has, what fell out of it, and its memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/hpack_table.c"

#include "tap.h"


static bool
is_field(const lun_hpack_table *t, uint32_t number, const char *name,
    const char *value)
{
    lun_hpack_field  f = lun_hpack_table_get(t, number);

    return lun_str_eq(f.name, lun_str_z(name))
           && lun_str_eq(f.value, lun_str_z(value));
}


static void
finds_names_of_the_rfc(void)
{
    unsigned  i, good = 0;

    for (i = 1; i <= LUN_HPACK_STATIC; i++) {
        good += lun_str_eq(lun_hpack_fields[lun_hpack_static(
                               lun_hpack_fields[i - 1].name) - 1].name,
                           lun_hpack_fields[i - 1].name);
    }

    is_int(good, LUN_HPACK_STATIC, "finds all of them");
    is_int(lun_hpack_static(LUN_STR(":status")), 8, "the first of a name");
    is_int(lun_hpack_static(LUN_STR("x-own")), 0, "and none of others");
    is_int(lun_hpack_static(LUN_STR("")), 0, "nor of no name");
}


static void
drops_the_oldest(void)
{
    lun_hpack_table  t = { .max = 100 };

    ok(lun_hpack_table_add(&t, LUN_STR("a"), LUN_STR("1")), "one");
    ok(lun_hpack_table_add(&t, LUN_STR("b"), LUN_STR("2")), "two");
    is_int((int64_t) t.size, 68, "as large as the RFC says");
    ok(is_field(&t, 1, "a", "1") && is_field(&t, 2, "b", "2"), "both there");

    ok(lun_hpack_table_add(&t, LUN_STR("c"), LUN_STR("3")), "three");
    ok(!lun_hpack_table_has(&t, 1) && lun_hpack_table_has(&t, 2)
       && lun_hpack_table_has(&t, 3) && !lun_hpack_table_has(&t, 4)
       && !lun_hpack_table_has(&t, 0), "the first is gone");

    ok(lun_hpack_table_add(&t, lun_hpack_table_get(&t, 2).name,
                           LUN_STR("0123456789012345678901234567890123456789"
                                   "012345678901234567890123456")),
       "a name of one that goes for it");
    ok(t.count == 1 && is_field(&t, 4, "b", "0123456789012345678901234567890"
       "123456789012345678901234567890123456"), "is still that name");

    ok(!lun_hpack_table_add(&t, LUN_STR("a"),
                            lun_hpack_table_get(&t, 4).value)
       || t.count == 1, "one as large as the table");
    ok(!lun_hpack_table_add(&t, LUN_STR("ab"), LUN_STR("01234567890123456789"
       "0123456789012345678901234567890123456789012345678"))
       && t.count == 0 && t.size == 0, "one that is larger leaves nothing");

    (void) lun_hpack_table_add(&t, LUN_STR("a"), LUN_STR("1"));
    lun_hpack_table_resize(&t, 0);
    ok(t.count == 0 && !lun_hpack_table_add(&t, LUN_STR(""), LUN_STR("")),
       "a table of no size");
    lun_hpack_table_fini(&t);
}


/* Texts of all lengths, for long: what is there is what was put there. */
static void
keeps_what_it_has(void)
{
    char             text[301];
    size_t           i, k, wrong = 0, len;
    lun_hpack_table  t = { .max = LUN_HPACK_SIZE };

    for (i = 1; i <= 5000; i++) {
        len = i * 37 % 300;
        memset(text, 'a' + (int) (i % 26), len);
        (void) lun_hpack_table_add(&t, lun_str_of(text, len / 3),
                                   lun_str_of(text, len - len / 3));

        for (k = 0; k < t.count; k++) {
            lun_hpack_field  f = lun_hpack_table_get(&t, (uint32_t) (i - k));
            char             c = 'a' + (char) ((i - k) % 26);

            wrong += f.name.len + f.value.len != (i - k) * 37 % 300
                     || (f.name.len != 0 && f.name.data[0] != c)
                     || (f.value.len != 0
                         && f.value.data[f.value.len - 1] != c);
        }
    }

    is_int((int64_t) wrong, 0, "texts stay what they are");
    ok(t.size <= t.max && t.room <= 2 * LUN_HPACK_SIZE
       && t.ring_size <= LUN_HPACK_SIZE / LUN_HPACK_OVERHEAD,
       "memory has its bound");
    lun_hpack_table_fini(&t);
}


int
main(void)
{
    finds_names_of_the_rfc();
    drops_the_oldest();
    keeps_what_it_has();
    return done_testing();
}
