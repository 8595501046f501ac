/*
 * cached.c -- files of a cache, opened: which are good, which stay open, and
 * for how long.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/cache/cached.c"

#include "base/fmt.h"
#include "os/dir.h"
#include "tap.h"


enum { SMALL = 100, LARGE = 200 * 1024, HUGE_ONE = LUN_CACHED_FILE + 1 };

static char           folder[512];
static lun_pool      *pool;
static lun_zone       zone = { .shm.addr = &zone };
static lun_cache      cache = { .zone = &zone };
static lun_cache_key  key;
static lun_log        quiet;


/* Its body is `size` bytes; the one at `bad` (-1: none) has changed since. */
static void
store(size_t size, int64_t bad)
{
    char            *text;
    size_t           n;
    lun_fd           fd = LUN_FD_NONE;
    lun_str          path = lun_cached_path(pool, &cache, &key);
    lun_cache_head   head = {
        .main = key, .variant = key, .status = 200, .last_modified = -1,
        .length = (int64_t) size, .key = LUN_STR("k"), .vary = LUN_STR(""),
        .etag = LUN_STR(""), .status_line = LUN_STR(""),
        .lines = LUN_STR("") };

    n = lun_cache_head_size(&head);
    text = lun_calloc(n + size);
    memset(text + n, 'x', size);
    head.body_crc = lun_crc32(lun_str_of(text + n, size));
    lun_cache_head_pack(&head, text);

    if (bad >= 0) {
        text[n + (size_t) bad] = 'o';
    }

    (void) lun_file_delete(path.data);

    if (lun_file_open(path.data, LUN_FILE_WRITE | LUN_FILE_CREATE, 0600, &fd)
        != 0 || lun_file_write(fd, text, n + size, 0) != 0)
    {
        abort();
    }

    lun_file_close(fd);
    lun_free(text);
}


/* For a request that is over at once. */
static bool
opens(uint64_t version, bool check)
{
    lun_pool    *user = lun_pool_new_sized(1024);
    lun_cached  *a = lun_cached_open(user, &cache, &key, version, check,
                                     &quiet);
    bool         good = a != NULL;

    lun_pool_free(user);
    return good;
}


static void
bodies(void)
{
    store(SMALL, -1);
    ok(opens(1, false), "a small one is right");
    is_int((int) lun_cached_count(), 1, "and kept");
    store(SMALL, 5);
    ok(opens(1, false), "as long as its version is the same");
    ok(!opens(2, false), "one that has changed is not");
    is_int((int) lun_cached_count(), 0, "nor kept");

    store(LARGE, LARGE - 1);
    ok(opens(3, false), "a large one has a length");
    lun_cached_close_idle(0);
    ok(!opens(3, true), "and a body, where that is looked at");
    store(LARGE, -1);
    ok(opens(4, true), "which may be right");
    lun_cached_close_idle(0);
}


static void
stay_open(void)
{
    bool    free_names = lun_file_name_is_free();
    lun_fd  fd = LUN_FD_NONE;

    lun_clock.mono = 1000;
    store(LARGE, -1);
    (void) opens(5, false);
    is_int((int) files.count, free_names ? 1 : 0, "a large one stays open");

    if (!free_names) {
        skip("not on this system");
        return;
    }

    (void) opens(6, false);
    is_int((int) files.count, 1, "another version of it instead");

    lun_clock.mono += LUN_CACHED_OPEN - 1;
    lun_cached_close_idle(LUN_CACHED_OPEN);
    is_int((int) files.count, 1, "for a while");
    (void) opens(6, false);
    lun_clock.mono += LUN_CACHED_OPEN - 1;
    lun_cached_close_idle(LUN_CACHED_OPEN);
    is_int((int) files.count, 1, "from its last use");
    lun_clock.mono += 1;
    lun_cached_close_idle(LUN_CACHED_OPEN);
    is_int((int) files.count, 0, "then it is closed");

    (void) opens(6, false);
    (void) lun_file_open(lun_cached_path(pool, &cache, &key).data,
                         LUN_FILE_WRITE | LUN_FILE_TRUNC, 0, &fd);
    lun_file_close(fd);
    ok(!opens(6, false), "one that is cut meanwhile is no good");

    store(HUGE_ONE, -1);
    ok(opens(7, false), "a very large one");
    is_int((int) files.count, 0, "is not kept open");
}


static void
not_too_many(void)
{
    int  i;

    for (i = 0; i < LUN_CACHED_FILES + 5; i++) {
        key.bytes[0] = (unsigned char) i;
        store(LARGE, -1);
        (void) opens(8, false);
        (void) lun_file_delete(lun_cached_path(pool, &cache, &key).data);
    }

    ok(files.count <= LUN_CACHED_FILES, "no more than so many are open");
    lun_cached_close_idle(0);
    is_int((int) files.count, 0, "and none when that is asked for");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    lun_clock_update();
    *lun_fmt(folder, folder + sizeof(folder) - 1, "cached-%" PRIu64,
             lun_time_monotonic_us()) = '\0';

    if (lun_dir_make(folder, 0700) != 0) {
        abort();
    }

    cache.path = lun_str_z(folder);

    bodies();
    stay_open();
    not_too_many();

    (void) lun_dir_remove_tree(folder);
    lun_pool_free(pool);
    return done_testing();
}
