/*
 * file.c -- files on Linux.
 *
 * What is opened for reading only is opened non-blocking: a FIFO in a
 * document root must not stop the server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "os/dir.h"
#include "os/posix/file_priv.h"
#include "os/time.h"


enum { SLURP_STEP = 16384, TEMP_DIGITS = 10, TEMP_TRIES = 1000 };


/*
 * O_NONBLOCK where only reading is meant: the name may be a pipe's, whose open
 * would wait for a writer.
 */
int
lun_file_open_flags(unsigned flags)
{
    int  how;

    switch (flags & (LUN_FILE_READ | LUN_FILE_WRITE | LUN_FILE_APPEND)) {

    case 0:
    case LUN_FILE_READ:
        how = O_RDONLY | O_NONBLOCK;
        break;

    case LUN_FILE_WRITE:
    case LUN_FILE_APPEND:
    case LUN_FILE_WRITE | LUN_FILE_APPEND:
        how = O_WRONLY;
        break;

    default:
        how = O_RDWR;
        break;
    }

    return how | O_CLOEXEC | O_NOCTTY
           | (flags & LUN_FILE_APPEND ? O_APPEND : 0)
           | (flags & LUN_FILE_CREATE ? O_CREAT : 0)
           | (flags & LUN_FILE_TRUNC ? O_TRUNC : 0)
           | (flags & LUN_FILE_EXCL ? O_EXCL : 0);
}


/*
 * A temporary file has no name as soon as it is open: whatever happens to us,
 * it goes.
 */
lun_err
lun_file_open(const char *path, unsigned flags, unsigned access, lun_fd *fd)
{
    int  n;

    if (flags & LUN_FILE_SECRET) {
        access = 0600;
    }

    do {
        n = open(path, lun_file_open_flags(flags), (mode_t) access);
    } while (n == -1 && errno == EINTR);

    *fd = n;

    if (n == -1) {
        return errno;
    }

    if (flags & LUN_FILE_TEMP) {
        (void) unlink(path);
    }

    return 0;
}


lun_err
lun_file_open_under(const lun_native_path *native, const char *path,
    unsigned flags, unsigned access, lun_fd *fd)
{
    return lun_file_open(path, flags, access, fd);
}


void
lun_file_close(lun_fd fd)
{
    (void) close((int) fd);
}


void
lun_file_fill_info(const struct stat *st, lun_file_info *info)
{
    info->device = st->st_dev;
    info->id = st->st_ino;
    info->size = st->st_size;
    info->mtime = st->st_mtim.tv_sec;
    info->mtime_ns = (uint32_t) st->st_mtim.tv_nsec;
    info->is_file = S_ISREG(st->st_mode);
    info->is_dir = S_ISDIR(st->st_mode);
    info->is_exec = (st->st_mode & S_IXUSR) != 0;
}


lun_err
lun_file_info_of(lun_fd fd, lun_file_info *info)
{
    struct stat  st;

    if (fstat((int) fd, &st) == -1) {
        return errno;
    }

    lun_file_fill_info(&st, info);
    return 0;
}


lun_err
lun_file_stat(const char *path, lun_file_info *info)
{
    struct stat  st;

    if (stat(path, &st) == -1) {
        return errno;
    }

    lun_file_fill_info(&st, info);
    return 0;
}


lun_err
lun_file_stat_under(const lun_native_path *native, const char *path,
    lun_file_info *info)
{
    return lun_file_stat(path, info);
}


/*
 * EINVAL is how O_DIRECT answers to memory or a length that is not aligned (the
 * last part of a file): that is read by a block of its own.
 */
lun_err
lun_file_read(lun_fd fd, void *buf, size_t size, int64_t at, size_t *done)
{
    ssize_t  n;

    *done = 0;

    while (*done < size) {
        n = pread((int) fd, (char *) buf + *done, size - *done, at);

        if (n == -1 && errno == EINVAL) {
            n = lun_direct_read_block((int) fd, (char *) buf + *done,
                                      size - *done, at);
        }

        if (n == 0) {
            break;
        }

        if (n == -1) {
            if (errno == EINTR) {
                continue;
            }

            return errno;
        }

        *done += (size_t) n;
        at += n;
    }

    return 0;
}


/*
 * Linux appends to an O_APPEND file whatever the offset is; pipes and
 * terminals know no offsets.
 */
lun_err
lun_file_write(lun_fd fd, const void *buf, size_t size, int64_t at)
{
    ssize_t      n;
    const char  *p = buf;

    while (size) {
        n = at < 0 ? write((int) fd, p, size)
                   : pwrite((int) fd, p, size, at);

        if (n >= 0) {
            p += n;
            size -= (size_t) n;
            at += at < 0 ? 0 : n;
            continue;
        }

        if (errno == ESPIPE) {
            at = -1;

        } else if (errno != EINTR) {
            return errno;
        }
    }

    return 0;
}


lun_err
lun_file_set_mtime(lun_fd fd, int64_t mtime)
{
    struct timespec  times[2];

    times[0].tv_sec = (time_t) mtime;
    times[0].tv_nsec = 0;
    times[1] = times[0];

    return futimens(fd, times) == -1 ? errno : 0;
}


void
lun_file_access_of(lun_fd fd, lun_file_access *access)
{
    struct stat  st = { 0 };

    (void) fstat((int) fd, &st);
    access->mode = S_ISREG(st.st_mode) ? st.st_mode & 0666 : 0;
    access->group = st.st_gid;
}


void
lun_file_set_access(lun_fd fd, const lun_file_access *access)
{
    if (access->mode != 0 && lun_file_on_disk(fd)) {
        (void) fchmod((int) fd, (mode_t) access->mode);

        if (fchown((int) fd, (uid_t) -1, (gid_t) access->group) == -1) {
            return;                /* a group that we are not in */
        }
    }
}


lun_fd
lun_file_stderr(void)
{
    return STDERR_FILENO;
}


static lun_err
slurp(int fd, char **data, size_t *size)
{
    char         *p, *grown;
    size_t        room, len;
    ssize_t       n;
    lun_err       err;
    struct stat   st;

    if (fstat(fd, &st) == -1) {
        return errno;
    }

    p = NULL;
    len = 0;
    room = st.st_size > 0 ? (size_t) st.st_size + 1 : 0;

    /* The size is a hint only: /proc says 0, a log grows. */
    for ( ;; ) {
        if (p == NULL || len == room) {
            room = p || room == 0 ? room + SLURP_STEP : room;
            grown = realloc(p, room + 1);

            if (grown == NULL) {
                err = ENOMEM;
                break;
            }

            p = grown;
        }

        n = read(fd, p + len, room - len);

        if (n == 0) {
            p[len] = '\0';
            *data = p;
            *size = len;
            return 0;
        }

        if (n > 0) {
            len += (size_t) n;

        } else if (errno != EINTR) {
            err = errno;
            break;
        }
    }

    free(p);
    return err;
}


/* Blocking, unlike lun_file_open: people give us /dev/stdin and <(pipes). */
lun_err
lun_file_slurp(const char *path, char **data, size_t *size)
{
    int      fd;
    lun_err  err;

    *data = NULL;
    *size = 0;

    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd == -1) {
        return errno;
    }

    err = slurp(fd, data, size);
    (void) close(fd);

    return err;
}


lun_err
lun_file_slurp_fd(lun_fd fd, char **data, size_t *size)
{
    *data = NULL;
    *size = 0;

    return slurp((int) fd, data, size);
}


bool
lun_file_is_named(lun_fd fd, const char *path, size_t from)
{
    return true;
}


bool
lun_file_on_disk(lun_fd fd)
{
    struct stat  st;

    return fstat((int) fd, &st) == 0
           && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}


lun_err
lun_file_long_name(const char *path, char *out, size_t room)
{
    size_t  len = strlen(path);

    if (len >= room) {
        return ENAMETOOLONG;
    }

    memcpy(out, path, len + 1);
    return 0;
}


lun_err
lun_file_real_path(const char *path, char *out, size_t room)
{
    char     *real = realpath(path, NULL);
    size_t    len;
    lun_err   err = 0;

    if (real == NULL) {
        return errno;
    }

    len = strlen(real);

    if (len >= room) {
        err = ENAMETOOLONG;

    } else {
        memcpy(out, real, len + 1);
    }

    free(real);
    return err;
}


lun_err
lun_file_delete(const char *path)
{
    return unlink(path) == -1 ? errno : 0;
}


bool
lun_file_name_is_free(void)
{
    return true;
}


lun_err
lun_file_rename(const char *from, const char *to)
{
    return rename(from, to) == -1 ? errno : 0;
}


/* --- temporary files --- */

/* Workers are forks of one another: each begins somewhere else. */
static uint64_t
next_number(void)
{
    pid_t  pid;

    static _Atomic uint64_t  counter;
    static _Atomic pid_t     seeded;

    pid = getpid();

    if (atomic_load(&seeded) != pid) {
        atomic_store(&counter, (uint64_t) pid * 104729
                               + lun_time_monotonic_us() * 7919);
        atomic_store(&seeded, pid);
    }

    return atomic_fetch_add(&counter, 1) % 10000000000u;
}


/*
 * dir/3/12/0000000123 for the levels 1 2: folders are named by the last
 * digits.  Returns the end of the folder's name.
 */
static char *
temp_name(const char *dir, const int levels[3], char *path, size_t room)
{
    int          i;
    char         number[TEMP_DIGITS], *p, *end, *slash;
    size_t       len;
    const char  *last;

    p = path;
    end = path + room - 1;
    last = number + TEMP_DIGITS;
    lun_fmt_pad(number, next_number(), TEMP_DIGITS);

    len = strlen(dir);

    if (len + 4 * (TEMP_DIGITS + 1) >= (size_t) (end - p)) {
        return NULL;
    }

    p = lun_copy(p, dir, len);

    for (i = 0; levels && i < 3 && levels[i] > 0; i++) {
        if (last - number < levels[i]) {
            break;
        }

        last -= levels[i];
        *p++ = '/';
        p = lun_copy(p, last, (size_t) levels[i]);
    }

    slash = p;
    *p++ = '/';
    *lun_copy(p, number, TEMP_DIGITS) = '\0';

    return slash;
}


/*
 * The name is taken by creating it (O_EXCL): nobody can have put a link there
 * first.
 */
lun_err
lun_file_temp(const char *dir, const int levels[3], bool delete_on_close,
    char *path, size_t room, lun_fd *fd)
{
    int       tries;
    char     *slash;
    lun_err   err = EEXIST;
    unsigned  how = LUN_FILE_READ | LUN_FILE_WRITE | LUN_FILE_CREATE
                    | LUN_FILE_EXCL | (delete_on_close ? LUN_FILE_TEMP : 0);

    *fd = LUN_FD_NONE;

    for (tries = 0; tries < TEMP_TRIES && err == EEXIST; tries++) {
        slash = temp_name(dir, levels, path, room);
        if (slash == NULL) {
            return ENAMETOOLONG;
        }

        err = lun_file_open(path, how, 0600, fd);

        if (err == ENOENT) {
            *slash = '\0';
            err = lun_dir_make_all(path, 0700);
            *slash = '/';

            err = err ? err : lun_file_open(path, how, 0600, fd);
        }
    }

    return err;
}
