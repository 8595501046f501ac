/*
 * file_cache.c -- small files in memory.
 *
 * An entry is right as long as its file has the same identity, size and time.
 * A file that was changed within the last moments is not kept: it may change
 * again within the same tick of the file system's clock, unseen.  What was
 * looked up when it was opened (os/safe_open.h) need not be again; that no link
 * leads to it is asked each time, where that counts.  Entries are
 * counted, since an answer may still be on its way when its file has changed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/file/file_cache.h"

#include "base/fmt.h"
#include "base/lru.h"
#include "os/clock.h"
#include "os/stat_cache.h"


enum { SETTLED = 2 };              /* seconds */

typedef struct {
    lun_lru_entry   path;
    lun_file_info   info;
    lun_str         data;
    lun_str         etag;
    lun_static_type type;
    size_t          proven;        /* from where on its name was looked up */
    uint64_t        moment;        /* of the last look (os/stat_cache.h) */
    unsigned        users;
    char            room[];        /* path, data, etag */
} entry;

static lun_lru  entries;
static size_t   bytes;


static entry *
entry_of(lun_lru_entry *path)
{
    return path != NULL ? lun_container_of(path, entry, path) : NULL;
}


/* Takes it out of the table; its users keep it. */
static void
forget(entry *e)
{
    lun_lru_remove(&entries, &e->path);
    bytes -= e->data.len;

    if (e->users == 0) {
        lun_free(e);
    }
}


static void
keep(entry *e, uint64_t hash)
{
    lun_str  path = lun_str_of(e->room, (size_t) (e->data.data - e->room));

    while (entries.count > 0
           && (entries.count == LUN_CACHED_FILES
               || bytes + e->data.len > LUN_CACHED_BYTES))
    {
        forget(entry_of(lun_lru_oldest(&entries)));
    }

    lun_lru_add(&entries, &e->path, path, hash, LUN_CACHED_FILES);
    bytes += e->data.len;
}


static void
end_use(void *data)
{
    entry  *e = data;

    if (--e->users == 0 && !e->path.kept) {
        lun_free(e);
    }
}


bool
lun_file_is_unchanged(const lun_file_info *was, const lun_file_info *is)
{
    return was->size == is->size && was->mtime == is->mtime
           && was->mtime_ns == is->mtime_ns && was->id == is->id
           && was->device == is->device && is->is_file;
}


static void
use(lun_pool *pool, entry *e, lun_static_file *f)
{
    e->users++;
    lun_pool_on_end(pool, end_use, e);

    f->info = e->info;
    f->data = e->data;
    f->etag = e->etag;
    f->fd = LUN_FD_NONE;
    f->type = &e->type;
}


static void
close_file(void *data)
{
    lun_file_close((lun_fd) (intptr_t) data);
}


static entry *
new_entry(lun_str path, const lun_file_info *info)
{
    char    *p;
    entry   *e;
    size_t   size = (size_t) info->size;

    e = lun_calloc(sizeof(entry) + path.len + size + 48);
    e->info = *info;
    p = lun_copy_str(e->room, path);

    e->data = lun_str_of(p, size);
    p += size;

    e->etag.data = p;
    *p++ = '"';
    p = lun_fmt_hex(p, (uint64_t) info->mtime);
    *p++ = '-';
    p = lun_fmt_hex(p, (uint64_t) info->size);
    *p++ = '"';
    e->etag.len = (size_t) (p - e->etag.data);

    return e;
}


static bool
is_old_enough(const lun_file_info *info)
{
    return info->mtime + SETTLED < lun_clock.sec;
}


/* NULL: it is not to be kept, or could not be read; then it is served open. */
static entry *
load(const lun_safe_path *c, lun_fd fd, const lun_file_info *seen)
{
    entry          *e;
    size_t          done;
    lun_file_info   info;

    if (seen->size > LUN_CACHED_FILE || !is_old_enough(seen)) {
        return NULL;
    }

    e = new_entry(c->path, seen);

    /* What changes while it is read must not be kept. */
    if (lun_file_read(fd, (char *) e->data.data, e->data.len, 0, &done) != 0
        || done != e->data.len
        || lun_file_stat_under(c->native, c->path.data, &info) != 0
        || !lun_file_is_unchanged(seen, &info))
    {
        lun_free(e);
        return NULL;
    }

    return e;
}


/*
 * Small files that have not changed just now are read into memory, and their
 * descriptor is closed at once; that of any other is open as long as `pool`.
 */
static lun_err
open_file(lun_pool *pool, const lun_safe_path *c, uint64_t hash,
    lun_static_file *f, const char **failed)
{
    entry          *e;
    lun_fd          fd;
    lun_err         err;
    lun_file_info   seen = f->info;

    *failed = lun_safe_path_call(c, "open()");
    err = lun_safe_open(c, LUN_FILE_READ | LUN_FILE_ASYNC, 0, &fd);

    if (err != 0) {
        return err;
    }

    e = load(c, fd, &seen);

    if (e != NULL) {
        lun_file_close(fd);
        e->proven = lun_safe_path_check_from(c);
        keep(e, hash);
        use(pool, e, f);
        return 0;
    }

    lun_pool_on_end(pool, close_file, (void *) (intptr_t) fd);
    *failed = "fstat()";
    f->fd = fd;

    return lun_file_info_of(fd, &f->info);
}


/* What was just looked at need not be again. */
static lun_err
look(const lun_safe_path *c, entry *e, lun_file_info *info)
{
    lun_err   err;
    uint64_t  moment;

    if (e == NULL || c->links != LUN_LINKS_FOLLOW) {
        return lun_safe_stat(c, info);
    }

    moment = lun_stat_cache_moment();

    if (moment != 0 && moment == e->moment) {
        *info = e->info;
        return 0;
    }

    err = lun_stat_cache_get(c->native, c->path.data, info);
    e->moment = err == 0 ? moment : 0;
    return err;
}


lun_err
lun_file_cache_open(lun_pool *pool, const lun_safe_path *c, lun_static_file *f,
    const char **failed)
{
    entry     *e;
    lun_err    err;
    uint64_t   hash = lun_str_hash(c->path);

    *f = (lun_static_file) { .fd = LUN_FD_NONE };

    e = entry_of(lun_lru_find(&entries, c->path, hash));

    if (e != NULL && e->proven > lun_safe_path_check_from(c)) {
        forget(e);
        e = NULL;
    }

    err = look(c, e, &f->info);

    if (err == 0 && e != NULL && lun_file_is_unchanged(&e->info, &f->info)) {
        lun_lru_touch(&entries, &e->path);
        use(pool, e, f);
        return 0;
    }

    if (e != NULL) {
        forget(e);
    }

    /* It is the open that people look for in the log. */
    *failed = lun_safe_path_call(c, "open()");

    if (err != 0 || !f->info.is_file) {
        return err;
    }

    return open_file(pool, c, hash, f, failed);
}


size_t
lun_file_cache_count(void)
{
    return entries.count;
}


size_t
lun_file_cache_bytes(void)
{
    return bytes;
}


void
lun_file_cache_clear(void)
{
    while (entries.count > 0) {
        forget(entry_of(lun_lru_oldest(&entries)));
    }
}
