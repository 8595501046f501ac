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
#include "base/list.h"
#include "http/conf/core_conf.h"
#include "os/clock.h"
#include "os/direct.h"


enum {
    MOST_BUCKETS = 64 * 1024,
    ENTRY_POOL   = 256,
    READ_AHEAD_FROM = 128 * 1024,
    DEFAULT_INACTIVE = 60
};

typedef struct entry  entry;
struct entry {
    lun_list         link;         /* by last use */
    entry           *next;         /* in its bucket */
    uint64_t         hash;
    lun_str          path;

    lun_err          err;          /* the file is not to be had ... */
    const char      *failed;       /* ... because of this call */
    lun_static_file  file;
    lun_pool        *pool;         /* of what is served; NULL: not open */

    lun_links        links;        /* how it was looked for */
    size_t           links_from;
    size_t           proven;       /* from where on its name was looked up */

    int64_t          checked;      /* seconds */
    int64_t          used;
    int64_t          uses;
    int64_t          min_uses;
    int64_t          directio;     /* as it was opened */
    unsigned         users;
    bool             kept;         /* in the table */
    char             room[];       /* path */
};

struct lun_open_files {
    size_t           max;          /* 0: "off" */
    int64_t          inactive;     /* seconds */

    /* One worker's, made with the first entry. */
    entry          **buckets;
    size_t           mask;
    lun_list         recent;
    size_t           count;
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


/* Takes it out of the table; its users keep it. */
static void
forget(lun_open_files *o, entry *e)
{
    entry  **at = &o->buckets[e->hash & o->mask];

    LUN_CHECK(e->kept);

    for ( ; *at != e; at = &(*at)->next) { /* void */ }

    *at = e->next;
    lun_list_remove(&e->link);
    e->kept = false;
    o->count--;

    if (e->users == 0) {
        free_entry(e);
    }
}


static entry *
oldest(lun_open_files *o)
{
    return lun_container_of(o->recent.prev, entry, link);
}


/* Two at each look: more than come. */
static void
forget_unused(lun_open_files *o)
{
    int  i;

    for (i = 0; i < 2 && o->count > 0; i++) {
        if (lun_clock.sec - oldest(o)->used <= o->inactive) {
            return;
        }

        forget(o, oldest(o));
    }
}


static void
make_table(lun_open_files *o)
{
    size_t  n = 16;

    while (n < o->max && n < MOST_BUCKETS) {
        n *= 2;
    }

    o->buckets = lun_calloc(n * sizeof(entry *));
    o->mask = n - 1;
    lun_list_init(&o->recent);
}


static entry *
add(lun_open_files *o, const lun_safe_path *c, uint64_t hash)
{
    entry  *e = lun_calloc(sizeof(entry) + c->path.len);

    if (o->buckets == NULL) {
        make_table(o);
    }

    if (o->count == o->max) {
        forget(o, oldest(o));
    }

    e->hash = hash;
    e->path = lun_str_of(e->room, c->path.len);
    (void) lun_copy_str(e->room, c->path);

    e->next = o->buckets[hash & o->mask];
    o->buckets[hash & o->mask] = e;
    lun_list_push_front(&o->recent, &e->link);
    e->kept = true;
    o->count++;

    return e;
}


/* What is known was found by a look that was as careful as this one must be. */
static bool
is_as_careful(const entry *e, const lun_safe_path *c, int64_t directio)
{
    return e->links == c->links && e->links_from == c->links_from
           && e->directio == directio
           && e->proven <= lun_safe_path_check_from(c);
}


/* The entry of that name, used once more; NULL: there is none. */
static entry *
find(lun_request *r, lun_open_files *o, const lun_safe_path *c)
{
    entry     *e = NULL;
    uint64_t   hash = lun_str_hash(c->path);

    forget_unused(o);

    if (o->buckets != NULL) {
        e = o->buckets[hash & o->mask];
    }

    while (e != NULL && (e->hash != hash || !lun_str_eq(e->path, c->path))) {
        e = e->next;
    }

    if (e == NULL) {
        return NULL;
    }

    if (!is_as_careful(e, c, lun_core_conf_of(r)->directio)) {
        forget(o, e);
        return NULL;
    }

    e->uses++;
    e->used = lun_clock.sec;
    lun_list_remove(&e->link);
    lun_list_push_front(&o->recent, &e->link);

    return e;
}


/* --- what the disk says -------------------------------------------------- */

static bool
is_fresh(const entry *e, const lun_core_conf *conf)
{
    return lun_clock.sec - e->checked < conf->open_file_valid;
}


/*
 * A look at the disk: `pool` belongs to what was found from now on.  Returns
 * the entry, another than `e` if that is in use; NULL: nothing is kept of it.
 */
static entry *
renew(lun_request *r, lun_open_files *o, entry *e, const lun_safe_path *c,
    lun_err err, lun_pool *pool)
{
    int64_t               uses = e != NULL ? e->uses : 1;
    uint64_t              hash = lun_str_hash(c->path);
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
    e->checked = lun_clock.sec;
    e->used = lun_clock.sec;
    e->uses = uses;

    return e;
}


static bool
same_file(const lun_file_info *a, const lun_file_info *b)
{
    return a->size == b->size && a->mtime == b->mtime
           && a->mtime_ns == b->mtime_ns && a->id == b->id
           && a->device == b->device && b->is_file;
}


/* Whether what is open is what its name means still. */
static bool
is_unchanged(entry *e, const lun_safe_path *c)
{
    lun_file_info  info;

    if (e->pool == NULL || lun_safe_stat(c, &info) != 0
        || !same_file(&e->file.info, &info))
    {
        return false;
    }

    e->checked = lun_clock.sec;
    return true;
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

    if (!e->kept) {
        free_entry(e);
        return;
    }

    e->used = lun_clock.sec;

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
    lun_open_files  *o = cache_of(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (o == NULL) {
        return lun_safe_stat(c, info);
    }

    e = find(r, o, c);

    /* A file that is not open may be another one by now. */
    if (e != NULL && is_fresh(e, lun_core_conf_of(r))
        && (e->err != 0 || e->pool != NULL || !e->file.info.is_file))
    {
        *info = e->file.info;
        return e->err;
    }

    if (e != NULL && is_unchanged(e, c)) {
        *info = e->file.info;
        return 0;
    }

    err = lun_safe_stat(c, info);
    e = renew(r, o, e, c, err, NULL);

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


lun_err
lun_open_file(lun_request *r, const lun_safe_path *c, lun_static_file *f,
    const char **failed)
{
    entry           *e;
    lun_err          err;
    lun_pool        *pool;
    lun_open_files  *o = cache_of(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (o == NULL) {
        return open_on_disk(r, r->pool, c, f, failed);
    }

    e = find(r, o, c);

    if (e != NULL && is_fresh(e, lun_core_conf_of(r))
        && (e->err != 0 || e->pool != NULL || !e->file.info.is_file))
    {
        return use(r, e, f, failed);
    }

    if (e != NULL && is_unchanged(e, c)) {
        return use(r, e, f, failed);
    }

    pool = lun_pool_new_sized(ENTRY_POOL);
    err = open_on_disk(r, pool, c, f, failed);

    if (err != 0 || !f->info.is_file) {
        lun_pool_free(pool);
        pool = NULL;
    }

    e = renew(r, o, e, c, err, pool);

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

    while (o->count > 0) {
        forget(o, oldest(o));
    }

    lun_free(o->buckets);
    o->buckets = NULL;
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
