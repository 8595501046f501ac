/*
 * lock_file.c -- a file that says whose something is.
 *
 * It is locked, and its name goes before the lock does: who gets the lock of a
 * file that has no name any more looks again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>


enum { TRIES = 100 };


static bool
is_named(int fd, const char *path)
{
    struct stat  open_one, named;

    return fstat(fd, &open_one) == 0 && lstat(path, &named) == 0
           && open_one.st_ino == named.st_ino
           && open_one.st_dev == named.st_dev;
}


/*
 * Between the open and the lock its owner may have removed the file: a lock on
 * what has no name is none.
 */
lun_err
lun_lock_file_take(const char *path, lun_fd *lock)
{
    int      fd, i;
    lun_err  err;

    for (i = 0; i < TRIES; i++) {
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

        if (fd == -1) {
            return errno;
        }

        if (flock(fd, LOCK_EX | LOCK_NB) == -1) {
            err = errno == EWOULDBLOCK ? EBUSY : errno;
            (void) close(fd);
            return err;
        }

        if (is_named(fd, path)) {
            *lock = fd;
            return 0;
        }

        (void) close(fd);
    }

    return EBUSY;
}


void
lun_lock_file_drop(const char *path, lun_fd lock)
{
    (void) unlink(path);
    (void) close((int) lock);
}
