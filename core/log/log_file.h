/*
 * log_file.h -- the log files of a generation: one per path, opened together,
 * written by appending, and opened anew when they were moved away.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_FILE_H
#define LUN_LOG_FILE_H

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "os/file.h"
#include "os/user.h"

typedef struct lun_log_file      lun_log_file;
typedef struct lun_log_rotation  lun_log_rotation;
typedef struct lun_syslog        lun_syslog;

/* Zeroed, with `pool` set; its files live as long as that. */
typedef struct {
    lun_pool   *pool;
    lun_array   files;             /* of lun_log_file * */
    lun_hash    names;             /* the same by path */

    /* Whose they are, when root opens them for others; or NULL. */
    const lun_user  *user;
} lun_log_set;

/*
 * A log file, opened for appending, shared by all who name the same path, and
 * opened anew by `reopen`.  Path absolute, or "stderr".  Not opened before
 * lun_log_files_open().  What root opens is given to the set's user, who will
 * open it anew (os/privileged.h).
 */
struct lun_log_file {
    const lun_log_set  *set;
    lun_str   path;
    lun_fd    fd;
    char     *buf;                 /* access_log buffer=, or NULL */
    size_t    buf_size;
    size_t    buf_used;
    int       gzip;                /* 1 ... 9: each write is a gzip member */
    int64_t   complained;          /* s: when a write last failed aloud */

    lun_log_rotation  *rotation;   /* NULL: it grows as it likes */
};

/* The file of that path, made (not opened) when the set has none. */
lun_log_file *lun_log_file_want(lun_log_set *set, lun_str path);

/* The set's file number i < set->files.count. */
static inline lun_log_file *
lun_log_file_at(const lun_log_set *set, size_t i)
{
    return *(lun_log_file **) lun_array_at(&set->files, i);
}

/* Opens those that are not open yet; ERROR: [emerg] is logged. */
lun_rc lun_log_files_open(lun_log_set *set);

/* Flushes and opens all anew; what cannot be opened keeps its old file. */
void lun_log_files_reopen(lun_log_set *set);
void lun_log_files_close(lun_log_set *set);

/* One of them, opened anew: as above, ERROR: logged. */
lun_rc lun_log_file_reopen(lun_log_file *f);

/*
 * Through the buffer, if there is one.  What could not be written is lost,
 * and the error log says so once in a minute.
 */
void lun_log_file_write(lun_log_file *f, const char *data, size_t len);
void lun_log_file_flush(lun_log_file *f);

/*
 * Adds a file, or a syslog server, to what a log writes to, from `level` on;
 * lines that come before the file is open are lost to it.  `json`: they are
 * objects.
 */
void lun_error_log_add_file(lun_log_set *set, lun_log *log, lun_str path,
    lun_log_level level, bool json);
void lun_error_log_add_syslog(lun_pool *pool, lun_log *log, lun_syslog *s,
    lun_log_level level, bool json);

/* The first file that the log writes to, or LUN_FD_NONE; its path, or "". */
lun_fd lun_error_log_fd(const lun_log *log);
lun_str lun_error_log_path(const lun_log *log);

#endif
