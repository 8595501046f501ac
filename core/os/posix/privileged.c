/*
 * privileged.c -- a path walked for root.
 *
 * Each name is opened below the folder before it, so what was looked at can't
 * be exchanged.  Links of root's are read and walked in turn, as long as only
 * root could have put them there; one folder on the way that others may write
 * is enough for whatever is below it.  A sticky one (/tmp) leaves to root what
 * is root's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/privileged.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fmt.h"
#include "os/dir.h"
#include "os/posix/file_priv.h"


enum {
    FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    LINKS  = 40,                   /* as the kernel's own limit */
    TRIES  = 100                   /* of a name that comes and goes */
};

typedef struct {
    int          at;               /* the folder that was reached */
    struct stat  is;
    bool         loose;            /* it, or one before: others may write */
    unsigned     links;            /* that were followed */
    bool         make;             /* folders that are missing */
    bool         follow;           /* the last name, too */
    char         rest[PATH_MAX];   /* of the way; at its end the last name */
} walk;


/* Whether somebody other than root decides what `name` in it is. */
static bool
is_open_to_others(const struct stat *folder, const struct stat *name)
{
    if (folder->st_uid != 0) {
        return true;
    }

    return (folder->st_mode & (S_IWGRP | S_IWOTH)) != 0
           && ((folder->st_mode & S_ISVTX) == 0 || name->st_uid != 0);
}


static lun_err
reach(walk *w, int fd)
{
    if (fd == -1) {
        return errno;
    }

    if (w->at != -1) {
        (void) close(w->at);
    }

    w->at = fd;
    return fstat(fd, &w->is) == -1 ? errno : 0;
}


/* Where a link leads, in front of what is left of the way. */
static lun_err
take_link(walk *w, const struct stat *is, const char *name,
    const char *behind)
{
    int      n;
    char     way[PATH_MAX] = "";
    ssize_t  len;

    /* One of somebody's in root's folder: that was his before. */
    if (w->loose || is->st_uid != 0 || ++w->links > LINKS) {
        return ELOOP;
    }

    len = readlinkat(w->at, name, way, sizeof(way));

    if (len == -1) {
        return errno;
    }

    n = *behind != '\0';

    if ((size_t) len + (size_t) n + strlen(behind) >= sizeof(way)) {
        return ENAMETOOLONG;
    }

    way[len] = '/';
    strcpy(way + len + n, behind);
    memcpy(w->rest, way, strlen(way) + 1);

    return w->rest[0] == '/' ? reach(w, open("/", FOLDER)) : 0;
}


/* What /proc shows as links are files that no path leads to. */
static bool
is_in_proc(int fd)
{
    struct statfs  fs;

    return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}


static lun_err
enter_folder(walk *w, const char *name)
{
    int  fd = openat(w->at, name, FOLDER);

    if (fd == -1 && errno == ENOENT && w->make) {
        if (mkdirat(w->at, name, 0755) == -1 && errno != EEXIST) {
            return errno;
        }

        fd = openat(w->at, name, FOLDER);
    }

    return reach(w, fd);
}


/*
 * One name further; at the last one *last is set: w->at is its folder, w->rest
 * the name, and *is what it is now, if it is there (st_mode 0: it is not).
 */
static lun_err
step(walk *w, struct stat *is, bool *last)
{
    char     name[NAME_MAX + 1] = "", behind[PATH_MAX] = "", *p = w->rest;
    size_t   len;

    p += strspn(p, "/");
    len = strcspn(p, "/");

    if (len > NAME_MAX) {
        return ENAMETOOLONG;
    }

    memcpy(name, p, len);
    p += len;
    p += strspn(p, "/");
    memcpy(behind, p, strlen(p) + 1);
    *last = *p == '\0';

    /* What is not there may be made by whoever may write. */
    memset(is, 0, sizeof(*is));
    is->st_uid = (uid_t) -1;

    if (len != 0 && fstatat(w->at, name, is, AT_SYMLINK_NOFOLLOW) == -1
        && errno != ENOENT)
    {
        return errno;
    }

    w->loose = w->loose || is_open_to_others(&w->is, is);

    if (S_ISLNK(is->st_mode) && (!*last || w->follow)) {
        if (!*last || w->loose || !is_in_proc(w->at)) {
            *last = false;
            return take_link(w, is, name, behind);
        }
    }

    memmove(w->rest, *last ? name : behind,
            (*last ? len : strlen(behind)) + 1);

    return *last || len == 0 ? 0 : enter_folder(w, name);
}


/* To the folder of the last name.  The caller closes w->at. */
static lun_err
walk_to(walk *w, const char *path, struct stat *is)
{
    bool     last = false;
    size_t   len = strlen(path);
    lun_err  err;

    w->at = -1;

    if (len >= sizeof(w->rest)) {
        return ENAMETOOLONG;
    }

    memcpy(w->rest, path, len + 1);
    err = reach(w, open(path[0] == '/' ? "/" : ".", FOLDER));

    while (err == 0 && !last) {
        err = step(w, is, &last);
    }

    return err != 0 ? err : w->rest[0] == '\0' ? ENOENT : 0;
}


static void
leave(const walk *w)
{
    if (w->at != -1) {
        (void) close(w->at);
    }
}


/* A folder with the set-group-ID bit says whose group its files are. */
static lun_err
give(const walk *w, int fd, const lun_user *user)
{
    gid_t  gid = w->is.st_mode & S_ISGID ? (gid_t) -1 : (gid_t) user->gid;

    return fchown(fd, (uid_t) user->uid, gid) == -1 ? errno : 0;
}


static bool
is_for(const lun_user *user)
{
    return user != NULL && user->uid >= 0;
}


/*
 * What was there before.  A device (/dev/null) or a terminal is nobody's
 * alone, and a file that we have as standard output is whose that is; a pipe
 * that we have so is opened again by workers.
 */
static lun_err
take_existing(const walk *w, int fd, bool proc, unsigned flags,
    const lun_user *user)
{
    lun_err      err = 0;
    struct stat  st;

    if (fstat(fd, &st) == -1) {
        return errno;
    }

    if (w->loose) {
        if (!S_ISREG(st.st_mode) || st.st_nlink != 1) {
            return ELOOP;
        }

    } else if (is_for(user) && st.st_uid != (uid_t) user->uid
               && st.st_nlink == 1
               && (proc ? S_ISFIFO(st.st_mode) : S_ISREG(st.st_mode)))
    {
        err = give(w, fd, user);
    }

    return err != 0 ? err
           : (flags & LUN_FILE_TRUNC) && ftruncate(fd, 0) == -1 ? errno : 0;
}


/* Nobody's FIFO keeps root waiting. */
static lun_err
open_existing(const walk *w, unsigned flags, const lun_user *user, int *fd)
{
    int      how = lun_file_open_flags(flags & ~(LUN_FILE_CREATE
                                                 | LUN_FILE_TRUNC));
    lun_err  err;
    bool     proc = !w->loose && is_in_proc(w->at);

    do {
        *fd = openat(w->at, w->rest, how | (proc ? 0 : O_NOFOLLOW)
                                     | (w->loose ? O_NONBLOCK : 0));
    } while (*fd == -1 && errno == EINTR);

    if (*fd == -1) {
        return errno == ENXIO ? ELOOP : errno;
    }

    err = take_existing(w, *fd, proc, flags, user);

    if (err == 0 && (how & O_NONBLOCK) == 0 && w->loose
        && fcntl(*fd, F_SETFL, how & O_APPEND) == -1)
    {
        err = errno;
    }

    if (err != 0) {
        (void) close(*fd);
        *fd = -1;
    }

    return err;
}


static lun_err
make_new(const walk *w, unsigned flags, unsigned access, const lun_user *user,
    int *fd)
{
    lun_err  err;

    *fd = openat(w->at, w->rest, lun_file_open_flags(flags) | O_EXCL
                                 | O_NOFOLLOW, (mode_t) access);

    if (*fd == -1) {
        return errno;
    }

    err = is_for(user) ? give(w, *fd, user) : 0;

    if (err != 0) {
        (void) close(*fd);
        *fd = -1;
    }

    return err;
}


/*
 * The name may come and go between two looks: whoever does that on purpose has
 * a few tries.
 */
static lun_err
open_last(const walk *w, unsigned flags, unsigned access,
    const lun_user *user, int *fd)
{
    int      i;
    lun_err  err = ENOENT;

    for (i = 0; i < TRIES; i++) {
        if (flags & LUN_FILE_CREATE) {
            err = make_new(w, flags, access, user, fd);

            if (err != EEXIST || (flags & LUN_FILE_EXCL)) {
                return err;
            }
        }

        err = open_existing(w, flags, user, fd);

        if (err != ENOENT || (flags & LUN_FILE_CREATE) == 0) {
            return err;
        }
    }

    return err;
}


lun_err
lun_privileged_open(const char *path, unsigned flags, unsigned access,
    const lun_user *user, lun_fd *fd)
{
    int          n = -1;
    walk         w = { .follow = true };
    lun_err      err;
    struct stat  is;

    if (!lun_user_is_root()) {
        return lun_file_open(path, flags, access, fd);
    }

    err = walk_to(&w, path, &is);

    if (err == 0) {
        err = open_last(&w, flags, access, user, &n);
    }

    leave(&w);
    *fd = n;
    return err;
}


/* --- folders --- */

/* Where everybody may write nobody needs to be given anything. */
static lun_err
give_folder(const walk *w, int fd, bool made, const lun_user *user)
{
    struct stat  st;

    if (!is_for(user)) {
        return 0;
    }

    if (fstat(fd, &st) == -1) {
        return errno;
    }

    if (st.st_uid == (uid_t) user->uid || (!made && st.st_mode & S_IWOTH)) {
        return 0;
    }

    /* What was just made is root's, unless it was exchanged since. */
    if (w->loose && !(made && st.st_uid == 0)) {
        return EACCES;
    }

    return give(w, fd, user);
}


lun_err
lun_privileged_make_folder(const char *path, unsigned access,
    const lun_user *user)
{
    int          fd;
    walk         w = { .make = true, .follow = true };
    bool         made;
    lun_err      err;
    struct stat  is;

    if (!lun_user_is_root()) {
        return lun_dir_make_all(path, access);
    }

    err = walk_to(&w, path, &is);

    if (err != 0) {
        goto done;
    }

    made = mkdirat(w.at, w.rest, (mode_t) access) == 0;

    /* Also for what is there but can't be made: EROFS. */
    if (!made && !S_ISDIR(is.st_mode)) {
        err = errno == EEXIST ? ENOTDIR : errno;
        goto done;
    }

    fd = openat(w.at, w.rest, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd == -1) {
        err = errno;
        goto done;
    }

    err = give_folder(&w, fd, made, user);
    (void) close(fd);

done:

    leave(&w);
    return err;
}


/* --- names --- */

lun_err
lun_privileged_rename(const char *from, const char *to)
{
    walk         w = { .at = -1 };
    lun_err      err;
    const char  *name = strrchr(to, '/');
    struct stat  is;

    name = name != NULL ? name + 1 : to;

    if (!lun_user_is_root()) {
        return lun_file_rename(from, to);
    }

    err = walk_to(&w, from, &is);

    if (err == 0 && renameat(w.at, w.rest, w.at, name) == -1) {
        err = errno;
    }

    leave(&w);
    return err;
}


lun_err
lun_privileged_delete(const char *path)
{
    walk         w = { .at = -1 };
    lun_err      err;
    struct stat  is;

    if (!lun_user_is_root()) {
        return lun_file_delete(path);
    }

    err = walk_to(&w, path, &is);

    if (err == 0 && unlinkat(w.at, w.rest, 0) == -1) {
        err = errno;
    }

    leave(&w);
    return err;
}


bool
lun_privileged_may_name(lun_fd fd, int64_t pid)
{
    char         path[40] = "";
    struct stat  file, process;

    if (!lun_user_is_root()) {
        return true;
    }

    if (fstat((int) fd, &file) == -1) {
        return false;
    }

    *lun_fmt(path, path + sizeof(path) - 1, "/proc/%" PRId64, pid) = '\0';

    return file.st_uid == 0
           || (stat(path, &process) == 0 && process.st_uid == file.st_uid);
}
