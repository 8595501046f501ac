/*
 * log_rotate.c -- log files that are put aside when they are large or old.
 *
 *     access_log logs/access.log combined rotate=100m keep=7;
 *     error_log logs/error.log warn rotate=1d rotate=1g;
 *
 * "access.log" becomes "access.log.1", that ".2", and so on; what would get a
 * number above `keep` is deleted.
 *
 * Whoever is about to write and finds that it is due does it, under a lock in
 * a zone that all processes and generations share, and counts a turn there.
 * Everybody compares that count before a write and goes to the new file.  A
 * line is one write to a file that was opened for appending, so none is torn,
 * and one that is late lands at the end of the old file.
 *
 * Workers that may not write in the folder (a `user` of their own, on Linux)
 * leave it to the master, which looks once in a second whether one wants it.
 *
 * A file's size is asked for now and then only: it may get larger than it
 * should by a small part of it per worker.  A period begins where local time
 * is a multiple of it: 1h on the hour, 1d at midnight, 1w on Monday.
 *
 * What cannot be done (a program that holds the file and does not share it, a
 * folder that nothing can be made in) is tried again after a minute; until
 * then the file grows, and no older one is touched.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/log_rotate.h"

#include "net/clock.h"
#include "os/lock.h"


enum {
    ZONE_SIZE = 4096,
    KEEP      = 7,
    KEEP_MOST = 999,
    LOOK_PART = 16,                /* of the size, between two looks */
    LOOK_MOST = 64 * 1024,
    TRY_AGAIN = 60,                /* s, when it could not be done */
    DAY       = 86400,
    WEEK      = 7 * DAY
};

struct lun_log_rotation {
    int64_t    size;               /* bytes; 0: any */
    int64_t    period;             /* seconds; 0: for ever */
    int64_t    keep;               /* old files; -1: not said */
    lun_zone  *zone;

    uint32_t   turn;               /* the file that is open */
    int64_t    seen;               /* its size, when it was asked for */
    int64_t    since;              /* bytes written by us since then */
    int64_t    epoch;              /* its period */
    int64_t    not_before;         /* after a failure */
};

typedef struct {
    lun_lock          lock;
    _Atomic uint32_t  turn;
    _Atomic uint32_t  helper;      /* the master does what workers may not */
    _Atomic uint32_t  wanted;      /* one of them wants it */
} shared;

static const lun_str  zone_name = LUN_STR_INIT("log rotation");

/* We hold the lock: a line that is logged now may not want it as well. */
static bool  turning;


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    shared  *all = zone->shm.addr;

    (void) log;

    /* Renames that were not all done are no harm: the next turn does them. */
    (void) lun_lock_seize(&all->lock, pid);
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    (void) zone;
    (void) log;

    return LUN_OK;
}


static const lun_zone_kind  kind = {
    .name = "log rotation",
    .min_size = ZONE_SIZE,
    .init = init,
    .mend = mend,
};


/* --- the words of a directive --- */

static lun_rc
bad(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static lun_rc
conflict(lun_conf *cf)
{
    return lun_conf_fail(cf, "%.*s \"%.*s\" already defined with conflicting "
                         "parameters", LUN_S(cf->args[0]), LUN_S(cf->args[1]));
}


/* Hours, days and weeks are a time; everything else is a size. */
static lun_rc
set_rotate(lun_conf *cf, lun_log_rotation *r, lun_str value, lun_str word)
{
    char       last = value.len != 0 ? value.data[value.len - 1] : '\0';
    bool       time = last == 'h' || last == 'd' || last == 'w';
    int64_t   *field = time ? &r->period : &r->size;
    uint64_t   n;

    if (time) {
        if (lun_str_to_msec(value, &n) != LUN_OK) {
            return bad(cf, word);
        }

        n /= 1000;

    } else if (lun_str_to_size(value, &n) != LUN_OK) {
        return bad(cf, word);
    }

    if (n == 0 || n > INT64_MAX) {
        return bad(cf, word);
    }

    if (*field != 0 && *field != (int64_t) n) {
        return conflict(cf);
    }

    *field = (int64_t) n;
    return LUN_OK;
}


static lun_rc
set_keep(lun_conf *cf, lun_log_rotation *r, lun_str value, lun_str word)
{
    int64_t  n;

    if (lun_str_to_i64(value, &n) != LUN_OK || n < 0 || n > KEEP_MOST) {
        return bad(cf, word);
    }

    if (r->keep >= 0 && r->keep != n) {
        return conflict(cf);
    }

    r->keep = n;
    return LUN_OK;
}


static lun_log_rotation *
rotation_of(lun_conf *cf, lun_log_file *f)
{
    const char        *why;
    lun_log_rotation  *r = f->rotation;

    if (r == NULL) {
        r = lun_pool_new(cf->pool, lun_log_rotation);
        r->keep = -1;
        r->zone = lun_zone_want(cf->gen->zones, zone_name, ZONE_SIZE, &kind,
                                &why);
        if (r->zone == NULL) {
            (void) lun_conf_fail(cf, "%s", why);
            return NULL;
        }

        f->rotation = r;
    }

    return r;
}


static lun_str
behind(lun_str word, size_t n)
{
    return lun_str_of(word.data + n, word.len - n);
}


lun_rc
lun_log_rotation_word(lun_conf *cf, lun_log_file *f, lun_str word)
{
    bool               keep = lun_str_starts(word, LUN_STR("keep="));
    lun_log_rotation  *r;

    if (!keep && !lun_str_starts(word, LUN_STR("rotate="))) {
        return LUN_AGAIN;
    }

    if (f == NULL || lun_str_eq(f->path, LUN_STR("stderr"))) {
        return lun_conf_fail(cf, "\"%.*s\" needs a file with a constant name",
                             LUN_S(word));
    }

    r = rotation_of(cf, f);

    if (r == NULL) {
        return LUN_ERROR;
    }

    return keep ? set_keep(cf, r, behind(word, 5), word)
                : set_rotate(cf, r, behind(word, 7), word);
}


/* --- when --- */

static int64_t
epoch_of(const lun_log_rotation *r, int64_t sec)
{
    int       zone;
    lun_date  d;

    if (r->period == 0) {
        return 0;
    }

    lun_clock_local_date(&d, &zone);
    sec += zone * 60;

    /* 1970 began on a Thursday. */
    if (r->period % WEEK == 0) {
        sec += 3 * DAY;
    }

    return sec / r->period;
}


static shared *
shared_of(const lun_log_file *f)
{
    return f->rotation->zone->shm.addr;
}


void
lun_log_rotation_opened(lun_log_file *f)
{
    shared            *all;
    lun_file_info      info;
    lun_log_rotation  *r = f->rotation;

    if (r == NULL) {
        return;
    }

    r->seen = 0;
    r->since = 0;
    r->epoch = epoch_of(r, lun_clock.sec);
    all = shared_of(f);

    if (all != NULL) {
        r->turn = atomic_load(&all->turn);
    }

    if (lun_file_info_of(f->fd, &info) == 0 && info.size > 0) {
        r->seen = info.size;
        r->epoch = epoch_of(r, info.mtime);
    }
}


static bool
is_due(lun_log_file *f, size_t len)
{
    int64_t            step;
    lun_file_info      info;
    lun_log_rotation  *r = f->rotation;

    if (lun_clock.sec < r->not_before) {
        return false;
    }

    if (r->period != 0 && epoch_of(r, lun_clock.sec) != r->epoch) {
        if (r->seen + r->since > 0) {
            return true;
        }

        r->epoch = epoch_of(r, lun_clock.sec);
    }

    if (r->size == 0) {
        return false;
    }

    step = lun_min(r->size / LOOK_PART, (int64_t) LOOK_MOST);

    if (r->since > step && lun_file_info_of(f->fd, &info) == 0) {
        r->seen = info.size;
        r->since = 0;
    }

    return r->seen + r->since > 0
           && r->seen + r->since + (int64_t) len > r->size;
}


/* --- how --- */

static lun_err
move(lun_str path, int64_t from, int64_t to)
{
    char  a[4096] = "", b[4096] = "", *p;

    p = lun_fmt(a, a + sizeof(a) - 1, "%.*s", LUN_S(path));

    if (from > 0) {
        p = lun_fmt(p, a + sizeof(a) - 1, ".%" PRId64, from);
    }

    *p = '\0';
    *lun_fmt(b, b + sizeof(b) - 1, "%.*s.%" PRId64, LUN_S(path), to) = '\0';

    return to == 0 ? lun_file_delete(a) : lun_file_rename(a, b);
}


static bool
is_missing(lun_err err)
{
    return lun_err_kind_of(err) == LUN_ERR_NOT_FOUND;
}


/* From the oldest to the newest, each over the one before it. */
static lun_err
put_aside(const lun_log_file *f)
{
    int64_t        i, keep = f->rotation->keep >= 0 ? f->rotation->keep : KEEP;
    lun_err        err;
    lun_file_info  info;

    /* It was, and then no new one could be made. */
    if (is_missing(lun_file_stat(f->path.data, &info))) {
        return 0;
    }

    if (keep == 0) {
        err = move(f->path, 0, 0);
        return is_missing(err) ? 0 : err;
    }

    for (i = keep - 1; i >= 0; i--) {
        err = move(f->path, i, i + 1);

        if (err != 0 && !is_missing(err)) {
            return err;
        }
    }

    return 0;
}


static void
complain(lun_log_file *f, lun_err err)
{
    f->rotation->not_before = lun_clock.sec + TRY_AGAIN;
    lun_log(LUN_LOG_ALERT, NULL, err, "could not rotate \"%.*s\"",
            LUN_S(f->path));
}


/* The file is put aside, and a new one opened; the master's `give`: whose. */
static lun_err
turn(lun_log_file *f, shared *all, lun_log_give_fn *give, void *data)
{
    lun_err  err = put_aside(f);

    if (err != 0) {
        return err;
    }

    if (lun_log_file_reopen(f) != LUN_OK) {
        f->rotation->not_before = lun_clock.sec + TRY_AGAIN;
        return 0;
    }

    if (give != NULL) {
        give(data, f);
    }

    f->rotation->turn = atomic_fetch_add(&all->turn, 1) + 1;
    return 0;
}


/* Unless somebody else was faster: then that one's new file is opened. */
static lun_err
take_turn(lun_log_file *f, shared *all, lun_log_give_fn *give, void *data)
{
    lun_err  err = 0;

    (void) lun_lock_take(&all->lock);
    turning = true;

    if (atomic_load(&all->turn) == f->rotation->turn) {
        err = turn(f, all, give, data);

    } else {
        (void) lun_log_file_reopen(f);
    }

    turning = false;
    lun_lock_free(&all->lock);
    return err;
}


void
lun_log_rotate(lun_log_file *f, size_t len)
{
    lun_err            err;
    shared            *all;
    lun_log_rotation  *r = f->rotation;

    if (r == NULL || turning || (all = shared_of(f)) == NULL) {
        return;
    }

    if (atomic_load(&all->turn) != r->turn) {
        (void) lun_log_file_reopen(f);
    }

    if (is_due(f, len)) {
        err = take_turn(f, all, NULL, NULL);

        if (err != 0 && lun_err_kind_of(err) == LUN_ERR_ACCESS
            && lun_worker.number >= 0 && atomic_load(&all->helper) != 0)
        {
            r->not_before = lun_clock.sec + 1;
            atomic_store(&all->wanted, 1);

        } else if (err != 0) {
            complain(f, err);
        }
    }

    r->since += (int64_t) len;
}


void
lun_log_files_give(lun_generation *gen, lun_log_give_fn *give, void *data)
{
    size_t         i;
    lun_log_file  *f;

    for (i = 0; i < gen->log_files.count; i++) {
        f = *(lun_log_file **) lun_array_at(&gen->log_files, i);

        if (f->rotation != NULL) {
            give(data, f);
        }
    }
}


bool
lun_log_files_rotate(lun_generation *gen, lun_log_give_fn *give, void *data)
{
    bool           any = false;
    size_t         i;
    lun_err        err;
    shared        *all;
    lun_log_file  *f;

    for (i = 0; i < gen->log_files.count; i++) {
        f = *(lun_log_file **) lun_array_at(&gen->log_files, i);

        if (f->rotation == NULL || (all = shared_of(f)) == NULL) {
            continue;
        }

        atomic_store(&all->helper, 1);

        if (!any && atomic_exchange(&all->wanted, 0) == 0) {
            return true;
        }

        any = true;
        lun_log_rotation_opened(f);

        if (is_due(f, 1)) {
            err = take_turn(f, all, give, data);

            if (err != 0) {
                complain(f, err);
            }

            lun_log_rotation_opened(f);
        }
    }

    return any;
}
