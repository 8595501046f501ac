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
    FIRST     = 4096,              /* of a large file: its head, as a rule */
    PIECE     = 64 * 1024
};

static lun_cached  *buckets[BUCKETS];

/* Answers in memory, and open files: the latest used in front. */
static struct {
    lun_list  recent;
    size_t    count;
    size_t    bytes;               /* of memory */
} memory, files;


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


static bool
is_open(const lun_cached *a)
{
    return a->fd != LUN_FD_NONE;
}


/* Its users keep it. */
static void
forget_answer(lun_cached *a)
{
    lun_cached  **at;

    for (at = bucket_of(&a->key); *at != a; at = &(*at)->next) { /* void */ }

    *at = a->next;
    lun_list_remove(&a->link);
    a->kept = false;

    if (is_open(a)) {
        files.count--;

    } else {
        memory.count--;
        memory.bytes -= (size_t) a->size;
    }

    if (a->users == 0) {
        free_answer(a);
    }
}


static lun_cached *
last_of(const lun_list *list)
{
    return lun_container_of(list->prev, lun_cached, link);
}


static void
make_room(const lun_cached *a)
{
    if (is_open(a)) {
        while (files.count >= LUN_CACHED_FILES) {
            forget_answer(last_of(&files.recent));
        }

        files.count++;
        return;
    }

    while (memory.count > 0
           && (memory.count == LUN_CACHED_ANSWERS
               || memory.bytes + (size_t) a->size > LUN_CACHED_MEMORY))
    {
        forget_answer(last_of(&memory.recent));
    }

    memory.count++;
    memory.bytes += (size_t) a->size;
}


static void
keep_answer(lun_cached *a)
{
    lun_cached  **bucket = bucket_of(&a->key);

    if (memory.recent.next == NULL) {
        lun_list_init(&memory.recent);
        lun_list_init(&files.recent);
    }

    make_room(a);
    a->next = *bucket;
    *bucket = a;
    lun_list_push_front(is_open(a) ? &files.recent : &memory.recent,
                        &a->link);
    a->used = lun_clock.mono;
    a->kept = true;
}


static void
touch_answer(lun_cached *a)
{
    lun_list  *recent = is_open(a) ? &files.recent : &memory.recent;

    a->used = lun_clock.mono;

    if (recent->next != &a->link) {
        lun_list_remove(&a->link);
        lun_list_push_front(recent, &a->link);
    }
}


/* A file that is deleted meanwhile has its room on the disk until then. */
void
lun_cached_close_idle(lun_msec idle)
{
    while (files.count > 0
           && lun_clock.mono - last_of(&files.recent)->used >= idle)
    {
        forget_answer(last_of(&files.recent));
    }
}


static lun_cached *
find_answer(const void *index, const lun_cache_key *key)
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
use_answer(lun_pool *pool, lun_cached *a)
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
    char     name[LUN_CACHE_NAME];
    lun_str  parts[3] = { cache->path, LUN_STR("/"), LUN_STR_NULL };

    (void) lun_cache_file_name(name, cache->levels, key);
    parts[2] = lun_str_z(name);

    return lun_pool_join(pool, parts, LUN_ARRAY_LEN(parts));
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


/*
 * One read is enough for most heads; a larger one says in its fixed part how
 * much it has.
 */
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


/* One that a machine has not finished writing may be as long as it should. */
static bool
check_large(const lun_cached *a, const char *path, const lun_log *log)
{
    char      *piece = lun_malloc(PIECE);
    size_t     done = 1;
    int64_t    at = (int64_t) a->head_size;
    lun_err    err = 0;
    uint32_t   crc = 0;

    while (err == 0 && done != 0) {
        err = lun_file_read(a->fd, piece, PIECE, at, &done);

        if (err == 0) {
            crc = lun_crc32_more(crc, lun_str_of(piece, done));
            at += (int64_t) done;
        }
    }

    lun_free(piece);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, log, err, "read() \"%s\" failed", path);

    } else if (crc != a->head.body_crc) {
        say_bad(log, path, "has a broken body");
    }

    return err == 0 && crc == a->head.body_crc;
}


/* The body is as long as it should be; one in memory is the one that came. */
static bool
check_body(lun_cached *a, bool check, const char *path, const lun_log *log)
{
    if (a->head.length < 0
        || a->size - (int64_t) a->head_size != a->head.length)
    {
        say_bad(log, path, "is truncated");
        return false;
    }

    if (a->size > LUN_CACHED_ANSWER) {
        return !check || a->size > LUN_CACHED_CHECK
               || check_large(a, path, log);
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


/* Others may delete or replace it: it is this version's as long as it is. */
static bool
may_stay(const lun_cached *a)
{
    return a->version != 0
           && (!is_open(a) || (a->size <= LUN_CACHED_FILE
                               && lun_file_name_is_free()));
}


/*
 * A file that is not there is no error: the manager removes some while requests
 * look for them.
 */
static bool
read_file(lun_cached *a, bool check, const char *path, const lun_log *log)
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
    a->mtime = info.mtime;
    a->mtime_ns = info.mtime_ns;
    return read_head(a, path, log) && check_body(a, check, path, log);
}


/* Whatever others do to a file that is open: it has the length it had. */
static bool
is_as_it_was(const lun_cached *a)
{
    lun_file_info  info;

    return !is_open(a)
           || (lun_file_info_of(a->fd, &info) == 0 && info.size == a->size
               && info.mtime == a->mtime && info.mtime_ns == a->mtime_ns);
}


/*
 * What this worker has read lately stays here, with the version that the index
 * gave it then; any store by any worker changes the version.
 */
lun_cached *
lun_cached_open(lun_pool *pool, const lun_cache *cache,
    const lun_cache_key *key, uint64_t version, bool check,
    const lun_log *log)
{
    const void  *index = cache->zone->shm.addr;
    lun_cached  *a = find_answer(index, key);

    if (a != NULL && version != 0 && a->version == version
        && is_as_it_was(a))
    {
        touch_answer(a);
        return use_answer(pool, a);
    }

    if (a != NULL) {
        forget_answer(a);
    }

    a = lun_calloc(sizeof(lun_cached));
    a->fd = LUN_FD_NONE;
    a->index = index;
    a->key = *key;
    a->version = version;

    if (!read_file(a, check, lun_cached_path(pool, cache, key).data, log)) {
        free_answer(a);
        return NULL;
    }

    if (may_stay(a)) {
        keep_answer(a);
    }

    return use_answer(pool, a);
}


size_t
lun_cached_count(void)
{
    return memory.count;
}
