/*
 * dav_files.c -- files and folders as wholes: copied, removed, replaced.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_priv.h"

#include "base/array.h"
#include "os/dir.h"


enum {
    DEPTH     = 100,               /* folders inside one another */
    PIECE     = 65536,
    NAME_POOL = 4096
};

typedef struct {
    lun_str  name;
    bool     is_dir;
} entry;

typedef struct {
    lun_pool   *pool;
    lun_array   list;              /* of entry */
} entries;


static lun_err
failed(const lun_log *log, lun_err err, const char *call, lun_str path)
{
    if (err != 0) {
        lun_log(LUN_LOG_ERR, log, err, "%s \"%.*s\" failed", call,
                LUN_S(path));
    }

    return err;
}


static bool
on_name(void *data, const char *name, bool is_dir)
{
    entry    *one;
    entries  *e = data;

    one = lun_array_push(&e->list);
    one->name = lun_pool_fmt(e->pool, "%s", name);
    one->is_dir = is_dir;

    return true;
}


static lun_err
list(const lun_log *log, lun_str path, entries *e)
{
    e->pool = lun_pool_new_sized(NAME_POOL);
    lun_array_init(&e->list, e->pool, sizeof(entry), 16);

    return failed(log, lun_dir_list(path.data, on_name, e), "opendir()",
                  path);
}


/* The path of a name, in the pool of the names. */
static lun_str
below(const entries *e, lun_str path, const entry *one)
{
    bool     slash = path.len != 0 && path.data[path.len - 1] == '/';
    lun_str  text;

    text = lun_pool_fmt(e->pool, "%.*s%s%.*s%c", LUN_S(path),
                        slash ? "" : "/", LUN_S(one->name), '\0');
    text.len--;

    return text;
}


/* --- removing ------------------------------------------------------------ */

static lun_err
delete_below(const lun_log *log, lun_str path, unsigned depth)
{
    size_t        i;
    lun_err       err;
    lun_str       name;
    entries       e;
    const entry  *one;

    if (depth == DEPTH) {
        return failed(log, lun_err_of_kind(LUN_ERR_BAD_NAME), "rmdir()",
                      path);
    }

    err = list(log, path, &e);

    for (i = 0; err == 0 && i < e.list.count; i++) {
        one = lun_array_at(&e.list, i);
        name = below(&e, path, one);
        err = lun_file_delete(name.data);

        if (err != 0 && one->is_dir) {
            err = lun_dir_delete(name.data);
        }

        /* Only what is full is a folder for sure, and not a link to one. */
        if (one->is_dir && lun_err_kind_of(err) == LUN_ERR_EXISTS) {
            err = delete_below(log, name, depth + 1);

        } else {
            (void) failed(log, err, "unlink()", name);
        }
    }

    lun_pool_free(e.pool);

    return err != 0 ? err : failed(log, lun_dir_delete(path.data), "rmdir()",
                                   path);
}


lun_err
lun_dav_delete_tree(const lun_log *log, lun_str path)
{
    return delete_below(log, path, 0);
}


/* --- copying ------------------------------------------------------------- */

static lun_err
copy_bytes(lun_fd from, lun_fd to, char *room)
{
    size_t   done = PIECE;
    int64_t  at;
    lun_err  err = 0;

    for (at = 0; err == 0 && done == PIECE; at += (int64_t) done) {
        err = lun_file_read(from, room, PIECE, at, &done);

        if (err == 0 && done != 0) {
            err = lun_file_write(to, room, done, at);
        }
    }

    return err;
}


/* The copy has the source's date, and appears whole or not at all. */
lun_err
lun_dav_copy_file(const lun_log *log, const lun_safe_path *source, lun_str to,
    unsigned access)
{
    char           *room;
    lun_fd          in, out;
    lun_err         err;
    lun_str         temp, from = source->path;
    lun_pool       *pool;
    lun_file_info   info;

    err = lun_safe_open(source, LUN_FILE_READ, 0, &in);

    if (err != 0) {
        return failed(log, err, "open()", from);
    }

    pool = lun_pool_new_sized(NAME_POOL);
    err = lun_file_aside(pool, to, access, &out, &temp);

    if (err != 0) {
        (void) failed(log, err, "open()", to);
        goto done;
    }

    room = lun_malloc(PIECE);
    err = copy_bytes(in, out, room);
    lun_free(room);

    if (err == 0 && lun_file_info_of(in, &info) == 0) {
        (void) lun_file_set_mtime(out, info.mtime);
    }

    lun_file_close(out);
    err = err != 0 ? err : lun_file_rename(temp.data, to.data);

    if (err != 0) {
        (void) failed(log, err, "copy of", from);
        (void) lun_file_delete(temp.data);
    }

done:

    lun_file_close(in);
    lun_pool_free(pool);
    return err;
}


/* A folder that is being copied, and those that it is in. */
typedef struct folder  folder;
struct folder {
    const folder  *outer;
    lun_file_info  info;
    unsigned       depth;
};

static lun_err copy_below(const lun_log *log, const lun_safe_path *from,
    lun_str to, unsigned access, const folder *outer);


/* A link has led back, or to the copy: there is no end to that. */
static bool
is_in_itself(const folder *f, const lun_file_info *info)
{
    for ( ; f != NULL; f = f->outer) {
        if (info->device != 0 && f->info.id == info->id
            && f->info.device == info->device)
        {
            return true;
        }
    }

    return false;
}


/*
 * A link is what it leads to; one that leads nowhere, back, or where it may not
 * be followed, is left out.
 */
static lun_err
copy_entry(const lun_log *log, const lun_safe_path *from, lun_str to,
    unsigned access, const folder *f)
{
    lun_err  err;
    folder   next = { .outer = f, .depth = f->depth + 1 };

    err = lun_safe_stat(from, &next.info);

    if (err != 0) {
        (void) failed(log, err, "stat()", from->path);
        return 0;
    }

    if (!next.info.is_dir) {
        return lun_dav_copy_file(log, from, to, access);
    }

    if (is_in_itself(f, &next.info)) {
        (void) failed(log, lun_err_of_kind(LUN_ERR_LINK), "copy of",
                      from->path);
        return 0;
    }

    return copy_below(log, from, to, access, &next);
}


static lun_err
make_folder(const lun_log *log, lun_str path, unsigned access)
{
    lun_err  err = lun_dir_make(path.data, lun_folder_access(access));

    return lun_err_kind_of(err) == LUN_ERR_EXISTS
           ? 0 : failed(log, err, "mkdir()", path);
}


/*
 * A folder that is copied into itself would never end: its depth is bounded,
 * and `f` knows what not to enter.
 */
static lun_err
copy_below(const lun_log *log, const lun_safe_path *from, lun_str to,
    unsigned access, const folder *f)
{
    size_t         i;
    lun_err        err;
    entries        e;
    const entry   *one;
    lun_safe_path  source = *from;

    if (f->depth == DEPTH) {
        return failed(log, lun_err_of_kind(LUN_ERR_BAD_NAME), "copy of",
                      from->path);
    }

    err = make_folder(log, to, access);

    if (err != 0) {
        return err;
    }

    err = list(log, from->path, &e);

    for (i = 0; err == 0 && i < e.list.count; i++) {
        one = lun_array_at(&e.list, i);
        source.path = below(&e, from->path, one);
        err = copy_entry(log, &source, below(&e, to, one), access, f);
    }

    lun_pool_free(e.pool);
    return err;
}


lun_err
lun_dav_copy_tree(const lun_log *log, const lun_safe_path *from, lun_str to,
    unsigned access)
{
    folder   target = { .outer = NULL }, f = { .outer = &target };
    lun_err  err = lun_safe_stat(from, &f.info);

    if (err != 0) {
        return failed(log, err, "stat()", from->path);
    }

    err = make_folder(log, to, access);

    if (err != 0) {
        return err;
    }

    err = lun_file_stat(to.data, &target.info);
    return err != 0 ? failed(log, err, "stat()", to)
                    : copy_below(log, from, to, access, &f);
}
