/*
 * port.h -- arrivals, not readiness.
 *
 * A port is asked to accept, read, connect, write the rest or send a file,
 * and answers each request with one completion.  On Linux epoll is behind it
 * (edge-triggered: it receives when the kernel says there is something), on
 * Windows an I/O completion port.
 *
 * The life of a stream, in order:
 *   1. lun_port_attach() gives a socket to the port.
 *   2. At most one read and one write-like operation are in flight at a time.
 *   3. `done` is called from lun_port_wait() only, never from inside the call
 *      that started the operation.
 *   4. A buffer given to an operation belongs to the port until its `done`.
 *   5. lun_port_close() closes the socket at once.  Every operation in flight
 *      still completes, once, with an error of kind LUN_ERR_CANCELLED (or what
 *      it had got by then); only then may the stream and its buffers go:
 *      lun_port_busy() says so.
 *   6. With nothing in flight the stream may be freed right after close.
 *
 * Budget of a keep-alive request: one receive, one send, and a wait that the
 * whole batch shares.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_PORT_H
#define LUN_OS_PORT_H

#include "os/sock.h"

typedef struct lun_port      lun_port;
typedef struct lun_op        lun_op;
typedef struct lun_stream    lun_stream;
typedef struct lun_acceptor  lun_acceptor;

typedef void lun_op_fn(lun_op *op);

struct lun_op {
    lun_op_fn    *done;
    void         *data;            /* the owner's */
    lun_err       err;             /* 0: `result` counts */
    int64_t       result;          /* bytes; 0 from a read: end of stream */

    /* The port's own. */
    uint8_t       kind;
    bool          busy;
    lun_stream   *stream;
    lun_op       *next;
    union {
        uint64_t  words[16];
        void     *align;
    } os;
};

struct lun_stream {
    lun_fd      fd;
    lun_port   *port;
    lun_op      in;                /* the read in flight */
    lun_op      out;               /* the write, connect or file in flight */
    unsigned    readable:1;        /* the port's own */
    unsigned    writable:1;
    unsigned    datagram:1;
    unsigned    hung_up:1;         /* the peer has closed: known without I/O */
    unsigned    attached:1;
    unsigned    pipe:1;
};

/* One piece of memory to write. */
typedef struct {
    const char  *data;
    size_t       len;
} lun_slice;

enum { LUN_PORT_SLICES = 64 };     /* pieces that one gathered send takes */

/* NULL, and *err, when the system refuses. */
lun_port *lun_port_new(lun_err *err);
void lun_port_free(lun_port *port);

/*
 * From now on what is attached is asked for anew in each wait, as poll() does,
 * instead of being registered: slower the more there are.  Where the system
 * has no two ways to wait, nothing changes.
 */
void lun_port_use_poll(lun_port *port);

/*
 * Calls `done` of what has completed.  Waits for that up to `limit` ms, or
 * for ever with LUN_PORT_FOREVER.  Handles what is there in one batch and
 * returns, so that the caller can look at its timers.  `awake`, if not NULL,
 * is called once right after the wait, before any `done` (to take the time).
 */
#define LUN_PORT_FOREVER  UINT64_MAX

void lun_port_wait(lun_port *port, lun_msec limit, void (*awake)(void));

/*
 * Gives a connected, or not yet connected, non-blocking socket to the port;
 * on an error it is still the caller's to close.
 */
lun_err lun_port_attach(lun_port *port, lun_stream *s, lun_fd fd,
    bool datagram);

/*
 * Likewise our end of a pipe (proc.h), to read, write or close.  A stream of
 * it knows no lun_port_send(), and completes a read when the program has
 * closed its end with 0.
 */
lun_err lun_port_attach_pipe(lun_port *port, lun_stream *s, lun_fd fd);

/*
 * Whether the system has said of something, bytes or the end, that no read has
 * fetched.  Where it only tells who reads, that is always so.
 */
bool lun_port_may_read(const lun_stream *s);

/*
 * Completes with 1 .. size bytes, 0 at the end of the stream, or an error.
 * size == 0 completes (result 0) once there is something to read, or its end.
 */
void lun_port_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done);

/*
 * Sends now what the socket takes: *sent bytes, maybe fewer than asked.  Taken
 * is what the system has a buffer for, not what the peer has: of a peer that
 * does not read, some 4 MB at most, whatever is asked.
 * `more`: another send follows at once (MSG_MORE).
 * An error of kind LUN_ERR_AGAIN means that nothing was taken.
 */
lun_err lun_port_send(lun_stream *s, const lun_slice *slices, size_t n,
    bool more, size_t *sent);

/*
 * Completes when at least one byte was taken; result is how many.  The
 * slices themselves may go, the memory that they name stays until then.
 */
void lun_port_write(lun_stream *s, const lun_slice *slices, size_t n,
    lun_op_fn *done);

/*
 * Gives up the write in flight, if there is one: it completes soon, with an
 * error of kind LUN_ERR_CANCELLED or with the bytes that were taken by then.
 */
void lun_port_cancel_write(lun_stream *s);

/*
 * Sends a part of a file; completes with the bytes taken (at least one), like
 * write.  0 bytes: the file has become shorter than that.
 */
void lun_port_send_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    lun_op_fn *done);

/*
 * Where lun_port_tries_files(): sends at once what the socket takes of a part
 * of a file, *sent bytes, as lun_port_send() does.  0 bytes: the file has
 * become shorter than that.
 */
bool lun_port_tries_files(void);
lun_err lun_port_try_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    size_t *sent);

/* Completes when connected, or with why not. */
void lun_port_connect(lun_stream *s, const lun_addr *addr, lun_op_fn *done);

/* As said above.  Also right for a stream that was never attached. */
void lun_port_close(lun_stream *s);
/* The same with a reset instead of an orderly end. */
void lun_port_abort(lun_stream *s);

/* Whether an operation of it is in flight. */
static inline bool
lun_port_busy(const lun_stream *s)
{
    return s->in.busy || s->out.busy;
}

/*
 * Calls op->done(op) from the next lun_port_wait() of this port's thread.
 * `post` from the port's own thread; `post_remote` from any thread.
 */
void lun_port_post(lun_port *port, lun_op *op);
void lun_port_post_remote(lun_port *port, lun_op *op);

/*
 * Accepting.  `take` gets each connection: a non-blocking socket that is the
 * callee's from then on, and the peer's address (path: "" for unix sockets).
 * An error (too many files) comes with fd LUN_FD_NONE.  `take` may stop the
 * acceptor.
 */
typedef void lun_accept_fn(lun_acceptor *a, lun_fd fd, const lun_addr *peer,
    lun_err err);

struct lun_acceptor {
    lun_fd          fd;            /* the listener: not closed by the port */
    lun_family      family;
    lun_accept_fn  *take;
    void           *data;
    lun_port       *port;
    bool            open;
    bool            stuck;         /* with an error: the next would be the same,
                                      at once or never.  Stop it for a while */
    unsigned        batch;         /* connections per wake-up (1: nginx) */
    void           *os;            /* the port's own */
};

lun_err lun_port_accept(lun_port *port, lun_acceptor *a);

/*
 * Stops: no `take` comes after it returns, and a connection that had already
 * been accepted for this process is not lost: it is given to `take` before.
 * lun_port_accept() may start it again.
 */
void lun_port_accept_stop(lun_acceptor *a);

/* System calls made for streams and waits since the start: tests and bench. */
typedef struct {
    uint64_t  waits;
    uint64_t  reads;
    uint64_t  sends;
    uint64_t  accepts;
    uint64_t  others;
} lun_port_counters;

const lun_port_counters *lun_port_count(const lun_port *port);

#endif
