/*
 * h1_takeover.c -- a takeover of an HTTP/1 connection: the room that it reads
 * into.
 *
 * The request's header, and maybe a body that came with it, are in front of
 * what he has not seen yet, and stay where they are.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h1/h1_priv.h"

#include "base/check.h"


lun_conn *
lun_h1_hand_over(lun_request *r)
{
    lun_h1  *h1 = lun_h1_of_request(r);

    h1->body_base = h1->c->in.pos;
    lun_h1_take_over(h1);
    return h1->c;
}


void
lun_h1_make_room(lun_request *r, size_t size)
{
    lun_h1         *h1 = lun_h1_of_request(r);
    lun_conn       *c = h1->c;
    char           *from = c->in.pos;
    size_t          have = (size_t) (c->in.last - from);
    lun_h1_buffer  *old = h1->buffers;

    LUN_CHECK(!lun_conn_reading(c) && size >= have);

    if (size <= (size_t) (c->in.end - h1->body_base)) {
        memmove(h1->body_base, from, have);

    } else {
        lun_h1_new_buffer(h1, size);
        h1->body_base = c->in.start;
        memcpy(c->in.start, from, have);

        if (h1->takeover_room) {
            h1->buffers->next = old->next;     /* only his bytes were there */
            lun_free(old);
        }

        h1->takeover_room = 1;
    }

    c->in.pos = h1->body_base;
    c->in.last = c->in.pos + have;
}
