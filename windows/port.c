/*
 * port.c -- arrivals through an I/O completion port.
 *
 * Every packet's key is the function that takes it, so the wait has no
 * switch: socket operations, remote posts, accepted connections, deaths of
 * children and words all come the same way.
 *
 * What the system can do at once it does at once, and then posts no packet:
 * such an operation waits in our own ready list, because `done` is called
 * from lun_port_wait() only.  A wait takes one batch from the kernel (without
 * waiting, when something is ready), then calls what was ready before it
 * began: what those calls start is the next wait's, so nobody starves.
 *
 * An operation that the kernel still has when its stream is closed comes back
 * through the port, cancelled; one that sits in the ready list is told the
 * same when its turn comes.  Both are recognised by the stream's lost handle.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/port.h"

#include "windows/port_priv.h"

#include <stdlib.h>

#include "base/check.h"
#include "os/stat_cache.h"


enum {
    BATCH        = 128,            /* packets per wait */
    SEND_MOST    = 256 * 1024,     /* bytes given at once: see lun_port_send */
    MESSAGE_MOST = 64 * 1024,      /* bytes of a datagram */
    BUFFER       = 128 * 1024,     /* of a file per operation */
    BUFFERS_KEPT = 16,
    TRANSMIT_LEAST = 64 * 1024,
    TRANSMIT_MOST  = 1024 * 1024
};

/* Memory to carry a piece of a file from the disk to a socket. */
struct file_buffer {
    file_buffer  *next;
    char          data[BUFFER];
};

struct lun_port {
    HANDLE             iocp;
    lun_op            *ready;
    lun_op           **ready_end;
    file_buffer       *buffers;
    unsigned           buffer_count;
    lun_port_counters  counters;
    OVERLAPPED_ENTRY   entries[BATCH];
};

static struct {
    bool               loaded;
    bool               server;     /* an edition for them */
    LPFN_TRANSMITFILE  transmit;
} extensions;


static lun_err
last(void)
{
    return (lun_err) WSAGetLastError();
}


/*
 * Whether TransmitFile is to be used.  Client editions let only two calls run
 * at a time, for the whole system; and small pieces are cheaper read and sent.
 */
static bool
is_transmitted(bool server_edition, size_t size)
{
    return server_edition && size > TRANSMIT_LEAST;
}


static bool
is_server_edition(void)
{
    DWORDLONG         equal;
    OSVERSIONINFOEXW  client;

    memset(&client, 0, sizeof(client));
    client.dwOSVersionInfoSize = sizeof(client);
    client.wProductType = VER_NT_WORKSTATION;
    equal = VerSetConditionMask(0, VER_PRODUCT_TYPE, VER_EQUAL);

    return !VerifyVersionInfoW(&client, VER_PRODUCT_TYPE, equal)
           && GetLastError() == ERROR_OLD_WIN_VERSION;
}


static void
load_extensions(void)
{
    static const GUID  transmit_id = WSAID_TRANSMITFILE;

    lun_sock_extension(&transmit_id, &extensions.transmit);
    extensions.server = is_server_edition();
    extensions.loaded = true;
}


void
lun_port_use_poll(lun_port *port)
{
}


lun_port *
lun_port_new(lun_err *err)
{
    lun_port  *port;

    lun_sock_init();

    if (!extensions.loaded) {
        load_extensions();
    }

    port = calloc(1, sizeof(*port));

    if (port == NULL) {
        *err = ERROR_NOT_ENOUGH_MEMORY;
        return NULL;
    }

    port->ready_end = &port->ready;
    port->iocp = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);

    if (port->iocp == NULL) {
        *err = (lun_err) GetLastError();
        free(port);
        return NULL;
    }

    return port;
}


void
lun_port_free(lun_port *port)
{
    file_buffer  *b;

    CloseHandle(port->iocp);

    while ((b = port->buffers) != NULL) {
        port->buffers = b->next;
        free(b);
    }

    free(port);
}


const lun_port_counters *
lun_port_count(const lun_port *port)
{
    return &port->counters;
}


void
lun_port_count_accept(lun_port *port)
{
    port->counters.accepts++;
}


void
lun_port_count_read(lun_port *port)
{
    port->counters.reads++;
}


void
lun_port_count_other(lun_port *port)
{
    port->counters.others++;
}


lun_err
lun_port_bind(lun_port *port, HANDLE handle, lun_port_packet_fn *take)
{
    return CreateIoCompletionPort(handle, port->iocp, (ULONG_PTR) take, 0)
           ? 0 : (lun_err) GetLastError();
}


void
lun_port_packet(lun_port *port, lun_port_packet_fn *take, void *what)
{
    PostQueuedCompletionStatus(port->iocp, 0, (ULONG_PTR) take, what);
}


/* --- the ready list --- */

static void
push(lun_port *port, lun_op *op)
{
    op->next = NULL;
    *port->ready_end = op;
    port->ready_end = &op->next;
}


void
lun_port_finish(lun_port *port, lun_op *op, lun_err err, int64_t result)
{
    op->err = err;
    op->result = err ? 0 : result;
    push(port, op);
}


static file_buffer *
get_buffer(lun_port *port)
{
    file_buffer  *b;

    b = port->buffers;

    if (b == NULL) {
        return malloc(sizeof(*b));
    }

    port->buffers = b->next;
    port->buffer_count--;
    return b;
}


static void
put_buffer(lun_port *port, file_buffer *b)
{
    if (port->buffer_count == BUFFERS_KEPT) {
        free(b);
        return;
    }

    b->next = port->buffers;
    port->buffers = b;
    port->buffer_count++;
}


/* What a result means depends on the operation. */
static void
translate(lun_op *op)
{
    lun_stream  *s;

    s = op->stream;

    if (s->fd == LUN_FD_NONE) {
        op->err = ERROR_OPERATION_ABORTED;
        op->result = 0;
        return;
    }

    if (op->kind == OP_CONNECT && op->err == 0) {
        setsockopt((SOCKET) s->fd, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, NULL,
                   0);
    }

    if (s->datagram && op->kind == OP_READ) {
        op->result = lun_min(op->result, (int64_t) lun_port_os_of(op)->room);

        /* "Port unreachable" came back. */
        if (op->err == WSAECONNRESET) {
            op->err = WSAECONNREFUSED;
        }
    }
}


static void
deliver(lun_port *port, lun_op *op)
{
    win_op  *os;

    if (op->stream != NULL) {
        os = lun_port_os_of(op);

        if (os->buffer != NULL) {
            put_buffer(port, os->buffer);
            os->buffer = NULL;
        }

        translate(op);
    }

    op->busy = false;
    op->done(op);                   /* the operation may be gone now */
}


/*
 * Packets first, then what completed at once: the second list may grow while it
 * is worked off, and has its next turn then.
 */
void
lun_port_wait(lun_port *port, lun_msec limit, void (*awake)(void))
{
    ULONG                    i, n;
    DWORD                    ms;
    lun_op                  *op, *next;
    const OVERLAPPED_ENTRY  *e;
    lun_port_packet_fn      *take;

    if (port->ready != NULL) {
        ms = 0;
    } else if (limit == LUN_PORT_FOREVER) {
        ms = INFINITE;
    } else {
        ms = (DWORD) lun_min(limit, (lun_msec) INT32_MAX);
    }

    port->counters.waits++;

    if (!GetQueuedCompletionStatusEx(port->iocp, port->entries, BATCH, &n, ms,
                                     FALSE))
    {
        LUN_CHECK(GetLastError() == WAIT_TIMEOUT);
        n = 0;
    }

    lun_stat_cache_invalidate();

    if (awake) {
        awake();
    }

    for (i = 0; i < n; i++) {
        e = &port->entries[i];
        take = (lun_port_packet_fn *) e->lpCompletionKey;
        take(port, e->lpOverlapped, e->dwNumberOfBytesTransferred);
    }

    op = port->ready;
    port->ready = NULL;
    port->ready_end = &port->ready;

    for ( ; op != NULL; op = next) {
        next = op->next;
        deliver(port, op);
    }
}


static void
on_remote(lun_port *port, void *what, uint32_t bytes)
{
    push(port, what);
}


static void
prepare_post(lun_op *op)
{
    op->kind = OP_POST;
    op->busy = true;
    op->stream = NULL;
}


void
lun_port_post(lun_port *port, lun_op *op)
{
    prepare_post(op);
    push(port, op);
}


void
lun_port_post_remote(lun_port *port, lun_op *op)
{
    prepare_post(op);
    lun_port_packet(port, on_remote, op);
}


/* --- streams --- */

/* A socket's operation comes back from the kernel. */
static void
on_io(lun_port *port, void *what, uint32_t bytes)
{
    DWORD        n, flags;
    win_op      *os;
    lun_op      *op;
    lun_err      err;
    lun_stream  *s;

    os = lun_container_of(what, win_op, ov);
    op = lun_container_of(os, lun_op, os);
    s = op->stream;
    os->pending = false;
    err = 0;

    if (os->ov.Internal != 0 && s->fd != LUN_FD_NONE
        && !WSAGetOverlappedResult((SOCKET) s->fd, &os->ov, &n, FALSE, &flags))
    {
        err = last();
    }

    lun_port_finish(port, op, err, bytes);
}


void
lun_port_init_op(lun_stream *s, lun_op *op, bool silent)
{
    win_op  *os;

    op->busy = false;
    op->stream = s;
    os = lun_port_os_of(op);
    memset(os, 0, sizeof(*os));
    os->silent = silent;
}


lun_err
lun_port_attach(lun_port *port, lun_stream *s, lun_fd fd, bool datagram)
{
    bool     silent;
    UCHAR    modes;
    lun_err  err;

    err = lun_port_bind(port, (HANDLE) fd, on_io);

    if (err) {
        return err;
    }

    port->counters.others++;

    /* For datagrams the system does not keep its word in every case. */
    modes = FILE_SKIP_SET_EVENT_ON_HANDLE
            | (datagram ? 0 : FILE_SKIP_COMPLETION_PORT_ON_SUCCESS);
    silent = SetFileCompletionNotificationModes((HANDLE) fd, modes)
             && !datagram;

    s->fd = fd;
    s->port = port;
    s->datagram = datagram;
    s->attached = 1;
    s->pipe = 0;
    lun_port_init_op(s, &s->in, silent);
    lun_port_init_op(s, &s->out, silent);
    return 0;
}


win_op *
lun_port_start(lun_stream *s, lun_op *op, op_kind kind, lun_op_fn *done)
{
    win_op  *os;

    LUN_CHECK(!op->busy);

    op->kind = (uint8_t) kind;
    op->stream = s;
    op->busy = true;
    op->done = done;
    os = lun_port_os_of(op);
    memset(&os->ov, 0, sizeof(os->ov));
    return os;
}


void
lun_port_complete(lun_op *op, lun_err err, DWORD bytes)
{
    win_op  *os;

    os = lun_port_os_of(op);

    if (err == WSA_IO_PENDING || (err == 0 && !os->silent)) {
        os->pending = true;
        return;
    }

    lun_port_finish(op->stream->port, op, err, bytes);
}


bool
lun_port_may_read(const lun_stream *s)
{
    return true;
}


void
lun_port_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done)
{
    static char  rest[MESSAGE_MOST];     /* written to, never read */

    int      rc;
    DWORD    n, flags;
    WSABUF   b[2];
    win_op  *os;

    if (s->pipe) {
        lun_port_pipe_read(s, buf, size, done);
        return;
    }

    os = lun_port_start(s, &s->in, OP_READ, done);
    os->room = (uint32_t) lun_min(size, (size_t) 1 << 30);
    s->port->counters.reads++;

    b[0].buf = buf;
    b[0].len = os->room;
    b[1].buf = rest;
    b[1].len = sizeof(rest);
    n = 0;
    flags = 0;

    /*
     * A datagram that is too long ends in both an error and a packet, or in
     * one of them: so none is, and the rest is cut off as posix does.
     */
    rc = WSARecv((SOCKET) s->fd, b, s->datagram ? 2 : 1, &n, &flags, &os->ov,
                 NULL);
    lun_port_complete(&s->in, rc == 0 ? 0 : last(), n);
}


/* At most SEND_MOST bytes of them, from the `at`th on; *len: how many. */
static DWORD
gather(WSABUF *bufs, const lun_slice *slices, size_t n, size_t at, size_t *len)
{
    DWORD   count = 0;
    size_t  i, piece;

    *len = 0;

    for (i = 0; i < n && count < LUN_PORT_SLICES && *len < SEND_MOST; i++) {
        if (at >= slices[i].len) {
            at -= slices[i].len;
            continue;
        }

        piece = lun_min(slices[i].len - at, SEND_MOST - *len);
        bufs[count].buf = (char *) slices[i].data + at;
        bufs[count].len = (ULONG) piece;
        *len += piece;
        at = 0;
        count++;
    }

    return count;
}


/*
 * A send that does not wait is taken as a whole, whatever its length, as soon
 * as the socket takes anything: only the next one is refused.  In pieces, what
 * is taken is what the socket has room for and a piece at most.
 */
lun_err
lun_port_send(lun_stream *s, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    DWORD   count, done;
    size_t  len;
    WSABUF  bufs[LUN_PORT_SLICES];

    /* The system has no such hint as `more`. */
    *sent = 0;
    count = gather(bufs, slices, n, 0, &len);

    do {
        s->port->counters.sends++;

        if (WSASend((SOCKET) s->fd, bufs, count, &done, 0, NULL, NULL) != 0) {
            return *sent != 0 ? 0 : last();
        }

        *sent += done;

        if (done < len) {
            return 0;
        }

        count = gather(bufs, slices, n, *sent, &len);

    } while (count != 0);

    return 0;
}


void
lun_port_write(lun_stream *s, const lun_slice *slices, size_t n,
    lun_op_fn *done)
{
    int      rc;
    DWORD    count, sent;
    size_t   len;
    WSABUF   bufs[LUN_PORT_SLICES];
    win_op  *os;

    if (s->pipe) {
        lun_port_pipe_write(s, slices, done);
        return;
    }

    os = lun_port_start(s, &s->out, OP_WRITE, done);
    s->port->counters.sends++;

    /* It completes when all of it is taken: keep that within a time-out. */
    count = gather(bufs, slices, n, 0, &len);
    sent = 0;

    rc = WSASend((SOCKET) s->fd, bufs, count, &sent, 0, &os->ov, NULL);
    lun_port_complete(&s->out, rc == 0 ? 0 : last(), sent);
}


static void
transmit(lun_stream *s, win_op *os, lun_fd file, int64_t at, size_t size)
{
    DWORD    n;
    lun_err  err;

    n = (DWORD) lun_min(size, (size_t) TRANSMIT_MOST);
    os->ov.Offset = (DWORD) (uint64_t) at;
    os->ov.OffsetHigh = (DWORD) ((uint64_t) at >> 32);

    err = extensions.transmit((SOCKET) s->fd, (HANDLE) file, n, 0, &os->ov,
                              NULL, 0) ? 0 : last();

    if (err == ERROR_HANDLE_EOF) {
        lun_port_finish(s->port, &s->out, 0, 0);
        return;
    }

    /* Done at once, the count is where the kernel put it. */
    lun_port_complete(&s->out, err, (DWORD) os->ov.InternalHigh);
}


/*
 * TransmitFile where it pays; workstation Windows runs two at a time, so there,
 * and for small files, a buffer is read and sent.
 */
void
lun_port_send_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    lun_op_fn *done)
{
    int      rc;
    DWORD    sent;
    size_t   got;
    WSABUF   b;
    win_op  *os;
    lun_err  err;

    os = lun_port_start(s, &s->out, OP_FILE, done);
    s->port->counters.sends++;

    if (extensions.transmit != NULL && is_transmitted(extensions.server, size))
    {
        transmit(s, os, file, at, size);
        return;
    }

    os->buffer = get_buffer(s->port);

    if (os->buffer == NULL) {
        lun_port_finish(s->port, &s->out, ERROR_NOT_ENOUGH_MEMORY, 0);
        return;
    }

    err = lun_file_read(file, os->buffer->data, lun_min(size, (size_t) BUFFER),
                        at, &got);

    if (err || got == 0) {
        lun_port_finish(s->port, &s->out, err, 0);
        return;
    }

    b.buf = os->buffer->data;
    b.len = (ULONG) got;
    sent = 0;

    rc = WSASend((SOCKET) s->fd, &b, 1, &sent, 0, &os->ov, NULL);
    lun_port_complete(&s->out, rc == 0 ? 0 : last(), sent);
}


void
lun_port_cancel_write(lun_stream *s)
{
    win_op  *os = lun_port_os_of(&s->out);

    if (s->fd != LUN_FD_NONE && s->out.busy && os->pending) {
        CancelIoEx((HANDLE) s->fd, &os->ov);
    }
}


/* Takes the handle away; tells the kernel to give back what it has of it. */
static lun_fd
detach(lun_stream *s)
{
    lun_fd  fd;

    fd = s->fd;
    s->fd = LUN_FD_NONE;

    if (s->attached
        && (lun_port_os_of(&s->in)->pending
            || lun_port_os_of(&s->out)->pending))
    {
        CancelIoEx((HANDLE) fd, NULL);
    }

    s->attached = 0;
    return fd;
}


void
lun_port_close(lun_stream *s)
{
    if (s->fd != LUN_FD_NONE && s->pipe) {
        CloseHandle((HANDLE) detach(s));

    } else if (s->fd != LUN_FD_NONE) {
        lun_sock_close(detach(s));
    }
}


void
lun_port_abort(lun_stream *s)
{
    if (s->fd != LUN_FD_NONE) {
        lun_sock_abort(detach(s));
    }
}
