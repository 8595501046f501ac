/*
 * loaded.c -- see loaded.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/loaded.h"

#include "os/dir.h"


typedef struct lun_conf_loaded  lun_conf_loaded;
struct lun_conf_loaded {
    lun_hash  files;               /* path -> index in cf->files, plus one */
    lun_hash  globs;               /* pattern -> the same in cf->globs */
    lun_hash  old_files;           /* path -> lun_conf_file of the snapshot */
    lun_hash  old_globs;
    lun_hash  before;              /* path -> lun_conf_file of cf->before */
};


static void
load_snapshot(lun_conf_loaded *l, const lun_conf_snapshot *s)
{
    size_t  i;

    for (i = 0; i < s->file_count; i++) {
        lun_hash_add(&l->old_files, s->files[i].path, &s->files[i]);
    }

    for (i = 0; i < s->glob_count; i++) {
        lun_hash_add(&l->old_globs, s->globs[i].pattern, &s->globs[i]);
    }
}


static void
load_before(lun_conf_loaded *l, const lun_conf_snapshot *s)
{
    size_t  i;

    for (i = 0; i < s->file_count; i++) {
        if (s->files[i].info.is_file) {
            lun_hash_add(&l->before, s->files[i].path, &s->files[i]);
        }
    }
}


/*
 * Windows' workers read the configuration themselves, and have to see it as the
 * master did: the files that it has read come with them (the snapshot).  A
 * reload compares with those of the generation before.
 */
static lun_conf_loaded *
loaded_of(lun_conf *cf)
{
    lun_conf_loaded  *l = cf->loaded;

    if (l != NULL) {
        return l;
    }

    l = cf->loaded = lun_pool_new(cf->temp, lun_conf_loaded);

    lun_hash_init(&l->files, cf->temp, 0, false);
    lun_hash_init(&l->globs, cf->temp, 0, false);
    lun_hash_init(&l->old_files, cf->temp, 0, false);
    lun_hash_init(&l->old_globs, cf->temp, 0, false);
    lun_hash_init(&l->before, cf->temp, 0, false);

    lun_array_init(&cf->files, cf->pool, sizeof(lun_conf_file), 4);
    lun_array_init(&cf->globs, cf->pool, sizeof(lun_conf_glob), 0);

    if (cf->snapshot != NULL) {
        load_snapshot(l, cf->snapshot);
    }

    if (cf->before != NULL) {
        load_before(l, cf->before);
    }

    return l;
}


/* Whether the disk is not to be asked. */
static bool
is_whole(const lun_conf_snapshot *s)
{
    return s != NULL && !s->partial;
}


/* Times may be of whole seconds, and the size is then not looked at. */
static bool
is_same(const lun_file_info *a, const lun_file_info *now)
{
    return now->is_file && a->id == now->id && a->device == now->device
           && a->mtime == now->mtime
           && (now->mtime_ns == 0 || (a->mtime_ns == now->mtime_ns
                                      && a->size == now->size));
}


/* What the generation before had of an asset; its texts end with it. */
static bool
take_over(lun_conf *cf, lun_str path, lun_str *text, lun_file_info *info)
{
    char                 *data;
    const lun_conf_file  *old = NULL;

    if (cf->before != NULL) {
        old = lun_hash_get(&loaded_of(cf)->before, path);
    }

    if (lun_file_stat(path.data, info) != 0) {
        *info = (lun_file_info) { 0 };
    }

    if (old == NULL || !is_same(&old->info, info)) {
        return false;
    }

    data = lun_malloc(old->text.len + 1);
    lun_pool_on_end(cf->pool, lun_free, data);
    *lun_copy_str(data, old->text) = '\0';
    *text = lun_str_of(data, old->text.len);
    *info = old->info;
    return true;
}


static lun_err
read_file(lun_conf *cf, lun_str path, lun_str *text)
{
    char     *data;
    size_t    size;
    lun_err   err = lun_file_slurp(path.data, &data, &size);

    if (err == 0) {
        lun_pool_on_end(cf->pool, lun_free, data);
        *text = lun_str_of(data, size);
    }

    return err;
}


/*
 * Each path is read once, however often it is included: two readings of a file
 * that is being changed could differ.  A snapshot that is whole has all files
 * there were; what it lacks was not there.
 */
lun_err
lun_conf_load_file(lun_conf *cf, lun_str path, bool asset, lun_str *text)
{
    size_t                at;
    lun_err               err = 0;
    lun_conf_file        *file;
    lun_file_info         info = { 0 };
    lun_conf_loaded      *l = loaded_of(cf);
    const lun_conf_file  *old;

    at = (size_t) (uintptr_t) lun_hash_get(&l->files, path);

    if (at != 0) {
        file = lun_array_at(&cf->files, at - 1);
        file->asset = file->asset && asset;
        *text = file->text;
        return 0;
    }

    old = lun_hash_get(&l->old_files, path);

    if (old != NULL) {
        *text = old->text;

    } else if (is_whole(cf->snapshot)) {
        err = lun_err_of_kind(LUN_ERR_NOT_FOUND);

    } else if (!asset || !take_over(cf, path, text, &info)) {
        err = read_file(cf, path, text);
    }

    if (err != 0) {
        return err;
    }

    file = lun_array_push(&cf->files);
    file->path = path;
    file->text = *text;
    file->asset = asset;
    file->info = info;
    lun_hash_add(&l->files, path, (void *) (uintptr_t) cf->files.count);

    return 0;
}


lun_err
lun_conf_asset(lun_conf *cf, lun_str path, lun_str *text)
{
    return lun_conf_load_file(cf, path, true, text);
}


typedef struct {
    lun_pool   *pool;
    lun_array   paths;
} glob_result;


static bool
on_match(void *data, const char *path, bool is_dir)
{
    glob_result  *result = data;
    lun_str       s = lun_str_z(path);

    if (!is_dir) {
        *(lun_str *) lun_array_push(&result->paths) =
            lun_str_of(lun_pool_strz(result->pool, s), s.len);
    }

    return true;
}


/*
 * As for files: what a pattern matched in the master is what it matches in its
 * workers, whatever came to the folder meanwhile.
 */
lun_rc
lun_conf_load_glob(lun_conf *cf, lun_str pattern, lun_conf_glob *glob)
{
    size_t                at;
    lun_err               err;
    glob_result           result = { .pool = cf->pool };
    lun_conf_loaded      *l = loaded_of(cf);
    const lun_conf_glob  *old;

    at = (size_t) (uintptr_t) lun_hash_get(&l->globs, pattern);

    if (at != 0) {
        *glob = *(lun_conf_glob *) lun_array_at(&cf->globs, at - 1);
        return LUN_OK;
    }

    *glob = (lun_conf_glob) { .pattern = pattern };

    old = lun_hash_get(&l->old_globs, pattern);

    if (old != NULL) {
        *glob = *old;

    } else if (!is_whole(cf->snapshot)) {
        lun_array_init(&result.paths, cf->pool, sizeof(lun_str), 0);
        err = lun_dir_glob(pattern.data, on_match, &result);

        if (err != 0) {
            return lun_conf_fail_err(cf, err, "glob() \"%.*s\" failed",
                                     LUN_S(pattern));
        }

        glob->paths = result.paths.items;
        glob->count = result.paths.count;
    }

    *(lun_conf_glob *) lun_array_push(&cf->globs) = *glob;
    lun_hash_add(&l->globs, pattern, (void *) (uintptr_t) cf->globs.count);

    return LUN_OK;
}
