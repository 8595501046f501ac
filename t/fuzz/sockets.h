/*
 * sockets.h -- sockets in memory, for targets that hold whole conversations:
 * what the other side has sent, how much it takes, whether it is there.
 *
 * Include it in place of core/net/conn.c and loop.c, which it contains.  What
 * happens is step.h's.  A target that defines LUN_FUZZ_SENT(at, slices, n,
 * size) sees the bytes that the other side takes: `size` of n slices.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_SOCKETS_H
#define LUN_FUZZ_SOCKETS_H

#include "base/check.h"
#include "net/conn.h"

#ifndef LUN_FUZZ_SENT
#define LUN_FUZZ_SENT(at, slices, n, size)       ((void) 0)
#endif

enum { SOCKETS = 64, WIRE = 1 << 16, TURNS = 50000 };

/* Free when it has no stream. */
typedef struct {
    lun_stream  *s;
    lun_op_fn   *read, *written;   /* NULL: nothing was asked for */
    bool         closed;           /* by us: what is in flight comes back */
    bool         broken, ended;    /* by the other side */
    bool         connecting;
    bool         outgoing;
    uint16_t     port;             /* that it was connected to */
    unsigned     order;            /* since when it is there */
    char        *into;             /* what is read goes there */
    size_t       into_size;
    size_t       pending;          /* of the posted write */
    size_t       pieces;
    lun_slice    slices[LUN_PORT_SLICES];
    size_t       room;             /* bytes that the other side would take */
    size_t       from, to;         /* of the wire, not yet read */
    uint8_t      wire[WIRE];
} memory_socket;

static memory_socket  sockets[SOCKETS];
static unsigned       socket_order;
static size_t         first_room;  /* of a new one */


/* --- the port, as conn.c sees it ----------------------------------------- */

static memory_socket *
socket_of(const lun_stream *s)
{
    return &sockets[s->fd];
}


static lun_err
io_attach(lun_stream *s)
{
    size_t         i;
    memory_socket  *at;

    for (i = 0; i < SOCKETS && sockets[i].s != NULL; i++) { }

    if (i == SOCKETS) {
        return lun_err_of_kind(LUN_ERR_TOO_MANY_FILES);
    }

    at = &sockets[i];
    memset(at, 0, offsetof(memory_socket, wire));
    at->s = s;
    at->room = first_room;
    at->order = ++socket_order;
    s->fd = (lun_fd) i;
    s->attached = 1;

    return 0;
}


static void
io_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done)
{
    memory_socket  *at = socket_of(s);

    /* No size: to be told that there is something. */
    LUN_CHECK(at->s == s && !at->closed && at->read == NULL);
    at->read = done;
    at->into = buf;
    at->into_size = size;
}


/* Each byte is looked at, so that ASan sees whose it is. */
static void
look_at(const lun_slice *slices, size_t n)
{
    size_t                i, k;
    static volatile char  sink;

    for (i = 0; i < n; i++) {
        for (k = 0; slices[i].data != NULL && k < slices[i].len; k++) {
            sink = slices[i].data[k];
        }
    }

    (void) sink;
}


static lun_err
io_send(lun_stream *s, const lun_slice *slices, size_t n, size_t *sent)
{
    size_t          i, size = 0;
    memory_socket  *at = socket_of(s);

    LUN_CHECK(at->s == s && !at->closed && at->written == NULL);
    look_at(slices, n);

    if (at->broken) {
        return lun_err_of_kind(LUN_ERR_RESET);
    }

    if (at->room == 0) {
        return lun_err_of_kind(LUN_ERR_AGAIN);
    }

    for (i = 0; i < n; i++) {
        size += slices[i].len;
    }

    *sent = lun_min(size, at->room);
    at->room -= *sent;
    LUN_FUZZ_SENT(at, slices, n, *sent);
    return 0;
}


static void
io_write(lun_stream *s, const lun_slice *slices, size_t n, lun_op_fn *done)
{
    size_t          i;
    memory_socket  *at = socket_of(s);

    LUN_CHECK(at->s == s && !at->closed && at->written == NULL);
    LUN_CHECK(n <= LUN_PORT_SLICES);

    at->written = done;
    at->pending = 0;
    at->pieces = n;

    for (i = 0; i < n; i++) {
        at->slices[i] = slices[i];
        at->pending += slices[i].len;
    }
}


/* A part of a file is as many bytes that nobody sees. */
static void
io_send_file(lun_stream *s, size_t size, lun_op_fn *done)
{
    lun_slice  part = { NULL, size };

    io_write(s, &part, 1, done);
}


static void
io_connect(lun_stream *s, const lun_addr *addr, lun_op_fn *done)
{
    memory_socket  *at = socket_of(s);

    io_write(s, NULL, 0, done);
    at->connecting = true;
    at->outgoing = true;
    at->port = addr->port;
}


static bool
io_busy(const lun_stream *s)
{
    return s->attached
           && (socket_of(s)->read != NULL || socket_of(s)->written != NULL);
}


static void
io_close(lun_stream *s)
{
    memory_socket  *at;

    if (!s->attached) {
        return;                        /* without a socket */
    }

    at = socket_of(s);
    LUN_CHECK(at->s == s && !at->closed);
    at->closed = true;

    if (!io_busy(s)) {
        at->s = NULL;
    }
}


#define lun_port_attach(port, s, fd, datagram)   ((void) (fd), io_attach(s))
#define lun_port_read(s, buf, size, done)        io_read(s, buf, size, done)
#define lun_port_send(s, slices, n, more, sent)                               \
    ((void) (more), io_send(s, slices, n, sent))
#define lun_port_write(s, slices, n, done)       io_write(s, slices, n, done)
#define lun_port_tries_files()                   false
#define lun_port_send_file(s, file, at, size, done)                           \
    ((void) (file), (void) (at), io_send_file(s, size, done))
#define lun_port_connect(s, addr, done)          io_connect(s, addr, done)
#define lun_port_busy(s)                         io_busy(s)
#define lun_port_close                           io_close
#define lun_port_abort                           io_close
#define lun_sock_stream(family, fd)  ((void) (family), *(fd) = 0, 0)
#define lun_sock_close(fd)                       ((void) (fd))
#define lun_sock_shutdown_write(fd)              0
#define lun_sock_local(fd, addr)                 (*(addr) = (lun_addr) { 0 }, 0)

#include "os/splice.h"

#include "../../core/net/conn.c"
#include "../../core/net/conn_file.c"

/* Some of what goes by, every now and then: nobody sees which bytes. */
static lun_err
io_splice(lun_stream *from, lun_stream *to, size_t most, size_t *taken,
    size_t *rest, lun_err *lost)
{
    static size_t   calls;
    memory_socket  *in = socket_of(from), *out = socket_of(to);

    LUN_CHECK(most != 0 && in->read == NULL && out->written == NULL);
    LUN_CHECK(!in->closed && !out->closed);
    *taken = *rest = 0;
    *lost = 0;

    if (++calls % 4 == 0) {
        return lun_err_of_kind(LUN_ERR_AGAIN);
    }

    *taken = lun_min(most, 1 + calls * 7919 % 30000);
    *lost = out->broken ? lun_err_of_kind(LUN_ERR_RESET) : 0;
    *rest = out->broken ? 0 : *taken - lun_min(*taken, out->room);
    out->room -= out->broken ? 0 : *taken - *rest;

    return 0;
}


#define lun_port_splices()                       true
#define lun_port_splice                          io_splice
#define lun_port_splice_rest(to, size)           memset(to, 'x', size)
#define lun_port_has_more(from)                  ((void) (from), false)
#include "../../core/net/conn_splice.c"

/* Nothing comes from the system: a turn is timers and tasks. */
#define lun_port_wait(port, limit, awake)                                     \
    ((void) (port), (void) (limit), awake())

#include "../../core/net/loop.c"

#endif
