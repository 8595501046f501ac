/*
 * direct.c -- O_DIRECT, and advice.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/direct.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/posix/file_priv.h"


/* The largest that disks have; what comes in smaller ones is fine with it. */
enum { BLOCK = 4096, ROOM = 16 * BLOCK };


bool
lun_direct_is_there(void)
{
    return true;
}


lun_err
lun_direct_set(lun_fd fd)
{
    int  flags = fcntl((int) fd, F_GETFL);

    return flags == -1 || fcntl((int) fd, F_SETFL, flags | O_DIRECT) == -1
           ? errno : 0;
}


void
lun_direct_read_ahead(lun_fd fd)
{
    /* Where that fails nothing is lost. */
    (void) posix_fadvise((int) fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}


ssize_t
lun_direct_read_block(int fd, char *buf, size_t size, int64_t at)
{
    int      flags = fcntl(fd, F_GETFL);
    size_t   skip = (size_t) (at % BLOCK);
    ssize_t  n;

    static _Alignas(BLOCK) char  block[ROOM];

    if (flags == -1 || (flags & O_DIRECT) == 0) {
        errno = EINVAL;
        return -1;
    }

    n = pread(fd, block, ROOM, at - (int64_t) skip);

    if (n < 0 || n <= (ssize_t) skip) {
        return lun_min(n, 0);      /* an error, or the end of the file */
    }

    n = (ssize_t) lun_min((size_t) n - skip, size);
    memcpy(buf, block + skip, (size_t) n);

    return n;
}
