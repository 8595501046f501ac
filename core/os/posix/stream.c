/*
 * stream.c -- the streams of a port.
 *
 * A stream is registered once, edge-triggered, for everything; one of
 * datagrams not for output, until its socket was full.  Two bits remember what
 * the edges said: `readable` and `writable` stay set until the socket was seen
 * to be empty or full.  An operation that finds its bit set waits in the
 * port's ready list, else for the edge; either way its system call is made by
 * lun_port_wait(), and answers it.  So:
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
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "os/posix/port_priv.h"
#include "os/posix/sockaddr.h"


enum {
    WRITE_SLICES = 7,              /* pieces that an operation has room for */
    SENDFILE_MAX = 0x7ffff000      /* what the kernel takes at a time */
};

enum {
    CAN_READ  = EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR,
    CAN_WRITE = EPOLLOUT | EPOLLHUP | EPOLLERR
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


static inline void
start(lun_stream *s, lun_op *op, uint8_t kind, lun_op_fn *done)
{
    LUN_CHECK(!op->busy && s->attached);

    op->busy = true;
    op->kind = kind;
    op->stream = s;
    op->done = done;
}


bool
lun_port_may_read(const lun_stream *s)
{
    return s->readable || s->hung_up;
}


/*
 * What is asked of epoll.  Each datagram that has left its socket would be an
 * event: who sends them asks for that only when the socket was full once.
 */
static struct epoll_event
events_of(const lun_port *port, lun_fd fd, bool output)
{
    return (struct epoll_event) {
        .events = EPOLLIN | EPOLLRDHUP | EPOLLET | (output ? EPOLLOUT : 0),
        .data.u64 = lun_stream_word(port, fd)
    };
}


/* --- performing --- */

/* The socket takes nothing now: an edge will say when it does. */
static void
wait_until_writable(lun_stream *s)
{
    struct epoll_event  ev;

    s->writable = 0;

    if (s->datagram && !s->port->slots[s->fd].polled) {
        ev = events_of(s->port, s->fd, true);
        s->port->count.others++;
        LUN_CHECK(epoll_ctl(s->port->fd, EPOLL_CTL_MOD, (int) s->fd, &ev)
                  == 0);
    }
}


static void
receive(lun_stream *s)
{
    ssize_t   n;
    lun_op   *op = &s->in;
    read_op  *want = (read_op *) &op->os;

    if (want->size == 0) {
        lun_op_finish(op, 0, 0);
        return;
    }

    do {
        s->port->count.reads++;
        n = s->pipe ? read((int) s->fd, want->buf, want->size)
                    : recv((int) s->fd, want->buf, want->size, 0);
    } while (n == -1 && errno == EINTR);

    if (LUN_LIKELY(n > 0)) {

        /* A short read has emptied it, unless its end is to be fetched. */
        if ((size_t) n < want->size && !s->hung_up && !s->datagram) {
            s->readable = 0;
        }

        lun_op_finish(op, 0, n);
        return;
    }

    if (n == 0) {
        if (!s->datagram) {
            s->hung_up = 1;
        }

        lun_op_finish(op, 0, 0);
        return;
    }

    if (errno == EAGAIN) {
        s->readable = 0;               /* stay: the edge will come */
        return;
    }

    lun_op_finish(op, errno, 0);
}


/*
 * Less than was asked for means that the socket is full: the next attempt waits
 * for its event, without a call that would say EAGAIN.
 */
static void
transmit(lun_stream *s)
{
    size_t     i, size;
    ssize_t    n;
    lun_op    *op = &s->out;
    write_op  *want = (write_op *) &op->os;

    do {
        s->port->count.sends++;
        n = writev((int) s->fd, want->iov, (int) want->n);
    } while (n == -1 && errno == EINTR);

    if (n == -1) {
        if (errno == EAGAIN) {
            wait_until_writable(s);
            return;
        }

        lun_op_finish(op, errno, 0);
        return;
    }

    for (size = 0, i = 0; i < want->n; i++) {
        size += want->iov[i].iov_len;
    }

    if ((size_t) n < size) {
        s->writable = 0;
    }

    lun_op_finish(op, 0, n);
}


/*
 * A short count may mean a full socket or a file that has shrunk: only EAGAIN
 * tells, so `writable` stays.
 */
static void
transmit_file(lun_stream *s)
{
    size_t    n;
    lun_op   *op = &s->out;
    file_op  *want = (file_op *) &op->os;
    lun_err   err = lun_port_try_file(s, want->file, want->at, want->size, &n);

    if (err != EAGAIN) {
        lun_op_finish(op, err, (ssize_t) n);
    }
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

    lun_op_finish(&s->out, err, 0);
}


/*
 * The output of a socket that was full, or not connected: nothing is asked of
 * the system about a connection that it has told without an error.
 */
static void
on_writable(lun_stream *s, uint32_t events)
{
    if (s->out.kind == LUN_OP_CONNECT
        && (events & (EPOLLERR | EPOLLHUP)) == 0)
    {
        lun_op_finish(&s->out, 0, 0);

    } else {
        lun_op_perform(&s->out);
    }
}


/*
 * SETTLED and CANCELLED have nothing more to do but to be told in a turn of the
 * loop, as any other.
 */
void
lun_op_perform(lun_op *op)
{
    switch (op->kind) {

    case LUN_OP_READ:
        receive(op->stream);
        return;

    case LUN_OP_WRITE:
        transmit(op->stream);
        return;

    case LUN_OP_FILE:
        transmit_file(op->stream);
        return;

    case LUN_OP_CONNECT:
        connected(op->stream);
        return;

    case LUN_OP_SETTLED:
        lun_op_finish(op, op->err, op->result);
        return;

    case LUN_OP_CANCELLED:
        lun_op_finish(op, ECANCELED, 0);
        return;
    }

    LUN_NEVER("no such operation");
}


/* --- events --- */

void
lun_stream_event(lun_port *port, lun_stream *s, uint32_t events)
{
    if (LUN_UNLIKELY(events & (EPOLLRDHUP | EPOLLHUP))) {
        s->hung_up = 1;
    }

    /* Rare, so it goes first: what follows needs no look at `current`. */
    if (LUN_UNLIKELY(!s->writable) && (events & CAN_WRITE)) {
        s->writable = 1;

        if (s->out.busy) {
            port->current = s;
            on_writable(s, events);

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


/* --- streams --- */

/* From now on events of the descriptor are for s, and for nobody before. */
static void
take_slot(lun_port *port, lun_stream *s, lun_fd fd)
{
    size_t  room = port->slot_room;

    LUN_CHECK(fd >= 0);

    if ((size_t) fd >= room) {
        room = lun_max(2 * room, (size_t) fd + 64);
        port->slots = lun_realloc(port->slots, room * sizeof(lun_port_slot));
        memset(port->slots + port->slot_room, 0,
               (room - port->slot_room) * sizeof(lun_port_slot));
        port->slot_room = room;
    }

    port->slots[fd].stream = s;
    port->slots[fd].polled = port->use_poll;
    port->slots[fd].age++;
}


/*
 * A new socket is taken for writable and not for readable: its first read waits
 * for an event that mostly has come by then.
 */
lun_err
lun_port_attach(lun_port *port, lun_stream *s, lun_fd fd, bool datagram)
{
    struct epoll_event  ev;

    take_slot(port, s, fd);
    ev = events_of(port, fd, !datagram);

    if (LUN_LIKELY(!port->use_poll)) {
        port->count.others++;

        if (epoll_ctl(port->fd, EPOLL_CTL_ADD, (int) fd, &ev) == -1) {
            port->slots[fd].stream = NULL;
            return errno;
        }
    }

    s->fd = fd;
    s->port = port;
    s->readable = 0;
    s->writable = 1;
    s->datagram = datagram;
    s->hung_up = 0;
    s->attached = 1;
    s->pipe = 0;
    s->in.busy = false;
    s->in.stream = s;
    s->out.busy = false;
    s->out.stream = s;

    return 0;
}


lun_err
lun_port_attach_pipe(lun_port *port, lun_stream *s, lun_fd fd)
{
    lun_err  err = lun_port_attach(port, s, fd, false);

    s->pipe = 1;
    return err;
}


void
lun_port_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done)
{
    lun_op   *op = &s->in;
    read_op  *want = (read_op *) &op->os;

    start(s, op, LUN_OP_READ, done);
    want->buf = buf;
    want->size = size;

    if (s->readable) {
        lun_op_queue(s->port, op);
    }
}


/* Several pieces: *size is that of all. */
static LUN_NOINLINE ssize_t
send_pieces(const lun_stream *s, const lun_slice *slices, size_t n, bool more,
    size_t *size)
{
    size_t         i;
    struct msghdr  msg = {
        .msg_iov = (struct iovec *) (uintptr_t) slices,
        .msg_iovlen = lun_min(n, (size_t) LUN_PORT_SLICES)
    };

    for (*size = 0, i = 0; i < msg.msg_iovlen; i++) {
        *size += slices[i].len;
    }

    return more ? sendmsg((int) s->fd, &msg, MSG_NOSIGNAL | MSG_MORE)
                : writev((int) s->fd, msg.msg_iov, (int) msg.msg_iovlen);
}


static LUN_NOINLINE lun_err
not_sent(lun_stream *s, lun_err err)
{
    if (err == EAGAIN) {
        wait_until_writable(s);
    }

    return err;
}


lun_err
lun_port_send(lun_stream *s, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    size_t   size = slices->len;       /* of one; see send_pieces() */
    ssize_t  rc;

    *sent = 0;

    do {
        s->port->count.sends++;
        rc = n == 1 ? send((int) s->fd, slices->data, size,
                           more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL)
                    : send_pieces(s, slices, n, more, &size);
    } while (rc == -1 && errno == EINTR);

    if (LUN_UNLIKELY(rc == -1)) {
        return not_sent(s, errno);
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

    start(s, op, LUN_OP_WRITE, done);
    want->n = lun_min(n, (size_t) WRITE_SLICES);
    memcpy(want->iov, slices, want->n * sizeof(lun_slice));

    if (s->writable) {
        lun_op_queue(s->port, op);
    }
}


void
lun_port_send_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    lun_op_fn *done)
{
    lun_op   *op = &s->out;
    file_op  *want = (file_op *) &op->os;

    start(s, op, LUN_OP_FILE, done);
    want->file = file;
    want->at = at;
    want->size = lun_min(size, (size_t) SENDFILE_MAX);

    if (s->writable) {
        lun_op_queue(s->port, op);
    }
}


bool
lun_port_tries_files(void)
{
    return true;
}


/*
 * Limited, so that one large file does not hold the loop for all that the
 * socket would take.
 */
lun_err
lun_port_try_file(lun_stream *s, lun_fd file, int64_t from, size_t size,
    size_t *sent)
{
    off_t    at = from;
    ssize_t  n;

    *sent = 0;

    do {
        s->port->count.sends++;
        n = sendfile((int) s->fd, (int) file, &at,
                     lun_min(size, (size_t) SENDFILE_MAX));
    } while (n == -1 && errno == EINTR);

    if (n == -1) {
        if (errno == EAGAIN) {
            wait_until_writable(s);
            return EAGAIN;
        }

        return errno;
    }

    *sent = (size_t) n;
    return 0;
}


void
lun_port_connect(lun_stream *s, const lun_addr *addr, lun_op_fn *done)
{
    int            rc;
    lun_op        *op = &s->out;
    socklen_t      len;
    lun_sockaddr   sa;

    start(s, op, LUN_OP_CONNECT, done);

    /* epoll calls a socket that was never connected hung up: forget that. */
    lun_port_strike(s->port, s, lun_stream_word(s->port, s->fd));
    s->readable = 0;
    s->writable = 0;
    s->hung_up = 0;

    len = lun_sockaddr_from(addr, &sa);

    if (len == 0) {
        s->writable = 1;
        lun_op_complete(s->port, op, ENAMETOOLONG);
        return;
    }

    s->port->count.others++;
    rc = connect((int) s->fd, &sa.any, len);

    if (rc == -1 && errno == EINPROGRESS) {
        return;                        /* the edge answers */
    }

    s->writable = 1;
    lun_op_complete(s->port, op, rc == -1 ? errno : 0);
}


/* Answers `op` as cancelled: it may be in the ready list already. */
static void
cancel(lun_port *port, lun_op *op, bool queued)
{
    if (!op->busy) {
        return;
    }

    op->kind = LUN_OP_CANCELLED;

    if (!queued) {
        lun_op_queue(port, op);
    }
}


/* It stands in the ready list from then on, hence `writable`. */
void
lun_port_cancel_write(lun_stream *s)
{
    if (s->attached) {
        cancel(s->port, &s->out, s->writable);
        s->writable = 1;
    }
}


static void
detach(lun_stream *s)
{
    if (s->attached) {
        s->port->slots[s->fd].stream = NULL;

        if (s->port->current == s) {
            s->port->current = NULL;
        }

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
