/*
 * sock.h -- what is done to a socket before port.h gets it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_SOCK_H
#define LUN_OS_SOCK_H

#include "format/addr.h"
#include "os/file.h"

/* All of its addresses by the system's resolver; blocking: for load time. */
lun_err lun_addr_lookup(const char *host, uint16_t port, lun_addr *addrs,
    size_t room, size_t *count);

typedef struct {
    int        backlog;            /* -1: the system's largest */
    int        rcvbuf;             /* bytes; 0: leave */
    int        sndbuf;
    int        fastopen;           /* queue length; -1: off */
    unsigned   ipv6only:1;
    unsigned   reuseport:1;        /* Linux */
    unsigned   multipath:1;        /* Multipath TCP: Linux, or an error */
    unsigned   deferred:1;         /* Linux */
    unsigned   keepalive:1;
    unsigned   datagram:1;
    unsigned   quic:1;             /* ... that net/quic gets; with `datagram` */
    int        keepidle, keepintvl, keepcnt;   /* seconds, seconds, probes; 0 */
} lun_listen_options;

/*
 * A bound, listening, non-blocking socket that children do not inherit by
 * accident.  Exclusive on Windows; SO_REUSEADDR on Linux.  One for datagrams
 * (see datagram.h) is exclusive on both, and does not listen.
 * `failed` says which call failed, for the log ("bind()").
 */
lun_err lun_sock_listen(const lun_addr *addr, const lun_listen_options *opt,
    lun_fd *fd, const char **failed);

/*
 * A listener that the program before this one has left open under that
 * number, its address, and whether it is for datagrams.  An error if it is
 * none; always on Windows, where nothing is left so.
 */
lun_err lun_sock_inherit(lun_fd fd, lun_addr *addr, bool *datagram);

/* Applies what may change on a reload: backlog, buffers. */
lun_err lun_sock_relisten(lun_fd fd, const lun_listen_options *opt);

/* New, non-blocking, not connected. */
lun_err lun_sock_stream(lun_family family, lun_fd *fd);
lun_err lun_sock_datagram(lun_family family, lun_fd *fd);
lun_err lun_sock_bind(lun_fd fd, const lun_addr *addr);
/* Datagrams only (a stream is connected by lun_port_connect). */
lun_err lun_sock_connect_datagram(lun_fd fd, const lun_addr *addr);

/* One datagram and who sent it, and one to somebody; AGAIN kind: not now. */
lun_err lun_sock_receive_from(lun_fd fd, void *buf, size_t size, size_t *got,
    lun_addr *from);
lun_err lun_sock_send_to(lun_fd fd, const void *buf, size_t size,
    const lun_addr *to);

void lun_sock_close(lun_fd fd);
/* Drops it with a reset: reset_timedout_connection. */
void lun_sock_abort(lun_fd fd);
lun_err lun_sock_shutdown_write(lun_fd fd);

/*
 * Its own address.  AF_UNIX ones come with path "" when it has none; else the
 * path is valid until the next call in this thread.
 */
lun_err lun_sock_local(lun_fd fd, lun_addr *addr);

/*
 * Where a connection of that family was going when the system's packet filter
 * sent it here.  An error: nothing did; Windows does not say (NOT_SUPPORTED).
 */
lun_err lun_sock_original(lun_fd fd, lun_family family, lun_addr *addr);

/* What a socket may be asked for. */
typedef enum {
    LUN_SOCK_KEEPALIVE,
    LUN_SOCK_REUSE_ADDR,
    LUN_SOCK_NODELAY,
    LUN_SOCK_SNDBUF,
    LUN_SOCK_RCVBUF,
    LUN_SOCK_KEEPIDLE,             /* seconds */
    LUN_SOCK_KEEPINTVL,            /* seconds */
    LUN_SOCK_KEEPCNT               /* probes */
} lun_sock_option;

/* 0 or 1, or bytes of a buffer, as the system tells them. */
lun_err lun_sock_ask(lun_fd fd, lun_sock_option option, int *value);

/*
 * What the system has measured of a TCP connection: microseconds there and
 * back and how they vary, segments under way, bytes of the receiver's window.
 * Windows: LUN_ERR_NOT_SUPPORTED.
 */
typedef struct {
    unsigned  rtt, rttvar, snd_cwnd, rcv_space;
} lun_sock_figures;

lun_err lun_sock_measure(lun_fd fd, lun_sock_figures *f);

/* Bytes of a buffer; when an idle connection is probed. */
lun_err lun_sock_set_probes(lun_fd fd, lun_sock_option option, int value);

lun_err lun_sock_nodelay(lun_fd fd, bool on);
lun_err lun_sock_keepalive(lun_fd fd, bool on);
lun_err lun_sock_reuse_addr(lun_fd fd, bool on);
/*
 * It may be bound to an address that is not this machine's.  Linux, for who
 * may do that; LUN_ERR_NOT_SUPPORTED elsewhere, as lun_sock_is_opaque() says.
 */
lun_err lun_sock_transparent(lun_fd fd, lun_family family);
bool lun_sock_is_opaque(void);
/* The system's buffer for sending, or for receiving; bytes. */
lun_err lun_sock_buffer(lun_fd fd, bool send, int size);

/* One byte there, end of stream (LUN_ERR_RESET kind), or nothing (AGAIN). */
lun_err lun_sock_peek(lun_fd fd);

/* Blocking client calls with a limit, for tools (lunette spec, -s). */
lun_err lun_sock_connect_wait(const lun_addr *addr, lun_msec limit, lun_fd *fd);
lun_err lun_sock_send_wait(lun_fd fd, const void *buf, size_t size,
    lun_msec limit);
lun_err lun_sock_recv_wait(lun_fd fd, void *buf, size_t size, lun_msec limit,
    size_t *got);
/* Waits for a connection on a listener; AGAIN kind when the limit passed. */
lun_err lun_sock_accept_wait(lun_fd listener, lun_msec limit, lun_fd *fd);

/* This machine's name, zero-terminated; "localhost" when it has none. */
void lun_sock_host_name(char *room, size_t size);

/* Starts the socket library (Windows); once per process. */
void lun_sock_init(void);

#endif
