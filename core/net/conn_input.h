/*
 * conn_input.h -- memory of the caller's as a connection's input buffer, for
 * a while.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_INPUT_H
#define LUN_CONN_INPUT_H

#include "net/conn.h"

/* What c->in was before; zero at first. */
typedef struct {
    char  *start, *pos, *last, *end;
    bool   owned;
    bool   is_set;                 /* c->in is somewhere else */
} lun_conn_input;

/*
 * What comes goes to `room`, which is empty, is the caller's, and has to live
 * until the buffer is restored, or c's on_free.  A second call only changes
 * the room.  Not while reading.
 */
void lun_conn_set_input(lun_conn *c, char *room, size_t size,
    lun_conn_input *saved);

/* c->in is what it was, with what was in it; nothing if it was not set. */
void lun_conn_restore_input(lun_conn *c, lun_conn_input *saved);

#endif
