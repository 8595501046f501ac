/*
 * port_priv.h -- what the files of the port share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WINDOWS_PORT_PRIV_H
#define LUN_WINDOWS_PORT_PRIV_H

#include "os/port.h"

#include "windows/win.h"

typedef enum {
    OP_POST,
    OP_READ,
    OP_WRITE,
    OP_FILE,
    OP_CONNECT
} op_kind;

typedef struct file_buffer  file_buffer;

/* lun_op.os: what the kernel writes to, and where to find the operation. */
typedef struct {
    OVERLAPPED    ov;
    file_buffer  *buffer;
    uint32_t      room;            /* of a read */
    bool          pending;         /* a packet will come */
    bool          silent;          /* none comes after success at once */
} __attribute__((may_alias)) win_op;

_Static_assert(sizeof(win_op) <= sizeof(((lun_op *) NULL)->os),
               "an operation has no room for its OVERLAPPED");

static inline win_op *
lun_port_os_of(lun_op *op)
{
    return (win_op *) &op->os;
}

/* An operation that is not begun; `silent`: as win_op has it. */
void lun_port_init_op(lun_stream *s, lun_op *op, bool silent);

/* It begins. */
win_op *lun_port_start(lun_stream *s, lun_op *op, op_kind kind,
    lun_op_fn *done);

/* `done` will be called, from lun_port_wait(). */
void lun_port_finish(lun_port *port, lun_op *op, lun_err err, int64_t result);

/* After the call: the kernel has it, or it is ready, or it has failed. */
void lun_port_complete(lun_op *op, lun_err err, DWORD bytes);

/* port_pipe.c: lun_port_read() and lun_port_write() of a pipe. */
void lun_port_pipe_read(lun_stream *s, void *buf, size_t size,
    lun_op_fn *done);
void lun_port_pipe_write(lun_stream *s, const lun_slice *slice,
    lun_op_fn *done);

#endif
