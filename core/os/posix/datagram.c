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
#include <netinet/udp.h>

#include "base/check.h"
#include "base/pool.h"
#include "os/posix/port_priv.h"
#include "os/posix/sockaddr.h"


enum {
    BATCH    = 16,
    SEGMENTS = 64,                 /* sent by one call */
    BUFFER   = 4 * 1024 * 1024     /* bytes, for who has many */
};

/*
 * "It came to", "it shall leave from", of either family; ECN; the size of
 * segments.
 */
typedef union {
    struct cmsghdr  align;
    char            room[CMSG_SPACE(sizeof(struct in6_pktinfo))
                         + 2 * CMSG_SPACE(sizeof(int))];
} control;

static bool  no_segments;          /* the system has refused them */

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
set_target(const struct cmsghdr *c, lun_addr *to)
{
    struct in_pktinfo     four;
    struct in6_pktinfo    six;

    if (c->cmsg_level == IPPROTO_IP) {
        memcpy(&four, CMSG_DATA(c), sizeof(four));
        to->family = LUN_AF_INET;
        memcpy(to->ip, &four.ipi_addr, 4);
        return;
    }

    memcpy(&six, CMSG_DATA(c), sizeof(six));
    to->family = LUN_AF_INET6;
    memcpy(to->ip, &six.ipi6_addr, 16);

    if (IN6_IS_ADDR_LINKLOCAL(&six.ipi6_addr)) {
        to->scope = six.ipi6_ifindex;
    }
}


/* A number that the kernel tells in one byte, or in four. */
static int
number_of(const struct cmsghdr *c)
{
    int            n;
    unsigned char  byte;

    if (c->cmsg_len < CMSG_LEN(sizeof(n))) {
        memcpy(&byte, CMSG_DATA(c), 1);
        return byte;
    }

    memcpy(&n, CMSG_DATA(c), sizeof(n));
    return n;
}


static void
read_control(struct msghdr *m, lun_datagram *d)
{
    struct cmsghdr  *c;

    for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {

        if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
            || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO))
        {
            set_target(c, &d->to);

        } else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
                   || (c->cmsg_level == IPPROTO_IPV6
                       && c->cmsg_type == IPV6_TCLASS))
        {
            d->ecn = (uint8_t) number_of(c) & 3;

        } else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
            d->segment = (size_t) number_of(c);
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
    read_control(m, &d);

    r->take(r, &d, 0);
}


/*
 * That somebody we wrote to is not there is no news for a server; and that a
 * packet was too large for the way (a router says so of a probe), or that there
 * is no memory just now, is none for anybody.
 */
static bool
is_news(const lun_receiver *r, int err)
{
    switch (err) {

    case EAGAIN:
    case EINTR:
    case EMSGSIZE:
    case ENOBUFS:
    case ENOMEM:
        return false;

    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return r->connected;
    }

    return true;
}


/*
 * As many as there are, in one call; whoever takes one may close the receiver.
 */
void
lun_receiver_event(lun_port *port, lun_receiver *r)
{
    int                i, n;
    lun_receive_room  *room = port->receive_room;

    port->current = r;
    port->count.reads++;
    n = recvmmsg((int) r->fd, room->msgs, BATCH, MSG_DONTWAIT, NULL);

    if (n == -1) {
        if (is_news(r, errno)) {
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


/*
 * On a wildcard address the answer has to leave from where the question came
 * to, which the system would choose anew otherwise.
 */
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


/* --- many ---------------------------------------------------------------- */

static void
ask(lun_fd fd, int level, int name, int value)
{
    (void) setsockopt((int) fd, level, name, &value, sizeof(value));
}


/* Root may have more than the system's limit. */
static void
widen(lun_fd fd, int forced, int name)
{
    int        have = 0;
    int        size = BUFFER;
    socklen_t  len = sizeof(have);

    if (getsockopt((int) fd, SOL_SOCKET, name, &have, &len) == 0
        && have < BUFFER
        && setsockopt((int) fd, SOL_SOCKET, forced, &size, sizeof(size)) == -1)
    {
        ask(fd, SOL_SOCKET, name, size);
    }
}


void
lun_datagram_tune(lun_fd fd, lun_family family)
{
    if (family == LUN_AF_INET) {
        ask(fd, IPPROTO_IP, IP_RECVTOS, 1);
        ask(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);

    } else {
        ask(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
        ask(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
    }

    ask(fd, IPPROTO_UDP, UDP_GRO, 1);
    widen(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    widen(fd, SO_SNDBUFFORCE, SO_SNDBUF);
}


bool
lun_datagram_sends_at_once(void)
{
    return !no_segments;
}


/* The kernel has twice as much, for what it needs itself. */
size_t
lun_datagram_room(lun_fd fd)
{
    int        size = 0;
    socklen_t  len = sizeof(size);

    if (getsockopt((int) fd, SOL_SOCKET, SO_RCVBUF, &size, &len) == -1) {
        return 0;
    }

    return (size_t) size / 2;
}


/* Behind `at` bytes of the room; the new length. */
static size_t
put_number(control *c, size_t at, int level, int type, const void *value,
    size_t size)
{
    struct cmsghdr  *m = (struct cmsghdr *) (void *) (c->room + at);

    memset(m, 0, CMSG_SPACE(size));
    m->cmsg_level = level;
    m->cmsg_type = type;
    m->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(m), value, size);
    return at + CMSG_SPACE(size);
}


static size_t
put_controls(control *c, const lun_addr *to, const lun_addr *from,
    uint8_t ecn)
{
    int     tos = ecn;
    size_t  n = from != NULL && from->family != LUN_AF_NONE
                ? put_source(from, c) : 0;

    if (ecn == 0) {
        return n;
    }

    return to->family == LUN_AF_INET
           ? put_number(c, n, IPPROTO_IP, IP_TOS, &tos, sizeof(tos))
           : put_number(c, n, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
}


/* That it is asked for by a device that can't. */
static bool
is_refused(int err)
{
    return err == EIO || err == EINVAL || err == EOPNOTSUPP
           || err == ENOPROTOOPT;
}


/* All of it by one call; the kernel makes datagrams of it. */
static lun_err
send_segments(lun_fd fd, struct msghdr m, control c, const char *data,
    size_t len, size_t segment)
{
    ssize_t       rc;
    uint16_t      size = (uint16_t) segment;
    struct iovec  iov = { (void *) (uintptr_t) data, len };

    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    m.msg_control = &c;
    m.msg_controllen = put_number(&c, m.msg_controllen, IPPROTO_UDP,
                                  UDP_SEGMENT, &size, sizeof(size));
    do {
        rc = sendmsg((int) fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (rc == -1 && errno == EINTR);

    return rc == -1 ? errno : 0;
}


/* One call, a message for each. */
static lun_err
send_messages(lun_fd fd, const struct msghdr *m, const char *data, size_t len,
    size_t segment, size_t *sent)
{
    int             i, n, done;
    size_t          at = *sent;
    struct iovec    iov[SEGMENTS];
    struct mmsghdr  msgs[SEGMENTS];

    while (at < len) {
        for (n = 0; n < SEGMENTS && at < len; n++) {
            iov[n].iov_base = (void *) (uintptr_t) (data + at);
            iov[n].iov_len = lun_min(segment, len - at);
            at += iov[n].iov_len;
            msgs[n].msg_hdr = *m;
            msgs[n].msg_hdr.msg_iov = &iov[n];
            msgs[n].msg_hdr.msg_iovlen = 1;
        }

        do {
            done = sendmmsg((int) fd, msgs, (unsigned) n,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        } while (done == -1 && errno == EINTR);

        if (done == -1) {
            return errno;
        }

        for (i = 0; i < done; i++) {
            *sent += iov[i].iov_len;
        }

        at = *sent;
    }

    return 0;
}


/*
 * UDP_SEGMENT is tried until it is refused for the first time: a system, or a
 * device, without it gets a message for each packet from then on.
 */
lun_err
lun_datagram_send_many(lun_fd fd, const char *data, size_t len,
    size_t segment, uint8_t ecn, const lun_addr *to, const lun_addr *from,
    bool at_once, size_t *sent)
{
    lun_err        err;
    control        c;
    lun_sockaddr   sa;
    struct msghdr  m = { .msg_name = &sa };

    *sent = 0;
    m.msg_namelen = lun_sockaddr_from(to, &sa);

    if (m.msg_namelen == 0) {
        return ENAMETOOLONG;
    }

    m.msg_controllen = put_controls(&c, to, from, ecn);
    m.msg_control = m.msg_controllen != 0 ? &c : NULL;

    if (at_once && !no_segments && len > segment
        && len <= SEGMENTS * segment)
    {
        err = send_segments(fd, m, c, data, len, segment);

        if (err == 0) {
            *sent = len;
        }

        if (!is_refused(err)) {
            return err;
        }

        no_segments = true;
    }

    return send_messages(fd, &m, data, len, segment, sent);
}
