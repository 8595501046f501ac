/*
 * upreq_h2_idle.c -- a connection that nobody uses: the server may still open
 * windows, change its settings, ask whether we are there, and say goodbye.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/upreq_h2_priv.h"


/* What can't go out at once is more than a server asks for that means well. */
static bool
acknowledge(lun_conn *c, const lun_h2_server *s)
{
    char       room[LUN_H2_ACK_SIZE], *end = lun_h2_put_ack(room, s);
    size_t     sent;
    lun_slice  slice = { room, (size_t) (end - room) };

    return lun_conn_send(c, &slice, 1, false, &sent) == 0
           && sent == slice.len;
}


/* No stream is open: some may say a last word about one that was. */
static bool
may_begin(lun_h2_server *s)
{
    const lun_frames  *f = &s->frames;

    if (lun_h2_spend(s, 1) != LUN_OK) {
        return false;
    }

    switch (f->type) {

    case LUN_FRAME_SETTINGS:
    case LUN_FRAME_PING:
        return f->stream == 0;

    case LUN_FRAME_WINDOW_UPDATE:
    case LUN_FRAME_RST_STREAM:
    case LUN_FRAME_PRIORITY:
        return f->stream < s->next_stream;

    case LUN_FRAME_DATA:
    case LUN_FRAME_HEADERS:
    case LUN_FRAME_CONTINUATION:
    case LUN_FRAME_PUSH_PROMISE:
    case LUN_FRAME_GOAWAY:
        return false;

    default:
        return true;                   /* what nobody knows, is ignored */
    }
}


static bool
take_unit(lun_conn *c, lun_h2_server *s)
{
    const lun_frames  *f = &s->frames;

    switch (f->type) {

    case LUN_FRAME_SETTINGS:
        return lun_h2_take_setting(s, NULL) == NULL;

    case LUN_FRAME_WINDOW_UPDATE:
        return f->stream != 0 || lun_h2_take_window(s, &s->window) == NULL;

    case LUN_FRAME_PING:
        return (f->flags & LUN_FRAME_ACK) || acknowledge(c, s);

    default:
        return true;
    }
}


static bool
end_frame(lun_conn *c, const lun_h2_server *s)
{
    return s->frames.type != LUN_FRAME_SETTINGS
           || (s->frames.flags & LUN_FRAME_ACK) || acknowledge(c, s);
}


/* False: it is of no use any more. */
bool
lun_h2_on_idle(lun_conn *c)
{
    bool            good = true;
    lun_str         piece;
    const char     *pos = c->in.pos;
    lun_h2_server  *s = c->protocol_state;

    while (good) {
        switch (lun_frames_next(&s->frames, &pos, c->in.last, &piece)) {

        case LUN_FRAMES_MORE:
            c->in.pos = c->in.last;
            return true;

        case LUN_FRAMES_BEGIN:
            good = may_begin(s);
            break;

        case LUN_FRAMES_UNIT:
            good = take_unit(c, s);
            break;

        case LUN_FRAMES_END:
            good = end_frame(c, s);
            break;

        default:
            good = false;
        }
    }

    return false;
}
