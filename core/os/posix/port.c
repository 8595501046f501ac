/*
 * port.c -- arrivals on top of epoll: the port and its batches.
 *
 * Streams (stream.c) and acceptors (accept.c) are registered once.  What they
 * can do at once waits in the ready list, behind the events of the batch.
 * With `use poll` streams are not registered: each wait is a poll() of them
 * and of epoll's descriptor, behind which everything else stays.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/port.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/pool.h"
#include "os/posix/port_priv.h"


_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR
               && POLLHUP == EPOLLHUP && POLLRDHUP == EPOLLRDHUP,
               "poll() and epoll call events by the same numbers");

/* A stream's, with a descriptor that there is not. */
static const uint64_t  nobody = UINT32_MAX - LUN_OF_MASK;


static void
on_sigpipe(int signo)
{
}


/*
 * sendfile() has no MSG_NOSIGNAL.  A handler that does nothing, unlike
 * SIG_IGN, is not inherited by the programs that Lua code starts.
 */
static void
disarm_sigpipe(void)
{
    struct sigaction  was, sa = { .sa_handler = on_sigpipe };

    sa.sa_flags = SA_RESTART;
    if (sigaction(SIGPIPE, NULL, &was) == 0 && was.sa_handler == SIG_DFL) {
        (void) sigaction(SIGPIPE, &sa, NULL);
    }
}


/*
 * Edge-triggered, with an eventfd for letters from other threads and processes.
 */
lun_port *
lun_port_new(lun_err *err)
{
    lun_port            *port;
    struct epoll_event   ev = { .events = EPOLLIN | EPOLLET };

    port = lun_calloc(sizeof(lun_port));
    port->ready_tail = &port->ready;
    port->wake = -1;

    port->fd = epoll_create1(EPOLL_CLOEXEC);
    if (port->fd == -1) {
        goto failed;
    }

    port->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (port->wake == -1) {
        goto failed;
    }

    ev.data.u64 = LUN_OF_WAKE;
    if (epoll_ctl(port->fd, EPOLL_CTL_ADD, port->wake, &ev) == -1) {
        goto failed;
    }

    disarm_sigpipe();

    return port;

failed:

    *err = errno;
    lun_port_free(port);
    return NULL;
}


void
lun_port_abandon(lun_port *port)
{
    if (port->wake != -1) {
        close(port->wake);
        port->wake = -1;
    }

    if (port->fd != -1) {
        close(port->fd);
        port->fd = -1;
    }
}


void
lun_port_free(lun_port *port)
{
    lun_proc_deafen(port);
    lun_port_abandon(port);
    lun_free(port->receive_room);
    lun_free(port->polled);
    lun_free(port->slots);
    lun_free(port);
}


const lun_port_counters *
lun_port_count(const lun_port *port)
{
    return &port->count;
}


/*
 * The eventfd is never read: each write to it is an edge of its own.
 */
static void
on_wake(lun_port *port)
{
    lun_op  *op, *next, *list;

    op = atomic_exchange(&port->remote, NULL);

    for (list = NULL; op; op = next) {
        next = op->next;
        op->next = list;
        list = op;
    }

    for (op = list; op; op = next) {
        next = op->next;
        lun_op_queue(port, op);
    }
}


/*
 * An event's word carries what kind of thing it is for, and of a stream its
 * slot: one that was closed in this same turn is not found any more.
 */
static void
dispatch(lun_port *port, struct epoll_event *ev)
{
    void        *to;
    uint64_t     word = ev->data.u64;
    lun_stream  *s;

    to = (void *) (uintptr_t) (word & ~(uint64_t) LUN_OF_MASK);

    switch (word & LUN_OF_MASK) {

    case LUN_OF_STREAM:
        s = lun_stream_of(port, word);

        if (LUN_LIKELY(s != NULL)) {
            lun_stream_event(port, s, ev->events);
        }
        return;

    case LUN_OF_ACCEPTOR:
        lun_acceptor_event(port, to);
        return;

    case LUN_OF_WAKE:
        on_wake(port);
        return;

    case LUN_OF_WATCH:
        lun_watch_event(to);
        return;

    case LUN_OF_RECEIVER:
        lun_receiver_event(port, to);
        return;
    }
}


/* --- poll() --- */

void
lun_port_use_poll(lun_port *port)
{
    port->use_poll = true;
}


/*
 * What a stream's bits do not say yet.  0: everything is known, and to ask
 * would be answered at once, again and again.
 */
static short
unknown_events(const lun_stream *s)
{
    int  events = 0;

    if (!s->readable) {
        events |= POLLIN | POLLRDHUP;

    } else if (!s->hung_up && !s->datagram) {
        events |= POLLRDHUP;
    }

    if (!s->writable) {
        events |= POLLOUT;
    }

    return (short) events;
}


/* Fills port->polled; returns how many. */
static size_t
list_polled(lun_port *port)
{
    short   events;
    size_t  i, fd, n = 1;

    if (port->polled_room < port->slot_room + 1) {
        port->polled_room = port->slot_room + 1;
        port->polled = lun_realloc(port->polled, port->polled_room
                                                 * sizeof(struct pollfd));
    }

    port->polled[0] = (struct pollfd) { .fd = port->fd, .events = POLLIN };

    for (i = 0; i < port->slot_room; i++) {
        fd = (port->poll_next + i) % port->slot_room;

        if (port->slots[fd].stream == NULL || !port->slots[fd].polled) {
            continue;
        }

        events = unknown_events(port->slots[fd].stream);

        if (events != 0) {
            port->polled[n++] = (struct pollfd) {
                .fd = (int) fd, .events = events
            };
        }
    }

    return n;
}


/*
 * The batch as epoll_wait() would have made it.  Streams that find no room in
 * it are the first of the next one.
 */
static int
wait_by_poll(lun_port *port, int timeout)
{
    int            n, rc;
    size_t         i, count;
    uint32_t       events;
    struct pollfd  *p;

    count = list_polled(port);
    rc = poll(port->polled, count, timeout);

    if (rc <= 0) {
        return rc;
    }

    n = 0;

    if (port->polled[0].revents != 0) {
        n = epoll_wait(port->fd, port->events, LUN_PORT_EVENTS / 2, 0);
        LUN_CHECK(n >= 0);
    }

    for (i = 1; i < count; i++) {
        p = &port->polled[i];

        if (p->revents == 0) {
            continue;
        }

        if (n == LUN_PORT_EVENTS) {
            port->poll_next = (size_t) p->fd;
            break;
        }

        events = (uint32_t) p->revents;

        /* A broken stream has ended: else it would be asked for ever. */
        if (events & EPOLLERR && !port->slots[p->fd].stream->datagram) {
            events |= EPOLLHUP;
        }

        port->events[n].events = events;
        port->events[n].data.u64 = lun_stream_word(port, p->fd);
        n++;
    }

    return n;
}


/* What is ready now; what becomes ready meanwhile is for the next wait. */
static void
run_ready(lun_port *port)
{
    lun_op  *op, *next;

    op = port->ready;
    port->ready = NULL;
    port->ready_tail = &port->ready;

    for (; op; op = next) {
        next = op->next;
        lun_op_perform(op);
    }
}


void
lun_port_wait(lun_port *port, lun_msec limit, void (*awake)(void))
{
    int  n, timeout;

    timeout = port->ready ? 0
              : limit == LUN_PORT_FOREVER ? -1
              : (int) lun_min(limit, (lun_msec) INT_MAX);

    port->count.waits++;
    n = LUN_UNLIKELY(port->use_poll) ? wait_by_poll(port, timeout)
        : epoll_wait(port->fd, port->events, LUN_PORT_EVENTS, timeout);

    /* EINTR counts as nothing: the caller looks at its timers again. */
    LUN_CHECK(n >= 0 || errno == EINTR);

    if (awake) {
        awake();
    }

    port->n = n;

    for (port->at = 0; port->at < port->n; port->at++) {
        dispatch(port, &port->events[port->at]);
    }

    port->n = 0;

    if (port->ready) {
        run_ready(port);
    }
}


void
lun_port_strike(lun_port *port, void *who, uint64_t word)
{
    int  i;

    if (port->current == who) {
        port->current = NULL;
    }

    for (i = port->at + 1; i < port->n; i++) {
        if (port->events[i].data.u64 == word) {
            port->events[i].data.u64 = nobody;
            return;
        }
    }
}


/* --- posting --- */

void
lun_port_post(lun_port *port, lun_op *op)
{
    op->busy = true;
    op->stream = NULL;
    lun_op_complete(port, op, 0);
}


/* Also called by signal handlers (proc.c): nothing here may lock. */
void
lun_port_post_remote(lun_port *port, lun_op *op)
{
    lun_op    *first;
    uint64_t   one = 1;

    op->busy = true;
    op->kind = LUN_OP_SETTLED;
    op->stream = NULL;
    op->err = 0;
    op->result = 0;

    first = atomic_load(&port->remote);

    do {
        op->next = first;
    } while (!atomic_compare_exchange_weak(&port->remote, &first, op));

    if (first == NULL) {
        (void) !write(port->wake, &one, sizeof(one));
    }
}
