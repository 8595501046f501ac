/*
 * cache_aside.c -- which files, begun and never ended, are taken away.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "tap.h"

#include "../../core/http/cache/cache_duty.c"


static lun_pool   *pool;
static lun_cache   cache;


static lun_str
write_file(lun_str folder, const char *file, int64_t age)
{
    lun_fd   fd;
    lun_str  path = lun_pool_fmt(pool, "%.*s/%s", LUN_S(folder), file);

    (void) lun_dir_make_all(folder.data, 0700);
    LUN_CHECK(lun_file_open(path.data, LUN_FILE_WRITE | LUN_FILE_CREATE, 0600,
                            &fd) == 0);
    (void) lun_file_set_mtime(fd, lun_clock.sec - age);
    lun_file_close(fd);

    return path;
}


static bool
is_there(lun_str path)
{
    lun_file_info  info;

    return lun_file_stat(path.data, &info) == 0;
}


static lun_str
folder_of(uint64_t space, int64_t pid)
{
    return lun_pool_fmt(pool, "%.*s/%" PRIx64 ".%" PRId64,
                        LUN_S(cache.asides), space, pid);
}


int
main(void)
{
    char     text[512];
    lun_str  old, now, other, dead, ours, elsewhere, killed;

    lun_clock_update();
    pool = lun_pool_new_sized(4096);
    LUN_CHECK(lun_dir_temp(text, sizeof(text)) == 0);
    cache.asides = lun_pool_fmt(pool, "%s/lunette-aside-%" PRId64, text,
                                lun_proc_pid());

    ours = name_aside(pool, &cache);
    elsewhere = folder_of(lun_proc_space() + 1, lun_proc_pid());
    killed = folder_of(lun_proc_space(), 0);

    old = write_file(ours, "old", OLD_ASIDE + 60);
    now = write_file(ours, "now", 0);
    other = write_file(elsewhere, "now", 0);
    dead = write_file(killed, "now", 0);
    (void) write_file(elsewhere, "old", OLD_ASIDE + 60);

    clear_aside(&cache);

    ok(is_there(now), "what we write stays");
    ok(!is_there(old), "but not what one before us had, of the same number");
    ok(is_there(other), "somebody elsewhere may live");
    ok(!is_there(lun_pool_fmt(pool, "%.*s/old", LUN_S(elsewhere))),
       "and does not write for so long");
    ok(!is_there(dead) && !is_there(killed), "who is dead has nothing");

    (void) lun_dir_remove_tree(cache.asides.data);
    lun_pool_free(pool);
    return done_testing();
}
