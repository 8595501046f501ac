/*
 * piped.c -- programs with pipes to us, of what either side has: pipes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/file.h"
#include "os/proc.h"


enum { STD_IN, STD_OUT, STD_ERR, ENDS };


static void
close_all(lun_fd *fds)
{
    int  i;

    for (i = 0; i < ENDS; i++) {
        if (fds[i] != LUN_FD_NONE) {
            lun_file_close(fds[i]);
            fds[i] = LUN_FD_NONE;
        }
    }
}


/*
 * Theirs are closed here in any case: as long as we had one, its end would
 * never be told.
 */
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

    err = lun_proc_pipe(&ours[STD_IN], &theirs[STD_IN], false);

    if (err == 0) {
        err = lun_proc_pipe(&ours[STD_OUT], &theirs[STD_OUT], true);
    }

    if (err == 0 && !merge) {
        err = lun_proc_pipe(&ours[STD_ERR], &theirs[STD_ERR], true);
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
