/*
 * accept.c -- the acceptors of a port: level-triggered, so that one wake-up
 * need not take all, and exclusive, so that a connection wakes few workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <time.h>

#include "base/check.h"
#include "os/posix/port_priv.h"
#include "os/posix/sockaddr.h"


static int
enlist(lun_port *port, lun_acceptor *a)
{
    struct epoll_event  ev = {
        .events = EPOLLIN | EPOLLEXCLUSIVE,
        .data.u64 = (uint64_t) (uintptr_t) a | LUN_OF_ACCEPTOR
    };

    return epoll_ctl(port->fd, EPOLL_CTL_ADD, (int) a->fd, &ev);
}


/*
 * The kernel wakes whoever stands first in the listener's queue, always the
 * same.  Who has taken a connection goes to the end of it, at most once per
 * tick of the coarse clock (4 ms): under load the others are busy, or woken,
 * anyway.
 */
static void
give_way(lun_port *port, lun_acceptor *a)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);

    if (ts.tv_nsec == port->gave_way) {
        return;
    }

    port->gave_way = ts.tv_nsec;
    port->count.others += 2;

    (void) epoll_ctl(port->fd, EPOLL_CTL_DEL, (int) a->fd, NULL);
    LUN_CHECK(enlist(port, a) == 0);
}


/* Whether it is not about one connection. */
static bool
will_last(int err)
{
    switch (err) {

    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
        return true;

    default:
        return false;
    }
}


void
lun_acceptor_event(lun_port *port, lun_acceptor *a)
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

            give_way(port, a);
            continue;
        }

        if (errno == EAGAIN) {
            return;
        }

        if (errno != EINTR && errno != ECONNABORTED) {
            a->stuck = will_last(errno);
            a->take(a, LUN_FD_NONE, NULL, errno);
            return;
        }
    }
}


lun_err
lun_port_accept(lun_port *port, lun_acceptor *a)
{
    LUN_CHECK(!a->open);

    if (enlist(port, a) == -1) {
        return errno;
    }

    a->port = port;
    a->open = true;
    a->stuck = false;

    return 0;
}


void
lun_port_accept_stop(lun_acceptor *a)
{
    if (!a->open) {
        return;
    }

    lun_port_strike(a->port, a,
                    (uint64_t) (uintptr_t) a | LUN_OF_ACCEPTOR);
    (void) epoll_ctl(a->port->fd, EPOLL_CTL_DEL, (int) a->fd, NULL);
    a->open = false;
}
