/*
 * knock.c -- a pipe whose end for writing workers have from their master.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/knock.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"


static struct {
    lun_port      *port;
    lun_knock_fn  *heard;
    lun_stream     stream;
    lun_fd         to;
    char           bytes[64];
} door = { .to = LUN_FD_NONE };


static void
on_knock(lun_op *op)
{
    if (door.port == NULL || op->err != 0 || op->result <= 0) {
        return;
    }

    lun_port_read(&door.stream, door.bytes, sizeof(door.bytes), on_knock);
    door.heard();
}


lun_err
lun_knock_open(lun_port *port, lun_knock_fn *heard)
{
    lun_fd   from;
    lun_err  err;

    if (door.port == port) {
        return 0;
    }

    err = lun_proc_pipe(&from, &door.to, true);

    if (err != 0) {
        return err;
    }

    /* A master that does not come to look keeps nobody waiting. */
    (void) fcntl((int) door.to, F_SETFL, O_NONBLOCK);
    err = lun_port_attach_pipe(port, &door.stream, from);

    if (err != 0) {
        lun_file_close(from);
        lun_file_close(door.to);
        door.to = LUN_FD_NONE;
        return err;
    }

    door.port = port;
    door.heard = heard;
    lun_port_read(&door.stream, door.bytes, sizeof(door.bytes), on_knock);

    return 0;
}


/* The read that is under way completes, and is not told of. */
void
lun_knock_close(void)
{
    if (door.port != NULL) {
        lun_port_close(&door.stream);
        lun_file_close(door.to);
        door.to = LUN_FD_NONE;
        door.port = NULL;
    }
}


void
lun_knock(void)
{
    if (door.to != LUN_FD_NONE) {
        (void) !write((int) door.to, "", 1);
    }
}
