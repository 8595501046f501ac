/*
 * links.c -- a path walked folder by folder.
 *
 * Each is opened below the one before, so that nobody can put a link into a
 * part of the way that has been looked at.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/links.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/posix/file_priv.h"


enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

typedef struct {
    lun_links  links;
    int        at;                 /* the folder that was reached */
} walk;


/*
 * Whether what `name` is has the owner of what opened.  If it is no link now
 * it may have been one before: so that is asked of everything.
 */
static bool
same_owner(int at, const char *name, int fd)
{
    struct stat  is, opened;

    return fstatat(at, name, &is, AT_SYMLINK_NOFOLLOW) == 0
           && fstat(fd, &opened) == 0 && is.st_uid == opened.st_uid;
}


static lun_err
open_below(const walk *w, const char *name, int how, mode_t access, int *fd)
{
    bool  ask = w->links == LUN_LINKS_OWNER && (how & O_CREAT) == 0;

    do {
        *fd = openat(w->at, name, how | (ask ? 0 : O_NOFOLLOW), access);
    } while (*fd == -1 && errno == EINTR);

    if (*fd == -1) {
        return errno;
    }

    if (!ask || same_owner(w->at, name, *fd)) {
        return 0;
    }

    (void) close(*fd);
    *fd = -1;

    return ELOOP;
}


static void
leave(walk *w)
{
    if (w->at != AT_FDCWD) {
        (void) close(w->at);
    }
}


/* Through all but the last name of `rest`, which it returns. */
static lun_err
enter(walk *w, char *rest, char **last)
{
    int      fd;
    char    *end;
    lun_err  err;

    for ( ;; ) {
        while (*rest == '/') {
            rest++;
        }

        end = strchr(rest, '/');

        if (end == NULL) {
            *last = rest;
            return 0;
        }

        *end = '\0';
        err = open_below(w, rest, FOLDER, 0, &fd);

        if (err != 0) {
            return err;
        }

        leave(w);
        w->at = fd;
        rest = end + 1;
    }
}


/*
 * disable_symlinks: each part is opened relative to the folder before it, and
 * what is open is what is judged: nothing can be changed between the look and
 * the use.
 */
lun_err
lun_links_open(const lun_native_path *native, const char *path, size_t from,
    lun_links links, unsigned flags, unsigned access, lun_fd *fd)
{
    int      how = lun_file_open_flags(flags), n = -1;
    char     way[PATH_MAX], *last;
    walk     w = { .links = links, .at = AT_FDCWD };
    size_t   len = strlen(path);
    lun_err  err;

    *fd = LUN_FD_NONE;

    if (len >= sizeof(way)) {
        return ENAMETOOLONG;
    }

    memcpy(way, path, len + 1);

    if (from != 0 || way[0] == '/') {
        way[from] = '\0';
        w.at = open(from == 0 ? "/" : way, FOLDER);

        if (w.at == -1) {
            return errno;
        }

        way[from] = '/';
    }

    err = enter(&w, way + from, &last);

    if (err == 0) {
        err = *last != '\0'
              ? open_below(&w, last, how, (mode_t) access, &n)
              : open_below(&w, ".", how, (mode_t) access, &n);
        *fd = n;
    }

    leave(&w);
    return err;
}
