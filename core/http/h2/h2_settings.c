/*
 * h2_settings.c -- what both sides say of themselves, and how much each may
 * send: SETTINGS and windows (RFC 9113, 5.2 and 6.5).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


enum { ENTRY = 6 };                    /* bytes of a setting */


/* --- ours ---------------------------------------------------------------- */

static char *
put_setting(char *p, unsigned name, uint32_t value)
{
    *p++ = (char) (name >> 8);
    *p++ = (char) name;
    return lun_frame_put_u32(p, value);
}


void
lun_h2_put_settings(lun_h2 *h2)
{
    enum { MOST = 5 };

    char    *p = lun_h2_room(h2, LUN_FRAME_HEAD + MOST * ENTRY);
    size_t   size = (h2->mux.connects ? MOST : MOST - 1) * ENTRY;

    p = lun_frame_put_head(p, size, LUN_FRAME_SETTINGS, 0, 0);
    p = put_setting(p, LUN_H2_MAX_CONCURRENT_STREAMS,
                    (uint32_t) h2->h2_conf->concurrent_streams);
    p = put_setting(p, LUN_H2_INITIAL_WINDOW_SIZE,
                    (uint32_t) h2->h2_conf->body_preread_size);
    p = put_setting(p, LUN_H2_MAX_FRAME_SIZE, LUN_FRAME_LONGEST);
    p = put_setting(p, LUN_H2_NO_RFC7540_PRIORITIES, 1);

    if (h2->mux.connects) {
        (void) put_setting(p, LUN_H2_ENABLE_CONNECT_PROTOCOL, 1);
    }

    lun_h2_queued(h2, LUN_FRAME_HEAD + size);
}


/* The window of the connection is no limit: those of streams are. */
void
lun_h2_open_connection(lun_h2 *h2)
{
    if (!h2->opened && !h2->ended) {
        h2->opened = 1;
        lun_h2_put_window(h2, 0, LUN_H2_MAX_WINDOW - LUN_H2_FIRST_WINDOW);
        h2->recv_window = LUN_H2_MAX_WINDOW;
    }
}


void
lun_h2_settings_known(lun_h2 *h2)
{
    int64_t         change;
    lun_h2_stream  *s;

    if (h2->heeds) {
        return;
    }

    h2->heeds = 1;
    h2->frames.most = LUN_FRAME_LONGEST;
    change = (int64_t) h2->h2_conf->body_preread_size - h2->own_window;
    h2->own_window += change;

    lun_list_each(&h2->mux.streams, at) {
        s = lun_h2_stream_of(lun_container_of(at, lun_mux_stream, link));
        s->recv_window += change;
        s->recv_most += change;
    }
}


/* --- the client's -------------------------------------------------------- */

static void
refuse_setting(lun_h2 *h2, const char *name, uint32_t value, unsigned code)
{
    lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent SETTINGS frame with "
            "incorrect %s value %u", name, value);
    lun_h2_end(h2, code);
}


/*
 * A window may become negative (RFC 9113, 6.9.2), and waits until it is not;
 * one that becomes too large is that stream's error.
 */
static void
change_windows(lun_h2 *h2, uint32_t value)
{
    int64_t         change = (int64_t) value - h2->peer_window;
    lun_h2_stream  *s;

    h2->peer_window = value;

    lun_list_each(&h2->mux.streams, at) {
        s = lun_h2_stream_of(lun_container_of(at, lun_mux_stream, link));

        if (s->m.closed) {
            continue;
        }

        if (s->send_window + change > LUN_H2_MAX_WINDOW) {
            lun_h2_charge(h2, LUN_ACCOUNT_MISTAKE);
            lun_h2_reset(s, LUN_H2_FLOW_CONTROL_ERROR);
            continue;
        }

        s->send_window += change;

        if (change > 0) {
            lun_h2_may_send(s);
        }
    }
}


/*
 * Unknown settings are passed over (RFC 9113, 6.5.2); MAX_CONCURRENT_STREAMS
 * would be about pushes, of which there are none.
 */
void
lun_h2_take_setting(lun_h2 *h2, unsigned name, uint32_t value)
{
    switch (name) {

    case LUN_H2_HEADER_TABLE_SIZE:
        lun_hpack_encoder_resize(&h2->encoder, value);
        break;

    case LUN_H2_ENABLE_PUSH:
        if (value > 1) {
            refuse_setting(h2, "ENABLE_PUSH", value, LUN_H2_PROTOCOL_ERROR);
        }
        break;

    case LUN_H2_INITIAL_WINDOW_SIZE:
        if (value > LUN_H2_MAX_WINDOW) {
            refuse_setting(h2, "INITIAL_WINDOW_SIZE", value,
                           LUN_H2_FLOW_CONTROL_ERROR);

        } else {
            change_windows(h2, value);
        }
        break;

    case LUN_H2_MAX_FRAME_SIZE:
        if (value < LUN_FRAME_MOST || value > LUN_FRAME_LONGEST) {
            refuse_setting(h2, "MAX_FRAME_SIZE", value,
                           LUN_H2_PROTOCOL_ERROR);

        } else {
            h2->peer_frame = value;
        }
        break;

    case LUN_H2_NO_RFC7540_PRIORITIES:
        if (value > 1) {
            refuse_setting(h2, "NO_RFC7540_PRIORITIES", value,
                           LUN_H2_PROTOCOL_ERROR);
        }
        break;
    }
}


/* --- windows for what goes ----------------------------------------------- */

static void
widen_connection(lun_h2 *h2, uint32_t by)
{
    bool  was_shut = h2->send_window <= 0;

    if (h2->send_window + by > LUN_H2_MAX_WINDOW) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client violated connection "
                "flow control: received WINDOW_UPDATE frame with window "
                "increment %u not allowed for window %" PRId64,
                by, h2->send_window);
        lun_h2_end(h2, LUN_H2_FLOW_CONTROL_ERROR);
        return;
    }

    h2->send_window += by;

    if (was_shut) {
        lun_h2_wake(h2);
    }
}


static void
widen_stream(lun_h2_stream *s, uint32_t by)
{
    unsigned  code = by == 0 ? LUN_H2_PROTOCOL_ERROR
                             : LUN_H2_FLOW_CONTROL_ERROR;

    if (by != 0 && s->send_window + by <= LUN_H2_MAX_WINDOW) {
        s->send_window += by;
        lun_h2_may_send(s);
        return;
    }

    lun_log(LUN_LOG_INFO, &s->m.log, 0, "client violated flow control for "
            "stream %u: received WINDOW_UPDATE frame with window increment %u "
            "not allowed for window %" PRId64, (unsigned) s->m.id, by,
            s->send_window);
    lun_h2_charge(lun_h2_of(&s->m), LUN_ACCOUNT_MISTAKE);
    lun_h2_reset(s, code);
}


/*
 * For a stream that has been closed it is late, and no error (RFC 9113, 6.9).
 */
void
lun_h2_take_window(lun_h2 *h2, uint32_t id, uint32_t by)
{
    lun_h2_stream  *s;

    if (by == 0 && id == 0) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent WINDOW_UPDATE "
                "frame with incorrect window increment 0");
        lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);

    } else if (id == 0) {
        widen_connection(h2, by);

    } else if (lun_h2_is_idle(h2, id)) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent WINDOW_UPDATE "
                "frame with incorrect identifier");
        lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);

    } else {
        s = lun_h2_find(h2, id);

        if (s != NULL && !s->m.closed) {
            widen_stream(s, by);
        }
    }
}


/* --- windows for what comes ---------------------------------------------- */

bool
lun_h2_may_receive(lun_h2 *h2, size_t length)
{
    if ((int64_t) length > h2->recv_window) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client violated connection "
                "flow control: received DATA frame length %zu, available "
                "window %" PRId64, length, h2->recv_window);
        lun_h2_end(h2, LUN_H2_FLOW_CONTROL_ERROR);
        return false;
    }

    h2->recv_window -= (int64_t) length;
    return true;
}


bool
lun_h2_stream_may_receive(lun_h2_stream *s, size_t length)
{
    if ((int64_t) length > s->recv_window) {
        lun_log(LUN_LOG_INFO, &s->m.log, 0, "client violated flow control for "
                "stream %u: received DATA frame length %zu, available window "
                "%" PRId64, (unsigned) s->m.id, length, s->recv_window);
        lun_h2_charge(lun_h2_of(&s->m), LUN_ACCOUNT_MISTAKE);
        lun_h2_reset(s, LUN_H2_FLOW_CONTROL_ERROR);
        return false;
    }

    s->recv_window -= (int64_t) length;
    return true;
}


void
lun_h2_received(lun_h2 *h2, size_t n)
{
    h2->recv_used += (int64_t) n;

    if (h2->recv_used >= LUN_H2_MAX_WINDOW / 2 && !h2->ended) {
        lun_h2_put_window(h2, 0, (uint32_t) h2->recv_used);
        h2->recv_window += h2->recv_used;
        h2->recv_used = 0;
    }
}


/* Half a window at a time, so that few frames do. */
void
lun_h2_stream_consumed(lun_h2_stream *s, size_t n)
{
    s->recv_used += (int64_t) n;

    if (n != 0 && s->recv_used >= lun_max(s->recv_most / 2, 1)
        && !lun_h2_of(&s->m)->ended)
    {
        lun_h2_put_window(lun_h2_of(&s->m), (uint32_t) s->m.id,
                          (uint32_t) s->recv_used);
        s->recv_window += s->recv_used;
        s->recv_used = 0;
    }
}


/*
 * The client adds that to the window that it has, which is that of our
 * SETTINGS as soon as they have come, whatever it was when the stream began.
 */
void
lun_h2_stream_widen(lun_h2_stream *s, size_t size)
{
    lun_h2   *h2 = lun_h2_of(&s->m);
    int64_t   by = (int64_t) size - s->recv_most;

    if (by > 0 && h2->h2_conf->body_preread_size < size && !h2->ended) {
        lun_h2_put_window(h2, (uint32_t) s->m.id, (uint32_t) by);
        s->recv_window += by;
        s->recv_most += by;
    }
}
