/*
 * pipe.c -- programs with pipes to us.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/proc.h"


enum { STD_IN, STD_OUT, STD_ERR, ENDS };


static void
close_all(lun_fd *fds)
{
    int  i;

    for (i = 0; i < ENDS; i++) {
        if (fds[i] != LUN_FD_NONE) {
            (void) close((int) fds[i]);
            fds[i] = LUN_FD_NONE;
        }
    }
}


/* Ours does not block; the program's does, as it expects. */
static lun_err
make(lun_fd *from, lun_fd *to, lun_fd *ours)
{
    int  fds[2];

    if (pipe2(fds, O_CLOEXEC) == -1) {
        return errno;
    }

    *from = fds[0];
    *to = fds[1];
    return fcntl((int) *ours, F_SETFL, O_NONBLOCK) == -1 ? errno : 0;
}


lun_err
lun_proc_run_piped(const lun_proc_command *command, bool merge,
    lun_proc *proc, lun_fd *ours)
{
    int               i;
    lun_err           err;
    lun_fd            theirs[ENDS], given[ENDS];
    lun_proc_command  piped = *command;

    for (i = 0; i < ENDS; i++) {
        ours[i] = theirs[i] = LUN_FD_NONE;
    }

    err = make(&theirs[STD_IN], &ours[STD_IN], &ours[STD_IN]);

    if (err == 0) {
        err = make(&ours[STD_OUT], &theirs[STD_OUT], &ours[STD_OUT]);
    }

    if (err == 0 && !merge) {
        err = make(&ours[STD_ERR], &theirs[STD_ERR], &ours[STD_ERR]);
    }

    if (err == 0) {
        given[STD_IN] = theirs[STD_IN];
        given[STD_OUT] = theirs[STD_OUT];
        given[STD_ERR] = merge ? theirs[STD_OUT] : theirs[STD_ERR];
        piped.standard = given;
        err = lun_proc_run(&piped, proc);
    }

    close_all(theirs);

    if (err != 0) {
        close_all(ours);
    }

    return err;
}
