/*
 * accept.c -- taking connections from listeners that several workers share.
 *
 * A listener's duplicate can't join a second completion port, so its AcceptEx
 * signals an event instead; one of the system's wait threads turns that into
 * a packet for the port.
 *
 * Each worker keeps one AcceptEx on each listener.  The kernel serves them in
 * the order of their arrival: connections go round among the workers, one
 * worker wakes for each, and none is given to a worker that has not yet come
 * to its last.  With four of them, measured under Wine, the first four
 * clients all got the same worker, and a burst was neither taken faster nor
 * shared better.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/port.h"

#include "windows/win.h"

#include <stdlib.h>


enum {
    TRIES     = 16,                /* clients in a row that left too soon */
    ADDR_ROOM = sizeof(struct sockaddr_in6) + 16
};

/* Lives until no packet for it can be on its way. */
typedef struct {
    lun_acceptor   *a;
    HANDLE          event;
    HANDLE          wait;
    volatile LONG   queued;        /* a packet is on its way */
    bool            running;       /* on_event() is at work */
    bool            over;

    OVERLAPPED      ov;
    SOCKET          fd;            /* for the next one; INVALID_SOCKET: none */
    char            room[2 * ADDR_ROOM];
} taker;

static LPFN_ACCEPTEX              accept_ex;
static LPFN_GETACCEPTEXSOCKADDRS  split_addrs;


static lun_err
last(void)
{
    return (lun_err) WSAGetLastError();
}


/* The client has left before its turn, or we have cancelled it. */
static bool
is_gone(lun_err err)
{
    lun_err_kind  kind;

    kind = lun_err_kind_of(err);

    return kind == LUN_ERR_RESET || kind == LUN_ERR_CANCELLED
           || err == WSAENOTCONN;
}


/* The connection waits, and whoever asks for it meets the same. */
static bool
is_shortage(lun_err err)
{
    lun_err_kind  kind;

    kind = lun_err_kind_of(err);

    return kind == LUN_ERR_TOO_MANY_FILES || kind == LUN_ERR_NO_MEMORY;
}


/* Lets one more connection come. */
static lun_err
post(taker *t)
{
    DWORD    n;
    lun_err  err;

    t->fd = lun_sock_new(t->a->family == LUN_AF_INET6 ? AF_INET6 : AF_INET,
                         SOCK_STREAM, IPPROTO_TCP);

    if (t->fd == INVALID_SOCKET) {
        return last();
    }

    memset(&t->ov, 0, sizeof(t->ov));
    t->ov.hEvent = t->event;

    err = accept_ex((SOCKET) t->a->fd, t->fd, t->room, 0, ADDR_ROOM, ADDR_ROOM,
                    &n, &t->ov) ? 0 : last();

    if (err != 0 && err != WSA_IO_PENDING) {
        closesocket(t->fd);
        t->fd = INVALID_SOCKET;
        return err;
    }

    return 0;
}


static lun_err
post_patiently(taker *t)
{
    int      i;
    lun_err  err;

    err = 0;

    for (i = 0; i < TRIES; i++) {
        err = post(t);

        if (err == 0 || !is_gone(err)) {
            break;
        }
    }

    return err;
}


static bool
has_arrived(const taker *t)
{
    return t->fd != INVALID_SOCKET
           && *(volatile const ULONG_PTR *) &t->ov.Internal
              != (ULONG_PTR) STATUS_PENDING;
}


static void
report(taker *t, lun_err err, bool stuck)
{
    lun_addr  nobody;

    memset(&nobody, 0, sizeof(nobody));
    t->a->stuck = stuck;
    t->a->take(t->a, LUN_FD_NONE, &nobody, err);
}


/* Gives the connection to the acceptor, or forgets a failed one. */
static void
hand_over(taker *t)
{
    int               peer_len, local_len;
    DWORD             bytes, flags;
    SOCKET            fd, listener;
    lun_err           err;
    lun_addr          peer;
    struct sockaddr  *local_sa, *peer_sa;

    fd = t->fd;
    t->fd = INVALID_SOCKET;
    listener = (SOCKET) t->a->fd;

    if (!WSAGetOverlappedResult(listener, &t->ov, &bytes, FALSE, &flags)) {
        err = last();
        closesocket(fd);

        if (!is_gone(err)) {
            report(t, err, is_shortage(err));
        }
        return;
    }

    setsockopt(fd, SOL_SOCKET, SO_UPDATE_ACCEPT_CONTEXT,
               (const char *) &listener, sizeof(listener));
    lun_sock_nonblocking(fd);

    split_addrs(t->room, 0, ADDR_ROOM, ADDR_ROOM, &local_sa, &local_len,
                &peer_sa, &peer_len);
    lun_sock_decode(&peer, peer_sa);

    lun_port_count_accept(t->a->port);
    t->a->take(t->a, (lun_fd) fd, &peer, 0);
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
        lun_port_packet(t->a->port, on_event, t);
    }
}


static VOID CALLBACK
on_os_signal(PVOID data, BOOLEAN timed_out)
{
    call_back(data);
}


static void
on_event(lun_port *port, void *what, uint32_t bytes)
{
    taker    *t;
    lun_err   err;

    t = what;
    InterlockedExchange(&t->queued, 0);
    t->running = true;

    if (!t->over && has_arrived(t)) {
        hand_over(t);
    }

    if (!t->over && t->fd == INVALID_SOCKET) {
        err = post_patiently(t);

        if (err) {
            report(t, err, true);   /* nothing comes until it is restarted */

        } else if (has_arrived(t)) {
            call_back(t);           /* somebody waited: after the others */
        }
    }

    t->running = false;

    if (t->over) {
        release(t);
    }
}


static void
load_extensions(void)
{
    static const GUID  accept_id = WSAID_ACCEPTEX;
    static const GUID  addrs_id = WSAID_GETACCEPTEXSOCKADDRS;

    if (accept_ex == NULL) {
        lun_sock_extension(&addrs_id, &split_addrs);
        lun_sock_extension(&accept_id, &accept_ex);
    }
}


lun_err
lun_port_accept(lun_port *port, lun_acceptor *a)
{
    taker    *t;
    lun_err   err;

    load_extensions();

    if (accept_ex == NULL || split_addrs == NULL) {
        return WSAEOPNOTSUPP;
    }

    t = calloc(1, sizeof(*t));

    if (t == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    t->a = a;
    t->fd = INVALID_SOCKET;
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

    a->port = port;
    a->os = t;
    a->open = true;
    a->stuck = false;

    /* The rest in the loop, where an error can be told. */
    call_back(t);
    return 0;
}


/* The kernel gives it back: with a connection, or cancelled. */
static void
call_off(taker *t)
{
    if (t->fd != INVALID_SOCKET && !has_arrived(t)) {
        CancelIoEx((HANDLE) t->a->fd, &t->ov);
    }

    while (t->fd != INVALID_SOCKET && !has_arrived(t)) {
        WaitForSingleObject(t->event, 1);
    }
}


void
lun_port_accept_stop(lun_acceptor *a)
{
    taker  *t;

    if (!a->open) {
        return;
    }

    t = a->os;
    a->open = false;
    t->over = true;

    UnregisterWaitEx(t->wait, INVALID_HANDLE_VALUE);
    call_off(t);

    if (t->fd != INVALID_SOCKET) {
        hand_over(t);
    }

    CloseHandle(t->event);
    a->os = NULL;
    release(t);
}
