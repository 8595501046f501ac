/*
 * open_file_cache.c -- names, and what the disk said of them.
 *
 * A file is kept open (or its bytes in memory) when it was used often enough;
 * until then only its uses are counted, and each one looks again.  Where the
 * name of an open file stays taken when the file is deleted, nobody's file is
 * kept open between two requests.  Folders and, if that is wanted, failures
 * have nothing to be kept open.
 *
 * What was found is replaced, never changed, while an answer uses it: the old
 * entry leaves the table and ends with its last user.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/file/open_file_cache.h"

#include "base/check.h"
#include "base/lru.h"
#include "http/conf/core_conf.h"
#include "os/clock.h"
#include "os/direct.h"


enum {
    ENTRY_POOL   = 256,
    READ_AHEAD_FROM = 128 * 1024,
    DEFAULT_INACTIVE = 60
};

typedef struct {
    lun_lru_entry    path;

    lun_err          err;          /* the file is not to be had ... */
    const char      *failed;       /* ... because of this call */
    lun_static_file  file;
    lun_pool        *pool;         /* of what is served; NULL: not open */

    lun_links        links;        /* how it was looked for */
    size_t           links_from;
    size_t           proven;       /* from where on its name was looked up */

    lun_msec         checked;      /* lun_clock.mono */
    lun_msec         used;
    int64_t          uses;
    int64_t          min_uses;
    int64_t          directio;     /* as it was opened */
    unsigned         users;
    char             room[];       /* path */
} entry;

struct lun_open_files {
    size_t           max;          /* 0: "off" */
    int64_t          inactive;     /* seconds */

    lun_lru          entries;      /* one worker's */
};


/* --- entries ------------------------------------------------------------- */

static void
close_entry(entry *e)
{
    if (e->pool != NULL) {
        lun_pool_free(e->pool);
        e->pool = NULL;
    }
}


static void
free_entry(entry *e)
{
    close_entry(e);
    lun_free(e);
}


static entry *
entry_of(lun_lru_entry *path)
{
    return path != NULL ? lun_container_of(path, entry, path) : NULL;
}


/* Takes it out of the table; its users keep it. */
static void
forget(lun_open_files *o, entry *e)
{
    lun_lru_remove(&o->entries, &e->path);

    if (e->users == 0) {
        free_entry(e);
    }
}


/* Two at each look: more than come. */
static void
forget_unused(lun_open_files *o)
{
    int     i;
    entry  *e;

    for (i = 0; i < 2; i++) {
        e = entry_of(lun_lru_oldest(&o->entries));

        if (e == NULL
            || lun_clock.mono - e->used <= (lun_msec) o->inactive * 1000)
        {
            return;
        }

        forget(o, e);
    }
}


static entry *
add(lun_open_files *o, const lun_safe_path *c, uint64_t hash)
{
    entry  *e = lun_calloc(sizeof(entry) + c->path.len);

    if (o->entries.count == o->max) {
        forget(o, entry_of(lun_lru_oldest(&o->entries)));
    }

    (void) lun_copy_str(e->room, c->path);
    lun_lru_add(&o->entries, &e->path, lun_str_of(e->room, c->path.len), hash,
                o->max);
    return e;
}


/*
 * What is known was found by a look that was as careful as this one must be;
 * and a failure by one that was not more so: it may be due to that care.
 */
static bool
is_as_careful(const entry *e, const lun_safe_path *c, int64_t directio)
{
    size_t  from = lun_safe_path_check_from(c);

    return e->links == c->links && e->links_from == c->links_from
           && e->directio == directio
           && (e->err == 0 ? e->proven <= from : e->proven == from);
}


/* The entry of that name, used once more; NULL: there is none. */
static entry *
find(lun_request *r, lun_open_files *o, const lun_safe_path *c, uint64_t hash)
{
    entry  *e;

    forget_unused(o);
    e = entry_of(lun_lru_find(&o->entries, c->path, hash));

    if (e == NULL) {
        return NULL;
    }

    if (!is_as_careful(e, c, lun_core_conf_of(r)->directio)) {
        forget(o, e);
        return NULL;
    }

    e->uses++;
    e->used = lun_clock.mono;
    lun_lru_touch(&o->entries, &e->path);

    return e;
}


/* --- what the disk says -------------------------------------------------- */

/*
 * A look at the disk: `pool` belongs to what was found from now on.  Returns
 * the entry, another than `e` if that is in use; NULL: nothing is kept of it.
 */
static entry *
renew(lun_request *r, lun_open_files *o, entry *e, const lun_safe_path *c,
    uint64_t hash, lun_err err, lun_pool *pool)
{
    int64_t               uses = e != NULL ? e->uses : 1;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (e != NULL && (e->users > 0
                      || (err != 0 && !conf->open_file_errors)))
    {
        forget(o, e);
        e = NULL;
    }

    if (err != 0 && !conf->open_file_errors) {
        return NULL;
    }

    if (e == NULL) {
        e = add(o, c, hash);
    }

    close_entry(e);
    e->pool = pool;
    e->file = (lun_static_file) { .fd = LUN_FD_NONE };
    e->err = err;
    e->failed = NULL;
    e->links = c->links;
    e->links_from = c->links_from;
    e->proven = lun_safe_path_check_from(c);
    e->directio = conf->directio;
    e->checked = lun_clock.mono;
    e->used = lun_clock.mono;
    e->uses = uses;

    return e;
}


/* Whether what is open is what its name means still. */
static bool
is_unchanged(entry *e, const lun_safe_path *c)
{
    lun_file_info  info;

    if (e->pool == NULL || lun_safe_stat(c, &info) != 0
        || !lun_file_is_unchanged(&e->file.info, &info))
    {
        return false;
    }

    e->checked = lun_clock.mono;
    return true;
}


/* Whether what is known holds, for a while or because it was looked at now. */
static bool
holds(const lun_request *r, entry *e, const lun_safe_path *c)
{
    bool  fresh = lun_clock.mono - e->checked
                  < (lun_msec) lun_core_conf_of(r)->open_file_valid * 1000;

    /* A file that is not open may be another one by now. */
    return (fresh
            && (e->err != 0 || e->pool != NULL || !e->file.info.is_file))
           || is_unchanged(e, c);
}


/* --- uses ---------------------------------------------------------------- */

static void
end_use(void *data)
{
    entry  *e = data;

    LUN_CHECK(e->users > 0);

    if (--e->users > 0) {
        return;
    }

    if (!e->path.kept) {
        free_entry(e);
        return;
    }

    e->used = lun_clock.mono;

    if (e->uses < e->min_uses
        || (e->file.fd != LUN_FD_NONE && !lun_file_name_is_free()))
    {
        close_entry(e);
    }
}


static lun_err
use(lun_request *r, entry *e, lun_static_file *f, const char **failed)
{
    *failed = e->failed;
    *f = e->file;

    if (e->err == 0 && e->pool != NULL) {
        e->min_uses = lun_core_conf_of(r)->open_file_min_uses;
        e->users++;
        lun_pool_on_end(r->pool, end_use, e);
    }

    return e->err;
}


static lun_open_files *
cache_of(const lun_request *r)
{
    lun_open_files  *o = lun_core_conf_of(r)->open_files;

    return o != NULL && o->max > 0 ? o : NULL;
}


lun_err
lun_open_file_stat(lun_request *r, const lun_safe_path *c,
    lun_file_info *info)
{
    entry           *e;
    lun_err          err;
    uint64_t         hash;
    lun_open_files  *o = cache_of(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (o == NULL) {
        return lun_safe_stat(c, info);
    }

    hash = lun_str_hash(c->path);
    e = find(r, o, c, hash);

    if (e != NULL && holds(r, e, c)) {
        *info = e->file.info;
        return e->err;
    }

    err = lun_safe_stat(c, info);
    e = renew(r, o, e, c, hash, err, NULL);

    if (e != NULL) {
        e->file.info = *info;
        e->failed = lun_safe_path_call(c, "stat()");
    }

    return err;
}


/* A file on the disk, and how it is wanted from there. */
static lun_err
open_on_disk(lun_request *r, lun_pool *pool, const lun_safe_path *c,
    lun_static_file *f, const char **failed)
{
    lun_err               err = lun_file_cache_open(pool, c, f, failed);
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (err != 0 || f->fd == LUN_FD_NONE || !f->info.is_file) {
        return err;
    }

    if (conf->read_ahead != 0 && f->info.size > READ_AHEAD_FROM) {
        lun_direct_read_ahead(f->fd);
    }

    if (f->info.size >= conf->directio) {
        err = lun_direct_set(f->fd);
        f->direct = err == 0;

        if (err != 0) {
            /* Not every file system can; the file is sent all the same. */
            lun_log(LUN_LOG_WARN, r->log, err, "fcntl(O_DIRECT) \"%s\" "
                    "failed", c->path.data);
        }
    }

    return 0;
}


/*
 * Errors are remembered as well (open_file_cache_errors): the pool, and with it
 * a descriptor, is there only for a file that could be opened.
 */
lun_err
lun_open_file(lun_request *r, const lun_safe_path *c, lun_static_file *f,
    const char **failed)
{
    entry           *e;
    lun_err          err;
    uint64_t         hash;
    lun_pool        *pool;
    lun_open_files  *o = cache_of(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (o == NULL) {
        return open_on_disk(r, r->pool, c, f, failed);
    }

    hash = lun_str_hash(c->path);
    e = find(r, o, c, hash);

    if (e != NULL && holds(r, e, c)) {
        return use(r, e, f, failed);
    }

    pool = lun_pool_new_sized(ENTRY_POOL);
    err = open_on_disk(r, pool, c, f, failed);

    if (err != 0 || !f->info.is_file) {
        lun_pool_free(pool);
        pool = NULL;
    }

    e = renew(r, o, e, c, hash, err, pool);

    if (e == NULL) {
        return err;
    }

    e->file = *f;
    e->failed = *failed;

    return use(r, e, f, failed);
}


/* --- the directive ------------------------------------------------------- */

static void
end_cache(void *data)
{
    lun_open_files  *o = data;

    while (o->entries.count > 0) {
        forget(o, entry_of(lun_lru_oldest(&o->entries)));
    }

    lun_lru_fini(&o->entries);
}


static bool
set_parameter(lun_open_files *o, lun_str arg)
{
    lun_str   value;
    uint64_t  n;

    if (lun_str_after(arg, LUN_STR("max="), &value)) {
        if (lun_str_to_u64(value, &n) != LUN_OK || n == 0
            || n > INT32_MAX)
        {
            return false;
        }

        o->max = (size_t) n;
        return true;
    }

    return lun_str_after(arg, LUN_STR("inactive="), &value)
           && lun_str_to_sec(value, &o->inactive) == LUN_OK;
}


lun_rc
lun_set_open_file_cache(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i;
    bool             off = false;
    lun_open_files  *o = lun_pool_new(cf->pool, lun_open_files);

    o->inactive = DEFAULT_INACTIVE;

    for (i = 1; i < cf->argc; i++) {
        if (lun_str_eq(cf->args[i], LUN_STR("off"))) {
            off = true;

        } else if (!set_parameter(o, cf->args[i])) {
            return lun_conf_fail(cf, "invalid \"open_file_cache\" parameter "
                                 "\"%.*s\"", LUN_S(cf->args[i]));
        }
    }

    if (off) {
        o->max = 0;

    } else if (o->max == 0) {
        return lun_conf_fail(cf, "\"open_file_cache\" must have the \"max\" "
                             "parameter");
    }

    lun_pool_on_end(cf->pool, end_cache, o);
    *(lun_open_files **) (void *) ((char *) conf + d->field) = o;

    return LUN_OK;
}
