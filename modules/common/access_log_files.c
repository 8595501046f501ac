/*
 * access_log_files.c -- log files that stay open.
 *
 * A file is kept when it was written to `min_uses` times within `inactive`,
 * and looked for again after `valid`: one that was renamed or removed
 * meanwhile gets no more lines.  Where symbolic links are looked at, each line
 * looks.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/access_log_files.h"

#include "base/check.h"
#include "base/list.h"
#include "os/clock.h"
#include "os/file.h"


enum { BUCKETS = 256, INACTIVE = 10, VALID = 60 };

typedef struct entry  entry;
struct entry {
    lun_list       link;           /* by last use */
    entry         *next;           /* in its bucket */
    uint64_t       hash;
    lun_str        path;
    lun_fd         fd;             /* NONE: not used often enough yet */
    lun_file_info  info;
    lun_msec       checked;
    lun_msec       used;
    uint64_t       uses;
    char           room[];
};

struct lun_log_cache {
    uint64_t       max;            /* 0: off */
    uint64_t       min_uses;
    lun_msec       inactive;
    lun_msec       valid;

    /* The worker's. */
    entry        **buckets;        /* NULL: none was opened yet */
    lun_list       recent;
    size_t         count;
};


/* --- entries ------------------------------------------------------------- */

static void
close_entry(entry *e)
{
    if (e->fd != LUN_FD_NONE) {
        lun_file_close(e->fd);
        e->fd = LUN_FD_NONE;
    }
}


static void
forget(lun_log_cache *files, entry *e)
{
    entry  **at = &files->buckets[e->hash % BUCKETS];

    for ( ; *at != e; at = &(*at)->next) { /* find it */ }

    *at = e->next;
    lun_list_remove(&e->link);
    files->count--;
    close_entry(e);
    lun_free(e);
}


static entry *
oldest(const lun_log_cache *files)
{
    LUN_CHECK(files->count > 0);
    return lun_container_of(files->recent.next, entry, link);
}


static void
forget_all(void *data)
{
    lun_log_cache  *files = data;

    while (files->count > 0) {
        forget(files, oldest(files));
    }

    lun_free(files->buckets);
    files->buckets = NULL;
}


/* The entry of that name, a new one if there is none. */
static entry *
find(lun_log_cache *files, lun_str path)
{
    entry     *e;
    uint64_t   hash = lun_str_hash(path);

    if (files->buckets == NULL) {
        files->buckets = lun_calloc(BUCKETS * sizeof(entry *));
        lun_list_init(&files->recent);
    }

    while (files->count > 0
           && lun_clock.mono - oldest(files)->used > files->inactive)
    {
        forget(files, oldest(files));
    }

    for (e = files->buckets[hash % BUCKETS]; e != NULL; e = e->next) {
        if (e->hash == hash && lun_str_eq(e->path, path)) {
            lun_list_remove(&e->link);
            lun_list_push_back(&files->recent, &e->link);
            return e;
        }
    }

    if (files->count == files->max) {
        forget(files, oldest(files));
    }

    e = lun_calloc(sizeof(entry) + path.len);
    (void) lun_copy_str(e->room, path);
    e->path = lun_str_of(e->room, path.len);
    e->hash = hash;
    e->fd = LUN_FD_NONE;
    e->next = files->buckets[hash % BUCKETS];
    files->buckets[hash % BUCKETS] = e;
    lun_list_push_back(&files->recent, &e->link);
    files->count++;

    return e;
}


/* Whether what is open is what its name means still. */
static bool
is_current(const lun_log_cache *files, entry *e, const lun_safe_path *c)
{
    lun_file_info  info;

    if (e->fd == LUN_FD_NONE) {
        return false;
    }

    if (lun_clock.mono - e->checked < files->valid) {
        return true;
    }

    e->checked = lun_clock.mono;
    return lun_safe_stat(c, &info) == 0 && info.id == e->info.id
           && info.device == e->info.device;
}


static lun_err
open_file(const lun_safe_path *c, lun_fd *fd)
{
    return lun_safe_open(c, LUN_FILE_WRITE | LUN_FILE_APPEND
                            | LUN_FILE_CREATE, 0644, fd);
}


lun_err
lun_log_cache_open(lun_log_cache *files, const lun_safe_path *c, lun_fd *fd,
    bool *kept)
{
    entry    *e;
    lun_err   err;

    *kept = false;

    if (files == NULL || files->max == 0 || c->links != LUN_LINKS_FOLLOW) {
        return open_file(c, fd);
    }

    e = find(files, c->path);
    e->used = lun_clock.mono;
    e->uses++;

    if (!is_current(files, e, c)) {
        close_entry(e);
        err = open_file(c, fd);

        if (err != 0 || e->uses < files->min_uses
            || lun_file_info_of(*fd, &e->info) != 0)
        {
            return err;
        }

        e->fd = *fd;
        e->checked = lun_clock.mono;
    }

    *fd = e->fd;
    *kept = true;
    return 0;
}


/* --- the directive ------------------------------------------------------- */

static lun_rc
read_parameter(lun_log_cache *files, lun_str word)
{
    lun_str  text;

    if (lun_str_after(word, LUN_STR("max="), &text)) {
        return lun_str_to_u64(text, &files->max) == LUN_OK && files->max != 0
               ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_after(word, LUN_STR("inactive="), &text)) {
        return lun_str_to_msec(text, &files->inactive);
    }

    if (lun_str_after(word, LUN_STR("min_uses="), &text)) {
        return lun_str_to_u64(text, &files->min_uses);
    }

    if (lun_str_after(word, LUN_STR("valid="), &text)) {
        return lun_str_to_msec(text, &files->valid);
    }

    return LUN_ERROR;
}


lun_rc
lun_set_log_cache(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i;
    lun_log_cache   *files = lun_pool_new(cf->pool, lun_log_cache);

    files->inactive = INACTIVE * 1000;
    files->valid = VALID * 1000;
    files->min_uses = 1;
    lun_pool_on_end(cf->pool, forget_all, files);
    *(lun_log_cache **) (void *) ((char *) conf + d->field) = files;

    if (cf->argc == 2 && lun_str_eq(cf->args[1], LUN_STR("off"))) {
        return LUN_OK;
    }

    for (i = 1; i < cf->argc; i++) {
        if (read_parameter(files, cf->args[i]) != LUN_OK) {
            return lun_conf_fail(cf, "invalid \"open_log_file_cache\" "
                                 "parameter \"%.*s\"", LUN_S(cf->args[i]));
        }
    }

    return files->max != 0 ? LUN_OK
           : lun_conf_fail(cf, "\"open_log_file_cache\" must have \"max\" "
                           "parameter");
}
