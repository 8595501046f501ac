/*
 * memory_port.h -- a port without sockets: core/os/port.h over memory, for
 * tests that hold conversations byte by byte.
 *
 * Each stream has a wire.  The other side of it is the test: what it says
 * (wire_say) is read in pieces of at most `piece` bytes; what our side sends,
 * as far as there is `room`, is kept for wire_heard().  Time stands still until
 * the test lets it pass().
 *
 * The connections on it are core/net's own, as it is linked.  Their sockets
 * are real ones that lead nowhere, so that setting an option of one is no
 * mistake.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* style: long file, a header as tap.h: both sides of each wire */

#ifndef LUN_MEMORY_PORT_H
#define LUN_MEMORY_PORT_H

#include "base/check.h"
#include "net/loop.h"
#include "os/err.h"
#include "os/port.h"
#include "t/fuzz/clock.h"
#include "tap.h"

enum { WIRES = 256, WIRE_SIZE = 1 << 18, WIRE_TURNS = 200000 };

typedef struct {
    lun_stream *s;                 /* NULL: free */
    unsigned    number;            /* since when it is there, from 1 */
    bool        closed;            /* by us: what is in flight comes back */
    bool        reset;             /* ... with a reset */
    bool        ended, broken;     /* by the other side */
    bool        outgoing;          /* made by lun_conn_connect() */
    bool        connecting;        /* ... and not decided yet */
    lun_addr    to;                /* that it was connected to */
    size_t      piece;             /* bytes that one read takes at most */
    size_t      room;              /* bytes that the other side will take */
    char       *into;              /* what is read goes there */
    size_t      into_size;
    lun_slice   slices[LUN_PORT_SLICES];       /* of the posted write */
    size_t      slice_count;
    lun_fd      file;              /* or a part of a file */
    int64_t     file_at;
    size_t      file_size;         /* 0: slices */
    size_t      said, said_end;    /* not yet read */
    size_t      heard_end;
    char        in[WIRE_SIZE];
    char        out[WIRE_SIZE + 1];
} wire;

struct lun_port { lun_msec  limit; /* of the latest wait */ };

static lun_port  wire_port;
static wire     *wires[WIRES];
static unsigned  wire_count;       /* that there ever were */
static size_t    wire_piece = SIZE_MAX;        /* of a new one */
static size_t    wire_room = SIZE_MAX;
/* What becomes of a connection that we make: 0, or why it fails. */
static lun_err   wire_refusal;
static bool      wire_deaf;        /* nothing becomes of it */


static wire *
wire_of(const lun_stream *s)
{
    size_t  i;

    for (i = 0; i < WIRES; i++) {
        if (wires[i] != NULL && wires[i]->s == s) {
            return wires[i];
        }
    }

    LUN_NEVER("a stream without a wire");
}


/* --- what core/net calls ------------------------------------------------- */

lun_port *
lun_port_new(lun_err *err)
{
    *err = 0;
    return &wire_port;
}


void
lun_port_free(lun_port *port)
{
    (void) port;
}


lun_err
lun_port_attach(lun_port *port, lun_stream *s, lun_fd fd, bool datagram)
{
    size_t  i;
    wire   *w;

    LUN_CHECK(!datagram);

    for (i = 0; i < WIRES && wires[i] != NULL && wires[i]->s != NULL; i++) { }

    LUN_CHECK(i < WIRES);

    if (wires[i] == NULL) {
        wires[i] = lun_malloc(sizeof(wire));
    }

    w = wires[i];
    memset(w, 0, offsetof(wire, in));
    w->s = s;
    w->number = ++wire_count;
    w->piece = wire_piece;
    w->room = wire_room;
    s->fd = fd;
    s->port = port;
    s->attached = 1;

    return 0;
}


void
lun_port_read(lun_stream *s, void *buf, size_t size, lun_op_fn *done)
{
    wire  *w = wire_of(s);

    LUN_CHECK(!w->closed && !s->in.busy && size > 0);
    s->in.busy = true;
    s->in.done = done;
    w->into = buf;
    w->into_size = size;
}


/* As much of it as the other side takes. */
static size_t
wire_hear(wire *w, const char *data, size_t len)
{
    size_t  n = lun_min(len, w->room);

    LUN_CHECK(n <= WIRE_SIZE - w->heard_end);
    memcpy(w->out + w->heard_end, data, n);
    w->heard_end += n;
    w->room -= w->room != SIZE_MAX ? n : 0;

    return n;
}


lun_err
lun_port_send(lun_stream *s, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    size_t  i, took = 0, all = 0;
    wire   *w = wire_of(s);

    (void) more;
    LUN_CHECK(!w->closed && !s->out.busy);

    if (w->broken) {
        return lun_err_of_kind(LUN_ERR_RESET);
    }

    for (i = 0; i < n && took == all; i++) {
        all += slices[i].len;
        took += wire_hear(w, slices[i].data, slices[i].len);
    }

    if (took == 0 && all > 0) {
        return lun_err_of_kind(LUN_ERR_AGAIN);
    }

    *sent = took;
    return 0;
}


static void
wire_post(lun_stream *s, lun_op_fn *done)
{
    wire  *w = wire_of(s);

    LUN_CHECK(!w->closed && !s->out.busy);
    s->out.busy = true;
    s->out.done = done;
    w->slice_count = 0;
    w->file_size = 0;
}


void
lun_port_write(lun_stream *s, const lun_slice *slices, size_t n,
    lun_op_fn *done)
{
    wire  *w = wire_of(s);

    LUN_CHECK(n <= LUN_PORT_SLICES);
    wire_post(s, done);
    memcpy(w->slices, slices, n * sizeof(lun_slice));
    w->slice_count = n;
}


void
lun_port_send_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    lun_op_fn *done)
{
    wire  *w = wire_of(s);

    wire_post(s, done);
    w->file = file;
    w->file_at = at;
    w->file_size = size;
}


void
lun_port_connect(lun_stream *s, const lun_addr *addr, lun_op_fn *done)
{
    wire  *w = wire_of(s);

    wire_post(s, done);
    w->outgoing = true;
    w->connecting = true;
    w->to = *addr;
}


static void
wire_close(lun_stream *s, bool reset)
{
    wire  *w = wire_of(s);

    LUN_CHECK(!w->closed);
    w->closed = true;
    w->reset = reset;
    lun_sock_close(s->fd);

    if (!lun_port_busy(s)) {
        w->s = NULL;
    }
}


void
lun_port_close(lun_stream *s)
{
    wire_close(s, false);
}


void
lun_port_abort(lun_stream *s)
{
    wire_close(s, true);
}


/* --- time and events ----------------------------------------------------- */

/* The connection may be gone afterwards. */
static void
wire_answer(wire *w, lun_op *op, lun_err err, size_t n)
{
    op->busy = false;
    op->err = err;
    op->result = (int64_t) n;

    if (w->closed && !lun_port_busy(w->s)) {
        w->s = NULL;
    }

    op->done(op);
}


static lun_err
wire_why_not(const wire *w)
{
    return w->closed ? lun_err_of_kind(LUN_ERR_CANCELLED)
           : w->broken ? lun_err_of_kind(LUN_ERR_RESET) : 0;
}


static bool
wire_complete_read(wire *w)
{
    lun_err  err = wire_why_not(w);
    size_t   n = 0;

    if (w->s == NULL || !w->s->in.busy
        || (err == 0 && w->said == w->said_end && !w->ended))
    {
        return false;
    }

    if (err == 0) {
        n = lun_min(lun_min(w->said_end - w->said, w->into_size), w->piece);
        memcpy(w->into, w->in + w->said, n);
        w->said += n;
        w->s->readable = w->said != w->said_end;
    }

    wire_answer(w, &w->s->in, err, n);
    return true;
}


static size_t
wire_hear_posted(wire *w)
{
    char    part[4096];
    size_t  i, n = 0, took = 0;

    if (w->file_size > 0) {
        n = lun_min(lun_min(w->file_size, sizeof(part)), w->room);
        LUN_CHECK(lun_file_read(w->file, part, n, w->file_at, &n) == 0);
        return wire_hear(w, part, n);
    }

    for (i = 0; i < w->slice_count && w->room > 0; i++) {
        took += wire_hear(w, w->slices[i].data, w->slices[i].len);
    }

    return took;
}


static bool
wire_complete_write(wire *w)
{
    lun_err  err = wire_why_not(w);

    if (w->s == NULL || !w->s->out.busy) {
        return false;
    }

    if (err == 0 && w->connecting) {
        if (wire_deaf) {
            return false;
        }

        w->connecting = false;
        wire_answer(w, &w->s->out, wire_refusal, 0);
        return true;
    }

    if (err == 0 && w->room == 0) {
        return false;
    }

    wire_answer(w, &w->s->out, err, err == 0 ? wire_hear_posted(w) : 0);
    return true;
}


void
lun_port_wait(lun_port *port, lun_msec limit, void (*awake)(void))
{
    size_t  i;

    port->limit = limit;

    if (awake != NULL) {
        awake();
    }

    for (i = 0; i < WIRES && wires[i] != NULL; i++) {
        (void) wire_complete_read(wires[i]);
        (void) wire_complete_write(wires[i]);
    }
}


/* --- what nobody calls here ---------------------------------------------- */

lun_err
lun_port_accept(lun_port *port, lun_acceptor *a)
{
    (void) port;
    (void) a;
    LUN_NEVER("nobody accepts in memory");
}


void
lun_port_accept_stop(lun_acceptor *a)
{
    (void) a;
    LUN_NEVER("nobody accepts in memory");
}


void
lun_port_post_remote(lun_port *port, lun_op *op)
{
    (void) port;
    (void) op;
    LUN_NEVER("there are no threads");
}


/* --- the other side ------------------------------------------------------ */

static bool
wire_is_quiet(const wire *w)
{
    const lun_stream  *s = w->s;

    if (s == NULL) {
        return true;
    }

    if (s->in.busy && (wire_why_not(w) != 0 || w->ended
                       || w->said != w->said_end))
    {
        return false;
    }

    return !s->out.busy
           || (wire_why_not(w) == 0
               && (w->connecting ? wire_deaf : w->room == 0));
}


/*
 * Everything that can happen without time passing: where a task is posted or
 * a timer due, the loop does not want to wait.
 */
static TAP_UNUSED void
wire_run(void)
{
    size_t    i;
    unsigned  turns = 0, still = 0;

    while (still < 2) {
        LUN_CHECK(turns++ < WIRE_TURNS);
        lun_loop_turn(1);

        for (i = 0; i < WIRES && wires[i] != NULL; i++) {
            if (!wire_is_quiet(wires[i])) {
                break;
            }
        }

        still = (i < WIRES && wires[i] != NULL) || wire_port.limit == 0
                ? 0 : still + 1;
    }
}


/* ... and then what happens when it passes. */
static TAP_UNUSED void
wire_wait(lun_msec ms)
{
    lun_msec  next, until = lun_time_monotonic() + ms;

    wire_run();

    while (lun_time_monotonic() < until) {
        next = lun_timer_next();
        pass(lun_min(lun_max(next, (lun_msec) 1),
                     until - lun_time_monotonic()));
        wire_run();
    }
}


/* The latest one that we made (outgoing), or that was made to us. */
static TAP_UNUSED wire *
wire_latest(bool outgoing)
{
    size_t  i;
    wire   *found = NULL;

    for (i = 0; i < WIRES && wires[i] != NULL; i++) {
        if (wires[i]->s != NULL && wires[i]->outgoing == outgoing
            && (found == NULL || wires[i]->number > found->number))
        {
            found = wires[i];
        }
    }

    return found;
}


static TAP_UNUSED void
wire_say_bytes(wire *w, const void *bytes, size_t n)
{
    if (w->said == w->said_end) {
        w->said = w->said_end = 0;
    }

    LUN_CHECK(n <= WIRE_SIZE - w->said_end);
    memcpy(w->in + w->said_end, bytes, n);
    w->said_end += n;

    if (w->s != NULL) {
        w->s->readable |= n != 0;
    }
}


/* Says it, and lets happen what comes of it. */
static TAP_UNUSED void
wire_say(wire *w, const char *text)
{
    wire_say_bytes(w, text, strlen(text));
    wire_run();
}


/* What has been sent to it since the last time; good until the next. */
static TAP_UNUSED const char *
wire_heard(wire *w)
{
    static char  text[WIRE_SIZE + 1];

    memcpy(text, w->out, w->heard_end);
    text[w->heard_end] = '\0';
    w->heard_end = 0;

    return text;
}


/* Whether our side of it is gone: closed, and nothing in flight. */
static TAP_UNUSED bool
wire_gone(const wire *w)
{
    return w->s == NULL;
}


static TAP_UNUSED void
wire_end(wire *w)
{
    w->ended = true;
    wire_run();
}


static TAP_UNUSED void
wire_break(wire *w)
{
    w->broken = true;
    wire_run();
}

#endif
