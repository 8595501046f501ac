/*
 * port_pipe.c -- pipes to programs as streams of the port.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/port_priv.h"

#include "windows/proc_priv.h"


enum { MOST = 256 * 1024 };        /* bytes per operation */


/* The other side of a pipe has gone: the end of what is read. */
static lun_err
meaning_of(const lun_op *op, DWORD err)
{
    return op->kind == OP_READ && err == ERROR_BROKEN_PIPE ? 0 : (lun_err) err;
}


/* An operation comes back from the kernel. */
static void
on_pipe(lun_port *port, void *what, uint32_t bytes)
{
    DWORD        n;
    win_op      *os = lun_container_of(what, win_op, ov);
    lun_op      *op = lun_container_of(os, lun_op, os);
    lun_err      err = 0;
    lun_stream  *s = op->stream;

    os->pending = false;

    if (s->fd != LUN_FD_NONE
        && !GetOverlappedResult((HANDLE) s->fd, &os->ov, &n, FALSE))
    {
        err = meaning_of(op, GetLastError());
    }

    lun_port_finish(port, op, err, bytes);
}


/* Every operation of it sends a packet: none is done at once. */
lun_err
lun_port_attach_pipe(lun_port *port, lun_stream *s, lun_fd fd)
{
    lun_err  err = lun_port_bind(port, (HANDLE) fd, on_pipe);

    if (err != 0) {
        return err;
    }

    s->fd = fd;
    s->port = port;
    s->datagram = 0;
    s->attached = 1;
    s->pipe = 1;
    lun_port_init_op(s, &s->in, false);
    lun_port_init_op(s, &s->out, false);
    return 0;
}


/* The operation is with the kernel, or has failed. */
static void
complete(lun_op *op, BOOL done)
{
    DWORD  err = done ? ERROR_IO_PENDING : GetLastError();

    if (err == ERROR_IO_PENDING) {
        lun_port_os_of(op)->pending = true;

    } else {
        lun_port_finish(op->stream->port, op, meaning_of(op, err), 0);
    }
}


void
lun_port_pipe_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done)
{
    win_op  *os = lun_port_start(s, &s->in, OP_READ, done);

    complete(&s->in, ReadFile((HANDLE) s->fd, buf,
                            (DWORD) lun_min(size, (size_t) MOST), NULL,
                            &os->ov));
}


void
lun_port_pipe_write(lun_stream *s, const lun_slice *slice, lun_op_fn *done)
{
    win_op  *os = lun_port_start(s, &s->out, OP_WRITE, done);

    complete(&s->out, WriteFile((HANDLE) s->fd, slice->data,
                              (DWORD) lun_min(slice->len, (size_t) MOST),
                              NULL, &os->ov));
}
