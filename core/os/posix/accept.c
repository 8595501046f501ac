/*
 * accept.c -- the acceptors of a port: level-triggered, so that one wake-up
 * need not take all, and exclusive, so that a connection wakes few workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>

#include "base/check.h"
#include "os/posix/port_priv.h"
#include "os/posix/sockaddr.h"


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


lun_err
lun_port_accept(lun_port *port, lun_acceptor *a)
{
    struct epoll_event  ev = {
        .events = EPOLLIN | EPOLLEXCLUSIVE,
        .data.u64 = (uint64_t) (uintptr_t) a | LUN_OF_ACCEPTOR
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

    lun_port_strike(a->port, a, LUN_OF_ACCEPTOR);
    (void) epoll_ctl(a->port->fd, EPOLL_CTL_DEL, (int) a->fd, NULL);
    a->open = false;
}
