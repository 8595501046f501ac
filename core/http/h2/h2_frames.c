/*
 * h2_frames.c -- frames that come (RFC 9113, 5 and 6).
 *
 * Nothing is served from in here: streams that something has happened to are
 * noted, and the turn looks at them when all that came is read.  What breaks a
 * rule ends its stream or the connection; what a request may be is checked as
 * for any protocol (../mux/field_in.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


enum {
    PREFACE_SIZE = sizeof(LUN_H2_PREFACE) - 1
};

static const char *const  type_names[] = {
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE",
    "PING", "GOAWAY", "WINDOW_UPDATE", "CONTINUATION"
};


static const char *
type_name(const lun_frames *f)
{
    if (f->type == LUN_FRAME_PRIORITY_UPDATE) {
        return "PRIORITY_UPDATE";
    }

    return f->type < LUN_ARRAY_LEN(type_names) ? type_names[f->type]
                                               : "unknown";
}


lun_h2_stream *
lun_h2_find(const lun_h2 *h2, uint32_t id)
{
    lun_h2_stream  *s = h2->buckets[(id >> 1) & (LUN_H2_BUCKETS - 1)];

    while (s != NULL && s->m.id != id) {
        s = s->next;
    }

    return s;
}


/* --- what breaks a rule -------------------------------------------------- */

static void
refuse_id(lun_h2 *h2)
{
    lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent %s frame with "
            "incorrect identifier", type_name(&h2->frames));
    lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);
}


/* What the parser makes nothing of. */
static void
refuse_frame(lun_h2 *h2)
{
    const lun_frames  *f = &h2->frames;

    if (f->length > LUN_FRAME_MOST && f->type < LUN_FRAME_CONTINUATION) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent too long frame "
                "of type %u: %zu", f->type, f->length);
        h2->flooded = 1;

    } else if (f->code == LUN_H2_FRAME_SIZE_ERROR) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent %s frame with "
                "incorrect length %zu", type_name(f), f->length);

    } else if (f->in_block && f->type != LUN_FRAME_HEADERS) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent inappropriate "
                "frame while CONTINUATION was expected");

    } else if (f->type == LUN_FRAME_CONTINUATION) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent unexpected "
                "CONTINUATION frame");

    } else {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent %s: %zu", f->what,
                f->length);
    }

    lun_h2_end(h2, f->code);
}


/* --- DATA ---------------------------------------------------------------- */

static void
begin_data(lun_h2 *h2)
{
    lun_h2_stream     *s;
    const lun_frames  *f = &h2->frames;

    h2->data = NULL;

    if (lun_h2_is_idle(h2, f->stream)) {
        refuse_id(h2);
        return;
    }

    if (!lun_h2_may_receive(h2, f->length)) {
        return;
    }

    /* Of a stream that is closed it may have been under way. */
    s = lun_h2_find(h2, f->stream);

    if (s == NULL || s->m.closed) {
        return;
    }

    if (s->m.in_closed) {
        lun_log(LUN_LOG_INFO, &s->m.log, 0, "client sent DATA frame for "
                "half-closed stream %u", f->stream);
        lun_h2_end(h2, LUN_H2_STREAM_CLOSED);
        return;
    }

    if (lun_h2_stream_may_receive(s, f->length)) {
        h2->data = s;
    }
}


static void
take_data(lun_h2 *h2, lun_str piece)
{
    lun_h2_stream  *s = h2->data;

    if (s == NULL || s->m.closed) {
        return;
    }

    lun_h2_credit(h2, piece.len);
    h2->data_len += piece.len;

    if (lun_mux_keep_body(&s->m, piece.data, piece.len) != LUN_OK) {
        lun_h2_reset(s, LUN_H2_INTERNAL_ERROR);
    }
}


static void
end_data(lun_h2 *h2)
{
    size_t             length = h2->frames.length;
    lun_h2_stream     *s = h2->data;

    h2->data = NULL;
    lun_h2_received(h2, length);

    if (s == NULL || s->m.closed) {
        return;
    }

    /* Padding is nobody's to take. */
    lun_h2_stream_consumed(s, length - h2->data_len);

    if (h2->frames.flags & LUN_FRAME_END_STREAM) {
        s->m.in_closed = 1;
        lun_h2_check_closed(s);
    }

    lun_mux_ready(&s->m);
}


/* --- the others ---------------------------------------------------------- */

static void
say_reset(const lun_h2_stream *s, uint32_t code)
{
    unsigned        id = (unsigned) s->m.id;
    const lun_log  *log = &s->m.log;

    switch (code) {

    case LUN_H2_NO_ERROR:
        lun_log(LUN_LOG_INFO, log, 0, "client closed stream %u", id);
        break;

    case LUN_H2_CANCEL:
        lun_log(LUN_LOG_INFO, log, 0, "client canceled stream %u", id);
        break;

    case LUN_H2_REFUSED_STREAM:
        lun_log(LUN_LOG_INFO, log, 0, "client refused stream %u", id);
        break;

    case LUN_H2_INTERNAL_ERROR:
        lun_log(LUN_LOG_INFO, log, 0, "client terminated stream %u due to "
                "internal error", id);
        break;

    default:
        lun_log(LUN_LOG_INFO, log, 0, "client terminated stream %u with "
                "status %u", id, code);
        break;
    }
}


static void
take_reset(lun_h2 *h2, uint32_t code)
{
    lun_h2_stream  *s = lun_h2_find(h2, h2->frames.stream);

    if (lun_h2_is_idle(h2, h2->frames.stream)) {
        refuse_id(h2);

    } else if (s != NULL && !s->m.closed) {
        say_reset(s, code);
        lun_h2_charge(h2, LUN_ACCOUNT_IN_VAIN);
        lun_h2_stream_closed(s);
    }
}


/* Its weights have no effect (RFC 9113, 5.3.2), but it has a form. */
static void
take_priority(lun_h2 *h2, uint32_t dependency)
{
    const lun_frames  *f = &h2->frames;

    if (f->stream == 0) {
        refuse_id(h2);

    } else if ((dependency & LUN_H2_MAX_WINDOW) == f->stream) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent PRIORITY frame "
                "for stream %u with incorrect dependency", f->stream);
        lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);
    }
}


/* A whole content, or an entry of one. */
static void
take_unit(lun_h2 *h2)
{
    const lun_frames  *f = &h2->frames;
    const uint8_t     *u = f->unit;

    switch (f->type) {

    case LUN_FRAME_PRIORITY:
        take_priority(h2, lun_frame_u32(u));
        break;

    case LUN_FRAME_RST_STREAM:
        take_reset(h2, lun_frame_u32(u));
        break;

    case LUN_FRAME_SETTINGS:
        lun_h2_take_setting(h2, (unsigned) u[0] << 8 | u[1],
                            lun_frame_u32(u + 2));
        break;

    case LUN_FRAME_PING:
        if ((f->flags & LUN_FRAME_ACK) == 0) {
            lun_h2_put_ping_ack(h2, u);
        }
        break;

    case LUN_FRAME_GOAWAY:
        h2->left = 1;
        break;

    case LUN_FRAME_WINDOW_UPDATE:
        lun_h2_take_window(h2, f->stream,
                           lun_frame_u32(u) & LUN_H2_MAX_WINDOW);
        break;
    }
}


static void
begin_frame(lun_h2 *h2)
{
    const lun_frames  *f = &h2->frames;

    /* Before anything is done for it: a flood is one whatever it says. */
    lun_h2_charge_frame(h2, f);
    h2->data_len = 0;

    switch (f->type) {

    case LUN_FRAME_DATA:
        begin_data(h2);
        break;

    case LUN_FRAME_HEADERS:
        if (f->stream % 2 == 0) {
            refuse_id(h2);

        } else {
            lun_h2_block_begin(h2);
        }
        break;

    case LUN_FRAME_CONTINUATION:
        if (f->stream != h2->last_block) {
            lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent CONTINUATION "
                    "frame with incorrect identifier %u", f->stream);
            lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);
        }
        break;

    case LUN_FRAME_SETTINGS:
    case LUN_FRAME_PING:
    case LUN_FRAME_GOAWAY:
        if (f->stream != 0) {
            refuse_id(h2);
        }
        break;

    case LUN_FRAME_PRIORITY_UPDATE:
        lun_h2_update_begin(h2);
        break;

    case LUN_FRAME_PUSH_PROMISE:
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0,
                "client sent PUSH_PROMISE frame");
        lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);
        break;
    }
}


/*
 * The acknowledgement of our SETTINGS is the moment from which a client that
 * breaks them is wrong; before that it may not know them yet.
 */
static void
end_frame(lun_h2 *h2)
{
    const lun_frames  *f = &h2->frames;

    switch (f->type) {

    case LUN_FRAME_DATA:
        end_data(h2);
        break;

    case LUN_FRAME_HEADERS:
    case LUN_FRAME_CONTINUATION:
        lun_h2_block_end(h2);
        break;

    case LUN_FRAME_PRIORITY_UPDATE:
        lun_h2_update_end(h2);
        break;

    case LUN_FRAME_SETTINGS:
        if (f->flags & LUN_FRAME_ACK) {
            lun_h2_settings_known(h2);

        } else {
            lun_h2_put_settings_ack(h2);
        }
        break;
    }

    lun_h2_open_connection(h2);
}


/* --- bytes --------------------------------------------------------------- */

static lun_rc
take_preface(lun_h2 *h2, const char **pos, const char *end)
{
    size_t  n = lun_min((size_t) (end - *pos),
                        (size_t) PREFACE_SIZE - h2->preface);

    if (memcmp(*pos, &LUN_H2_PREFACE[h2->preface], n) != 0) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "invalid connection preface");
        return LUN_ERROR;
    }

    h2->preface += (uint8_t) n;
    *pos += n;
    return LUN_OK;
}


/* Whether a HEADERS frame says that its stream depends on itself. */
static bool
depends_on_itself(const lun_frames *f)
{
    const uint8_t  *p = f->unit + (f->flags & LUN_FRAME_PADDED ? 1 : 0);

    return f->type == LUN_FRAME_HEADERS && (f->flags & LUN_FRAME_HAS_PRIORITY)
           && (lun_frame_u32(p) & LUN_H2_MAX_WINDOW) == f->stream;
}


static void
take_piece(lun_h2 *h2, lun_str piece)
{
    if (h2->frames.type == LUN_FRAME_DATA) {
        take_data(h2, piece);

    } else if (h2->frames.type == LUN_FRAME_PRIORITY_UPDATE) {
        lun_h2_update_piece(h2, piece);

    } else {
        lun_h2_block_piece(h2, piece);
    }
}


/*
 * `ended` and `broken` are looked at after each step: a frame that was refused
 * leaves nothing behind it to be read.
 */
lun_rc
lun_h2_feed(lun_h2 *h2, lun_str bytes)
{
    lun_str             piece;
    const char         *pos = bytes.data, *end = pos + bytes.len;
    lun_frames_verdict  v;

    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (h2->preface < PREFACE_SIZE && take_preface(h2, &pos, end) != LUN_OK) {
        return LUN_ERROR;
    }

    if (h2->preface < PREFACE_SIZE) {
        return LUN_OK;
    }

    while (!h2->ended && !h2->mux.broken) {
        v = lun_frames_next(&h2->frames, &pos, end, &piece);

        switch (v) {

        case LUN_FRAMES_MORE:
            return LUN_OK;

        case LUN_FRAMES_BEGIN:
            begin_frame(h2);
            break;

        case LUN_FRAMES_PIECE:
            take_piece(h2, piece);
            break;

        case LUN_FRAMES_UNIT:
            take_unit(h2);
            break;

        case LUN_FRAMES_END:
            if (depends_on_itself(&h2->frames)) {
                take_priority(h2, h2->frames.stream);
            }

            end_frame(h2);
            break;

        case LUN_FRAMES_BAD:
            refuse_frame(h2);
            break;
        }
    }

    return LUN_OK;
}
