/*
 * log_file.c -- log files, and what an error log writes to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "log/log_file.h"

#include "log/log_gzip.h"
#include "log/log_rotate.h"
#include "log/syslog.h"
#include "os/clock.h"
#include "os/privileged.h"


enum {
    LOG_ACCESS = 0644,
    COMPLAIN   = 60                /* s, between two lines about one file */
};

static const lun_str  stderr_name = LUN_STR_INIT("stderr");


lun_log_file *
lun_log_file_want(lun_log_set *set, lun_str path)
{
    lun_log_file  *f;

    if (set->files.pool == NULL) {     /* the first */
        lun_array_init(&set->files, set->pool, sizeof(lun_log_file *), 4);
        lun_hash_init(&set->names, set->pool, 0, false);
    }

    f = lun_hash_get(&set->names, path);

    if (f != NULL) {
        return f;
    }

    f = lun_pool_new(set->pool, lun_log_file);
    f->set = set;
    f->path = lun_str_of(lun_pool_strz(set->pool, path), path.len);
    f->fd = LUN_FD_NONE;

    lun_hash_add(&set->names, f->path, f);
    *(lun_log_file **) lun_array_push(&set->files) = f;

    return f;
}


static lun_err
open_file(const lun_log_file *f, lun_fd *fd)
{
    if (lun_str_eq(f->path, stderr_name)) {
        *fd = lun_file_stderr();
        return 0;
    }

    return lun_privileged_open(f->path.data,
                               LUN_FILE_WRITE | LUN_FILE_APPEND
                               | LUN_FILE_CREATE, LOG_ACCESS, f->set->user,
                               fd);
}


static void
close_file(const lun_log_file *f, lun_fd fd)
{
    if (fd != LUN_FD_NONE && !lun_str_eq(f->path, stderr_name)) {
        lun_file_close(fd);
    }
}


lun_rc
lun_log_files_open(lun_log_set *set)
{
    size_t         i;
    lun_err        err;
    lun_log_file  *f;

    for (i = 0; i < set->files.count; i++) {
        f = lun_log_file_at(set, i);

        if (f->fd != LUN_FD_NONE) {
            continue;
        }

        err = open_file(f, &f->fd);

        if (err != 0) {
            f->fd = LUN_FD_NONE;
            lun_log(LUN_LOG_EMERG, NULL, err, "open() \"%s\" failed",
                    f->path.data);
            return LUN_ERROR;
        }

        lun_log_rotation_opened(f);
    }

    return LUN_OK;
}


/*
 * Nothing has put the file aside: it may be one that only the master could
 * open, and did not make, so that it is not given to the workers.
 */
static bool
is_what_is_open(const lun_log_file *f)
{
    lun_file_info  there, open;

    return lun_file_stat(f->path.data, &there) == 0
           && lun_file_info_of(f->fd, &open) == 0
           && there.device == open.device && there.id == open.id;
}


lun_rc
lun_log_file_reopen(lun_log_file *f)
{
    lun_fd   fd;
    lun_err  err = open_file(f, &fd);

    if (err == 0) {
        close_file(f, f->fd);
        f->fd = fd;
    }

    lun_log_rotation_opened(f);

    if (err != 0 && is_what_is_open(f)) {
        return LUN_OK;
    }

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "open() \"%s\" failed",
                f->path.data);
    }

    return err == 0 ? LUN_OK : LUN_ERROR;
}


void
lun_log_files_reopen(lun_log_set *set)
{
    size_t         i;
    lun_log_file  *f;

    for (i = 0; i < set->files.count; i++) {
        f = lun_log_file_at(set, i);
        lun_log_file_flush(f);
        (void) lun_log_file_reopen(f);
    }
}


void
lun_log_files_close(lun_log_set *set)
{
    size_t         i;
    lun_log_file  *f;

    for (i = 0; i < set->files.count; i++) {
        f = lun_log_file_at(set, i);
        lun_log_file_flush(f);
        close_file(f, f->fd);
        f->fd = LUN_FD_NONE;
    }
}


static lun_err
write_plain(lun_log_file *f, const char *data, size_t len)
{
    lun_log_rotate(f, len);
    return lun_file_write(f->fd, data, len, -1);
}


static lun_err
write_now(lun_log_file *f, const char *data, size_t len)
{
    lun_err  err;
    lun_str  packed;

    if (f->fd == LUN_FD_NONE || len == 0) {
        return 0;
    }

    if (f->gzip == 0) {
        return write_plain(f, data, len);
    }

    packed = lun_log_gzip(data, len, f->gzip);
    err = packed.data != NULL ? write_plain(f, packed.data, packed.len)
                              : lun_err_of_kind(LUN_ERR_NO_MEMORY);
    lun_free((char *) (uintptr_t) packed.data);

    return err;
}


/* A full disk: the line is lost, and those who can mend it are told. */
static void
write_or_complain(lun_log_file *f, const char *data, size_t len)
{
    lun_err  err = write_now(f, data, len);

    if (err != 0 && lun_clock.sec - f->complained >= COMPLAIN) {
        f->complained = lun_clock.sec;
        lun_log(LUN_LOG_ALERT, NULL, err, "write() to \"%s\" failed",
                f->path.data);
    }
}


void
lun_log_file_flush(lun_log_file *f)
{
    write_or_complain(f, f->buf, f->buf_used);
    f->buf_used = 0;
}


void
lun_log_file_write(lun_log_file *f, const char *data, size_t len)
{
    if (f->buf == NULL) {
        write_or_complain(f, data, len);
        return;
    }

    if (len > f->buf_size - f->buf_used) {
        lun_log_file_flush(f);
    }

    if (len > f->buf_size) {
        write_or_complain(f, data, len);
        return;
    }

    memcpy(f->buf + f->buf_used, data, len);
    f->buf_used += len;
}


/* --- error_log --- */

typedef struct {
    lun_log_target   target;
    lun_log_file    *file;
} error_target;


static void
write_error(lun_log_target *t, lun_log_level level, const char *line,
    size_t len)
{
    error_target  *e = lun_container_of(t, error_target, target);

    /* A failure would be told to this very file. */
    (void) write_now(e->file, line, len);
}


static void
add_target(lun_log *log, lun_log_target *target, lun_log_level level)
{
    lun_log_target **last;

    target->level = level;

    for (last = &log->targets; *last != NULL; last = &(*last)->next) {
        /* to the end */
    }

    *last = target;
    log->json |= target->json;

    if (log->targets == target || level > log->level) {
        log->level = level;
    }
}


void
lun_error_log_add_file(lun_log_set *set, lun_log *log, lun_str path,
    lun_log_level level, bool json)
{
    error_target  *e = lun_pool_new(set->pool, error_target);

    e->file = lun_log_file_want(set, path);
    e->target.write = write_error;
    e->target.json = json;
    add_target(log, &e->target, level);
}


typedef struct {
    lun_log_target   target;
    lun_syslog      *syslog;
} syslog_target;


static void
write_syslog(lun_log_target *t, lun_log_level level, const char *line,
    size_t len)
{
    syslog_target  *s = lun_container_of(t, syslog_target, target);

    len -= len != 0 && line[len - 1] == '\n';
    lun_syslog_send_error(s->syslog, level, line, len);
}


void
lun_error_log_add_syslog(lun_pool *pool, lun_log *log, lun_syslog *server,
    lun_log_level level, bool json)
{
    syslog_target  *s = lun_pool_new(pool, syslog_target);

    s->syslog = server;
    s->target.write = write_syslog;
    s->target.json = json;
    add_target(log, &s->target, level);
}


static const lun_log_file *
first_file(const lun_log *log)
{
    const lun_log_target  *t;

    for (t = log->targets; t != NULL; t = t->next) {
        if (t->write == write_error) {
            return lun_container_of(t, const error_target, target)->file;
        }
    }

    return NULL;
}


lun_fd
lun_error_log_fd(const lun_log *log)
{
    const lun_log_file  *f = first_file(log);

    return f != NULL ? f->fd : LUN_FD_NONE;
}


lun_str
lun_error_log_path(const lun_log *log)
{
    const lun_log_file  *f = first_file(log);

    return f != NULL ? f->path : LUN_STR("");
}
