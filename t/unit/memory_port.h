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

#ifndef LUN_MEMORY_PORT_H
#define LUN_MEMORY_PORT_H

#include "config/generation.h"
#include "memory_calls.h"
#include "t/fuzz/clock.h"
#include "t/fuzz/loop.h"

/* --- completions --------------------------------------------------------- */

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


/* --- time, and what the other side does ---------------------------------- */

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
        lun_loop_turn(lp, 1);

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
        next = lun_timer_next(lp);
        pass(lun_min(lun_max(next, (lun_msec) 1),
                     until - lun_time_monotonic()));
        wire_run();
    }
}


/* Says it, and lets happen what comes of it. */
static TAP_UNUSED void
wire_say(wire *w, const char *text)
{
    wire_say_bytes(w, text, strlen(text));
    wire_run();
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
