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

#include "log/log_rotate.h"

#include "os/clock.h"
#include "os/lock.h"
#include "os/privileged.h"
#include "os/proc.h"


enum {
    LOOK_PART = 16,                /* of the size, between two looks */
    LOOK_MOST = 64 * 1024,
    TRY_AGAIN = 60000,             /* ms, when it could not be done */
    KEEP      = 7,                 /* old files, if nothing is said */
    DAY       = 86400,
    WEEK      = 7 * DAY
};

typedef struct {
    lun_lock          lock;
    _Atomic uint32_t  turn;
    _Atomic uint32_t  helper;      /* pid of the master, which does what
                                      workers may not; 0: none */
    _Atomic uint32_t  wanted;      /* one of them wants it */
} shared;

/* We hold the lock: a line that is logged now may not want it as well. */
static bool  turning;


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    shared  *all = zone->shm.addr;

    /* Renames that were not all done are no harm: the next turn does them. */
    (void) lun_lock_seize(&all->lock, pid);
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    return LUN_OK;
}


const lun_zone_kind  lun_log_rotation_kind = {
    .name = "log rotation",
    .min_size = LUN_LOG_ROTATION_ZONE,
    .init = init,
    .mend = mend,
};


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


/*
 * A file that was there before has its own age: one of last week is turned at
 * the first line and not a period later.
 */
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


/*
 * Other workers write to the same file: how long it is, is asked of the system
 * from time to time, and counted from there.
 */
static bool
is_due(lun_log_file *f, size_t len)
{
    int64_t            step;
    lun_file_info      info;
    lun_log_rotation  *r = f->rotation;

    if (lun_clock.mono < r->not_before) {
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

    return to == 0 ? lun_privileged_delete(a) : lun_privileged_rename(a, b);
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
    f->rotation->not_before = lun_clock.mono + TRY_AGAIN;
    lun_log(LUN_LOG_ALERT, NULL, err, "could not rotate \"%.*s\"",
            LUN_S(f->path));
}


/* The file is put aside, and a new one opened: who may read it stays. */
static lun_err
turn(lun_log_file *f, shared *all)
{
    lun_err          err;
    lun_file_access  access;

    lun_file_access_of(f->fd, &access);
    err = put_aside(f);

    if (err != 0) {
        return err;
    }

    if (lun_log_file_reopen(f) != LUN_OK) {
        f->rotation->not_before = lun_clock.mono + TRY_AGAIN;
        return 0;
    }

    lun_file_set_access(f->fd, &access);
    f->rotation->turn = atomic_fetch_add(&all->turn, 1) + 1;
    return 0;
}


/* With the lock.  Unless somebody else was faster: then that one's new file
   is opened. */
static lun_err
take_turn(lun_log_file *f, shared *all)
{
    lun_err  err = 0;

    turning = true;

    if (atomic_load(&all->turn) == f->rotation->turn) {
        err = turn(f, all);

    } else {
        (void) lun_log_file_reopen(f);
    }

    turning = false;
    lun_lock_free(&all->lock);
    return err;
}


/* Another process would do what this one may not. */
static bool
has_helper(shared *all)
{
    uint32_t  pid = atomic_load(&all->helper);

    return pid != 0 && pid != (uint32_t) lun_proc_pid();
}


/*
 * All workers see that it is due at about the same time; one renames, under the
 * lock, and the others find the turn counted up and open the new file.  A
 * worker whose user may not rename asks the master.
 */
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
        (void) lun_lock_take(&all->lock);
        err = take_turn(f, all);

        if (err != 0 && lun_err_kind_of(err) == LUN_ERR_ACCESS
            && has_helper(all))
        {
            r->not_before = lun_clock.mono + 1000;
            atomic_store(&all->wanted, 1);

        } else if (err != 0) {
            complain(f, err);
        }
    }

    r->since += (int64_t) len;
}


bool
lun_log_files_rotate(lun_log_set *set)
{
    bool           any = false;
    size_t         i;
    lun_err        err;
    shared        *all;
    lun_log_file  *f;

    for (i = 0; i < set->files.count; i++) {
        f = lun_log_file_at(set, i);

        if (f->rotation == NULL || (all = shared_of(f)) == NULL) {
            continue;
        }

        atomic_store(&all->helper, (uint32_t) lun_proc_pid());

        if (!any && atomic_exchange(&all->wanted, 0) == 0) {
            return true;
        }

        any = true;
        lun_log_rotation_opened(f);

        /* Who keeps the lock for ever keeps no master waiting. */
        if (is_due(f, 1) && lun_lock_try(&all->lock)) {
            err = take_turn(f, all);

            if (err != 0) {
                complain(f, err);
            }

            lun_log_rotation_opened(f);
        }
    }

    return any;
}
