/*
 * datagram.c -- the receivers of a port: level-triggered, like acceptors, so
 * that one wake-up need not take all.
 *
 * One call takes up to BATCH datagrams.  Their memory is the port's: pages
 * that no datagram was ever long enough to reach are not there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/datagram.h"

#include <errno.h>

#include "base/check.h"
#include "base/pool.h"
#include "os/posix/port_priv.h"
#include "os/posix/sockaddr.h"


enum { BATCH = 16 };

/* "It came to", "it shall leave from": room for one of either family. */
typedef union {
    struct cmsghdr  align;
    char            room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
} control;

struct lun_receive_room {
    struct mmsghdr  msgs[BATCH];
    struct iovec    iov[BATCH];
    lun_sockaddr    from[BATCH];
    control         control[BATCH];
    char            data[BATCH][LUN_DATAGRAM_MOST + 1];
};


static inline uint64_t
word_of(const lun_receiver *r)
{
    return (uint64_t) (uintptr_t) r | LUN_OF_RECEIVER;
}


/* What the kernel has changed in the first n is set anew. */
static void
prepare(lun_receive_room *room, int n)
{
    int             i;
    struct msghdr  *m;

    for (i = 0; i < n; i++) {
        room->iov[i].iov_base = room->data[i];
        room->iov[i].iov_len = LUN_DATAGRAM_MOST;

        m = &room->msgs[i].msg_hdr;
        m->msg_name = &room->from[i];
        m->msg_namelen = sizeof(room->from[i]);
        m->msg_iov = &room->iov[i];
        m->msg_iovlen = 1;
        m->msg_control = &room->control[i];
        m->msg_controllen = sizeof(room->control[i]);
        m->msg_flags = 0;
    }
}


static void
find_target(struct msghdr *m, lun_addr *to)
{
    struct cmsghdr       *c;
    struct in_pktinfo     four;
    struct in6_pktinfo    six;

    for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {

        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            memcpy(&four, CMSG_DATA(c), sizeof(four));
            to->family = LUN_AF_INET;
            memcpy(to->ip, &four.ipi_addr, 4);
            return;
        }

        if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
            memcpy(&six, CMSG_DATA(c), sizeof(six));
            to->family = LUN_AF_INET6;
            memcpy(to->ip, &six.ipi6_addr, 16);

            if (IN6_IS_ADDR_LINKLOCAL(&six.ipi6_addr)) {
                to->scope = six.ipi6_ifindex;
            }

            return;
        }
    }
}


static void
give(lun_receiver *r, lun_receive_room *room, int i)
{
    lun_datagram    d = { .data = room->data[i] };
    struct msghdr  *m = &room->msgs[i].msg_hdr;

    d.len = room->msgs[i].msg_len;
    lun_sockaddr_to(&room->from[i], m->msg_namelen, &d.from, NULL);
    find_target(m, &d.to);

    r->take(r, &d, 0);
}


/* That somebody we wrote to is not there is no news for a server. */
static bool
is_news(int err)
{
    return err != EAGAIN && err != EINTR && err != ECONNREFUSED
           && err != EHOSTUNREACH && err != ENETUNREACH;
}


void
lun_receiver_event(lun_port *port, lun_receiver *r)
{
    int                i, n;
    lun_receive_room  *room = port->receive_room;

    port->current = r;
    port->count.reads++;
    n = recvmmsg((int) r->fd, room->msgs, BATCH, MSG_DONTWAIT, NULL);

    if (n == -1) {
        if (is_news(errno)) {
            i = errno;
            lun_datagram_stop(r);
            r->take(r, NULL, i);
        }

        return;
    }

    for (i = 0; i < n && port->current == r; i++) {
        give(r, room, i);
    }

    prepare(room, n);
}


lun_err
lun_datagram_receive(lun_port *port, lun_receiver *r)
{
    struct epoll_event  ev = {
        .events = EPOLLIN | EPOLLEXCLUSIVE,
        .data.u64 = word_of(r)
    };

    LUN_CHECK(!r->open);

    if (port->receive_room == NULL) {
        port->receive_room = lun_calloc(sizeof(lun_receive_room));
        prepare(port->receive_room, BATCH);
    }

    if (epoll_ctl(port->fd, EPOLL_CTL_ADD, (int) r->fd, &ev) == -1) {
        return errno;
    }

    r->port = port;
    r->open = true;
    return 0;
}


void
lun_datagram_stop(lun_receiver *r)
{
    if (!r->open) {
        return;
    }

    lun_port_strike(r->port, r, word_of(r));
    (void) epoll_ctl(r->port->fd, EPOLL_CTL_DEL, (int) r->fd, NULL);
    r->open = false;
}


/* --- sending --- */

static size_t
put_source(const lun_addr *from, control *c)
{
    struct in_pktinfo     four = { 0 };
    struct in6_pktinfo    six = { 0 };

    memset(c, 0, sizeof(*c));

    if (from->family == LUN_AF_INET) {
        c->align.cmsg_level = IPPROTO_IP;
        c->align.cmsg_type = IP_PKTINFO;
        c->align.cmsg_len = CMSG_LEN(sizeof(four));
        memcpy(&four.ipi_spec_dst, from->ip, 4);
        memcpy(CMSG_DATA(&c->align), &four, sizeof(four));
        return CMSG_SPACE(sizeof(four));
    }

    c->align.cmsg_level = IPPROTO_IPV6;
    c->align.cmsg_type = IPV6_PKTINFO;
    c->align.cmsg_len = CMSG_LEN(sizeof(six));
    six.ipi6_ifindex = from->scope;
    memcpy(&six.ipi6_addr, from->ip, 16);
    memcpy(CMSG_DATA(&c->align), &six, sizeof(six));
    return CMSG_SPACE(sizeof(six));
}


lun_err
lun_datagram_send(lun_fd fd, const lun_slice *slices, size_t n,
    const lun_addr *to, const lun_addr *from)
{
    ssize_t        rc;
    control        c;
    lun_sockaddr   sa;

    struct msghdr  m = {
        .msg_name = &sa,
        .msg_iov = (struct iovec *) (uintptr_t) slices,
        .msg_iovlen = n
    };

    m.msg_namelen = lun_sockaddr_from(to, &sa);

    if (m.msg_namelen == 0) {
        return ENAMETOOLONG;
    }

    if (from != NULL && from->family != LUN_AF_NONE) {
        m.msg_control = &c;
        m.msg_controllen = put_source(from, &c);
    }

    do {
        rc = sendmsg((int) fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (rc == -1 && errno == EINTR);

    return rc == -1 ? errno : 0;
}
