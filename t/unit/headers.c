/*
 * headers.c -- tests of the header lists and of the table of known names.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/headers.c"
#include "tap.h"


static int
find_in(const char *name)
{
    lun_str  s = lun_str_of(tap_edge(name, strlen(name)), strlen(name));

    return lun_header_known_in(s, lun_header_hash(s));
}


static void
test_known(void)
{
    size_t  i, n = 0;

    for (i = 0; i < LUN_HIN_COUNT; i++) {
        n += find_in(names_in[i].name.data) == (int) i;
    }

    ok(n == LUN_HIN_COUNT, "every name of requests is found as itself");

    for (i = n = 0; i < LUN_HOUT_COUNT; i++) {
        n += lun_header_known_out(names_out[i].name,
                                  lun_header_hash(names_out[i].name))
             == (int) i;
    }

    ok(n == LUN_HOUT_COUNT, "every name of answers is found as itself");

    ok(find_in("HOST") == LUN_HIN_HOST, "capitals are the same");
    ok(find_in("If-None-MATCH") == LUN_HIN_IF_NONE_MATCH,
       "a long name with capitals");
    ok(find_in("x-host") == -1, "an unknown name");
    ok(find_in("hosta") == -1, "a longer name");
    ok(find_in("hos") == -1, "a shorter name");
    ok(find_in("") == -1, "no name at all");
}


static void
test_hash(void)
{
    ok(lun_header_hash(LUN_STR("")) != 0, "the hash of nothing is not 0");
    ok(lun_header_hash(LUN_STR("X-Forwarded-For"))
       == lun_header_hash(LUN_STR("x-forwarded-for")), "caseless");
    ok(lun_header_hash(LUN_STR("abcdefgh"))
       != lun_header_hash(LUN_STR("abcdefgi")), "the last of eight counts");
    ok(lun_header_hash(LUN_STR("xbcdefghi"))
       != lun_header_hash(LUN_STR("abcdefghi")), "the first of nine counts");
}


static void
test_repeats(void)
{
    ok(lun_header_in_repeats(LUN_HIN_COOKIE), "cookies may come again");
    ok(!lun_header_in_repeats(LUN_HIN_HOST), "a host may not");
    ok(lun_header_in_repeats(-1), "what nobody knows may");
    ok(lun_header_out_repeats(LUN_HOUT_SET_COOKIE)
       && !lun_header_out_repeats(LUN_HOUT_ETAG), "the same of answers");
}


static void
test_list(void)
{
    int               i, n = 0;
    lun_pool         *pool = lun_pool_new_sized(1024);
    lun_header       *h, *first;
    lun_header_list   l;

    lun_header_list_init(&l, pool, 2);
    ok(lun_header_find(&l, LUN_STR("a")) == NULL, "nothing in an empty list");

    first = lun_header_list_push(&l);
    first->name = LUN_STR("Name");
    first->hash = lun_header_hash(first->name);

    for (i = 0; i < 20; i++) {
        h = lun_header_list_push(&l);
        h->name = LUN_STR("other");
        h->hash = lun_header_hash(h->name);
    }

    ok(lun_header_find(&l, LUN_STR("nAME")) == first,
       "the first stays where it is while the list grows");

    lun_header_each(&l, it) {
        n += it != NULL;
    }

    ok(n == 21 && l.count == 21, "each is visited once");

    first->hash = 0;
    ok(lun_header_find(&l, LUN_STR("Name")) == NULL, "a removed one is not");

    lun_pool_free(pool);
}


static void
push_some(lun_header_list *l, int n)
{
    while (n-- > 0) {
        lun_header_list_push(l)->hash = 1;
    }
}


static void
test_clear(void)
{
    int                n = 0;
    lun_pool          *pool = lun_pool_new_sized(1024);
    lun_header_list    l;
    lun_header_block  *last;

    lun_header_list_init(&l, pool, 2);
    push_some(&l, 20);
    last = l.last;
    lun_header_list_clear(&l);
    ok(l.count == 0, "cleared");

    lun_header_each(&l, it) {
        n++;
    }

    ok(n == 0, "nothing is visited");
    push_some(&l, 20);

    lun_header_each(&l, it) {
        n++;
    }

    ok(n == 20 && l.count == 20, "filled again");
    ok(l.last == last && last->next == NULL, "in the memory that it had");
    lun_pool_free(pool);
}


int
main(void)
{
    test_known();
    test_hash();
    test_repeats();
    test_list();
    test_clear();

    return done_testing();
}
