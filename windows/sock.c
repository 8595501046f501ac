/*
 * sock.c -- sockets before port.c gets them.
 *
 * A listener is bound for exclusive use: without that, any process on the
 * machine may bind the same port over it and take its connections.
 *
 * There are no unix sockets here: the system has some, but neither AcceptEx
 * nor ConnectEx works on them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sock.h"

#include "os/port.h"
#include "windows/win.h"

#include <mstcpip.h>
#include <stdio.h>
#include <stdlib.h>


enum {
    HINT_LEAST = 200,              /* of SOMAXCONN_HINT; below it: plain */
    HINT_MOST  = 65535
};


void
lun_sock_init(void)
{
    static bool  done;

    WSADATA  data;

    if (!done) {
        done = true;
        WSAStartup(MAKEWORD(2, 2), &data);
    }
}


static lun_err
last(void)
{
    return (lun_err) WSAGetLastError();
}


void
lun_sock_host_name(char *room, size_t size)
{
    DWORD    n;
    size_t   len;
    char     name[3 * 256];
    wchar_t  w[256];

    n = LUN_ARRAY_LEN(w);
    len = 0;

    if (GetComputerNameExW(ComputerNameDnsHostname, w, &n)) {
        len = lun_wide_to(name, w, n);
    }

    if (len == 0) {
        len = 9;
        memcpy(name, "localhost", len);
    }

    len = lun_min(len, size - 1);
    memcpy(room, name, len);
    room[len] = 0;
}


/* --- addresses --- */

int
lun_sock_encode(lun_sockaddr *sa, const lun_addr *addr)
{
    struct sockaddr_in   *in;
    struct sockaddr_in6  *in6;

    memset(sa, 0, sizeof(*sa));

    switch (addr->family) {

    case LUN_AF_INET:
        in = (struct sockaddr_in *) sa;
        in->sin_family = AF_INET;
        in->sin_port = htons(addr->port);
        memcpy(&in->sin_addr, addr->ip, 4);
        return sizeof(*in);

    case LUN_AF_INET6:
        in6 = (struct sockaddr_in6 *) sa;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(addr->port);
        in6->sin6_scope_id = addr->scope;
        memcpy(&in6->sin6_addr, addr->ip, 16);
        return sizeof(*in6);

    default:
        return 0;
    }
}


void
lun_sock_decode(lun_addr *addr, const void *sa)
{
    const struct sockaddr_in   *in;
    const struct sockaddr_in6  *in6;

    memset(addr, 0, sizeof(*addr));

    switch (((const struct sockaddr *) sa)->sa_family) {

    case AF_INET:
        in = sa;
        addr->family = LUN_AF_INET;
        addr->port = ntohs(in->sin_port);
        memcpy(addr->ip, &in->sin_addr, 4);
        return;

    case AF_INET6:
        in6 = sa;
        addr->family = LUN_AF_INET6;
        addr->port = ntohs(in6->sin6_port);
        addr->scope = in6->sin6_scope_id;
        memcpy(addr->ip, &in6->sin6_addr, 16);
        return;
    }
}


lun_err
lun_addr_lookup(const char *host, uint16_t port, lun_addr *addrs, size_t room,
    size_t *count)
{
    int                rc;
    wchar_t           *name;
    ADDRINFOW          hints;
    PADDRINFOW         list;
    const ADDRINFOW   *a;

    *count = 0;
    name = lun_wide_dup(host);

    if (name == NULL) {
        return ERROR_INVALID_NAME;
    }

    memset(&hints, 0, sizeof(hints));
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;

    rc = GetAddrInfoW(name, NULL, &hints, &list);
    free(name);

    if (rc != 0) {
        return (lun_err) rc;
    }

    for (a = list; a != NULL && *count < room; a = a->ai_next) {
        if (a->ai_family == AF_INET || a->ai_family == AF_INET6) {
            lun_sock_decode(&addrs[*count], a->ai_addr);
            addrs[*count].port = port;
            ++*count;
        }
    }

    FreeAddrInfoW(list);
    return *count ? 0 : WSAHOST_NOT_FOUND;
}


/* --- making them --- */

lun_err
lun_sock_nonblocking(SOCKET s)
{
    u_long  on;

    on = 1;
    return ioctlsocket(s, (long) FIONBIO, &on) == 0 ? 0 : last();
}


SOCKET
lun_sock_new(int family, int type, int protocol)
{
    return WSASocketW(family, type, protocol, NULL, 0,
                      WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
}


void
lun_sock_extension(const GUID *id, void *fn)
{
    DWORD   n;
    GUID    copy;
    void   *found;
    SOCKET  s;

    copy = *id;
    found = NULL;
    s = lun_sock_new(AF_INET, SOCK_STREAM, IPPROTO_TCP);

    if (s != INVALID_SOCKET) {
        if (WSAIoctl(s, SIO_GET_EXTENSION_FUNCTION_POINTER, &copy,
                     sizeof(copy), &found, sizeof(found), &n, NULL, NULL) != 0)
        {
            found = NULL;
        }

        closesocket(s);
    }

    memcpy(fn, &found, sizeof(found));
}


static lun_err
make(lun_family family, int type, int protocol, lun_fd *fd)
{
    SOCKET   s;
    lun_err  err;

    *fd = LUN_FD_NONE;

    if (family != LUN_AF_INET && family != LUN_AF_INET6) {
        return WSAEAFNOSUPPORT;
    }

    s = lun_sock_new(family == LUN_AF_INET ? AF_INET : AF_INET6, type,
                     protocol);

    if (s == INVALID_SOCKET) {
        return last();
    }

    err = lun_sock_nonblocking(s);

    if (err) {
        closesocket(s);
        return err;
    }

    *fd = (lun_fd) s;
    return 0;
}


lun_err
lun_sock_stream(lun_family family, lun_fd *fd)
{
    return make(family, SOCK_STREAM, IPPROTO_TCP, fd);
}


lun_err
lun_sock_datagram(lun_family family, lun_fd *fd)
{
    return make(family, SOCK_DGRAM, IPPROTO_UDP, fd);
}


static lun_err
set(lun_fd fd, int level, int name, int value)
{
    return setsockopt((SOCKET) fd, level, name, (const char *) &value,
                      sizeof(value)) == 0 ? 0 : last();
}


lun_err
lun_sock_receive_from(lun_fd fd, void *buf, size_t size, size_t *got,
    lun_addr *from)
{
    int           n, len, most;
    lun_sockaddr  sa;

    most = (int) lun_min(size, (size_t) 1 << 30);

    /* That somebody we wrote to is not there is no news for a server. */
    do {
        len = sizeof(sa);
        n = recvfrom((SOCKET) fd, buf, most, 0, (struct sockaddr *) &sa, &len);
    } while (n < 0 && last() == WSAECONNRESET);

    if (n < 0 && last() == WSAEMSGSIZE) {
        n = most;                   /* the rest is cut, as on posix */
    }

    if (n < 0) {
        return last();
    }

    *got = (size_t) n;
    lun_sock_decode(from, &sa);
    return 0;
}


lun_err
lun_sock_send_to(lun_fd fd, const void *buf, size_t size, const lun_addr *to)
{
    int           len;
    lun_sockaddr  sa;

    len = lun_sock_encode(&sa, to);

    if (len == 0) {
        return WSAEAFNOSUPPORT;
    }

    return sendto((SOCKET) fd, buf, (int) size, 0, (struct sockaddr *) &sa,
                  len) < 0 ? last() : 0;
}


lun_err
lun_sock_bind(lun_fd fd, const lun_addr *addr)
{
    int           len;
    lun_sockaddr  sa;

    len = lun_sock_encode(&sa, addr);

    if (len == 0) {
        return WSAEAFNOSUPPORT;
    }

    return bind((SOCKET) fd, (struct sockaddr *) &sa, len) == 0 ? 0 : last();
}


/* Positive numbers are cut at 200; the hint is a negative one. */
static int
backlog_of(int wanted)
{
    if (wanted < 0) {
        return SOMAXCONN;
    }

    if (wanted < HINT_LEAST) {
        return wanted;
    }

    return -lun_min(wanted, HINT_MOST);
}


/* The times between probes; their number is the system's. */
static void
keepalive_times(lun_fd fd, const lun_listen_options *opt)
{
    DWORD                 unused;
    struct tcp_keepalive  k;

    k.onoff = 1;
    k.keepalivetime = (ULONG) (opt->keepidle > 0 ? opt->keepidle : 7200) * 1000;
    k.keepaliveinterval = (ULONG) (opt->keepintvl > 0 ? opt->keepintvl : 1)
                          * 1000;

    WSAIoctl((SOCKET) fd, SIO_KEEPALIVE_VALS, &k, sizeof(k), NULL, 0, &unused,
             NULL, NULL);
}


static void
set_buffers(lun_fd fd, const lun_listen_options *opt)
{
    if (opt->rcvbuf > 0) {
        set(fd, SOL_SOCKET, SO_RCVBUF, opt->rcvbuf);
    }

    if (opt->sndbuf > 0) {
        set(fd, SOL_SOCKET, SO_SNDBUF, opt->sndbuf);
    }
}


/*
 * A wildcard tells of each which address it came to.  That one who was
 * answered is not there any more is not to be heard of.
 */
static lun_err
prepare_datagrams(lun_fd fd, const lun_addr *addr)
{
    BOOL   no;
    DWORD  unused;

    no = FALSE;
    WSAIoctl((SOCKET) fd, SIO_UDP_CONNRESET, &no, sizeof(no), NULL, 0, &unused,
             NULL, NULL);

    if (!lun_addr_is_wildcard(addr)) {
        return 0;
    }

    return addr->family == LUN_AF_INET
           ? set(fd, IPPROTO_IP, IP_PKTINFO, 1)
           : set(fd, IPPROTO_IPV6, IPV6_PKTINFO, 1);
}


/* What has to be said before bind(). */
static lun_err
prepare(lun_fd fd, const lun_addr *addr, const lun_listen_options *opt)
{
    lun_err  err;

    err = set(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);

    if (err == 0 && addr->family == LUN_AF_INET6) {
        err = set(fd, IPPROTO_IPV6, IPV6_V6ONLY, opt->ipv6only);
    }

    if (opt->keepalive) {
        set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);

        if (opt->keepidle > 0 || opt->keepintvl > 0) {
            keepalive_times(fd, opt);
        }
    }

    set_buffers(fd, opt);
    return err;
}


lun_err
lun_sock_listen(const lun_addr *addr, const lun_listen_options *opt,
    lun_fd *fd, const char **failed)
{
    lun_err  err;

    *failed = "socket()";

    if (opt->multipath) {
        *fd = LUN_FD_NONE;
        return WSAEOPNOTSUPP;
    }

    err = opt->datagram ? lun_sock_datagram(addr->family, fd)
                        : lun_sock_stream(addr->family, fd);

    if (err) {
        return err;
    }

    *failed = "setsockopt()";
    err = prepare(*fd, addr, opt);

    if (err == 0 && opt->datagram) {
        err = prepare_datagrams(*fd, addr);
    }

    if (err == 0) {
        *failed = "bind()";
        err = lun_sock_bind(*fd, addr);

        /* Of two exclusive ones the second is told "denied". */
        if (err == WSAEACCES) {
            err = WSAEADDRINUSE;
        }
    }

    if (err == 0 && !opt->datagram) {
        *failed = "listen()";

        if (listen((SOCKET) *fd, backlog_of(opt->backlog)) != 0) {
            err = last();
        }
    }

    if (err) {
        lun_sock_close(*fd);
        *fd = LUN_FD_NONE;
    }

    return err;
}


lun_err
lun_sock_inherit(lun_fd fd, lun_addr *addr, bool *datagram)
{
    return WSAEOPNOTSUPP;
}


lun_err
lun_sock_relisten(lun_fd fd, const lun_listen_options *opt)
{
    set_buffers(fd, opt);

    return opt->datagram || listen((SOCKET) fd, backlog_of(opt->backlog)) == 0
           ? 0 : last();
}


lun_err
lun_sock_connect_datagram(lun_fd fd, const lun_addr *addr)
{
    int           len;
    lun_sockaddr  sa;

    len = lun_sock_encode(&sa, addr);

    if (len == 0) {
        return WSAEAFNOSUPPORT;
    }

    return connect((SOCKET) fd, (struct sockaddr *) &sa, len) == 0 ? 0 : last();
}


/* --- ending them --- */

void
lun_sock_close(lun_fd fd)
{
    closesocket((SOCKET) fd);
}


void
lun_sock_abort(lun_fd fd)
{
    struct linger  none;

    none.l_onoff = 1;
    none.l_linger = 0;

    setsockopt((SOCKET) fd, SOL_SOCKET, SO_LINGER, (const char *) &none,
               sizeof(none));
    closesocket((SOCKET) fd);
}


lun_err
lun_sock_shutdown_write(lun_fd fd)
{
    return shutdown((SOCKET) fd, SD_SEND) == 0 ? 0 : last();
}


/* --- asking and setting --- */

lun_err
lun_sock_local(lun_fd fd, lun_addr *addr)
{
    int           len;
    lun_sockaddr  sa;

    len = sizeof(sa);

    if (getsockname((SOCKET) fd, (struct sockaddr *) &sa, &len) != 0) {
        return last();
    }

    lun_sock_decode(addr, &sa);
    return 0;
}


lun_err
lun_sock_original(lun_fd fd, lun_family family, lun_addr *addr)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


lun_err
lun_sock_nodelay(lun_fd fd, bool on)
{
    return set(fd, IPPROTO_TCP, TCP_NODELAY, on);
}


/* Not in every header: Windows 10 has them. */
enum { PROBE_IDLE = 3, PROBE_COUNT = 16, PROBE_INTERVAL = 17 };

/* Levels and names. */
static const int  places[][2] = {
    [LUN_SOCK_KEEPALIVE]  = { SOL_SOCKET, SO_KEEPALIVE },
    [LUN_SOCK_REUSE_ADDR] = { SOL_SOCKET, SO_REUSEADDR },
    [LUN_SOCK_NODELAY]    = { IPPROTO_TCP, TCP_NODELAY },
    [LUN_SOCK_SNDBUF]     = { SOL_SOCKET, SO_SNDBUF },
    [LUN_SOCK_RCVBUF]     = { SOL_SOCKET, SO_RCVBUF },
    [LUN_SOCK_KEEPIDLE]   = { IPPROTO_TCP, PROBE_IDLE },
    [LUN_SOCK_KEEPINTVL]  = { IPPROTO_TCP, PROBE_INTERVAL },
    [LUN_SOCK_KEEPCNT]    = { IPPROTO_TCP, PROBE_COUNT },
};


lun_err
lun_sock_ask(lun_fd fd, lun_sock_option option, int *value)
{
    int  size = sizeof(int);

    /* Some of them fill no more than a byte of it. */
    *value = 0;

    return getsockopt((SOCKET) fd, places[option][0], places[option][1],
                      (char *) value, &size) == SOCKET_ERROR
           ? WSAGetLastError() : 0;
}


lun_err
lun_sock_measure(lun_fd fd, lun_sock_figures *f)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


lun_err
lun_sock_set_probes(lun_fd fd, lun_sock_option option, int value)
{
    return set(fd, places[option][0], places[option][1], value);
}


lun_err
lun_sock_keepalive(lun_fd fd, bool on)
{
    return set(fd, SOL_SOCKET, SO_KEEPALIVE, on);
}


lun_err
lun_sock_transparent(lun_fd fd, lun_family family)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


/* TransmitFile() answers later. */
bool
lun_port_tries_files(void)
{
    return false;
}


lun_err
lun_port_try_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    size_t *sent)
{
    *sent = 0;
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


bool
lun_sock_is_opaque(void)
{
    return true;
}


/*
 * What this is asked for on posix, an address that an old connection still
 * has, is given here anyway.  The option of that name would let us bind over
 * a socket that is in use.
 */
lun_err
lun_sock_reuse_addr(lun_fd fd, bool on)
{
    return 0;
}


lun_err
lun_sock_buffer(lun_fd fd, bool send, int size)
{
    return set(fd, SOL_SOCKET, send ? SO_SNDBUF : SO_RCVBUF, size);
}


lun_err
lun_sock_peek(lun_fd fd)
{
    int   n;
    char  byte;

    n = recv((SOCKET) fd, &byte, 1, MSG_PEEK);

    if (n == 0) {
        return WSAECONNRESET;
    }

    if (n < 0 && WSAGetLastError() != WSAEMSGSIZE) {
        return last();
    }

    return 0;
}
