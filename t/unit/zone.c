/*
 * zone.c -- zones over reloads.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/zone.c"

#include "tap.h"


static char            said[4096];
static lun_log         log_;
static lun_log_target  target;
static int             inits, mends;
static lun_rc          init_says = LUN_OK;


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    strncat(said, line, len);
}


static lun_rc
on_init(lun_zone *zone, const lun_log *log)
{
    inits++;
    *(char *) zone->shm.addr = 'z';
    return init_says;
}


static void
on_mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    mends += (int) pid;
}


static const lun_zone_kind  dict = {
    .name = "dict", .min_size = 8192, .init = on_init, .mend = on_mend
};
static const lun_zone_kind  limit = { .name = "limit", .init = on_init };


static void
asks(void)
{
    lun_zone      *zone;
    const char    *why;
    lun_pool      *pool = lun_pool_new_sized(4096);
    lun_zone_set  *set = lun_zone_set_new(pool);

    zone = lun_zone_want(set, LUN_STR("a"), 0, &dict, &why);
    ok(zone != NULL && why == NULL, "referred to before it is declared");
    ok(lun_zone_want(set, LUN_STR("a"), 8192, &dict, &why) == zone, "declared");
    ok(lun_zone_want(set, LUN_STR("a"), 8192, &dict, &why) == zone, "again");
    is_int((int64_t) zone->size, 8192, "its size");
    ok(lun_zone_find(set, LUN_STR("a")) == zone, "found");
    ok(lun_zone_find(set, LUN_STR("b")) == NULL, "another name is not");

    ok(lun_zone_want(set, LUN_STR("a"), 16384, &dict, &why) == NULL, "size");
    is_str(why, "the size 16384 of shared memory zone \"a\" conflicts with "
           "already declared size 8192", "why");
    ok(lun_zone_want(set, LUN_STR("a"), 8192, &limit, &why) == NULL, "kind");
    is_str(why, "the shared memory zone \"a\" is already declared for a "
           "different use", "why");
    ok(lun_zone_want(set, LUN_STR("b"), 100, &dict, &why) == NULL, "too small");
    is_str(why, "zone \"b\" is too small", "why");
    is_int((int64_t) lun_zone_count(set), 1, "one zone");

    lun_pool_free(pool);
}


static void
keeps_over_reloads(void)
{
    void          *kept, *grown, *gone;
    const char    *why;
    lun_pool      *pool = lun_pool_new_sized(4096);
    lun_zone_set  *old = lun_zone_set_new(pool);
    lun_zone_set  *set = lun_zone_set_new(pool);

    lun_zone_want(old, LUN_STR("kept"), 65536, &dict, &why);
    lun_zone_want(old, LUN_STR("grown"), 65536, &dict, &why);
    lun_zone_want(old, LUN_STR("gone"), 65536, &dict, &why);
    is_int(lun_zone_open(old, NULL, &log_), LUN_OK, "opens");
    is_int(inits, 3, "each is prepared");

    kept = lun_zone_at(old, 0)->shm.addr;
    grown = lun_zone_at(old, 1)->shm.addr;
    gone = lun_zone_at(old, 2)->shm.addr;
    ok(kept != grown && grown != gone && lun_zone_at(old, 0)->shm.size >= 65536,
       "memory");
    strcpy(kept, "contents");

    lun_zone_want(set, LUN_STR("new"), 65536, &limit, &why);
    lun_zone_want(set, LUN_STR("grown"), 131072, &dict, &why);
    lun_zone_want(set, LUN_STR("kept"), 65536, &dict, &why);
    said[0] = '\0';
    is_int(lun_zone_open(set, old, &log_), LUN_OK, "reload");
    is_int(inits, 5, "the new one and the grown one are prepared");
    ok(lun_zone_at(set, 2)->kept && lun_zone_at(set, 2)->shm.addr == kept,
       "the same address");
    ok(!lun_zone_at(set, 1)->kept && lun_zone_at(set, 1)->shm.addr != grown,
       "another size, another zone");
    ok(strstr(said, "[notice]") && strstr(said, "zone \"grown\" changed its "
       "size from 65536 to 131072, contents dropped\n"), "the log says so");

    lun_zone_close(old);
    ok(lun_zone_at(old, 0)->shm.addr == NULL, "the old ones go");
    is_str(kept, "contents", "contents and all");

    lun_zone_mend(set, 7, &log_);
    is_int(mends, 14, "two of a kind that mends");

    lun_zone_close(set);
    ok(lun_zone_at(set, 2)->shm.addr == NULL, "closed");
    lun_zone_close(set);
    lun_pool_free(pool);
}


static void
changes_nothing_on_failure(void)
{
    void          *kept;
    const char    *why;
    lun_pool      *pool = lun_pool_new_sized(4096);
    lun_zone_set  *old = lun_zone_set_new(pool);
    lun_zone_set  *set = lun_zone_set_new(pool);

    lun_zone_want(old, LUN_STR("kept"), 65536, &dict, &why);
    lun_zone_open(old, NULL, &log_);
    kept = lun_zone_at(old, 0)->shm.addr;

    lun_zone_want(set, LUN_STR("kept"), 65536, &dict, &why);
    lun_zone_want(set, LUN_STR("first"), 65536, &dict, &why);
    lun_zone_want(set, LUN_STR("second"), 0, &dict, &why);
    said[0] = '\0';
    is_int(lun_zone_open(set, old, &log_), LUN_ERROR, "one has no size");
    ok(strstr(said, "[emerg]")
       && strstr(said, "zero size shared memory zone \"second\"\n"),
       "the log says so");
    ok(lun_zone_at(set, 0)->shm.addr == NULL
       && lun_zone_at(set, 1)->shm.addr == NULL, "nothing is left");
    *(char *) kept = 'x';
    ok(lun_zone_at(old, 0)->shm.addr == kept, "the old one lives");

    lun_zone_want(set, LUN_STR("second"), 65536, &dict, &why);
    init_says = LUN_ERROR;
    is_int(lun_zone_open(set, old, &log_), LUN_ERROR, "one is not prepared");
    init_says = LUN_OK;
    is_int(lun_zone_open(set, old, &log_), LUN_OK, "and then it is");

    lun_pool_free(pool);
}


static void
adopts(void)
{
    lun_shm        shms[2];
    const char    *why;
    lun_pool      *pool = lun_pool_new_sized(4096);
    lun_zone_set  *set = lun_zone_set_new(pool);

    lun_zone_want(set, LUN_STR("a"), 8192, &dict, &why);
    lun_zone_want(set, LUN_STR("b"), 8192, &dict, &why);
    ok(lun_shm_new(8192, &shms[0]) == 0 && lun_shm_new(8192, &shms[1]) == 0,
       "a master's memory");
    lun_zone_adopt(set, shms, 2);
    ok(lun_zone_find(set, LUN_STR("b"))->shm.addr == shms[1].addr
       && lun_zone_find(set, LUN_STR("b"))->kept, "in order");
    lun_pool_free(pool);
}


int
main(void)
{
    target = (lun_log_target) { .level = LUN_LOG_INFO, .write = hear };
    log_ = (lun_log) { .level = LUN_LOG_INFO, .targets = &target };

    is_int(lun_shm_init(), 0, "shared memory");

    asks();
    keeps_over_reloads();
    changes_nothing_on_failure();
    adopts();

    return done_testing();
}
