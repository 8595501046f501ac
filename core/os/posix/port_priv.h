/*
 * port_priv.h -- what port.c, stream.c, accept.c, watch.c and proc.c need of
 * each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POSIX_PORT_PRIV_H
#define LUN_POSIX_PORT_PRIV_H

#include <stdatomic.h>
#include <sys/epoll.h>

#include "os/port.h"
#include "os/watch.h"

enum { LUN_PORT_EVENTS = 512 };    /* of one epoll_wait() */

/* The low bits of an event's pointer say what it points to. */
enum {
    LUN_OF_STREAM   = 0,
    LUN_OF_ACCEPTOR = 1,
    LUN_OF_WAKE     = 2,
    LUN_OF_WATCH    = 3,
    LUN_OF_MASK     = 3
};

enum {
    LUN_OP_READ,
    LUN_OP_WRITE,
    LUN_OP_FILE,
    LUN_OP_CONNECT,
    LUN_OP_SETTLED,                /* err and result are known already */
    LUN_OP_CANCELLED
};

struct lun_port {
    int                  fd;
    int                  wake;     /* eventfd */
    long                 gave_way; /* accept.c: the tick, nanoseconds */
    lun_op              *ready;
    lun_op             **ready_tail;

    void                *current;  /* whose event is handled; NULL: closed */
    int                  at, n;    /* the batch: events[at] is handled */

    lun_port_counters    count;
    _Atomic(lun_op *)    remote;   /* posted by others, the last first */
    struct epoll_event   events[LUN_PORT_EVENTS];
};


static inline void
lun_op_queue(lun_port *port, lun_op *op)
{
    op->next = NULL;
    *port->ready_tail = op;
    port->ready_tail = &op->next;
}


static inline void
lun_op_finish(lun_op *op, lun_err err, int64_t result)
{
    op->busy = false;
    op->err = err;
    op->result = result;
    op->done(op);
}


/* Answers an operation from the next wait, with what is known already. */
static inline void
lun_op_settle(lun_port *port, lun_op *op, lun_err err)
{
    op->kind = LUN_OP_SETTLED;
    op->err = err;
    op->result = 0;
    lun_op_queue(port, op);
}


/* The system call of an operation; answers it, or leaves it waiting. */
void lun_op_perform(lun_op *op);

void lun_stream_event(lun_port *port, lun_stream *s, uint32_t events);
void lun_acceptor_event(lun_port *port, lun_acceptor *a);
void lun_watch_event(lun_watch *w);

/*
 * Its memory may go after this: strikes out what the batch still holds for
 * it, and makes whoever handles an event of it stop.
 */
void lun_port_strike(lun_port *port, void *who, unsigned of);

/*
 * In a forked child: closes its copies of the parent's descriptors.  The
 * memory stays: the child may be deep inside the parent's lun_port_wait().
 */
void lun_port_abandon(lun_port *port);

/* proc.c: the port ends; no signal may be told to it any more. */
void lun_proc_deafen(lun_port *port);

#endif
