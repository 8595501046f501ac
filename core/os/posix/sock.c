/*
 * sock.c -- sockets before the port gets them, and blocking client calls for
 * tools.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/posix/sockaddr.h"
#include "os/time.h"


static const int  families[] = {
    [LUN_AF_NONE]  = AF_UNSPEC,
    [LUN_AF_INET]  = AF_INET,
    [LUN_AF_INET6] = AF_INET6,
    [LUN_AF_UNIX]  = AF_UNIX
};


void
lun_sock_init(void)
{
}


void
lun_sock_host_name(char *room, size_t size)
{
    if (gethostname(room, size) == -1 || room[0] == '\0') {
        (void) snprintf(room, size, "localhost");
    }

    room[size - 1] = '\0';
}


static lun_err
set_int(lun_fd fd, int level, int name, int value)
{
    return setsockopt((int) fd, level, name, &value, sizeof(value)) == -1
           ? errno : 0;
}


enum { MULTIPATH = 262 };          /* IPPROTO_MPTCP: younger than headers */


static lun_err
new_socket_of(lun_family family, int type, int protocol, lun_fd *fd)
{
    *fd = socket(families[family], type | SOCK_NONBLOCK | SOCK_CLOEXEC,
                 protocol);

    return *fd == -1 ? errno : 0;
}


static lun_err
new_socket(lun_family family, int type, lun_fd *fd)
{
    return new_socket_of(family, type, 0, fd);
}


lun_err
lun_sock_stream(lun_family family, lun_fd *fd)
{
    return new_socket(family, SOCK_STREAM, fd);
}


lun_err
lun_sock_datagram(lun_family family, lun_fd *fd)
{
    return new_socket(family, SOCK_DGRAM, fd);
}


lun_err
lun_sock_bind(lun_fd fd, const lun_addr *addr)
{
    socklen_t     len;
    lun_sockaddr  sa;

    len = lun_sockaddr_from(addr, &sa);
    if (len == 0) {
        return ENAMETOOLONG;
    }

    return bind((int) fd, &sa.any, len) == -1 ? errno : 0;
}


lun_err
lun_sock_receive_from(lun_fd fd, void *buf, size_t size, size_t *got,
    lun_addr *from)
{
    ssize_t       n;
    socklen_t     len;
    lun_sockaddr  sa;

    len = sizeof(sa);
    n = recvfrom((int) fd, buf, size, MSG_DONTWAIT, &sa.any, &len);
    if (n == -1) {
        return errno;
    }

    *got = (size_t) n;
    lun_sockaddr_to(&sa, len, from, NULL);
    return 0;
}


lun_err
lun_sock_send_to(lun_fd fd, const void *buf, size_t size, const lun_addr *to)
{
    socklen_t     len;
    lun_sockaddr  sa;

    len = lun_sockaddr_from(to, &sa);
    if (len == 0) {
        return ENAMETOOLONG;
    }

    return sendto((int) fd, buf, size, MSG_DONTWAIT | MSG_NOSIGNAL, &sa.any,
                  len) == -1 ? errno : 0;
}


lun_err
lun_sock_connect_datagram(lun_fd fd, const lun_addr *addr)
{
    socklen_t     len;
    lun_sockaddr  sa;

    len = lun_sockaddr_from(addr, &sa);
    if (len == 0) {
        return ENAMETOOLONG;
    }

    return connect((int) fd, &sa.any, len) == -1 ? errno : 0;
}


void
lun_sock_close(lun_fd fd)
{
    (void) close((int) fd);
}


void
lun_sock_abort(lun_fd fd)
{
    struct linger  now = { .l_onoff = 1, .l_linger = 0 };

    (void) setsockopt((int) fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    lun_sock_close(fd);
}


lun_err
lun_sock_shutdown_write(lun_fd fd)
{
    return shutdown((int) fd, SHUT_WR) == -1 ? errno : 0;
}


lun_err
lun_sock_nodelay(lun_fd fd, bool on)
{
    return set_int(fd, IPPROTO_TCP, TCP_NODELAY, on);
}


/* Levels and names. */
static const int  places[][2] = {
    [LUN_SOCK_KEEPALIVE]  = { SOL_SOCKET, SO_KEEPALIVE },
    [LUN_SOCK_REUSE_ADDR] = { SOL_SOCKET, SO_REUSEADDR },
    [LUN_SOCK_NODELAY]    = { IPPROTO_TCP, TCP_NODELAY },
    [LUN_SOCK_SNDBUF]     = { SOL_SOCKET, SO_SNDBUF },
    [LUN_SOCK_RCVBUF]     = { SOL_SOCKET, SO_RCVBUF },
    [LUN_SOCK_KEEPIDLE]   = { IPPROTO_TCP, TCP_KEEPIDLE },
    [LUN_SOCK_KEEPINTVL]  = { IPPROTO_TCP, TCP_KEEPINTVL },
    [LUN_SOCK_KEEPCNT]    = { IPPROTO_TCP, TCP_KEEPCNT },
};


lun_err
lun_sock_ask(lun_fd fd, lun_sock_option option, int *value)
{
    socklen_t  size = sizeof(int);

    return getsockopt((int) fd, places[option][0], places[option][1], value,
                      &size) == -1
           ? errno : 0;
}


lun_err
lun_sock_measure(lun_fd fd, lun_sock_figures *f)
{
    struct tcp_info  info = { 0 };
    socklen_t        size = sizeof(info);

    if (getsockopt((int) fd, IPPROTO_TCP, TCP_INFO, &info, &size) == -1) {
        return errno;
    }

    *f = (lun_sock_figures) {
        .rtt = info.tcpi_rtt,
        .rttvar = info.tcpi_rttvar,
        .snd_cwnd = info.tcpi_snd_cwnd,
        .rcv_space = info.tcpi_rcv_space,
    };

    return 0;
}


lun_err
lun_sock_set_probes(lun_fd fd, lun_sock_option option, int value)
{
    return set_int(fd, places[option][0], places[option][1], value);
}


lun_err
lun_sock_keepalive(lun_fd fd, bool on)
{
    return set_int(fd, SOL_SOCKET, SO_KEEPALIVE, on);
}


lun_err
lun_sock_transparent(lun_fd fd, lun_family family)
{
    return family == LUN_AF_INET6
           ? set_int(fd, IPPROTO_IPV6, IPV6_TRANSPARENT, 1)
           : set_int(fd, IPPROTO_IP, IP_TRANSPARENT, 1);
}


bool
lun_sock_is_opaque(void)
{
    return false;
}


lun_err
lun_sock_reuse_addr(lun_fd fd, bool on)
{
    return set_int(fd, SOL_SOCKET, SO_REUSEADDR, on);
}


lun_err
lun_sock_buffer(lun_fd fd, bool send, int size)
{
    return set_int(fd, SOL_SOCKET, send ? SO_SNDBUF : SO_RCVBUF, size);
}


lun_err
lun_sock_peek(lun_fd fd)
{
    char     byte;
    ssize_t  n;

    n = recv((int) fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return n > 0 ? 0 : n == 0 ? ECONNRESET : errno;
}


/* --- names --- */

lun_err
lun_sock_local(lun_fd fd, lun_addr *addr)
{
    socklen_t     len;
    lun_sockaddr  sa;

    static _Thread_local char  path[sizeof(sa.un.sun_path) + 1];

    len = sizeof(sa);

    if (getsockname((int) fd, &sa.any, &len) == -1) {
        return errno;
    }

    lun_sockaddr_to(&sa, len, addr, path);
    return 0;
}


lun_err
lun_sock_original(lun_fd fd, lun_family family, lun_addr *addr)
{
    enum { ORIGINAL_DST = 80 };    /* of both families; netfilter's headers */

    socklen_t     len;
    lun_sockaddr  sa;

    len = sizeof(sa);

    if (getsockopt((int) fd, family == LUN_AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   ORIGINAL_DST, &sa.any, &len) == -1)
    {
        return errno;
    }

    lun_sockaddr_to(&sa, len, addr, NULL);
    return 0;
}


lun_err
lun_sock_inherit(lun_fd fd, lun_addr *addr, bool *datagram)
{
    int        listens, type = 0;
    socklen_t  len = sizeof(int);

    if (getsockopt((int) fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == -1
        || getsockopt((int) fd, SOL_SOCKET, SO_TYPE, &type, &len) == -1
        || fcntl((int) fd, F_SETFD, FD_CLOEXEC) == -1
        || fcntl((int) fd, F_SETFL, O_NONBLOCK) == -1)
    {
        return errno;
    }

    *datagram = type == SOCK_DGRAM;

    return listens || *datagram ? lun_sock_local(fd, addr) : EINVAL;
}


/* The others keep the resolver's order; IPv4 goes first, as in nginx. */
static size_t
collect(const struct addrinfo *list, int family, uint16_t port,
    lun_addr *addrs, size_t room)
{
    size_t        n;
    lun_sockaddr  sa;

    for (n = 0; list && n < room; list = list->ai_next) {
        if (list->ai_family != family || list->ai_addrlen > sizeof(sa)) {
            continue;
        }

        memcpy(&sa, list->ai_addr, list->ai_addrlen);
        lun_sockaddr_to(&sa, list->ai_addrlen, &addrs[n], NULL);
        addrs[n++].port = port;
    }

    return n;
}


/*
 * IPv4 addresses first, as nginx has them, so that the first is the same one
 * there and here.
 */
lun_err
lun_addr_lookup(const char *host, uint16_t port, lun_addr *addrs,
    size_t room, size_t *count)
{
    int               rc;
    struct addrinfo  *list, hints = { .ai_flags = AI_ADDRCONFIG };

    *count = 0;

    if (room && strchr(host, '/') == NULL
        && lun_addr_parse(lun_str_z(host), addrs) == LUN_OK
        && addrs->port == 0)
    {
        addrs->port = port;
        *count = 1;
        return 0;
    }

    hints.ai_socktype = SOCK_STREAM;
    rc = getaddrinfo(host, NULL, &hints, &list);

    switch (rc) {

    case 0:
        break;

    case EAI_SYSTEM:
        return errno;

    case EAI_MEMORY:
        return ENOMEM;

    case EAI_AGAIN:
        return EAGAIN;

    default:
        return ENOENT;
    }

    *count = collect(list, AF_INET, port, addrs, room);
    *count += collect(list, AF_INET6, port, addrs + *count, room - *count);
    freeaddrinfo(list);

    return *count ? 0 : ENOENT;
}


/* --- listening --- */

static int
backlog_of(const lun_listen_options *opt)
{
    return opt->backlog < 0 ? INT_MAX : opt->backlog;
}


/* A system that refuses a size keeps its own: no reason not to listen. */
static void
set_buffers(lun_fd fd, const lun_listen_options *opt)
{
    if (opt->rcvbuf) {
        (void) set_int(fd, SOL_SOCKET, SO_RCVBUF, opt->rcvbuf);
    }

    if (opt->sndbuf) {
        (void) set_int(fd, SOL_SOCKET, SO_SNDBUF, opt->sndbuf);
    }
}


static void
set_tcp(lun_fd fd, const lun_listen_options *opt)
{
    size_t  i;

    const struct {
        int  name;
        int  value;
    } probes[] = {
        { TCP_KEEPIDLE, opt->keepidle },
        { TCP_KEEPINTVL, opt->keepintvl },
        { TCP_KEEPCNT, opt->keepcnt },
        { TCP_DEFER_ACCEPT, opt->deferred },
        { TCP_FASTOPEN, opt->fastopen > 0 ? opt->fastopen : 0 }
    };

    if (opt->keepalive) {
        (void) lun_sock_keepalive(fd, true);
    }

    for (i = 0; i < LUN_ARRAY_LEN(probes); i++) {
        if (probes[i].value) {
            (void) set_int(fd, IPPROTO_TCP, probes[i].name, probes[i].value);
        }
    }
}


/* Of each datagram, which address it came to. */
static lun_err
ask_targets(lun_fd fd, const lun_addr *addr, const char **failed)
{
    if (addr->family == LUN_AF_INET) {
        *failed = "setsockopt(IP_PKTINFO)";
        return set_int(fd, IPPROTO_IP, IP_PKTINFO, 1);
    }

    *failed = "setsockopt(IPV6_RECVPKTINFO)";
    return set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
}


/* The steps that can fail before bind(), with the names of nginx's log. */
static lun_err
prepare(lun_fd fd, const lun_addr *addr, const lun_listen_options *opt,
    const char **failed)
{
    lun_err  err = 0;

    if (addr->family == LUN_AF_UNIX) {
        return 0;
    }

    /* Of datagrams, two with this option could have the same address. */
    if (!opt->datagram) {
        *failed = "setsockopt(SO_REUSEADDR)";
        err = set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    }

    if (err == 0 && opt->reuseport) {
        *failed = "setsockopt(SO_REUSEPORT)";
        err = set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    }

    if (err == 0 && addr->family == LUN_AF_INET6) {
        *failed = "setsockopt(IPV6_V6ONLY)";
        err = set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, opt->ipv6only);
    }

    if (err == 0 && opt->datagram && lun_addr_is_wildcard(addr)) {
        err = ask_targets(fd, addr, failed);
    }

    return err;
}


/*
 * Workers may run as somebody else, clients do: nginx's mode as well.  The
 * socket has it before there is a name that somebody could exchange.
 */
static lun_err
bind_for_all(lun_fd fd, const lun_addr *addr)
{
    mode_t   mask;
    lun_err  err;

    if (fchmod((int) fd, 0666) == -1) {
        return errno;
    }

    mask = umask(0);
    err = lun_sock_bind(fd, addr);
    (void) umask(mask);

    return err;
}


/* *failed names the call that did it, for the log's line. */
lun_err
lun_sock_listen(const lun_addr *addr, const lun_listen_options *opt,
    lun_fd *fd, const char **failed)
{
    lun_err  err;

    *failed = "socket()";
    err = new_socket_of(addr->family,
                        opt->datagram ? SOCK_DGRAM : SOCK_STREAM,
                        opt->multipath ? MULTIPATH : 0, fd);
    if (err) {
        *fd = LUN_FD_NONE;
        return err;
    }

    err = prepare(*fd, addr, opt, failed);
    if (err) {
        goto close;
    }

    set_buffers(*fd, opt);

    *failed = "bind()";
    err = addr->family == LUN_AF_UNIX ? bind_for_all(*fd, addr)
                                      : lun_sock_bind(*fd, addr);
    if (err) {
        goto close;
    }

    if (addr->family != LUN_AF_UNIX && !opt->datagram) {
        set_tcp(*fd, opt);
    }

    *failed = "listen()";
    if (opt->datagram || listen((int) *fd, backlog_of(opt)) == 0) {
        return 0;
    }

    err = errno;

    if (addr->family == LUN_AF_UNIX) {
        (void) unlink(addr->path);
    }

close:

    lun_sock_close(*fd);
    *fd = LUN_FD_NONE;
    return err;
}


lun_err
lun_sock_relisten(lun_fd fd, const lun_listen_options *opt)
{
    set_buffers(fd, opt);

    return !opt->datagram && listen((int) fd, backlog_of(opt)) == -1
           ? errno : 0;
}


/* --- blocking calls with a limit --- */

static lun_msec
until(lun_msec limit)
{
    lun_msec  now = lun_time_monotonic();

    return limit > (lun_msec) INT_MAX ? UINT64_MAX : now + limit;
}


/* 0 when the socket is ready for `events`, or in trouble; else ETIMEDOUT. */
static lun_err
await(lun_fd fd, short events, lun_msec end)
{
    int            n, left;
    lun_msec       now;
    struct pollfd  pfd = { .fd = (int) fd, .events = events };

    for ( ;; ) {
        now = lun_time_monotonic();
        left = end == UINT64_MAX ? -1 : now >= end ? 0 : (int) (end - now);
        n = poll(&pfd, 1, left);

        if (n == 1) {
            return 0;
        }

        if (n == 0) {
            return ETIMEDOUT;
        }

        if (errno != EINTR) {
            return errno;
        }
    }
}


static lun_err
finish_connect(lun_fd fd, lun_msec limit)
{
    int        so = 0;
    lun_err    err;
    socklen_t  len = sizeof(so);

    err = await(fd, POLLOUT, until(limit));

    if (err == 0
        && getsockopt((int) fd, SOL_SOCKET, SO_ERROR, &so, &len) == -1)
    {
        err = errno;
    }

    return err ? err : so;
}


lun_err
lun_sock_connect_wait(const lun_addr *addr, lun_msec limit, lun_fd *fd)
{
    lun_err  err;

    err = lun_sock_stream(addr->family, fd);
    if (err) {
        *fd = LUN_FD_NONE;
        return err;
    }

    err = lun_sock_connect_datagram(*fd, addr);

    if (err == EINPROGRESS) {
        err = finish_connect(*fd, limit);
    }

    if (err) {
        lun_sock_close(*fd);
        *fd = LUN_FD_NONE;
    }

    return err;
}


lun_err
lun_sock_send_wait(lun_fd fd, const void *buf, size_t size, lun_msec limit)
{
    ssize_t      n;
    lun_err      err;
    lun_msec     end = until(limit);
    const char  *p = buf;

    while (size) {
        n = send((int) fd, p, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n >= 0) {
            p += n;
            size -= (size_t) n;
            continue;
        }

        if (errno != EAGAIN && errno != EINTR) {
            return errno;
        }

        err = await(fd, POLLOUT, end);
        if (err) {
            return err;
        }
    }

    return 0;
}


lun_err
lun_sock_recv_wait(lun_fd fd, void *buf, size_t size, lun_msec limit,
    size_t *got)
{
    ssize_t   n;
    lun_err   err;
    lun_msec  end = until(limit);

    *got = 0;

    for ( ;; ) {
        err = await(fd, POLLIN, end);
        if (err) {
            return err;
        }

        n = recv((int) fd, buf, size, MSG_DONTWAIT);

        if (n >= 0) {
            *got = (size_t) n;
            return 0;
        }

        if (errno != EAGAIN && errno != EINTR) {
            return errno;
        }
    }
}


lun_err
lun_sock_accept_wait(lun_fd listener, lun_msec limit, lun_fd *fd)
{
    lun_err   err;
    lun_msec  end = until(limit);

    *fd = LUN_FD_NONE;

    for ( ;; ) {
        err = await(listener, POLLIN, end);
        if (err) {
            return err == ETIMEDOUT ? EAGAIN : err;
        }

        *fd = accept4((int) listener, NULL, NULL,
                      SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (*fd != -1) {
            return 0;
        }

        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
            return errno;
        }
    }
}
