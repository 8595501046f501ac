/*
 * port_priv.h -- what port.c, stream.c, accept.c, datagram.c, watch.c and
 * proc.c need of each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POSIX_PORT_PRIV_H
#define LUN_POSIX_PORT_PRIV_H

#include <poll.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#include "os/datagram.h"
#include "os/port.h"
#include "os/watch.h"

enum { LUN_PORT_EVENTS = 512 };    /* of one epoll_wait() */

/*
 * The low bits of an event's word say what it is for; the rest is a pointer,
 * but for a stream, see lun_stream_word().
 */
enum {
    LUN_OF_STREAM   = 0,
    LUN_OF_ACCEPTOR = 1,
    LUN_OF_WAKE     = 2,
    LUN_OF_WATCH    = 3,
    LUN_OF_RECEIVER = 4,
    LUN_OF_MASK     = 7
};

enum {
    LUN_OP_READ,
    LUN_OP_WRITE,
    LUN_OP_FILE,
    LUN_OP_CONNECT,
    LUN_OP_SETTLED,                /* err and result are known already */
    LUN_OP_CANCELLED
};

/*
 * epoll goes on about a socket that is closed here for as long as another
 * process has it too: a program that was just started has all of ours, until
 * its exec() has closed them.  So an event of a stream names its descriptor
 * and how many streams had that one before, never its memory.
 */
typedef struct {
    lun_stream  *stream;           /* NULL: closed */
    uint32_t     age;
    bool         polled;           /* not epoll's: see lun_port_use_poll() */
} lun_port_slot;

typedef struct lun_receive_room  lun_receive_room;

struct lun_port {
    int                  fd;
    int                  wake;     /* eventfd */
    long                 gave_way; /* accept.c: the tick, nanoseconds */
    lun_op              *ready;
    lun_op             **ready_tail;

    lun_port_slot       *slots;    /* by descriptor */
    size_t               slot_room;

    bool                 use_poll;
    struct pollfd       *polled;   /* of one poll(): epoll's, then streams */
    size_t               polled_room;
    size_t               poll_next;  /* the descriptor to begin with */

    lun_receive_room    *receive_room;  /* datagram.c: NULL until needed */

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
lun_op_complete(lun_port *port, lun_op *op, lun_err err)
{
    op->kind = LUN_OP_SETTLED;
    op->err = err;
    op->result = 0;
    lun_op_queue(port, op);
}


/* The system call of an operation; answers it, or leaves it waiting. */
void lun_op_perform(lun_op *op);

/* A stream's event: the kind, then the descriptor, then its slot's age. */
static inline uint64_t
lun_stream_word(const lun_port *port, lun_fd fd)
{
    return (uint64_t) port->slots[fd].age << 32 | (uint64_t) fd << 3
           | LUN_OF_STREAM;
}


/* The word is of a stream: which one that is now; NULL: of none any more. */
static inline lun_stream *
lun_stream_of(const lun_port *port, uint64_t word)
{
    size_t  fd = (uint32_t) word >> 3;

    return fd < port->slot_room && port->slots[fd].age == word >> 32
           ? port->slots[fd].stream : NULL;
}


void lun_stream_event(lun_port *port, lun_stream *s, uint32_t events);
void lun_acceptor_event(lun_port *port, lun_acceptor *a);
void lun_receiver_event(lun_port *port, lun_receiver *r);
void lun_watch_event(lun_watch *w);

/*
 * Strikes out what the batch still holds under that word, and makes whoever
 * handles an event of `who` stop: its memory may go then.
 */
void lun_port_strike(lun_port *port, void *who, uint64_t word);

/*
 * In a forked child: closes its copies of the parent's descriptors.  The
 * memory stays: the child may be deep inside the parent's lun_port_wait().
 */
void lun_port_abandon(lun_port *port);

/* proc.c: the port ends; no signal may be told to it any more. */
void lun_proc_deafen(lun_port *port);

#endif
