/*
 * location.c -- the trie of locations against a plain search.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/conf/location.c"

#include "tap.h"


enum { NAMES = 3000 };

static lun_conf  cf;
static uint32_t  seed = 1;


static unsigned
chance(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}


static lun_location *
add(lun_location_map **map, lun_match match, lun_str name)
{
    lun_location  *loc = lun_pool_new(cf.pool, lun_location);

    loc->match = match;
    loc->name = name;

    return lun_location_add(&cf, map, loc) == LUN_OK ? loc : NULL;
}


static const char *
found(const lun_location_map *map, const char *uri, bool *final)
{
    lun_location  *loc = find_text(map, lun_str_z(uri), final);

    return loc != NULL ? loc->name.data : "none";
}


static void
few(void)
{
    bool               final;
    lun_location      *loc;
    lun_location_map  *map = NULL;

    add(&map, LUN_MATCH_PREFIX, LUN_STR("/a"));
    add(&map, LUN_MATCH_PREFIX, LUN_STR("/a/b/"));
    add(&map, LUN_MATCH_EXACT, LUN_STR("/a/b"));
    loc = add(&map, LUN_MATCH_PREFIX, LUN_STR("/p/"));
    loc->has_slash_redirect = true;
    lun_location_map_finish(&cf, map);

    is_str(found(map, "/", &final), "none", "nothing fits");
    is_str(found(map, "/a", &final), "/a", "a prefix that is all of it");
    ok(!final, "is not the last word");
    is_str(found(map, "/ab", &final), "/a", "a prefix");
    is_str(found(map, "/a/b", &final), "/a/b", "an exact one");
    ok(final, "is the last word");
    is_str(found(map, "/a/bc", &final), "/a", "exact ones are no prefixes");
    is_str(found(map, "/a/b/c", &final), "/a/b/", "the longest prefix");
    is_str(found(map, "", &final), "none", "an empty uri");

    is_str(found(map, "/p", &final), "/p/", "less the slash");
    ok(final, "is the last word, since it will be a redirect");
    is_str(found(map, "/p/x", &final), "/p/", "with the slash it is a prefix");
    ok(!final, "like any other");
}


static void
twice(void)
{
    lun_location_map  *map = NULL;

    add(&map, LUN_MATCH_PREFIX, LUN_STR("/a"));
    ok(add(&map, LUN_MATCH_EXACT, LUN_STR("/a")) != NULL,
       "exact and prefix may have one name");
    ok(add(&map, LUN_MATCH_FINAL_PREFIX, LUN_STR("/a")) == NULL,
       "two prefixes may not");
    ok(add(&map, LUN_MATCH_EXACT, LUN_STR("/a")) == NULL,
       "nor two exact ones");
}


/* Names of few letters share beginnings of all lengths. */
static lun_str
some_name(void)
{
    char    *text = lun_pool_text(cf.pool, 16);
    size_t   i, len = 1 + chance(12);

    text[0] = '/';

    for (i = 1; i < len; i++) {
        text[i] = "ab/"[chance(3)];
    }

    return lun_str_of(text, len);
}


static const lun_location *
plain_search(const lun_array *all, lun_str uri)
{
    size_t               i;
    const lun_location  *loc, *best = NULL;

    for (i = 0; i < all->count; i++) {
        loc = *(lun_location **) lun_array_at(all, i);

        if (loc->match == LUN_MATCH_EXACT) {
            if (lun_str_eq(loc->name, uri)) {
                return loc;
            }

        } else if (lun_str_starts(uri, loc->name)
                   && (best == NULL || loc->name.len > best->name.len))
        {
            best = loc;
        }
    }

    return best;
}


static void
many(void)
{
    int                i, bad = 0;
    bool               final;
    lun_str            uri;
    lun_array          all;
    lun_location      *loc;
    lun_location_map  *map = NULL;

    lun_array_init(&all, cf.pool, sizeof(lun_location *), NAMES);

    for (i = 0; i < NAMES; i++) {
        loc = add(&map, chance(3) == 0 ? LUN_MATCH_EXACT : LUN_MATCH_PREFIX,
                  some_name());

        if (loc != NULL) {
            *(lun_location **) lun_array_push(&all) = loc;
        }
    }

    lun_location_map_finish(&cf, map);

    for (i = 0; i < NAMES; i++) {
        uri = some_name();
        bad += find_text(map, uri, &final) != plain_search(&all, uri);
    }

    is_int(bad, 0, "%u locations, each found as a plain search finds it",
           (unsigned) all.count);
}


static void
no_case(void)
{
    bool               final;
    lun_location_map  *map = new_map(&cf);

    map->caseless = true;
    lun_hash_init(&map->names, cf.pool, 0, true);

    add(&map, LUN_MATCH_PREFIX, LUN_STR("/Ab/"));
    add(&map, LUN_MATCH_PREFIX, LUN_STR("/aBc"));
    ok(add(&map, LUN_MATCH_PREFIX, LUN_STR("/aB/")) == NULL,
       "without case two names are one");
    lun_location_map_finish(&cf, map);

    is_str(found(map, "/aB/X", &final), "/Ab/", "one is found");
    is_str(found(map, "/ABCD", &final), "/aBc", "so is the other");
}


static char *
quiet_context(void *owner, char *p, const char *end)
{
    return p;
}


int
main(void)
{
    lun_log  silent = { .level = LUN_LOG_STDERR, .context = quiet_context };

    cf.pool = lun_pool_new_sized(65536);
    cf.temp = lun_pool_new_sized(65536);
    cf.log = &silent;

    few();
    twice();
    no_case();
    many();

    lun_pool_free(cf.temp);
    lun_pool_free(cf.pool);
    return done_testing();
}
