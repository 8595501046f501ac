/*
 * cache_duty.c -- loading and cleaning a cache.
 *
 * The worker that has the duty (net/duty.h) wakes up when the entry that was
 * used longest ago is over, or, while there is something to load, after each
 * batch.
 *
 * The list of the files (PATH/.index) says "complete" only when the server
 * has ended in order; it is taken away when it has been read, so that one which
 * is there later can't be an old one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache_duty.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "cache/cache_file.h"
#include "http/cache/cache.h"
#include "http/cache/cached.h"
#include "net/duty.h"
#include "os/dir.h"
#include "os/proc.h"


enum {
    PATH       = 1024,
    IDLE       = 10000,            /* ms */
    SAVE_EVERY = 300000,           /* ms */
    OLD_ASIDE  = 3600              /* seconds: nobody writes it any more */
};

#define LIST   ".index"
#define MARKS  ".purged"

typedef struct name  name;
struct name {
    name  *next;
    int    depth;                  /* of a folder; -1: a file */
    char   path[];
};

/* What this worker is about while it has the duty. */
typedef struct {
    const lun_cache  *cache;
    lun_cache_index  *index;
    const lun_log    *log;
    bool              cleans;      /* it has taken the old list away */
    bool              walking;
    int64_t           purging;     /* marks up to then, by this walk; 0 */
    name             *todo;        /* folders, and the files of one */
    lun_msec          saved;
} cache_work;


/* --- cleaning ------------------------------------------------------------ */

static lun_cache_index *
index_of(const lun_cache *cache)
{
    return lun_cache_index_of(cache->zone);
}


/* "folder/file"; false: it would be too long. */
static bool
join(char path[PATH], lun_str folder, const char *file)
{
    size_t  n = strlen(file);

    if (folder.len + n + 2 > PATH) {
        return false;
    }

    path = lun_copy_str(path, folder);
    *path++ = '/';
    memcpy(path, file, n + 1);
    return true;
}


static void
delete_file(const lun_cache *cache, const lun_cache_key *key)
{
    char     path[PATH], file[LUN_CACHE_NAME];
    lun_err  err;

    (void) lun_cache_file_name(file, cache->levels, key);

    if (!join(path, cache->path, file)) {
        return;
    }

    err = lun_file_delete(path);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_NOT_FOUND) {
        lun_log(LUN_LOG_CRIT, NULL, err, "unlink() \"%s\" failed", path);
    }
}


/* False: somebody is at work on it. */
static bool
drop(const lun_cache *cache, const lun_cache_entry *e)
{
    if (!lun_cache_index_remove(index_of(cache), &e->key, e->version)) {
        return false;
    }

    if (e->version != 0) {
        delete_file(cache, &e->key);
    }

    return true;
}


static bool
disk_is_full(const lun_cache *cache)
{
    uint64_t  bytes;

    return cache->min_free != 0
           && lun_dir_free_space(cache->path.data, &bytes) == 0
           && bytes < (uint64_t) cache->min_free;
}


static bool
is_too_large(const lun_cache *cache)
{
    return lun_cache_index_bytes(index_of(cache))
           > (uint64_t) cache->max_size;
}


void
lun_cache_trim(const lun_cache *cache, unsigned most)
{
    lun_cache_entry  e;

    while (most-- > 0 && is_too_large(cache)
           && lun_cache_index_oldest(index_of(cache), &e)
           && drop(cache, &e)) { /* void */ }
}


/* Returns when to look again, in ms. */
static lun_msec
clean(cache_work *d)
{
    bool              full;
    int64_t           n, left;
    lun_msec          begun = lun_time_monotonic();
    lun_cache_entry   e;
    const lun_cache  *cache = d->cache;

    full = disk_is_full(cache);

    for (n = 0; n < cache->manager_files; n++) {
        if (!lun_cache_index_oldest(d->index, &e)) {
            return IDLE;
        }

        left = (int64_t) e.used + cache->inactive - lun_clock.sec;

        if (left >= 0 && !full && !is_too_large(cache)) {
            return (lun_msec) lun_min((left + 1) * 1000, (int64_t) IDLE);
        }

        if (!drop(cache, &e)) {
            return 1000;
        }

        if (lun_time_monotonic() - begun > cache->manager_threshold) {
            break;
        }

        full = full && disk_is_full(cache);
    }

    return lun_max(cache->manager_sleep, (lun_msec) 1);
}


/* --- the list ------------------------------------------------------------ */

typedef struct {
    char      *bytes;
    uint64_t   count, room;
} listing;


static void
list_one(void *data, const lun_cache_entry *e)
{
    listing             *l = data;
    lun_cache_list_row   row = { .key = e->key, .size = e->size,
                                 .used = e->used, .uses = e->uses };

    if (l->count < l->room) {
        memcpy(l->bytes + sizeof(lun_cache_list_head)
               + (size_t) l->count++ * sizeof(row), &row, sizeof(row));
    }
}


/* All of it, or the old one stays. */
static lun_err
write_whole(const lun_cache *cache, const char *file, const void *bytes,
    size_t size)
{
    char     aside[PATH], path[PATH];
    lun_fd   fd;
    lun_err  err;

    if (!join(path, cache->path, file)) {
        return 0;
    }

    err = lun_temp_path_open(&cache->aside, aside, sizeof(aside), &fd);

    if (err != 0) {
        return err;
    }

    err = lun_file_write(fd, bytes, size, 0);
    lun_file_close(fd);

    if (err == 0) {
        err = lun_file_rename(aside, path);
    }

    if (err != 0) {
        (void) lun_file_delete(aside);
    }

    return err;
}


static void
save(cache_work *d, bool complete)
{
    listing  l = { .room = lun_cache_index_count(d->index) + 64 };
    lun_err  err;

    d->saved = lun_clock.mono;
    l.bytes = lun_malloc(sizeof(lun_cache_list_head)
                         + (size_t) l.room * sizeof(lun_cache_list_row));
    lun_cache_index_each(d->index, list_one, &l);
    lun_cache_list_seal(l.bytes, l.count, complete
                        && !lun_cache_index_cold(d->index));
    err = write_whole(d->cache, LIST, l.bytes, sizeof(lun_cache_list_head)
                      + (size_t) l.count * sizeof(lun_cache_list_row));

    if (err != 0) {
        lun_log(LUN_LOG_WARN, d->log, err, "the list of cache \"%.*s\" could "
                "not be written", LUN_S(d->cache->zone->name));
    }

    lun_free(l.bytes);
}


static void
forget_list(const cache_work *d)
{
    char  path[PATH];

    if (join(path, d->cache->path, LIST)) {
        (void) lun_file_delete(path);
    }
}


/* True: it says all that there is. */
static bool
read_list(const cache_work *d)
{
    bool                       complete = false;
    char                       path[PATH], *bytes;
    size_t                     size;
    uint64_t                   i, count;
    lun_cache_entry            e = { .version = 0 };
    const lun_cache_list_row  *rows;

    if (!join(path, d->cache->path, LIST)
        || lun_file_slurp(path, &bytes, &size) != 0)
    {
        return false;
    }

    (void) lun_file_delete(path);
    rows = lun_cache_list_read(lun_str_of(bytes, size), &count, &complete);

    for (i = 0; i < count; i++) {
        e.key = rows[i].key;
        e.size = lun_max(rows[i].size, (int64_t) 0);
        e.used = rows[i].used;
        e.uses = rows[i].uses;
        (void) lun_cache_index_add(d->index, &e);
    }

    lun_log(LUN_LOG_NOTICE, d->log, 0, "cache \"%.*s\": %llu files are "
            "known by its list", LUN_S(d->cache->zone->name),
            (unsigned long long) count);
    free(bytes);
    return complete;
}


/* --- purged by the beginning of their keys ------------------------------- */

lun_err
lun_cache_save_marks(const lun_cache *cache)
{
    return write_whole(cache, MARKS,
                       lun_cache_index_marks(index_of(cache)),
                       LUN_CACHE_MARKS * sizeof(lun_cache_mark));
}


static bool
has_marks(const lun_cache_index *x, int64_t *last)
{
    int                    i;
    int64_t                before;
    const lun_cache_mark  *m = lun_cache_index_marks(x);

    *last = 0;

    for (i = 0; i < LUN_CACHE_MARKS; i++) {
        before = atomic_load((_Atomic int64_t *) (uintptr_t) &m[i].before);
        *last = lun_max(*last, before);
    }

    return *last != 0;
}


/*
 * Marks say when a group of keys was purged.  Only an index that is cold and
 * has none reads them from the file: those in a zone are newer.
 */
void
lun_cache_read_marks(const lun_cache *cache)
{
    int               i;
    char              path[PATH], *bytes;
    size_t            size;
    int64_t           last;
    lun_cache_mark    m;
    lun_cache_index  *x = index_of(cache);

    if (has_marks(x, &last) || !lun_cache_index_cold(x)
        || !join(path, cache->path, MARKS)
        || lun_file_slurp(path, &bytes, &size) != 0)
    {
        return;
    }

    for (i = 0; size == LUN_CACHE_MARKS * sizeof(m) && i < LUN_CACHE_MARKS;
         i++)
    {
        memcpy(&m, bytes + (size_t) i * sizeof(m), sizeof(m));
        last = atomic_load(&m.before);

        if (last != 0 && m.len <= LUN_CACHE_MARK_TEXT) {
            lun_cache_index_mark(x, lun_str_of(m.text, m.len), last);
        }
    }

    free(bytes);
}


/* Goes if it is one of them; one that cannot be read is found so by others. */
static void
check_file(const cache_work *d, const char *path)
{
    lun_pool         *pool;
    lun_cached       *a;
    lun_cache_entry   e;
    const char       *file = strrchr(path, '/') + 1;

    if (!lun_cache_key_of_name(lun_str_z(file), &e.key)) {
        return;
    }

    pool = lun_pool_new_sized(1024);
    a = lun_cached_open(pool, d->cache, &e.key, 0, false, d->log);

    if (a != NULL
        && lun_cache_index_is_purged(d->index, a->head.key, a->head.date))
    {
        (void) lun_cache_index_remove(d->index, &e.key, LUN_CACHE_ANY);
        delete_file(d->cache, &e.key);
    }

    lun_pool_free(pool);
}


/* --- looking at all files ------------------------------------------------ */

static void
push_name(cache_work *d, const char *folder, const char *file, int depth)
{
    size_t  n = strlen(folder), m = strlen(file);
    name   *one;

    if (n + m + 2 > PATH) {
        return;
    }

    one = lun_malloc(sizeof(name) + n + m + 2);
    memcpy(one->path, folder, n);
    one->path[n] = '/';
    memcpy(one->path + n + 1, file, m + 1);
    one->depth = depth;
    one->next = d->todo;
    d->todo = one;
}


typedef struct {
    cache_work  *d;
    const name      *folder;
} walk;


static bool
see(void *data, const char *file, bool is_dir)
{
    int    depth;
    walk  *w = data;

    depth = w->folder->depth;

    if (!is_dir) {
        push_name(w->d, w->folder->path, file, -1);

    } else if (depth < 3 && w->d->cache->levels[depth] != 0
               && strlen(file) == (size_t) w->d->cache->levels[depth])
    {
        push_name(w->d, w->folder->path, file, depth + 1);
    }

    return true;
}


static void
add_file(const cache_work *d, const char *path)
{
    char             right[LUN_CACHE_NAME];
    lun_str          text = lun_str_z(path);
    lun_file_info    info;
    lun_cache_entry  e = { .uses = 1 };
    const char      *file = strrchr(path, '/') + 1;

    if (!lun_cache_key_of_name(lun_str_z(file), &e.key)) {
        return;
    }

    /* One in a folder of other levels is never found: it is not ours. */
    (void) lun_cache_file_name(right, d->cache->levels, &e.key);

    if (!lun_str_ends(text, lun_str_z(right))
        || text.len != d->cache->path.len + 1 + strlen(right)
        || lun_file_stat(path, &info) != 0 || !info.is_file)
    {
        return;
    }

    e.size = (int64_t) lun_align((uint64_t) info.size, 4096);
    e.used = (uint32_t) lun_clock.sec;

    /* No room: what is there was asked for more often than that. */
    if (lun_cache_index_count(d->index) < lun_cache_index_room(d->index)) {
        (void) lun_cache_index_add(d->index, &e);
    }
}


/* One batch; returns when to go on. */
static lun_msec
load(cache_work *d)
{
    walk      w = { .d = d };
    name     *one;
    int64_t   n;
    lun_msec  begun = lun_time_monotonic();

    for (n = 0; n < d->cache->loader_files; n++) {
        one = d->todo;

        if (one == NULL && d->purging != 0) {
            lun_cache_index_unmark(d->index, d->purging);
            (void) lun_cache_save_marks(d->cache);
            d->purging = 0;
            d->walking = false;
            return 1;
        }

        if (one == NULL) {
            lun_cache_index_warm(d->index);
            d->walking = false;
            lun_log(LUN_LOG_NOTICE, d->log, 0, "cache \"%.*s\": %llu files",
                    LUN_S(d->cache->zone->name),
                    (unsigned long long) lun_cache_index_count(d->index));
            return 1;
        }

        d->todo = one->next;

        if (one->depth >= 0) {
            w.folder = one;
            (void) lun_dir_list(one->path, see, &w);

        } else if (d->purging != 0) {
            check_file(d, one->path);

        } else {
            add_file(d, one->path);
        }

        lun_free(one);

        if (lun_time_monotonic() - begun > d->cache->loader_threshold) {
            break;
        }
    }

    return lun_max(d->cache->loader_sleep, (lun_msec) 1);
}


static void
begin_walk(cache_work *d)
{
    name  *one = lun_malloc(sizeof(name) + d->cache->path.len + 1);

    memcpy(one->path, d->cache->path.data, d->cache->path.len + 1);
    one->depth = 0;
    one->next = NULL;
    d->todo = one;
    d->walking = true;
}


static lun_msec
begin_loading(cache_work *d)
{
    if (read_list(d)) {
        lun_cache_index_warm(d->index);
        return 1;
    }

    begin_walk(d);
    return 1;
}


/* --- what was killed ----------------------------------------------------- */

/*
 * A process writes in a folder of its own, whose name says which it is: what it
 * leaves there when it is killed is taken away by the next one that begins.  Of
 * processes elsewhere (a container, a disk of two machines) nobody knows
 * whether they live: their files have to be old.
 */
static lun_str
name_aside(lun_pool *pool, const lun_cache *cache)
{
    return lun_pool_fmt(pool, "%.*s/%" PRIx64 ".%" PRId64,
                        LUN_S(cache->asides), lun_proc_space(),
                        lun_proc_pid());
}


typedef enum {
    LIVES,
    DEAD,
    ELSEWHERE                      /* or no folder of this kind */
} owner;


static owner
owner_of(const char *folder)
{
    char      *end;
    uint64_t   space = strtoull(folder, &end, 16);

    if (*end != '.' || space != lun_proc_space()) {
        return ELSEWHERE;
    }

    return lun_proc_alive(strtoll(end + 1, NULL, 10)) ? LIVES : DEAD;
}


static bool
see_old(void *data, const char *file, bool is_dir)
{
    char            path[PATH];
    lun_file_info   info;
    const lun_str  *folder = data;

    if (!is_dir && join(path, *folder, file)
        && lun_file_stat(path, &info) == 0
        && info.mtime + OLD_ASIDE < lun_clock.sec)
    {
        (void) lun_file_delete(path);
    }

    return true;
}


static bool
see_aside(void *data, const char *one, bool is_dir)
{
    char              path[PATH];
    owner             whose;
    lun_str           folder;
    const lun_cache  *cache = data;

    folder = cache->asides;

    if (!is_dir) {
        return see_old(&folder, one, false);
    }

    if (!join(path, folder, one)) {
        return true;
    }

    whose = owner_of(one);

    if (whose == DEAD) {
        (void) lun_dir_remove_tree(path);
        return true;
    }

    /* Numbers come again, and what is old is of who had it before. */
    folder = lun_str_z(path);
    (void) lun_dir_list(path, see_old, &folder);

    if (whose == ELSEWHERE) {
        (void) lun_dir_delete(path);       /* if it is empty */
    }

    return true;
}


static void
clear_aside(lun_cache *cache)
{
    (void) lun_dir_list(cache->asides.data, see_aside, cache);
}


/* --- whose it is --------------------------------------------------------- */

static void
begin_work(lun_duty *duty)
{
    cache_work  *d = lun_calloc(sizeof(cache_work));

    d->cache = duty->data;
    d->index = index_of(d->cache);
    d->log = duty->log;
    d->saved = lun_clock.mono;
    duty->work = d;
}


static void
end_work(lun_duty *duty)
{
    name        *one;
    cache_work  *d = duty->work;

    while ((one = d->todo) != NULL) {
        d->todo = one->next;
        lun_free(one);
    }

    lun_free(d);
    duty->work = NULL;
}


/* Returns when to go on. */
static lun_msec
do_work(lun_duty *duty)
{
    int64_t      last;
    lun_msec     next;
    cache_work  *d = duty->work;

    if (lun_cache_index_cold(d->index)) {
        d->cleans = true;
        return d->walking ? load(d) : begin_loading(d);
    }

    if (d->walking) {
        return load(d);
    }

    if (has_marks(d->index, &last)) {
        d->cleans = true;
        d->purging = last;
        begin_walk(d);
        return 1;
    }

    if (!d->cleans) {
        d->cleans = true;
        forget_list(d);            /* another server's end, or a reload's */
    }

    next = clean(d);

    if (lun_clock.mono - d->saved >= SAVE_EVERY) {
        save(d, false);
    }

    return next;
}


const lun_duty_kind  lun_cache_duty_kind = {
    .name = "cache",
    .begin = begin_work,
    .run = do_work,
    .end = end_work,
};


/* --- each worker's ------------------------------------------------------- */

static void
on_idle(lun_timer *timer)
{
    lun_cache  *cache = lun_container_of(timer, lun_cache, idle);

    lun_cached_close_idle(LUN_CACHED_OPEN);
    lun_timer_start(cache->loop, timer, IDLE, on_idle);
}


lun_rc
lun_cache_begin(lun_generation *gen, void *data)
{
    lun_cache  *cache = data;

    if (gen->deaf || gen->testing) {
        return LUN_OK;
    }

    cache->aside.path = name_aside(gen->pool, cache);
    clear_aside(cache);
    lun_cache_listen();

    cache->loop = gen->loop;
    cache->idle.idle = true;
    lun_timer_start(cache->loop, &cache->idle, IDLE, on_idle);

    return LUN_OK;
}


/* The last worker writes the list that counts. */
lun_rc
lun_cache_end(lun_generation *gen, void *data)
{
    lun_cache   *cache = data;
    cache_work   last = { .cache = cache, .log = &gen->log };

    if (cache->loop == NULL) {
        return LUN_OK;
    }

    lun_timer_stop(&cache->idle);
    lun_cached_close_idle(0);

    if (lun_duty_take_last(cache->duty)) {
        last.index = index_of(cache);
        save(&last, true);
    }

    (void) lun_dir_delete(cache->aside.path.data);     /* if it is empty */
    cache->loop = NULL;
    return LUN_OK;
}
