/*
 * h3_uni.c -- streams that go one way (RFC 9114, 6.2): what each side says of
 * itself, and QPACK's table.
 *
 * What goes out is packed without a table of its own: the client's decoder has
 * nothing to confirm, and no answer ever waits for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include "base/check.h"


enum {
    UNKNOWN = 64,                  /* for the account: a frame, or a stream, of
                                      a type that nobody knows */
    UPDATE  = 256,                 /* PRIORITY_UPDATE */
    REPLY   = 64                   /* bytes that QPACK's decoder may say, of
                                      each stream */
};


/* --- ours ---------------------------------------------------------------- */

static char *
put_setting(char *p, uint64_t name, uint64_t value)
{
    p = lun_varint_put(p, name);
    return lun_varint_put(p, value);
}


void
lun_h3_open_control(lun_h3 *h3)
{
    char         *p, settings[6 * LUN_VARINT_MOST];
    size_t        len;
    lun_h3_wire  *w = h3->control;

    if (w != NULL || h3->hq || h3->ended) {
        return;
    }

    w = lun_h3_open_wire(h3, LUN_H3_TYPE_CONTROL);

    if (w == NULL) {
        return;                    /* the client does not allow it yet */
    }

    p = put_setting(settings, LUN_H3_SET_TABLE,
                    (uint64_t) h3->conf->table_capacity);
    p = put_setting(p, LUN_H3_SET_BLOCKED,
                    (uint64_t) h3->conf->concurrent_streams);

    if (h3->mux.connects) {
        p = put_setting(p, LUN_H3_SET_CONNECT, 1);
    }

    len = (size_t) (p - settings);

    p = lun_h3_queue_room(&w->queue, LUN_H3_HEAD + len);
    lun_h3_queue_add(&w->queue, (size_t) (lun_copy(lun_h3_put_head(p,
                         LUN_H3_SETTINGS, len), settings, len) - p));
    h3->control = w;
}


void
lun_h3_put_goaway(lun_h3 *h3, uint64_t id)
{
    char         *p;
    lun_h3_wire  *w = h3->control;

    if (w == NULL || h3->ended) {
        return;
    }

    p = lun_h3_queue_room(&w->queue, LUN_H3_HEAD + LUN_VARINT_MOST);
    lun_h3_queue_add(&w->queue, (size_t) (lun_varint_put(lun_h3_put_head(p,
                         LUN_H3_GOAWAY, lun_varint_size(id)), id) - p));
    lun_h3_may_send(w);
}


/*
 * Acknowledgements to a client that does not read them pile up here: no more
 * than REPLY bytes for each stream it may have.
 */
void
lun_h3_tell_encoder(lun_h3 *h3)
{
    char         *p;
    size_t        n;
    nghttp3_buf   buf;

    n = h3->decoder != NULL
        ? nghttp3_qpack_decoder_get_decoder_streamlen2(h3->decoder) : 0;

    if (n == 0) {
        return;
    }

    if (h3->decoding == NULL) {
        h3->decoding = lun_h3_open_wire(h3, LUN_H3_TYPE_DECODER);
    }

    if (h3->decoding == NULL) {
        return;
    }

    p = lun_h3_queue_room(&h3->decoding->queue, n);
    buf.begin = buf.pos = buf.last = (uint8_t *) p;
    buf.end = buf.begin + n;
    nghttp3_qpack_decoder_write_decoder(h3->decoder, &buf);
    lun_h3_queue_add(&h3->decoding->queue, (size_t) (buf.last - buf.pos));
    lun_h3_may_send(h3->decoding);

    if (h3->decoding->queue.unsent + h3->decoding->queue.unacked
        > REPLY * (lun_max((uint64_t) h3->conf->concurrent_streams, 128)))
    {
        lun_h3_flood(h3, "client does not take what it is told of the table");
    }
}


/* --- the client's control stream ----------------------------------------- */

static void
refuse_frame(lun_h3 *h3, uint64_t code)
{
    lun_h3_end(h3, code, "client sent unexpected frame in control stream");
}


static void
begin_frame(lun_h3_wire *w)
{
    lun_h3               *h3 = w->h3;
    const lun_h3_frames  *f = &w->frames;

    w->number = (lun_varint) { .left = 0 };
    w->odd = 0;
    h3->update_len = 0;

    if (f->type != LUN_H3_SETTINGS && !h3->has_settings) {
        lun_h3_end(h3, LUN_H3_MISSING_SETTINGS, "client did not begin with "
                   "SETTINGS");
        return;
    }

    switch (f->type) {

    case LUN_H3_SETTINGS:
        if (h3->has_settings) {
            refuse_frame(h3, LUN_H3_FRAME_UNEXPECTED);
        }

        h3->has_settings = 1;
        return;

    case LUN_H3_GOAWAY:
    case LUN_H3_MAX_PUSH_ID:
        return;

    case LUN_H3_PRIORITY_UPDATE:
        lun_h3_charge(h3, UPDATE);
        return;

    case LUN_H3_CANCEL_PUSH:
    case LUN_H3_PRIORITY_PUSH:
        refuse_frame(h3, LUN_H3_ID_ERROR);     /* nothing is pushed */
        return;

    case LUN_H3_DATA:
    case LUN_H3_HEADERS:
    case LUN_H3_PUSH_PROMISE:
        refuse_frame(h3, LUN_H3_FRAME_UNEXPECTED);
        return;
    }

    if (lun_h3_is_of_h2(f->type)) {
        refuse_frame(h3, LUN_H3_FRAME_UNEXPECTED);

    } else {
        lun_h3_charge(h3, UNKNOWN);
    }
}


/* Of pairs of numbers none matters to us but those that must not be there. */
static void
take_settings(lun_h3_wire *w, lun_str piece)
{
    const char  *pos = piece.data, *end = pos + piece.len;

    while (lun_varint_take(&w->number, &pos, end)) {
        if (w->odd) {
            w->odd = 0;
            continue;
        }

        w->odd = 1;

        if (w->number.value >= 0x02 && w->number.value <= 0x05) {
            lun_h3_end(w->h3, LUN_H3_SETTINGS_ERROR, "client sent a setting "
                       "of HTTP/2");
            return;
        }
    }
}


/* A number, and what it is about. */
static void
take_update(lun_h3_wire *w, lun_str piece)
{
    size_t       n;
    lun_h3      *h3 = w->h3;
    const char  *pos = piece.data, *end = pos + piece.len;

    if (!w->odd) {
        if (!lun_varint_take(&w->number, &pos, end)) {
            return;
        }

        w->odd = 1;
    }

    n = lun_min((size_t) (end - pos), sizeof(h3->update) - h3->update_len);
    memcpy(h3->update + h3->update_len, pos, n);
    h3->update_len += n;
}


static void
take_number(lun_h3_wire *w, lun_str piece)
{
    const char  *pos = piece.data, *end = pos + piece.len;

    if (w->odd || (lun_varint_take(&w->number, &pos, end) && pos != end)) {
        lun_h3_end(w->h3, LUN_H3_FRAME_ERROR,
                   "client sent frame of wrong length in control stream");
        return;
    }

    w->odd = w->number.left == 0;
}


static void
take_piece(lun_h3_wire *w, lun_str piece)
{
    switch (w->frames.type) {

    case LUN_H3_SETTINGS:
        take_settings(w, piece);
        break;

    case LUN_H3_PRIORITY_UPDATE:
        take_update(w, piece);
        break;

    case LUN_H3_GOAWAY:
    case LUN_H3_MAX_PUSH_ID:
        take_number(w, piece);
        break;
    }
}


static lun_h3_wire *
find_request(lun_h3 *h3, int64_t id)
{
    lun_h3_wire  *w;

    lun_list_each(&h3->wires, at) {
        w = lun_container_of(at, lun_h3_wire, link);

        if (w->id == id && w->kind == LUN_H3_WIRE_REQUEST) {
            return w;
        }
    }

    return NULL;
}


static void
end_update(lun_h3_wire *w)
{
    lun_h3       *h3 = w->h3;
    int64_t       id = (int64_t) w->number.value;
    lun_h3_wire  *about;

    if (id % 4 != 0) {
        refuse_frame(h3, LUN_H3_ID_ERROR);
        return;
    }

    about = find_request(h3, id);

    /* A value that does not end in time is one that says nothing. */
    if (h3->update_len < sizeof(h3->update)
        && (about != NULL || id >= h3->next_id))
    {
        lun_line_update(&h3->senders, about != NULL ? &about->sender : NULL,
                        id, lun_str_of(h3->update, h3->update_len));
    }
}


/*
 * `odd` says that a number stands alone: SETTINGS are pairs and must not end
 * with half of one, the others have exactly one.
 */
static void
end_frame(lun_h3_wire *w)
{
    bool     whole = w->number.left == 0;
    lun_h3  *h3 = w->h3;

    switch (w->frames.type) {

    case LUN_H3_SETTINGS:
        whole = whole && !w->odd;
        break;

    case LUN_H3_GOAWAY:
    case LUN_H3_MAX_PUSH_ID:
    case LUN_H3_PRIORITY_UPDATE:
        whole = whole && w->odd;
        break;

    default:
        return;
    }

    if (!whole) {
        lun_h3_end(h3, LUN_H3_FRAME_ERROR,
                   "client sent frame of wrong length in control stream");

    } else if (w->frames.type == LUN_H3_PRIORITY_UPDATE) {
        end_update(w);

    } else if (w->frames.type == LUN_H3_GOAWAY) {
        h3->left = 1;
        lun_h3_wake(h3);
    }
}


static void
take_control(lun_h3_wire *w, const char *pos, const char *end)
{
    lun_str  piece;

    while (!w->h3->ended) {
        switch (lun_h3_frames_next(&w->frames, &pos, end, &piece)) {

        case LUN_H3_MORE:
            return;

        case LUN_H3_BEGIN:
            begin_frame(w);
            break;

        case LUN_H3_PIECE:
            take_piece(w, piece);
            break;

        case LUN_H3_END:
            end_frame(w);
            break;
        }
    }
}


/* --- QPACK's table ------------------------------------------------------- */

/* Instructions may come before the first request, which makes a decoder too. */
static void
take_encoder(lun_h3_wire *w, const char *bytes, size_t n)
{
    lun_h3                 *h3 = w->h3;
    nghttp3_qpack_decoder  *decoder = lun_h3_decoder(h3);

    if (decoder == NULL) {
        return;
    }

    if (nghttp3_qpack_decoder_read_encoder(decoder, (const uint8_t *) bytes,
                                           n)
        != (nghttp3_ssize) n)
    {
        lun_h3_end(h3, LUN_QPACK_ENCODER_ERROR,
                   "client sent invalid instructions to the QPACK table");
        return;
    }

    lun_h3_go_on(h3);
}


/*
 * There is nothing to confirm, only that a stream was cancelled: 01 and a
 * number of six bits or more.
 */
static void
take_decoder(lun_h3_wire *w, const char *pos, const char *end)
{
    unsigned char  byte;

    for ( ; pos != end; pos++) {
        byte = (unsigned char) *pos;

        if (w->odd) {
            w->odd = byte >= 0x80;
            continue;
        }

        if (byte >> 6 != 1) {
            lun_h3_end(w->h3, LUN_QPACK_DECODER_ERROR,
                       "client confirmed what was not sent to its QPACK table");
            return;
        }

        w->odd = (byte & 0x3f) == 0x3f;
    }
}


/* --- what it is ---------------------------------------------------------- */

static void
ignore(lun_h3_wire *w)
{
    w->kind = LUN_H3_WIRE_IGNORED;
    lun_h3_charge(w->h3, UNKNOWN);
    lun_quic_stop(w->h3->q, w->id, LUN_H3_STREAM_CREATION_ERROR);
}


/*
 * RFC 9114, 6.2: one of each kind, no pushes from a client; what is unknown is
 * ignored, not refused.
 */
static void
take_type(lun_h3_wire *w)
{
    bool     again = false;
    lun_h3  *h3 = w->h3;

    switch (w->number.value) {

    case LUN_H3_TYPE_CONTROL:
        again = h3->has_control;
        h3->has_control = 1;
        w->kind = LUN_H3_WIRE_CONTROL;
        break;

    case LUN_H3_TYPE_ENCODER:
        again = h3->has_encoder;
        h3->has_encoder = 1;
        w->kind = LUN_H3_WIRE_ENCODER;
        break;

    case LUN_H3_TYPE_DECODER:
        again = h3->has_decoder;
        h3->has_decoder = 1;
        w->kind = LUN_H3_WIRE_DECODER;
        break;

    case LUN_H3_TYPE_PUSH:
        again = true;
        break;

    default:
        ignore(w);
        return;
    }

    if (again) {
        lun_h3_end(h3, LUN_H3_STREAM_CREATION_ERROR,
                   "client opened a stream that must not be");
    }
}


/*
 * Three of these streams live as long as the connection: when one of them ends,
 * so does that (RFC 9114, 6.2.1; RFC 9204, 4.2).
 */
void
lun_h3_take_uni(lun_h3_wire *w, const char *bytes, size_t n, bool fin)
{
    lun_h3      *h3 = w->h3;
    const char  *pos = bytes, *end = bytes + n;

    if (w->kind == LUN_H3_WIRE_NEW) {
        if (h3->hq) {
            ignore(w);

        } else if (lun_varint_take(&w->number, &pos, end)) {
            take_type(w);
        }
    }

    if (pos != end && !h3->ended) {
        switch ((lun_h3_wire_kind) w->kind) {

        case LUN_H3_WIRE_CONTROL:
            take_control(w, pos, end);
            break;

        case LUN_H3_WIRE_ENCODER:
            take_encoder(w, pos, (size_t) (end - pos));
            break;

        case LUN_H3_WIRE_DECODER:
            take_decoder(w, pos, end);
            break;

        default:
            break;
        }
    }

    if (h3->ended) {
        return;
    }

    if (!fin) {
        lun_quic_consumed(h3->q, w->id, n);

    } else if (w->kind != LUN_H3_WIRE_IGNORED && w->kind != LUN_H3_WIRE_NEW) {
        lun_h3_end(h3, LUN_H3_CLOSED_CRITICAL,
                   "client closed a critical stream");
    }
}
