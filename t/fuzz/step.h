/*
 * step.h -- what happens to the sockets in memory: the other side sends and
 * takes, the loop turns.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_STEP_H
#define LUN_FUZZ_STEP_H

#include "config/generation.h"
#include "loop.h"
#include "sockets.h"


/* The connection may be gone afterwards. */
static void
answer(memory_socket *at, lun_op_fn **asked, lun_op *op, lun_err err, size_t n)
{
    lun_op_fn  *done = *asked;

    *asked = NULL;
    op->err = err;
    op->result = (int64_t) n;

    if (at->closed && !io_busy(at->s)) {
        at->s = NULL;
    }

    done(op);
}


static lun_err
why_not(const memory_socket *at)
{
    return at->closed ? lun_err_of_kind(LUN_ERR_CANCELLED)
           : at->broken ? lun_err_of_kind(LUN_ERR_RESET) : 0;
}


static bool
complete_read(memory_socket *at)
{
    lun_err  err = why_not(at);
    size_t   n = 0;

    if (at->read == NULL
        || (err == 0 && at->from == at->to && !at->ended))
    {
        return false;
    }

    if (err == 0) {
        n = lun_min(at->to - at->from, at->into_size);
        memcpy(at->into, at->wire + at->from, n);
        at->from += n;
        at->s->readable = at->from != at->to;
    }

    answer(at, &at->read, &at->s->in, err, n);
    return true;
}


static bool
complete_write(memory_socket *at)
{
    lun_err  err = why_not(at);
    size_t   n = 0;

    if (at->written == NULL
        || (err == 0 && (at->connecting || at->room == 0)))
    {
        return false;
    }

    look_at(at->slices, at->pieces);

    if (err == 0) {
        n = lun_min(at->room, at->pending);
        at->room -= n;
        LUN_FUZZ_SENT(at, at->slices, at->pieces, n);
    }

    answer(at, &at->written, &at->s->out, err, n);
    return true;
}


/* The other side takes the connection, or (err) does not. */
static void
connected(memory_socket *at, lun_err err)
{
    LUN_CHECK(at->connecting && at->written != NULL);
    at->connecting = false;
    answer(at, &at->written, &at->s->out, at->closed ? why_not(at) : err, 0);
}


/* One turn of the loop.  False: nothing is left to do but to let time pass. */
static bool
step(void)
{
    bool            any;
    memory_socket  *at;

    lun_loop_turn(lp, 0);
    any = lp->posted.head != NULL
          || lun_timer_next(lp) == 0;

    for (at = sockets; at < sockets + SOCKETS; at++) {
        any |= at->s != NULL && complete_read(at);
        any |= at->s != NULL && complete_write(at);
    }

    return any;
}


/* Everything that can happen without time passing. */
static void
settle(void)
{
    unsigned  turns = 0;

    while (step()) {
        LUN_CHECK(turns++ < TURNS);
    }
}


/* The other side has sent that, as far as the wire takes it. */
static void
put(memory_socket *at, const void *bytes, size_t n)
{
    if (at->from == at->to) {
        at->from = at->to = 0;
    }

    n = lun_min(n, WIRE - at->to);
    memcpy(at->wire + at->to, bytes, n);
    at->to += n;
    at->s->readable |= n != 0;
}

#endif
