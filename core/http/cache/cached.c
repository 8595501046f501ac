/*
 * cached.c -- answers of caches, opened or in memory.
 *
 * As core/http/file/file_cache.c: counted, since an answer may be on its way
 * when its file has been replaced.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cached.h"

#include "base/digest.h"


enum {
    BUCKETS   = 4096,              /* a power of two */
    FIRST     = 4096               /* of a large file: its head, as a rule */
};

static lun_cached  *buckets[BUCKETS];
static lun_list     recent;
static size_t       count;
static size_t       memory;


/* --- kept ---------------------------------------------------------------- */

static lun_cached **
bucket_of(const lun_cache_key *key)
{
    return &buckets[(key->bytes[8] | key->bytes[9] << 8) & (BUCKETS - 1)];
}


static void
free_answer(lun_cached *a)
{
    if (a->fd != LUN_FD_NONE) {
        lun_file_close(a->fd);
    }

    lun_free(a->bytes);
    lun_free(a);
}


/* Its users keep it. */
static void
forget(lun_cached *a)
{
    lun_cached  **at;

    for (at = bucket_of(&a->key); *at != a; at = &(*at)->next) { /* void */ }

    *at = a->next;
    lun_list_remove(&a->link);
    a->kept = false;
    count--;
    memory -= (size_t) a->size;

    if (a->users == 0) {
        free_answer(a);
    }
}


static void
keep(lun_cached *a)
{
    lun_cached  **bucket = bucket_of(&a->key);

    if (recent.next == NULL) {
        lun_list_init(&recent);
    }

    while (count > 0 && (count == LUN_CACHED_ANSWERS
                         || memory + (size_t) a->size > LUN_CACHED_MEMORY))
    {
        forget(lun_container_of(recent.prev, lun_cached, link));
    }

    a->next = *bucket;
    *bucket = a;
    lun_list_push_front(&recent, &a->link);
    a->kept = true;
    count++;
    memory += (size_t) a->size;
}


static lun_cached *
find(const void *index, const lun_cache_key *key)
{
    lun_cached  *a;

    for (a = *bucket_of(key); a != NULL; a = a->next) {
        if (a->index == index && lun_cache_key_eq(&a->key, key)) {
            return a;
        }
    }

    return NULL;
}


static void
end_use(void *data)
{
    lun_cached  *a = data;

    if (--a->users == 0 && !a->kept) {
        free_answer(a);
    }
}


static lun_cached *
use(lun_pool *pool, lun_cached *a)
{
    a->users++;
    lun_pool_on_end(pool, end_use, a);
    return a;
}


/* --- read ---------------------------------------------------------------- */

lun_str
lun_cached_path(lun_pool *pool, const lun_cache *cache,
    const lun_cache_key *key)
{
    char  name[LUN_CACHE_NAME];

    (void) lun_cache_file_name(name, cache->levels, key);
    return lun_pool_fmt(pool, "%.*s/%s", LUN_S(cache->path), name);
}


static void
say_bad(const lun_log *log, const char *path, const char *what)
{
    lun_log(LUN_LOG_CRIT, log, 0, "cache file \"%s\" %s", path, what);
}


/* The first `size` bytes; false: they are not there. */
static bool
read_bytes(lun_cached *a, size_t size, const char *path, const lun_log *log)
{
    size_t   done;
    lun_err  err;

    a->bytes = lun_realloc(a->bytes, size);
    err = lun_file_read(a->fd, a->bytes, size, 0, &done);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, log, err, "read() \"%s\" failed", path);
        return false;
    }

    if (done != size) {
        say_bad(log, path, "is truncated");
        return false;
    }

    return true;
}


static bool
read_head(lun_cached *a, const char *path, const lun_log *log)
{
    size_t  have, want;

    have = (size_t) lun_min(a->size, a->size <= LUN_CACHED_ANSWER
                                     ? (int64_t) LUN_CACHED_ANSWER
                                     : (int64_t) FIRST);

    for ( ;; ) {
        if (!read_bytes(a, have, path, log)) {
            return false;
        }

        switch (lun_cache_head_read(lun_str_of(a->bytes, have), &a->head,
                                    &want))
        {

        case LUN_CACHE_WHOLE:
            a->head_size = want;
            return true;

        case LUN_CACHE_SHORT:
            if ((int64_t) want > a->size || want <= have) {
                say_bad(log, path, "is truncated");
                return false;
            }

            have = want;
            continue;

        case LUN_CACHE_OTHER:
            say_bad(log, path, "version mismatch");
            return false;

        case LUN_CACHE_BROKEN:
            say_bad(log, path, "has a broken header");
            return false;
        }
    }
}


/* The body is as long as it should be; one in memory is the one that came. */
static bool
check_body(lun_cached *a, const char *path, const lun_log *log)
{
    if (a->head.length < 0
        || a->size - (int64_t) a->head_size != a->head.length)
    {
        say_bad(log, path, "is truncated");
        return false;
    }

    if (a->size > LUN_CACHED_ANSWER) {
        return true;
    }

    a->body = lun_str_of(a->bytes + a->head_size, (size_t) a->head.length);

    if (lun_crc32(a->body) != a->head.body_crc) {
        say_bad(log, path, "has a broken body");
        return false;
    }

    lun_file_close(a->fd);
    a->fd = LUN_FD_NONE;
    return true;
}


static bool
read_file(lun_cached *a, const char *path, const lun_log *log)
{
    lun_err        err;
    lun_file_info  info;

    err = lun_file_open(path, LUN_FILE_READ | LUN_FILE_ASYNC, 0, &a->fd);

    if (err != 0) {
        a->fd = LUN_FD_NONE;

        if (lun_err_kind_of(err) != LUN_ERR_NOT_FOUND
            && lun_err_kind_of(err) != LUN_ERR_NOT_DIR)
        {
            lun_log(LUN_LOG_CRIT, log, err, "open() \"%s\" failed", path);
        }

        return false;
    }

    err = lun_file_info_of(a->fd, &info);

    if (err != 0 || !info.is_file) {
        lun_log(LUN_LOG_CRIT, log, err, "fstat() \"%s\" failed", path);
        return false;
    }

    a->size = info.size;
    a->device = info.device;
    a->id = info.id;
    return read_head(a, path, log) && check_body(a, path, log);
}


lun_cached *
lun_cached_open(lun_pool *pool, const lun_cache *cache,
    const lun_cache_key *key, uint64_t version, const lun_log *log)
{
    const void  *index = cache->zone->shm.addr;
    lun_cached  *a = find(index, key);

    if (a != NULL && version != 0 && a->version == version) {
        if (recent.next != &a->link) {
            lun_list_remove(&a->link);
            lun_list_push_front(&recent, &a->link);
        }

        return use(pool, a);
    }

    if (a != NULL) {
        forget(a);
    }

    a = lun_calloc(sizeof(lun_cached));
    a->fd = LUN_FD_NONE;
    a->index = index;
    a->key = *key;
    a->version = version;

    if (!read_file(a, lun_cached_path(pool, cache, key).data, log)) {
        free_answer(a);
        return NULL;
    }

    if (version != 0 && a->fd == LUN_FD_NONE) {
        keep(a);
    }

    return use(pool, a);
}


size_t
lun_cached_count(void)
{
    return count;
}
