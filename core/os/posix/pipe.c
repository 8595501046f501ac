/*
 * pipe.c -- pipes to programs.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/proc.h"


/* Ours does not block; the program's does, as it expects. */
lun_err
lun_proc_pipe(lun_fd *ours, lun_fd *theirs, bool we_read)
{
    int  fds[2];

    if (pipe2(fds, O_CLOEXEC) == -1) {
        return errno;
    }

    *ours = fds[we_read ? 0 : 1];
    *theirs = fds[we_read ? 1 : 0];
    return fcntl((int) *ours, F_SETFL, O_NONBLOCK) == -1 ? errno : 0;
}
