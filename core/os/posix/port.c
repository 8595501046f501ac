/*
 * port.c -- arrivals on top of epoll.
 *
 * A stream is registered once, edge-triggered, for everything.  Two bits
 * remember what the edges said: `readable` and `writable` stay set until the
 * socket was seen to be empty or full.  An operation that finds its bit set
 * waits in the port's ready list, else for the edge; either way its system
 * call is made by lun_port_wait(), and answers it.  So:
 *
 *     in.busy  and readable  <=>  `in` is in the ready list
 *     out.busy and writable  <=>  `out` is in the ready list
 *
 * and a stream whose close made its operations CANCELLED has both set.
 *
 * A stream may be freed by any `done` once nothing is in flight.  Events of
 * it that this batch still holds are therefore struck out by close().
 * Descriptors are not taken out of epoll before close: each is this
 * process's alone (a forked worker has a port of its own).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/pool.h"
#include "os/port.h"
#include "os/posix/port_priv.h"
#include "os/posix/sockaddr.h"


enum {
    EVENTS       = 512,            /* of one epoll_wait() */
    WRITE_SLICES = 7,              /* pieces that an operation has room for */
    SENDFILE_MAX = 0x7ffff000      /* what the kernel takes at a time */
};

enum {
    CAN_READ  = EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR,
    CAN_WRITE = EPOLLOUT | EPOLLHUP | EPOLLERR
};

/* The low bits of an event's pointer say what it points to. */
enum {
    OF_STREAM   = 0,
    OF_ACCEPTOR = 1,
    OF_WAKE     = 2,
    OF_MASK     = 3
};

enum {
    OP_READ,
    OP_WRITE,
    OP_FILE,
    OP_CONNECT,
    OP_SETTLED,                    /* err and result are known already */
    OP_CANCELLED
};

/* What lun_op.os holds; the header knows nothing of these. */
typedef struct {
    void    *buf;
    size_t   size;
} __attribute__((may_alias)) read_op;

typedef struct {
    size_t        n;
    struct iovec  iov[WRITE_SLICES];
} __attribute__((may_alias)) write_op;

typedef struct {
    lun_fd   file;
    int64_t  at;
    size_t   size;
} __attribute__((may_alias)) file_op;

_Static_assert(sizeof(write_op) <= sizeof(((lun_op *) 0)->os),
               "an operation has room for its slices");

/* lun_slice is an iovec under a portable name. */
_Static_assert(sizeof(lun_slice) == sizeof(struct iovec)
               && offsetof(lun_slice, len) == offsetof(struct iovec, iov_len),
               "a slice is an iovec");

struct lun_port {
    int                  fd;
    int                  wake;     /* eventfd */
    lun_op              *ready;
    lun_op             **ready_tail;

    void                *current;  /* whose event is handled; NULL: closed */
    int                  at, n;    /* the batch: events[at] is handled */

    lun_port_counters    count;
    _Atomic(lun_op *)    remote;   /* posted by others, the last first */
    struct epoll_event   events[EVENTS];
};


static void
on_sigpipe(int signo)
{
    (void) signo;
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

    ev.data.u64 = OF_WAKE;
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
    lun_free(port);
}


const lun_port_counters *
lun_port_count(const lun_port *port)
{
    return &port->count;
}


/* --- the ready list --- */

static inline void
push_ready(lun_port *port, lun_op *op)
{
    op->next = NULL;
    *port->ready_tail = op;
    port->ready_tail = &op->next;
}


static inline void
finish(lun_op *op, lun_err err, int64_t result)
{
    op->busy = false;
    op->err = err;
    op->result = result;
    op->done(op);
}


/* Answers an operation from the next wait, with what is known already. */
static void
settle(lun_port *port, lun_op *op, lun_err err)
{
    op->kind = OP_SETTLED;
    op->err = err;
    op->result = 0;
    push_ready(port, op);
}


static inline void
start(lun_stream *s, lun_op *op, uint8_t kind, lun_op_fn *done)
{
    LUN_CHECK(!op->busy && s->attached);

    op->busy = true;
    op->kind = kind;
    op->stream = s;
    op->done = done;
}


/* --- performing --- */

static void
receive(lun_stream *s)
{
    ssize_t   n;
    lun_op   *op = &s->in;
    read_op  *want = (read_op *) &op->os;

    if (want->size == 0) {
        finish(op, 0, 0);
        return;
    }

    do {
        s->port->count.reads++;
        n = recv((int) s->fd, want->buf, want->size, 0);
    } while (n == -1 && errno == EINTR);

    if (LUN_LIKELY(n > 0)) {

        /* A short read has emptied it, unless its end is to be fetched. */
        if ((size_t) n < want->size && !s->hung_up && !s->datagram) {
            s->readable = 0;
        }

        finish(op, 0, n);
        return;
    }

    if (n == 0) {
        if (!s->datagram) {
            s->hung_up = 1;
        }

        finish(op, 0, 0);
        return;
    }

    if (errno == EAGAIN) {
        s->readable = 0;               /* stay: the edge will come */
        return;
    }

    finish(op, errno, 0);
}


static void
transmit(lun_stream *s)
{
    size_t     i, size;
    ssize_t    n;
    lun_op    *op = &s->out;
    write_op  *want = (write_op *) &op->os;

    struct msghdr  msg = { .msg_iov = want->iov, .msg_iovlen = want->n };

    do {
        s->port->count.sends++;
        n = sendmsg((int) s->fd, &msg, MSG_NOSIGNAL);
    } while (n == -1 && errno == EINTR);

    if (n == -1) {
        if (errno == EAGAIN) {
            s->writable = 0;
            return;
        }

        finish(op, errno, 0);
        return;
    }

    for (size = 0, i = 0; i < want->n; i++) {
        size += want->iov[i].iov_len;
    }

    if ((size_t) n < size) {
        s->writable = 0;
    }

    finish(op, 0, n);
}


/*
 * A short count may mean a full socket or a file that has shrunk: only EAGAIN
 * tells, so `writable` stays.
 */
static void
transmit_file(lun_stream *s)
{
    off_t     at;
    ssize_t   n;
    lun_op   *op = &s->out;
    file_op  *want = (file_op *) &op->os;

    at = want->at;

    do {
        s->port->count.sends++;
        n = sendfile((int) s->fd, (int) want->file, &at, want->size);
    } while (n == -1 && errno == EINTR);

    if (n == -1) {
        if (errno == EAGAIN) {
            s->writable = 0;
            return;
        }

        finish(op, errno, 0);
        return;
    }

    finish(op, 0, n);
}


static void
connected(lun_stream *s)
{
    int        err = 0;
    socklen_t  len = sizeof(err);

    s->port->count.others++;

    if (getsockopt((int) s->fd, SOL_SOCKET, SO_ERROR, &err, &len) == -1) {
        err = errno;
    }

    finish(&s->out, err, 0);
}


static void
perform(lun_op *op)
{
    switch (op->kind) {

    case OP_READ:
        receive(op->stream);
        return;

    case OP_WRITE:
        transmit(op->stream);
        return;

    case OP_FILE:
        transmit_file(op->stream);
        return;

    case OP_CONNECT:
        connected(op->stream);
        return;

    case OP_SETTLED:
        finish(op, op->err, op->result);
        return;

    case OP_CANCELLED:
        finish(op, ECANCELED, 0);
        return;
    }

    LUN_NEVER("no such operation");
}


/* --- events --- */

static inline void
on_stream(lun_port *port, lun_stream *s, uint32_t events)
{
    if (LUN_UNLIKELY(events & (EPOLLRDHUP | EPOLLHUP))) {
        s->hung_up = 1;
    }

    /* Rare, so it goes first: what follows needs no look at `current`. */
    if (LUN_UNLIKELY(!s->writable) && (events & CAN_WRITE)) {
        s->writable = 1;

        if (s->out.busy) {
            port->current = s;
            perform(&s->out);

            if (port->current != s) {
                return;                /* closed, perhaps freed */
            }
        }
    }

    if (!s->readable && (events & CAN_READ)) {
        s->readable = 1;

        if (s->in.busy) {
            receive(s);
        }
    }
}


static void
on_acceptor(lun_port *port, lun_acceptor *a)
{
    int           fd;
    unsigned      left;
    lun_addr      peer;
    socklen_t     len;
    lun_sockaddr  sa;

    port->current = a;

    for (left = a->batch ? a->batch : 1; left; left--) {
        len = sizeof(sa);
        port->count.accepts++;
        fd = accept4((int) a->fd, &sa.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd != -1) {
            lun_sockaddr_to(&sa, len, &peer, NULL);
            a->take(a, fd, &peer, 0);

            if (port->current != a) {
                return;                /* stopped by `take` */
            }

            continue;
        }

        if (errno == EAGAIN) {
            return;
        }

        if (errno != EINTR && errno != ECONNABORTED) {
            a->take(a, LUN_FD_NONE, NULL, errno);
            return;
        }
    }
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
        push_ready(port, op);
    }
}


static void
dispatch(lun_port *port, struct epoll_event *ev)
{
    void      *to;
    uint64_t   word = ev->data.u64;

    to = (void *) (uintptr_t) (word & ~(uint64_t) OF_MASK);

    switch (word & OF_MASK) {

    case OF_STREAM:
        if (LUN_LIKELY(to != NULL)) {
            on_stream(port, to, ev->events);
        }
        return;

    case OF_ACCEPTOR:
        on_acceptor(port, to);
        return;

    case OF_WAKE:
        on_wake(port);
        return;
    }
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
        perform(op);
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
    n = epoll_wait(port->fd, port->events, EVENTS, timeout);

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


/* Strikes out what the batch still holds for it. */
static void
strike(lun_port *port, void *who, unsigned of)
{
    int       i;
    uint64_t  word = (uint64_t) (uintptr_t) who | of;

    if (port->current == who) {
        port->current = NULL;
    }

    for (i = port->at + 1; i < port->n; i++) {
        if (port->events[i].data.u64 == word) {
            port->events[i].data.u64 = OF_STREAM;
            return;
        }
    }
}


/* --- streams --- */

lun_err
lun_port_attach(lun_port *port, lun_stream *s, lun_fd fd, bool datagram)
{
    struct epoll_event  ev = {
        .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
        .data.u64 = (uint64_t) (uintptr_t) s | OF_STREAM
    };

    port->count.others++;

    if (epoll_ctl(port->fd, EPOLL_CTL_ADD, (int) fd, &ev) == -1) {
        return errno;
    }

    s->fd = fd;
    s->port = port;
    s->readable = 0;
    s->writable = 1;
    s->datagram = datagram;
    s->hung_up = 0;
    s->attached = 1;
    s->in.busy = false;
    s->in.stream = s;
    s->out.busy = false;
    s->out.stream = s;

    return 0;
}


void
lun_port_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done)
{
    lun_op   *op = &s->in;
    read_op  *want = (read_op *) &op->os;

    start(s, op, OP_READ, done);
    want->buf = buf;
    want->size = size;

    if (s->readable) {
        push_ready(s->port, op);
    }
}


lun_err
lun_port_send(lun_stream *s, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    int      flags;
    size_t   i, size;
    ssize_t  rc;

    flags = more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL;

    do {
        s->port->count.sends++;

        if (n == 1) {
            size = slices->len;
            rc = send((int) s->fd, slices->data, size, flags);

        } else {
            struct msghdr  msg = {
                .msg_iov = (struct iovec *) (uintptr_t) slices,
                .msg_iovlen = lun_min(n, (size_t) LUN_PORT_SLICES)
            };

            for (size = 0, i = 0; i < msg.msg_iovlen; i++) {
                size += slices[i].len;
            }

            rc = sendmsg((int) s->fd, &msg, flags);
        }

    } while (rc == -1 && errno == EINTR);

    if (LUN_UNLIKELY(rc == -1)) {
        *sent = 0;

        if (errno == EAGAIN) {
            s->writable = 0;
        }

        return errno;
    }

    if ((size_t) rc < size) {
        s->writable = 0;
    }

    *sent = (size_t) rc;
    return 0;
}


void
lun_port_write(lun_stream *s, const lun_slice *slices, size_t n,
    lun_op_fn *done)
{
    lun_op    *op = &s->out;
    write_op  *want = (write_op *) &op->os;

    start(s, op, OP_WRITE, done);
    want->n = lun_min(n, (size_t) WRITE_SLICES);
    memcpy(want->iov, slices, want->n * sizeof(lun_slice));

    if (s->writable) {
        push_ready(s->port, op);
    }
}


void
lun_port_send_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    lun_op_fn *done)
{
    lun_op   *op = &s->out;
    file_op  *want = (file_op *) &op->os;

    start(s, op, OP_FILE, done);
    want->file = file;
    want->at = at;
    want->size = lun_min(size, (size_t) SENDFILE_MAX);

    if (s->writable) {
        push_ready(s->port, op);
    }
}


void
lun_port_connect(lun_stream *s, const lun_addr *addr, lun_op_fn *done)
{
    int            rc;
    lun_op        *op = &s->out;
    socklen_t      len;
    lun_sockaddr   sa;

    start(s, op, OP_CONNECT, done);

    /* epoll calls a socket that was never connected hung up: forget that. */
    strike(s->port, s, OF_STREAM);
    s->readable = 0;
    s->writable = 0;
    s->hung_up = 0;

    len = lun_sockaddr_from(addr, &sa);

    if (len == 0) {
        s->writable = 1;
        settle(s->port, op, ENAMETOOLONG);
        return;
    }

    s->port->count.others++;
    rc = connect((int) s->fd, &sa.any, len);

    if (rc == -1 && errno == EINPROGRESS) {
        return;                        /* the edge answers */
    }

    s->writable = 1;
    settle(s->port, op, rc == -1 ? errno : 0);
}


/* Answers `op` as cancelled: it may be in the ready list already. */
static void
cancel(lun_port *port, lun_op *op, bool queued)
{
    if (!op->busy) {
        return;
    }

    op->kind = OP_CANCELLED;

    if (!queued) {
        push_ready(port, op);
    }
}


static void
detach(lun_stream *s)
{
    if (s->attached) {
        strike(s->port, s, OF_STREAM);
        cancel(s->port, &s->in, s->readable);
        cancel(s->port, &s->out, s->writable);
    }

    s->attached = 0;
    s->readable = 1;
    s->writable = 1;
}


void
lun_port_close(lun_stream *s)
{
    detach(s);

    if (s->fd != LUN_FD_NONE) {
        lun_sock_close(s->fd);
        s->fd = LUN_FD_NONE;
    }
}


void
lun_port_abort(lun_stream *s)
{
    detach(s);

    if (s->fd != LUN_FD_NONE) {
        lun_sock_abort(s->fd);
        s->fd = LUN_FD_NONE;
    }
}


/* --- posting --- */

void
lun_port_post(lun_port *port, lun_op *op)
{
    op->busy = true;
    op->stream = NULL;
    settle(port, op, 0);
}


/* Also called by signal handlers (proc.c): nothing here may lock. */
void
lun_port_post_remote(lun_port *port, lun_op *op)
{
    lun_op    *first;
    uint64_t   one = 1;

    op->busy = true;
    op->kind = OP_SETTLED;
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


/* --- accepting --- */

lun_err
lun_port_accept(lun_port *port, lun_acceptor *a)
{
    struct epoll_event  ev = {
        .events = EPOLLIN | EPOLLEXCLUSIVE,
        .data.u64 = (uint64_t) (uintptr_t) a | OF_ACCEPTOR
    };

    LUN_CHECK(!a->open);

    if (epoll_ctl(port->fd, EPOLL_CTL_ADD, (int) a->fd, &ev) == -1) {
        return errno;
    }

    a->port = port;
    a->open = true;

    return 0;
}


void
lun_port_accept_stop(lun_acceptor *a)
{
    if (!a->open) {
        return;
    }

    strike(a->port, a, OF_ACCEPTOR);
    (void) epoll_ctl(a->port->fd, EPOLL_CTL_DEL, (int) a->fd, NULL);
    a->open = false;
}
