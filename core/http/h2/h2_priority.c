/*
 * h2_priority.c -- PRIORITY_UPDATE (RFC 9218, 7.1): what a client says of a
 * stream's turn, before it begins or later.  ../mux/line.c makes turns of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


void
lun_h2_update_begin(lun_h2 *h2)
{
    h2->update_len = 0;
}


/* A value that does not end in time is one that says nothing. */
void
lun_h2_update_piece(lun_h2 *h2, lun_str piece)
{
    size_t  n = lun_min(piece.len, sizeof(h2->update) - h2->update_len);

    memcpy(h2->update + h2->update_len, piece.data, n);
    h2->update_len += n;
}


void
lun_h2_update_end(lun_h2 *h2)
{
    uint32_t           id;
    lun_str            value = lun_str_of(h2->update, h2->update_len);
    lun_h2_stream     *s;
    const lun_frames  *f = &h2->frames;

    id = lun_frame_u32(f->unit) & LUN_H2_MAX_WINDOW;

    /* What is even would be pushed, which nothing is. */
    if (f->stream != 0 || id % 2 == 0) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent PRIORITY_UPDATE "
                "frame with incorrect identifier");
        lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);
        return;
    }

    if (h2->update_len == sizeof(h2->update)) {
        return;
    }

    s = lun_h2_find(h2, id);

    if (lun_h2_is_idle(h2, id)) {
        lun_line_update(&h2->senders, NULL, id, value);

    } else if (s != NULL && !s->m.closed) {
        lun_line_update(&h2->senders, &s->sender, id, value);
    }
}
