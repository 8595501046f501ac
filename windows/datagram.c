/*
 * datagram.c -- receiving from sockets that several workers share.
 *
 * A duplicated socket can't join a second completion port, so the receives
 * signal an event; one of the system's wait threads turns that into a packet
 * for the port (as accept.c does).  Each worker keeps a few receives on each
 * socket; the kernel serves those of all workers in the order in which they
 * were posted, so datagrams go round among the workers, and those of one
 * worker complete in the order of its ring.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/datagram.h"

#include "windows/win.h"

#include <stdlib.h>


enum {
    POSTED = 4,                    /* receives of a worker on a socket */
    BATCH  = 64,                   /* datagrams per packet */
    TRIES  = 16,                   /* complaints in a row about the receivers
                                      of what we sent */
    SLICES = 16,                   /* pieces of a datagram that is sent */
    BUFFER = 4 * 1024 * 1024       /* bytes, for who has many */
};

typedef union {
    WSACMSGHDR  align;
    char        room[WSA_CMSG_SPACE(sizeof(IN6_PKTINFO))
                     + 2 * WSA_CMSG_SPACE(sizeof(DWORD))];
} control;

/* One receive: the kernel's from its post until it has arrived. */
typedef struct {
    OVERLAPPED    ov;
    WSABUF        buf;
    WSAMSG        msg;
    lun_sockaddr  from;
    control       control;
    bool          posted;
    char          data[LUN_DATAGRAM_MOST + 1];
} receive;

/* Lives until no packet for it can be on its way. */
typedef struct {
    lun_receiver   *r;
    HANDLE          event;
    HANDLE          wait;
    volatile LONG   queued;        /* a packet is on its way */
    bool            running;       /* on_event() is at work */
    bool            over;
    unsigned        first;         /* of the ring: the oldest */
    receive         ring[POSTED];
} taker;

static LPFN_WSARECVMSG  receive_msg;
static LPFN_WSASENDMSG  send_msg;


static lun_err
last(void)
{
    return (lun_err) WSAGetLastError();
}


static void
load_extensions(void)
{
    static const GUID  receive_id = WSAID_WSARECVMSG;
    static const GUID  send_id = WSAID_WSASENDMSG;

    static bool  loaded;

    if (!loaded) {
        loaded = true;
        lun_sock_extension(&receive_id, &receive_msg);
        lun_sock_extension(&send_id, &send_msg);
    }
}


/* --- receiving --- */

/* That somebody we wrote to is not there is no news for a server. */
static bool
is_news(const lun_receiver *r, lun_err err)
{
    return r->connected
           || (err != WSAECONNRESET && err != WSAENETRESET
               && err != WSAENETUNREACH && err != WSAEHOSTUNREACH
               && err != WSAECONNREFUSED);
}


/*
 * Errors of earlier sends come out of the next receive (an unreachable port,
 * RFC 1122's soft errors): they are passed over a few times.
 */
static lun_err
post(taker *t, receive *in)
{
    int      i;
    DWORD    n;
    lun_err  err;

    for (i = 0; i < TRIES; i++) {
        memset(&in->ov, 0, sizeof(in->ov));
        in->ov.hEvent = t->event;
        in->buf.buf = in->data;
        in->buf.len = LUN_DATAGRAM_MOST;

        in->msg.name = (struct sockaddr *) &in->from;
        in->msg.namelen = sizeof(in->from);
        in->msg.lpBuffers = &in->buf;
        in->msg.dwBufferCount = 1;
        in->msg.Control.buf = in->control.room;
        in->msg.Control.len = sizeof(in->control);
        in->msg.dwFlags = 0;

        err = receive_msg((SOCKET) t->r->fd, &in->msg, &n, &in->ov, NULL) == 0
              ? 0 : last();

        if (err == 0 || err == WSA_IO_PENDING || err == WSAEMSGSIZE) {
            in->posted = true;
            return 0;
        }

        if (is_news(t->r, err)) {
            break;
        }
    }

    return err;
}


static bool
has_arrived(const receive *in)
{
    return in->posted && *(volatile const ULONG_PTR *) &in->ov.Internal
                         != (ULONG_PTR) STATUS_PENDING;
}


static void
read_control(WSAMSG *m, lun_datagram *d)
{
    DWORD        ecn;
    lun_addr    *to = &d->to;
    WSACMSGHDR   *c;
    IN_PKTINFO    four;
    IN6_PKTINFO   six;

    for (c = WSA_CMSG_FIRSTHDR(m); c != NULL; c = WSA_CMSG_NXTHDR(m, c)) {

        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            memcpy(&four, WSA_CMSG_DATA(c), sizeof(four));
            to->family = LUN_AF_INET;
            memcpy(to->ip, &four.ipi_addr, 4);
        }

        if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
            memcpy(&six, WSA_CMSG_DATA(c), sizeof(six));
            to->family = LUN_AF_INET6;
            memcpy(to->ip, &six.ipi6_addr, 16);

            if (IN6_IS_ADDR_LINKLOCAL(&six.ipi6_addr)) {
                to->scope = six.ipi6_ifindex;
            }
        }

        if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_ECN)
            || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_ECN))
        {
            memcpy(&ecn, WSA_CMSG_DATA(c), sizeof(ecn));
            d->ecn = (uint8_t) (ecn & 3);
        }
    }
}


/* What is too long is an error here; its beginning has come all the same. */
static lun_err
result_of(taker *t, receive *in, size_t *len)
{
    DWORD    n, flags;
    lun_err  err;

    err = WSAGetOverlappedResult((SOCKET) t->r->fd, &in->ov, &n, FALSE, &flags)
          ? 0 : last();
    in->posted = false;

    if (err == WSAEMSGSIZE) {
        n = LUN_DATAGRAM_MOST;
        err = 0;
    }

    *len = lun_min(n, (DWORD) LUN_DATAGRAM_MOST);
    return err;
}


/* Gives a datagram to the receiver; an error that means something. */
static lun_err
hand_over(taker *t, receive *in)
{
    lun_err       err;
    lun_datagram  d = { .data = in->data };

    err = result_of(t, in, &d.len);

    if (err != 0) {
        return is_news(t->r, err) && lun_err_kind_of(err) != LUN_ERR_CANCELLED
               ? err : 0;
    }

    lun_sock_decode(&d.from, &in->from);
    read_control(&in->msg, &d);

    lun_port_count_read(t->r->port);
    t->r->take(t->r, &d, 0);
    return 0;
}


static void
release(taker *t)
{
    if (!t->running && !t->queued) {
        free(t);
    }
}


static void on_event(lun_port *port, void *what, uint32_t bytes);


/* Once per packet; from the loop's thread and from a wait thread. */
static void
call_back(taker *t)
{
    if (InterlockedExchange(&t->queued, 1) == 0) {
        lun_port_packet(t->r->port, on_event, t);
    }
}


static VOID CALLBACK
on_os_signal(PVOID data, BOOLEAN timed_out)
{
    call_back(data);
}


/* The oldest first, as long as they have arrived; each is posted again. */
static lun_err
take_arrived(taker *t)
{
    int       left;
    lun_err   err = 0;
    receive  *in;

    for (left = BATCH; left > 0 && !t->over && err == 0; left--) {
        in = &t->ring[t->first];

        if (in->posted && !has_arrived(in)) {
            return 0;
        }

        if (in->posted) {
            err = hand_over(t, in);
        }

        if (!t->over && err == 0) {
            t->first = (t->first + 1) % POSTED;
            err = post(t, in);
        }
    }

    if (!t->over && err == 0) {
        call_back(t);               /* more has come: after the others */
    }

    return err;
}


static void
on_event(lun_port *port, void *what, uint32_t bytes)
{
    taker         *t = what;
    lun_err        err;
    lun_receiver  *r = t->r;

    InterlockedExchange(&t->queued, 0);

    if (t->over) {
        release(t);
        return;
    }

    t->running = true;
    err = take_arrived(t);

    if (err != 0 && !t->over) {
        lun_datagram_stop(r);
        r->take(r, NULL, err);
    }

    t->running = false;

    if (t->over) {
        release(t);
    }
}


lun_err
lun_datagram_receive(lun_port *port, lun_receiver *r)
{
    taker    *t;
    lun_err   err;

    load_extensions();

    if (receive_msg == NULL) {
        return WSAEOPNOTSUPP;
    }

    t = calloc(1, sizeof(*t));

    if (t == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    t->r = r;
    t->event = CreateEventW(NULL, FALSE, FALSE, NULL);

    if (t->event == NULL
        || !RegisterWaitForSingleObject(&t->wait, t->event, on_os_signal, t,
                                        INFINITE, WT_EXECUTEINWAITTHREAD))
    {
        err = (lun_err) GetLastError();

        if (t->event != NULL) {
            CloseHandle(t->event);
        }

        free(t);
        return err;
    }

    r->port = port;
    r->os = t;
    r->open = true;

    /* The posts in the loop, where an error can be told. */
    call_back(t);
    return 0;
}


/* The kernel gives them back: with a datagram, or cancelled. */
static void
call_off(taker *t)
{
    int       i;
    receive  *in;

    for (i = 0; i < POSTED; i++) {
        in = &t->ring[i];

        if (in->posted && !has_arrived(in)) {
            CancelIoEx((HANDLE) t->r->fd, &in->ov);
        }

        while (in->posted && !has_arrived(in)) {
            WaitForSingleObject(t->event, 1);
        }
    }
}


/*
 * Receives that are under way are called off and waited for; what they brought
 * is handed over, since nobody will get it again.
 */
void
lun_datagram_stop(lun_receiver *r)
{
    int       i;
    taker    *t;
    receive  *in;

    if (!r->open) {
        return;
    }

    t = r->os;
    r->open = false;
    t->over = true;

    UnregisterWaitEx(t->wait, INVALID_HANDLE_VALUE);
    call_off(t);

    for (i = 0; i < POSTED && !t->running; i++) {
        in = &t->ring[(t->first + i) % POSTED];

        if (in->posted) {
            (void) hand_over(t, in);
        }
    }

    CloseHandle(t->event);
    r->os = NULL;
    release(t);
}


/* --- sending --- */

static ULONG
put_source(const lun_addr *from, control *c)
{
    IN_PKTINFO    four;
    IN6_PKTINFO   six;

    memset(c, 0, sizeof(*c));

    if (from->family == LUN_AF_INET) {
        memset(&four, 0, sizeof(four));
        c->align.cmsg_level = IPPROTO_IP;
        c->align.cmsg_type = IP_PKTINFO;
        c->align.cmsg_len = WSA_CMSG_LEN(sizeof(four));
        memcpy(&four.ipi_addr, from->ip, 4);
        memcpy(WSA_CMSG_DATA(&c->align), &four, sizeof(four));
        return WSA_CMSG_SPACE(sizeof(four));
    }

    memset(&six, 0, sizeof(six));
    c->align.cmsg_level = IPPROTO_IPV6;
    c->align.cmsg_type = IPV6_PKTINFO;
    c->align.cmsg_len = WSA_CMSG_LEN(sizeof(six));
    six.ipi6_ifindex = from->scope;
    memcpy(&six.ipi6_addr, from->ip, 16);
    memcpy(WSA_CMSG_DATA(&c->align), &six, sizeof(six));
    return WSA_CMSG_SPACE(sizeof(six));
}


lun_err
lun_datagram_send(lun_fd fd, const lun_slice *slices, size_t n,
    const lun_addr *to, const lun_addr *from)
{
    int           rc;
    DWORD         sent;
    size_t        i;
    WSABUF        bufs[SLICES];
    WSAMSG        m;
    control       c;
    lun_sockaddr  sa;

    memset(&m, 0, sizeof(m));
    m.name = (struct sockaddr *) &sa;
    m.namelen = lun_sock_encode(&sa, to);
    m.lpBuffers = bufs;
    m.dwBufferCount = (DWORD) n;

    if (m.namelen == 0 || n > SLICES) {
        return m.namelen == 0 ? WSAEAFNOSUPPORT : WSAEMSGSIZE;
    }

    for (i = 0; i < n; i++) {
        bufs[i].buf = (char *) (uintptr_t) slices[i].data;
        bufs[i].len = (ULONG) lun_min(slices[i].len, (size_t) INT32_MAX);
    }

    load_extensions();

    if (from != NULL && from->family != LUN_AF_NONE && send_msg != NULL) {
        m.Control.buf = c.room;
        m.Control.len = put_source(from, &c);
        rc = send_msg((SOCKET) fd, &m, 0, &sent, NULL, NULL);

    } else {
        rc = WSASendTo((SOCKET) fd, bufs, m.dwBufferCount, &sent, 0, m.name,
                       m.namelen, NULL, NULL);
    }

    return rc == 0 ? 0 : last();
}


/* --- many ---------------------------------------------------------------- */

#ifndef UDP_SEND_MSG_SIZE
#define UDP_SEND_MSG_SIZE  2
#endif
#ifndef IP_ECN
#define IP_ECN  50
#endif
#ifndef IPV6_ECN
#define IPV6_ECN  50
#endif
#ifndef IP_RECVECN
#define IP_RECVECN  50
#endif
#ifndef IPV6_RECVECN
#define IPV6_RECVECN  50
#endif

static bool  no_segments;          /* the system has refused them */


/*
 * A system that does not know of segments (Wine, before Windows 10) sends all
 * as one datagram: it is asked, once, whether it knows the option.
 */
static bool
has_segments(lun_fd fd)
{
    static bool  asked;

    DWORD  size = 0;
    int    len = sizeof(size);

    if (!asked) {
        asked = true;
        no_segments = getsockopt((SOCKET) fd, IPPROTO_UDP, UDP_SEND_MSG_SIZE,
                                 (char *) &size, &len) != 0;
    }

    return !no_segments;
}


static void
ask(lun_fd fd, int level, int name, DWORD value)
{
    (void) setsockopt((SOCKET) fd, level, name, (const char *) &value,
                      sizeof(value));
}


void
lun_datagram_tune(lun_fd fd, lun_family family)
{
    if (family == LUN_AF_INET) {
        ask(fd, IPPROTO_IP, IP_RECVECN, 1);
        ask(fd, IPPROTO_IP, IP_DONTFRAGMENT, 1);

    } else {
        ask(fd, IPPROTO_IPV6, IPV6_RECVECN, 1);
        ask(fd, IPPROTO_IPV6, IPV6_DONTFRAG, 1);
    }

    ask(fd, SOL_SOCKET, SO_RCVBUF, BUFFER);
    ask(fd, SOL_SOCKET, SO_SNDBUF, BUFFER);
}


bool
lun_datagram_sends_at_once(void)
{
    return !no_segments;
}


size_t
lun_datagram_room(lun_fd fd)
{
    int  size = 0, len = sizeof(size);

    if (getsockopt((SOCKET) fd, SOL_SOCKET, SO_RCVBUF, (char *) &size, &len)
        != 0)
    {
        return 0;
    }

    return (size_t) size;
}


/* Behind what is there. */
static void
put_number(WSAMSG *m, int level, int type, DWORD value)
{
    WSACMSGHDR  *c = (WSACMSGHDR *) (void *) (m->Control.buf + m->Control.len);

    memset(c, 0, WSA_CMSG_SPACE(sizeof(value)));
    c->cmsg_level = level;
    c->cmsg_type = type;
    c->cmsg_len = WSA_CMSG_LEN(sizeof(value));
    memcpy(WSA_CMSG_DATA(c), &value, sizeof(value));
    m->Control.len += WSA_CMSG_SPACE(sizeof(value));
}


static lun_err
send_one(lun_fd fd, WSAMSG *m, const char *data, size_t len)
{
    int     rc;
    DWORD   sent;
    WSABUF  buf = { (ULONG) len, (char *) (uintptr_t) data };

    m->lpBuffers = &buf;
    m->dwBufferCount = 1;

    rc = m->Control.len != 0 && send_msg != NULL
         ? send_msg((SOCKET) fd, m, 0, &sent, NULL, NULL)
         : WSASendTo((SOCKET) fd, &buf, 1, &sent, 0, m->name, m->namelen,
                     NULL, NULL);
    return rc == 0 ? 0 : last();
}


/* As on Linux: UDP_SEND_MSG_SIZE is given up for good where it is refused. */
lun_err
lun_datagram_send_many(lun_fd fd, const char *data, size_t len,
    size_t segment, uint8_t ecn, const lun_addr *to, const lun_addr *from,
    bool at_once, size_t *sent)
{
    ULONG         plain;
    WSAMSG        m;
    control       c;
    lun_err       err = 0;
    lun_sockaddr  sa;

    *sent = 0;
    memset(&m, 0, sizeof(m));
    m.name = (struct sockaddr *) &sa;
    m.namelen = lun_sock_encode(&sa, to);
    m.Control.buf = c.room;

    if (m.namelen == 0) {
        return WSAEAFNOSUPPORT;
    }

    load_extensions();

    if (from != NULL && from->family != LUN_AF_NONE) {
        m.Control.len = put_source(from, &c);
    }

    plain = m.Control.len;

    if (at_once && len > segment && send_msg != NULL && has_segments(fd)) {
        put_number(&m, IPPROTO_UDP, UDP_SEND_MSG_SIZE, (DWORD) segment);
        err = send_one(fd, &m, data, len);

        if (err == 0) {
            *sent = len;
        }

        if (err == 0 || lun_err_kind_of(err) == LUN_ERR_AGAIN) {
            return err;
        }

        no_segments = true;
        m.Control.len = plain;
    }

    while (*sent < len) {
        err = send_one(fd, &m, data + *sent, lun_min(segment, len - *sent));

        if (err != 0) {
            return err;
        }

        *sent += lun_min(segment, len - *sent);
    }

    return 0;
}
