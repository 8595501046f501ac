/*
 * file_cache.c -- what is kept, for how long, and how much of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/file/file_cache.c"

#include "os/dir.h"
#include "tap.h"


static char       folder[512];
static lun_pool  *pool;


static lun_str
path_of(const char *name)
{
    return lun_pool_fmt(pool, "%s/%s", folder, name);
}


static lun_str
write_file(const char *name, const char *text, size_t size, int64_t age)
{
    lun_fd   fd;
    lun_str  path = path_of(name);

    if (lun_file_open(path.data, LUN_FILE_WRITE | LUN_FILE_CREATE
                      | LUN_FILE_TRUNC, 0644, &fd) != 0)
    {
        abort();
    }

    (void) lun_file_write(fd, text, size, 0);
    (void) lun_file_set_mtime(fd, lun_clock.sec - age);
    lun_file_close(fd);
    lun_stat_cache_invalidate();

    return path;
}


static lun_err
open_it(lun_pool *user, lun_str path, lun_static_file *f)
{
    lun_safe_path    c = { .path = path };
    const char  *failed;

    return lun_file_cache_open(user, &c, f, &failed);
}


static void
kept(void)
{
    lun_str           path = write_file("a", "hello", 5, 3600);
    lun_pool         *user = lun_pool_new_sized(1024);
    const char       *data;
    lun_static_file   f;

    is_int(open_it(user, path, &f), 0, "a small file");
    is_mem(f.data.data, f.data.len, "hello", 5, "is in memory");
    ok(f.fd == LUN_FD_NONE, "and not open");
    is_int((int64_t) lun_file_cache_count(), 1, "one is kept");
    ok(f.etag.len > 6 && f.etag.data[0] == '"', "with its tag");
    data = f.data.data;

    (void) open_it(user, path, &f);
    ok(f.data.data == data, "the second time it is the same memory");

    (void) write_file("a", "HELLO", 5, 1800);
    (void) open_it(user, path, &f);
    is_mem(f.data.data, f.data.len, "HELLO", 5, "another time, other bytes");
    is_mem(data, 5, "hello", 5, "while those in use stay what they were");
    is_int((int64_t) lun_file_cache_count(), 1, "one is kept");

    lun_pool_free(user);
    is_int((int64_t) lun_file_cache_bytes(), 5, "after all users have gone");
}


/* As write_file(), by somebody else. */
static void
change(lun_str path, const char *text, int64_t age)
{
    lun_fd  fd;

    if (lun_file_open(path.data, LUN_FILE_WRITE, 0, &fd) != 0) {
        abort();
    }

    (void) lun_file_write(fd, text, strlen(text), 0);
    (void) lun_file_set_mtime(fd, lun_clock.sec - age);
    lun_file_close(fd);
}


static void
looked_at_once(void)
{
    lun_str           path = write_file("a", "first", 5, 3600);
    lun_pool         *user = lun_pool_new_sized(1024);
    lun_static_file   f;

    lun_stat_cache_hold(true);
    (void) open_it(user, path, &f);
    (void) open_it(user, path, &f);
    change(path, "later", 900);
    (void) open_it(user, path, &f);
    is_mem(f.data.data, f.data.len, "first", 5,
           "who asks for what has come together gets what was first seen");

    lun_stat_cache_invalidate();
    (void) open_it(user, path, &f);
    is_mem(f.data.data, f.data.len, "later", 5,
           "but not behind what may have changed it");

    lun_stat_cache_hold(false);
    change(path, "other", 600);
    lun_stat_cache_invalidate();
    (void) open_it(user, path, &f);
    is_mem(f.data.data, f.data.len, "other", 5, "nor later");
    lun_pool_free(user);
}


static void
not_kept(void)
{
    char             *large = lun_calloc(LUN_CACHED_FILE + 1);
    size_t            before = lun_file_cache_count();
    lun_pool         *user = lun_pool_new_sized(1024);
    lun_static_file   f;

    is_int(open_it(user, write_file("new", "new", 3, 0), &f), 0,
           "a file of this moment");
    ok(f.fd != LUN_FD_NONE, "is open");

    is_int(open_it(user, write_file("large", large, LUN_CACHED_FILE + 1,
                                    3600), &f), 0, "a large file");
    ok(f.fd != LUN_FD_NONE, "is open");
    ok(f.info.size == LUN_CACHED_FILE + 1, "with its size");

    ok(open_it(user, path_of("none"), &f) != 0, "a file that is not there");
    is_int(open_it(user, lun_str_z(folder), &f), 0, "a folder");
    ok(f.info.is_dir && f.fd == LUN_FD_NONE, "is not opened");

    is_int((int64_t) lun_file_cache_count(), (int64_t) before,
           "none of them is kept");

    lun_pool_free(user);
    lun_free(large);
}


static void
bounded(void)
{
    int               i, wrong = 0;
    char             *text = lun_calloc(LUN_CACHED_FILE);
    lun_str           path;
    lun_pool         *user;
    lun_static_file   f;

    for (i = 0; i < LUN_CACHED_BYTES / LUN_CACHED_FILE + 20; i++) {
        path = write_file(lun_pool_fmt(pool, "n%d", i).data, text,
                          LUN_CACHED_FILE, 3600);
        user = lun_pool_new_sized(1024);
        wrong += open_it(user, path, &f) != 0;
        wrong += lun_file_cache_bytes() > LUN_CACHED_BYTES;
        lun_pool_free(user);
        (void) lun_file_delete(path.data);
    }

    is_int(wrong, 0, "never more bytes than allowed");
    is_int((int64_t) lun_file_cache_count(),
           LUN_CACHED_BYTES / LUN_CACHED_FILE, "the last ones are kept");

    lun_file_cache_clear();
    is_int((int64_t) lun_file_cache_count(), 0, "cleared");
    is_int((int64_t) lun_file_cache_bytes(), 0, "to the last byte");
    lun_free(text);
}


int
main(void)
{
    size_t                     i;
    static const char *const   names[] = { "a", "new", "large" };

    lun_clock_update();
    pool = lun_pool_new_sized(65536);
    *lun_fmt(folder, folder + sizeof(folder) - 1, "file_cache-%" PRIu64,
             lun_time_monotonic_us()) = '\0';

    if (lun_dir_make(folder, 0755) != 0) {
        abort();
    }

    kept();
    looked_at_once();
    not_kept();
    bounded();

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        (void) lun_file_delete(path_of(names[i]).data);
    }

    (void) lun_dir_delete(folder);
    lun_pool_free(pool);
    return done_testing();
}
