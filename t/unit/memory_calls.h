/*
 * memory_calls.h -- the calls of core/os/port.h over wires (memory_wire.h):
 * what connections ask for is written down; memory_port.h completes it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMORY_CALLS_H
#define LUN_MEMORY_CALLS_H

#include "memory_wire.h"
#include "os/splice.h"

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
}


void
lun_port_use_poll(lun_port *port)
{
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

    /* No size: to be told that there is something. */
    LUN_CHECK(!w->closed && !s->in.busy);
    s->in.busy = true;
    s->in.done = done;
    w->into = buf;
    w->into_size = size;
}


bool
lun_port_may_read(const lun_stream *s)
{
    const wire  *w = wire_of(s);

    return wire_untold || w->said != w->said_end || w->ended;
}


lun_err
lun_port_send(lun_stream *s, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    size_t  i, took = 0, all = 0;
    wire   *w = wire_of(s);

    LUN_CHECK(!w->closed && !s->out.busy);

    if (w->broken || w->shut) {
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


bool
lun_port_tries_files(void)
{
    return true;
}


lun_err
lun_port_try_file(lun_stream *s, lun_fd file, int64_t at, size_t size,
    size_t *sent)
{
    char    part[16384];
    size_t  n;
    wire   *w = wire_of(s);

    LUN_CHECK(!w->closed && !s->out.busy && size <= sizeof(part));
    *sent = 0;

    if (w->broken) {
        return lun_err_of_kind(LUN_ERR_RESET);
    }

    LUN_CHECK(lun_file_read(file, part, size, at, &n) == 0);
    *sent = wire_hear(w, part, n);
    return *sent == 0 && n > 0 ? lun_err_of_kind(LUN_ERR_AGAIN) : 0;
}


/* --- os/splice.h --- */

static char    wire_passed[WIRE_SIZE];
static size_t  wire_spliced;       /* bytes that went by */

bool
lun_port_splices(void)
{
    return true;
}


lun_err
lun_port_splice(lun_stream *from, lun_stream *to, size_t most, size_t *taken,
    size_t *rest, lun_err *failed)
{
    wire    *in = wire_of(from), *out = wire_of(to);
    size_t   n = lun_min(lun_min(in->said_end - in->said, in->piece), most);

    LUN_CHECK(most != 0 && !in->closed && !out->closed && !to->out.busy);
    *taken = *rest = 0;
    *failed = 0;

    if (n == 0) {
        return in->broken ? lun_err_of_kind(LUN_ERR_RESET)
               : in->ended ? 0 : lun_err_of_kind(LUN_ERR_AGAIN);
    }

    *taken = n;
    in->said += n;
    from->readable = in->said != in->said_end;

    if (out->broken || out->shut) {
        *failed = lun_err_of_kind(LUN_ERR_RESET);
        return 0;
    }

    *rest = n - wire_hear(out, in->in + in->said - n, n);
    memcpy(wire_passed, in->in + in->said - *rest, *rest);
    wire_spliced += n - *rest;

    return 0;
}


void
lun_port_splice_end(void)
{
}


void
lun_port_splice_rest(char *to, size_t size)
{
    memcpy(to, wire_passed, size);
}


bool
lun_port_has_more(lun_stream *from)
{
    const wire  *w = wire_of(from);

    return w->said != w->said_end || w->ended || w->broken;
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
    wire  *w;

    if (s->fd == LUN_FD_NONE) {
        return;                    /* a connection without a socket */
    }

    w = wire_of(s);
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


/* --- what nobody calls here ---------------------------------------------- */

lun_err
lun_port_accept(lun_port *port, lun_acceptor *a)
{
    LUN_NEVER("nobody accepts in memory");
}


void
lun_port_accept_stop(lun_acceptor *a)
{
    LUN_NEVER("nobody accepts in memory");
}


void
lun_port_post_remote(lun_port *port, lun_op *op)
{
    LUN_NEVER("there are no threads");
}

#endif
