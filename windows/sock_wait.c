/*
 * sock_wait.c -- the few calls on sockets that wait: for tools.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sock.h"

#include "windows/win.h"

#include "os/time.h"


typedef enum {
    FOR_READING,
    FOR_WRITING,
    FOR_CONNECTING
} wait_for;


/* 0, a timeout, or for a connection why it failed. */
static lun_err
wait_until(lun_fd fd, wait_for what, uint64_t until)
{
    int             n, err, len;
    fd_set          in, out, failed;
    uint64_t        now, left;
    struct timeval  tv;

    now = lun_time_monotonic();
    left = until > now ? until - now : 0;
    left = lun_min(left, (uint64_t) 1000000000);
    tv.tv_sec = (int) (left / 1000);
    tv.tv_usec = (int) (left % 1000) * 1000;

    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_ZERO(&failed);
    FD_SET((SOCKET) fd, what == FOR_READING ? &in : &out);
    FD_SET((SOCKET) fd, &failed);

    n = select(0, &in, &out, what == FOR_CONNECTING ? &failed : NULL, &tv);

    if (n < 0) {
        return (lun_err) WSAGetLastError();
    }

    if (n == 0) {
        return WSAETIMEDOUT;
    }

    if (what == FOR_CONNECTING && FD_ISSET((SOCKET) fd, &failed)) {
        err = 0;
        len = sizeof(err);
        getsockopt((SOCKET) fd, SOL_SOCKET, SO_ERROR, (char *) &err, &len);
        return err ? (lun_err) err : WSAECONNREFUSED;
    }

    return 0;
}


static uint64_t
moment(lun_msec limit)
{
    uint64_t  now;

    now = lun_time_monotonic();
    return limit > UINT64_MAX - now ? UINT64_MAX : now + limit;
}


lun_err
lun_sock_connect_wait(const lun_addr *addr, lun_msec limit, lun_fd *fd)
{
    int           len;
    lun_err       err;
    lun_sockaddr  sa;

    err = lun_sock_stream(addr->family, fd);

    if (err) {
        return err;
    }

    len = lun_sock_encode(&sa, addr);

    if (connect((SOCKET) *fd, (struct sockaddr *) &sa, len) != 0) {
        err = (lun_err) WSAGetLastError();

        if (err == WSAEWOULDBLOCK) {
            err = wait_until(*fd, FOR_CONNECTING, moment(limit));
        }
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
    int          n;
    lun_err      err;
    uint64_t     until;
    const char  *p;

    p = buf;
    until = moment(limit);

    while (size > 0) {
        n = send((SOCKET) fd, p, (int) lun_min(size, (size_t) 1 << 20), 0);

        if (n >= 0) {
            p += n;
            size -= (size_t) n;
            continue;
        }

        err = (lun_err) WSAGetLastError();

        if (err == WSAEWOULDBLOCK) {
            err = wait_until(fd, FOR_WRITING, until);
        }

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
    int       n;
    lun_err   err;
    uint64_t  until;

    *got = 0;
    until = moment(limit);

    for ( ;; ) {
        n = recv((SOCKET) fd, buf, (int) lun_min(size, (size_t) 1 << 30), 0);

        if (n >= 0) {
            *got = (size_t) n;
            return 0;
        }

        err = (lun_err) WSAGetLastError();

        if (err == WSAEWOULDBLOCK) {
            err = wait_until(fd, FOR_READING, until);
        }

        if (err) {
            return err;
        }
    }
}


/*
 * A time-out is AGAIN here, for the caller who looks at something else in
 * between.
 */
lun_err
lun_sock_accept_wait(lun_fd listener, lun_msec limit, lun_fd *fd)
{
    SOCKET    s;
    lun_err   err;
    uint64_t  until;

    *fd = LUN_FD_NONE;
    until = moment(limit);

    for ( ;; ) {
        s = accept((SOCKET) listener, NULL, NULL);

        if (s != INVALID_SOCKET) {
            SetHandleInformation((HANDLE) s, HANDLE_FLAG_INHERIT, 0);
            *fd = (lun_fd) s;
            return lun_sock_nonblocking(s);
        }

        err = (lun_err) WSAGetLastError();

        if (err == WSAEWOULDBLOCK) {
            err = wait_until(listener, FOR_READING, until);
        }

        if (err == WSAETIMEDOUT) {
            return WSAEWOULDBLOCK;
        }

        if (err) {
            return err;
        }
    }
}
