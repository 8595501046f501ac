/*
 * dav_locks.c -- locks of files in a zone: who is in whose way.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/dav/dav_locks.c"
#include "tap.h"

enum { ZONE = 65536 };

static lun_pool  *pool;
static lun_zone   zone = { .size = ZONE };


static lun_dav_lock
lock_of(const char *path, bool infinite, bool shared)
{
    return (lun_dav_lock) {
        .path = lun_str_z(path), .href = LUN_STR("/h"), .owner = LUN_STR("o"),
        .infinite = infinite, .shared = shared, .expires = 100
    };
}


static int
add(const char *path, bool infinite, bool shared)
{
    lun_dav_lock  l = lock_of(path, infinite, shared);

    return (int) lun_dav_lock_add(&zone, &l, 50);
}


static void
begin(void)
{
    memset(zone.shm.addr, 0, ZONE);
    (void) init(&zone, NULL);
}


static void
in_the_way(void)
{
    begin();
    is_int(add("/a/b", true, false), LUN_DAV_LOCK_MADE, "a folder");
    is_int(add("/a/b", false, true), LUN_DAV_LOCK_CONFLICTS, "the same");
    is_int(add("/a/b/c", false, true), LUN_DAV_LOCK_CONFLICTS, "below it");
    is_int(add("/a/bc", false, false), LUN_DAV_LOCK_MADE, "beside it");
    is_int(add("/a", true, false), LUN_DAV_LOCK_CONFLICTS, "above, with all");
    is_int(add("/a", false, false), LUN_DAV_LOCK_MADE, "above, alone");
    is_int(add("/s", true, true), LUN_DAV_LOCK_MADE, "shared");
    is_int(add("/s/x", false, true), LUN_DAV_LOCK_MADE, "shared, below");
    is_int(add("/s/x", false, false), LUN_DAV_LOCK_CONFLICTS, "not shared");

    ok(!lun_dav_locks_allow(&zone, LUN_STR("/a/b/c/d"), 0, NULL, 0, 50)
       && !lun_dav_locks_allow(&zone, LUN_STR("/a/x"), LUN_DAV_MEMBER, NULL, 0,
                               50)
       && lun_dav_locks_allow(&zone, LUN_STR("/a/x"), 0, NULL, 0, 50)
       && !lun_dav_locks_allow(&zone, LUN_STR("/"), LUN_DAV_BELOW, NULL, 0, 50)
       && lun_dav_locks_allow(&zone, LUN_STR("/"), 0, NULL, 0, 50)
       && lun_dav_locks_allow(&zone, LUN_STR("/a/b/c/d"), 0, NULL, 0, 100),
       "what may be changed, and when");

    lun_dav_locks_forget(&zone, LUN_STR("/a"), 50);
    is_int(add("/a/b/c", true, false), LUN_DAV_LOCK_MADE, "forgotten");
    is_int(add("/s", false, false), LUN_DAV_LOCK_CONFLICTS, "these are not");
}


static void
tokens(void)
{
    bool          done;
    lun_str       t[2], other = LUN_STR("urn:uuid:x");
    lun_array     list;
    lun_dav_lock  one = lock_of("/s", true, true), two = one, again;

    begin();
    ok(lun_dav_lock_add(&zone, &one, 50) == LUN_DAV_LOCK_MADE
       && lun_dav_lock_add(&zone, &two, 50) == LUN_DAV_LOCK_MADE,
       "two share it");
    t[0] = lun_str_of(one.token, LUN_DAV_TOKEN);
    t[1] = lun_str_of(two.token, LUN_DAV_TOKEN);
    ok(!lun_str_eq(t[0], t[1]) && lun_str_starts(t[0], LUN_STR("urn:uuid:"))
       && t[0].data[23] == '4', "each has a token: %.*s", LUN_S(t[0]));
    ok(lun_dav_locks_allow(&zone, LUN_STR("/s/x"), 0, &t[1], 1, 50)
       && !lun_dav_locks_allow(&zone, LUN_STR("/s/x"), 0, &other, 1, 50),
       "one of them is enough");

    lun_array_init(&list, pool, sizeof(lun_dav_lock), 1);
    lun_dav_locks_list(&zone, LUN_STR("/s/x"), 50, &list);
    ok(list.count == 2
       && lun_str_eq(((lun_dav_lock *) lun_array_at(&list, 0))->href,
                     LUN_STR("/h"))
       && lun_str_eq(((lun_dav_lock *) lun_array_at(&list, 1))->owner,
                     LUN_STR("o")), "both are told");

    done = lun_dav_lock_refresh(&zone, LUN_STR("/s"), t[0], 50, 900, pool,
                                &again);
    ok(done && again.expires == 900 && lun_str_eq(again.path, LUN_STR("/s")),
       "it lasts longer");
    ok(lun_dav_lock_covers(&zone, LUN_STR("/s/x/y"), t[0], 800)
       && !lun_dav_lock_covers(&zone, LUN_STR("/s/x"), t[1], 800)
       && !lun_dav_lock_covers(&zone, LUN_STR("/sx"), t[0], 800)
       && !lun_dav_lock_refresh(&zone, LUN_STR("/s"), t[1], 800, 900, pool,
                                &again), "the other does not");
    ok(!lun_dav_lock_remove(&zone, LUN_STR("/t"), t[0], 800)
       && lun_dav_lock_remove(&zone, LUN_STR("/s"), t[0], 800)
       && !lun_dav_lock_remove(&zone, LUN_STR("/s"), t[0], 800),
       "it ends once");
}


static void
full(void)
{
    char          path[16];
    unsigned      n = 0;
    lun_dav_lock  l = lock_of("/x", false, false);

    begin();

    do {
        snprintf(path, sizeof(path), "/%u", n++);
    } while (add(path, false, false) == LUN_DAV_LOCK_MADE);

    is_int(n - 1, ((table *) zone.shm.addr)->count, "so many have room");
    is_int(lun_dav_lock_add(&zone, &l, 99), LUN_DAV_LOCK_NO_ROOM, "no more");
    is_int(lun_dav_lock_add(&zone, &l, 100), LUN_DAV_LOCK_MADE,
           "what is over gives way");

    l.owner = lun_pool_str(pool, lun_str_of(zone.shm.addr, LUN_DAV_LOCK_TEXT));
    is_int(lun_dav_lock_add(&zone, &l, 5000), LUN_DAV_LOCK_NO_ROOM,
           "nor for long texts");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    zone.shm.addr = calloc(1, ZONE);

    in_the_way();
    tokens();
    full();

    free(zone.shm.addr);
    lun_pool_free(pool);
    return done_testing();
}
