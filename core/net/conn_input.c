/*
 * conn_input.c -- a connection's input buffer is changed, and changed back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_input.h"


void
lun_conn_set_input(lun_conn *c, char *room, size_t size, lun_conn_input *saved)
{
    if (!saved->is_set) {
        *saved = (lun_conn_input) {
            .start = c->in.start,
            .pos = c->in.pos,
            .last = c->in.last,
            .end = c->in.end,
            .owned = c->in_owned,
            .is_set = true,
        };
    }

    c->in.start = c->in.pos = c->in.last = room;
    c->in.end = room + size;
    c->in_owned = 1;
}


void
lun_conn_restore_input(lun_conn *c, lun_conn_input *saved)
{
    if (!saved->is_set) {
        return;
    }

    c->in.start = saved->start;
    c->in.pos = saved->pos;
    c->in.last = saved->last;
    c->in.end = saved->end;
    c->in_owned = saved->owned;
    saved->is_set = false;
}
