/*
 * accept.c -- taking connections from listeners that several workers share.
 *
 * A listener's duplicate can't join a second completion port, so its
 * operations signal an event instead; one of the system's wait threads turns
 * that into a packet for the port.  Each worker keeps a few AcceptEx waiting
 * on each listener.  The kernel serves them in the order of their arrival,
 * which shares connections out evenly and wakes one worker for each.
 *
 * The event is shared by the slots of a listener.  Starting an operation
 * resets it, so after every start all slots are looked at again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/port.h"

#include "windows/win.h"

#include <stdlib.h>


enum {
    SLOTS     = 4,                 /* AcceptEx waiting per listener */
    PASSES    = 2,                 /* over the slots, before others' turn */
    ADDR_ROOM = sizeof(struct sockaddr_in6) + 16
};

typedef struct {
    OVERLAPPED  ov;
    SOCKET      fd;                /* INVALID_SOCKET: nothing is waiting */
    char        room[2 * ADDR_ROOM];
} slot;

/* Lives until no packet for it can be on its way. */
typedef struct {
    lun_acceptor   *a;
    HANDLE          event;
    HANDLE          wait;
    volatile LONG   queued;        /* a packet is on its way */
    bool            running;       /* on_event() is at work */
    bool            over;
    slot            slots[SLOTS];
} taker;

static LPFN_ACCEPTEX              accept_ex;
static LPFN_GETACCEPTEXSOCKADDRS  split_addrs;


static lun_err
last(void)
{
    return (lun_err) WSAGetLastError();
}


/* Lets one more connection come. */
static lun_err
post(taker *t, slot *s)
{
    DWORD    n;
    lun_err  err;

    s->fd = lun_sock_new(t->a->family == LUN_AF_INET6 ? AF_INET6 : AF_INET,
                         SOCK_STREAM, IPPROTO_TCP);

    if (s->fd == INVALID_SOCKET) {
        return last();
    }

    memset(&s->ov, 0, sizeof(s->ov));
    s->ov.hEvent = t->event;

    if (accept_ex((SOCKET) t->a->fd, s->fd, s->room, 0, ADDR_ROOM, ADDR_ROOM,
                  &n, &s->ov))
    {
        return 0;
    }

    err = last();

    if (err == WSA_IO_PENDING) {
        return 0;
    }

    closesocket(s->fd);
    s->fd = INVALID_SOCKET;
    return err;
}


static bool
has_arrived(const slot *s)
{
    return s->fd != INVALID_SOCKET
           && *(volatile const ULONG_PTR *) &s->ov.Internal
              != (ULONG_PTR) STATUS_PENDING;
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


/* Gives the slot's connection to the acceptor, or forgets a failed one. */
static void
hand_over(taker *t, slot *s)
{
    int               n, peer_len, local_len;
    DWORD             bytes, flags;
    SOCKET            fd, listener;
    lun_err           err;
    lun_addr          peer;
    struct sockaddr  *local_sa, *peer_sa;

    fd = s->fd;
    s->fd = INVALID_SOCKET;
    listener = (SOCKET) t->a->fd;
    memset(&peer, 0, sizeof(peer));

    if (!WSAGetOverlappedResult(listener, &s->ov, &bytes, FALSE, &flags)) {
        err = last();
        closesocket(fd);

        if (!is_gone(err)) {
            t->a->take(t->a, LUN_FD_NONE, &peer, err);
        }
        return;
    }

    n = sizeof(listener);
    setsockopt(fd, SOL_SOCKET, SO_UPDATE_ACCEPT_CONTEXT,
               (const char *) &listener, n);
    lun_sock_nonblocking(fd);

    split_addrs(s->room, 0, ADDR_ROOM, ADDR_ROOM, &local_sa, &local_len,
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
on_signal(PVOID data, BOOLEAN timed_out)
{
    (void) timed_out;
    call_back(data);
}


/* Whether a slot had a connection; false too when it is over. */
static bool
look(taker *t)
{
    int        i;
    bool       any;
    lun_err    err;
    lun_addr   nobody;

    any = false;

    for (i = 0; i < SLOTS && !t->over; i++) {
        if (has_arrived(&t->slots[i])) {
            any = true;
            hand_over(t, &t->slots[i]);
        }

        if (!t->over && t->slots[i].fd == INVALID_SOCKET) {
            err = post(t, &t->slots[i]);

            if (err) {
                memset(&nobody, 0, sizeof(nobody));
                t->a->take(t->a, LUN_FD_NONE, &nobody, err);
                break;
            }
        }
    }

    return any && !t->over;
}


static void
on_event(lun_port *port, void *what, uint32_t bytes)
{
    int     i;
    bool    more;
    taker  *t;

    (void) port;
    (void) bytes;

    t = what;
    InterlockedExchange(&t->queued, 0);
    t->running = true;
    more = !t->over;

    for (i = 0; i < PASSES && more; i++) {
        more = look(t);
    }

    if (more) {
        call_back(t);
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
    int       i;
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

    a->port = port;
    t->a = a;
    t->event = CreateEventW(NULL, FALSE, FALSE, NULL);
    err = t->event ? 0 : (lun_err) GetLastError();

    for (i = 0; i < SLOTS; i++) {
        t->slots[i].fd = INVALID_SOCKET;
    }

    if (err == 0) {
        err = post(t, &t->slots[0]);
    }

    if (err == 0
        && !RegisterWaitForSingleObject(&t->wait, t->event, on_signal, t,
                                        INFINITE, WT_EXECUTEINWAITTHREAD))
    {
        err = (lun_err) GetLastError();
    }

    a->os = t;
    a->open = true;

    if (err) {
        lun_port_accept_stop(a);
        return err;
    }

    /* The other slots are filled in the first turn of the loop. */
    call_back(t);
    return 0;
}


/* The kernel gives back every slot: with a connection, or cancelled. */
static void
call_off(taker *t)
{
    int  i;

    for (i = 0; i < SLOTS; i++) {
        if (t->slots[i].fd != INVALID_SOCKET && !has_arrived(&t->slots[i])) {
            CancelIoEx((HANDLE) t->a->fd, &t->slots[i].ov);
        }
    }

    for (i = 0; i < SLOTS; i++) {
        while (t->slots[i].fd != INVALID_SOCKET
               && !has_arrived(&t->slots[i]))
        {
            WaitForSingleObject(t->event, 1);
        }
    }
}


void
lun_port_accept_stop(lun_acceptor *a)
{
    int     i;
    taker  *t;

    if (!a->open) {
        return;
    }

    t = a->os;
    a->open = false;
    t->over = true;

    if (t->wait != NULL) {
        UnregisterWaitEx(t->wait, INVALID_HANDLE_VALUE);
    }

    call_off(t);

    for (i = 0; i < SLOTS; i++) {
        if (t->slots[i].fd != INVALID_SOCKET) {
            hand_over(t, &t->slots[i]);
        }
    }

    if (t->event != NULL) {
        CloseHandle(t->event);
    }

    a->os = NULL;
    release(t);
}
