/*
 * memory_wire.h -- the wires of memory_port.h: for each stream what its other
 * side, the test, has said and heard.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMORY_WIRE_H
#define LUN_MEMORY_WIRE_H

#include "base/check.h"
#include "os/err.h"
#include "os/port.h"
#include "tap.h"

enum { WIRES = 256, WIRE_SIZE = 1 << 18, WIRE_TURNS = 200000 };

typedef struct {
    lun_stream *s;                 /* NULL: free */
    unsigned    number;            /* since when it is there, from 1 */
    bool        closed;            /* by us: what is in flight comes back */
    bool        reset;             /* ... with a reset */
    bool        ended, broken;     /* by the other side */
    bool        shut;              /* it takes no more: what it said stays */
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
/* The port does not know what has come before it reads, as on Windows. */
static bool      wire_untold;


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

#endif
