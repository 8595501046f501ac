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

#include "base/lru.h"
#include "os/clock.h"
#include "os/file.h"


enum { INACTIVE = 10, VALID = 60 };

typedef struct {
    lun_lru_entry  path;
    lun_fd         fd;             /* NONE: not used often enough yet */
    lun_file_info  info;
    lun_msec       checked;
    lun_msec       used;
    uint64_t       uses;
    char           room[];         /* path */
} entry;

struct lun_log_cache {
    uint64_t       max;            /* 0: off */
    uint64_t       min_uses;
    lun_msec       inactive;
    lun_msec       valid;

    lun_lru        entries;        /* the worker's */
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


static entry *
entry_of(lun_lru_entry *path)
{
    return path != NULL ? lun_container_of(path, entry, path) : NULL;
}


static void
forget(lun_log_cache *files, entry *e)
{
    lun_lru_remove(&files->entries, &e->path);
    close_entry(e);
    lun_free(e);
}


static entry *
oldest(const lun_log_cache *files)
{
    return entry_of(lun_lru_oldest(&files->entries));
}


static void
forget_all(void *data)
{
    lun_log_cache  *files = data;

    while (files->entries.count > 0) {
        forget(files, oldest(files));
    }

    lun_lru_fini(&files->entries);
}


/* The entry of that name, a new one if there is none. */
/* NULL: it has not been opened lately. */
static entry *
find(lun_log_cache *files, lun_str path)
{
    entry     *e;
    uint64_t   hash = lun_str_hash(path);

    while (files->entries.count > 0
           && lun_clock.mono - oldest(files)->used > files->inactive)
    {
        forget(files, oldest(files));
    }

    e = entry_of(lun_lru_find(&files->entries, path, hash));

    if (e != NULL) {
        lun_lru_touch(&files->entries, &e->path);
    }

    return e;
}


static entry *
add(lun_log_cache *files, lun_str path)
{
    entry  *e;

    if (files->entries.count == files->max) {
        forget(files, oldest(files));
    }

    e = lun_calloc(sizeof(entry) + path.len);
    e->fd = LUN_FD_NONE;
    (void) lun_copy_str(e->room, path);
    lun_lru_add(&files->entries, &e->path, lun_str_of(e->room, path.len),
                lun_str_hash(path), files->max);
    return e;
}


static void
note_use(entry *e)
{
    e->used = lun_clock.mono;
    e->uses++;
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

    if (e != NULL && is_current(files, e, c)) {
        note_use(e);
        *fd = e->fd;
        *kept = true;
        return 0;
    }

    if (e != NULL) {
        close_entry(e);
    }

    err = open_file(c, fd);

    /* One that can't be opened takes no place from those that can. */
    if (err != 0 && e != NULL) {
        forget(files, e);
    }

    if (err != 0) {
        return err;
    }

    e = e != NULL ? e : add(files, c->path);
    note_use(e);

    if (e->uses >= files->min_uses && lun_file_info_of(*fd, &e->info) == 0) {
        e->fd = *fd;
        e->checked = lun_clock.mono;
        *kept = true;
    }

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
