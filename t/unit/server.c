/*
 * server.c -- names of an address, without regexes (those are specs').
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/server.c"

#include "tap.h"


static lun_server  fallback, servers[8];


static const char *
who(const lun_server_map *map, const char *host)
{
    lun_server  *s = lun_server_find(NULL, map, lun_str_z(host));

    return s == &fallback ? "default" : s->name.data;
}


static lun_name_verdict
add(lun_server_map *map, int i, const char *name)
{
    servers[i].name = lun_str_z(name);
    return lun_server_map_add(map, servers[i].name, &servers[i]);
}


static void
all_kinds(lun_pool *pool)
{
    lun_server_map  *map = lun_server_map_new(pool);

    lun_server_map_set_default(map, &fallback);
    is_str(who(map, "a"), "default", "an empty map has its default");

    is_int(add(map, 0, "a.b"), LUN_NAME_ADDED, "an exact name");
    is_int(add(map, 1, "*.b"), LUN_NAME_ADDED, "a star in front");
    is_int(add(map, 2, "*.c.b"), LUN_NAME_ADDED, "and a longer one");
    is_int(add(map, 3, "w.*"), LUN_NAME_ADDED, "a star at the end");
    is_int(add(map, 4, ".d.e"), LUN_NAME_ADDED, "a dot in front");

    is_str(who(map, "a.b"), "a.b", "exact first");
    is_str(who(map, "x.b"), "*.b", "then the star in front");
    is_str(who(map, "y.x.b"), "*.b", "for several labels");
    is_str(who(map, "x.c.b"), "*.c.b", "the longest");
    is_str(who(map, "w.b"), "*.b", "in front before the end");
    is_str(who(map, "w.x.y"), "w.*", "the star at the end");
    is_str(who(map, "d.e"), ".d.e", "the dot is the name itself");
    is_str(who(map, "x.d.e"), ".d.e", "and those below");

    is_str(who(map, "b"), "default", "a star is not empty");
    is_str(who(map, ".b"), "default", "nor is it without a byte");
    is_str(who(map, "w"), "default", "at neither end");
    is_str(who(map, "xd.e"), "default", "a dot is a dot");
    is_str(who(map, ""), "default", "no name at all");
}


static void
refused(lun_pool *pool)
{
    lun_server_map  *map = lun_server_map_new(pool);

    (void) add(map, 0, "a");
    is_int(add(map, 1, "a"), LUN_NAME_TAKEN, "a name that is taken");
    (void) add(map, 2, ".x");
    is_int(add(map, 3, "*.x"), LUN_NAME_TAKEN, "the dot has taken the star");

    is_int(add(map, 4, "a.*.b"), LUN_NAME_INVALID, "a star inside");
    is_int(add(map, 5, "*.*"), LUN_NAME_INVALID, "two of them");
    is_int(add(map, 6, "a*"), LUN_NAME_INVALID, "half a label");
    is_int(add(map, 7, "*."), LUN_NAME_INVALID, "nothing but a star");
}


int
main(void)
{
    lun_pool  *pool = lun_pool_new_sized(4096);

    all_kinds(pool);
    refused(pool);

    lun_pool_free(pool);
    return done_testing();
}
