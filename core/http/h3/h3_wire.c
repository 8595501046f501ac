/*
 * h3_wire.c -- streams of QUIC, and the frames on those of requests (RFC 9114,
 * 4.1 and 7).
 *
 * Nothing is served from in here: streams that something has happened to are
 * noted, and the turn looks at them when all that came is read.  What breaks a
 * rule of frames ends the connection; what a request may be is checked as for
 * any protocol (../mux/field_in.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include "base/check.h"


enum {
    UNKNOWN = 64,                  /* for the account: a frame, or a stream, of
                                      a type that nobody knows */
    EMPTY   = 256                  /* a frame that says nothing */
};


/* --- a stream ------------------------------------------------------------ */

static lun_h3_wire *
new_wire(lun_h3 *h3, int64_t id, lun_h3_wire_kind kind)
{
    lun_h3_wire  *w = lun_calloc(sizeof(*w));

    w->h3 = h3;
    w->id = id;
    w->kind = (uint8_t) kind;
    lun_list_push_back(&h3->wires, &w->link);
    lun_list_init(&w->waiting);
    lun_line_begin(&h3->senders, &w->sender, id);

    return w;
}


void
lun_h3_free_wire(lun_h3_wire *w)
{
    lun_h3_drop_fields(w);
    lun_timer_stop(&w->timer);
    lun_line_leave(&w->sender);
    lun_list_remove(&w->link);
    lun_h3_queue_fini(&w->queue);
    lun_free(w->kept);
    lun_free(w);
}


lun_h3_wire *
lun_h3_open_wire(lun_h3 *h3, uint64_t type)
{
    char         *p;
    int64_t       id;
    lun_h3_wire  *w = new_wire(h3, 0, LUN_H3_WIRE_OWN);

    if (lun_quic_open_uni(h3->q, w, &id) != LUN_OK) {
        lun_h3_free_wire(w);
        return NULL;
    }

    w->id = w->sender.id = id;
    lun_line_ask(&h3->senders, &w->sender, LUN_STR("u=0"));
    h3->senders.ranks = false;     /* it was not the client that said so */

    p = lun_h3_queue_room(&w->queue, LUN_VARINT_MOST);
    lun_h3_queue_add(&w->queue, (size_t) (lun_varint_put(p, type) - p));
    lun_h3_may_send(w);
    return w;
}


/* --- requests ------------------------------------------------------------ */

static void
reject(lun_h3_wire *w)
{
    lun_h3  *h3 = w->h3;

    w->at = LUN_H3_AT_NOTHING;
    w->cut = 1;
    lun_quic_reset(h3->q, w->id, LUN_H3_REQUEST_REJECTED);
    lun_quic_stop(h3->q, w->id, LUN_H3_REQUEST_REJECTED);
}


/*
 * QUIC counts streams until they are closed, and a client that resets them
 * closes them at will: requests that are being served count here.
 */
static bool
is_refused(lun_h3 *h3)
{
    uint64_t  most = (uint64_t) h3->conf->concurrent_streams;
    size_t    count = h3->mux.stream_count - h3->mux.over;

    if (count < most) {
        return false;
    }

    lun_log(LUN_LOG_INFO, lun_h3_log(h3), 0, "concurrent streams exceeded "
            "%zu", count);

    if (h3->refused++ > lun_max(most, 100)) {
        lun_h3_flood(h3, "client sent too many refused streams");
    }

    return true;
}


static lun_h3_wire *
begin_request(lun_h3 *h3, int64_t id)
{
    lun_h3_wire  *w = new_wire(h3, id, LUN_H3_WIRE_REQUEST);

    w->counted = 1;
    h3->open++;

    /* We have said that we take no more. */
    if (h3->leaving || is_refused(h3)) {
        reject(w);
        return w;
    }

    h3->next_id = lun_max(h3->next_id, id + 4);
    w->stream = lun_h3_new_stream(w);
    return w;
}


/* --- its frames ---------------------------------------------------------- */

/* What stands in the control stream, or is of HTTP/2 alone. */
static bool
is_out_of_place(uint64_t type)
{
    switch (type) {

    case LUN_H3_CANCEL_PUSH:
    case LUN_H3_SETTINGS:
    case LUN_H3_PUSH_PROMISE:
    case LUN_H3_GOAWAY:
    case LUN_H3_MAX_PUSH_ID:
    case LUN_H3_PRIORITY_UPDATE:
    case LUN_H3_PRIORITY_PUSH:
        return true;
    }

    return lun_h3_is_of_h2(type);
}


/*
 * Frames that mean nothing cost: they are how a client keeps us busy for
 * little.
 */
static void
begin_frame(lun_h3_wire *w)
{
    lun_h3               *h3 = w->h3;
    const lun_h3_frames  *f = &w->frames;

    if (is_out_of_place(f->type)
        || (f->type == LUN_H3_DATA && w->at != LUN_H3_AT_BODY)
        || (f->type == LUN_H3_HEADERS && w->at == LUN_H3_AT_END))
    {
        lun_h3_end(h3, LUN_H3_FRAME_UNEXPECTED,
                   "client sent unexpected frame in request stream");
        return;
    }

    if (f->type == LUN_H3_HEADERS) {
        w->skips = 0;
        w->block = 0;

    } else if (f->type != LUN_H3_DATA) {
        lun_h3_charge(h3, UNKNOWN);

    } else if (f->length == 0) {
        lun_h3_charge(h3, EMPTY);
    }
}


static void
take_data(lun_h3_wire *w, lun_str piece)
{
    lun_h3_stream  *s = w->stream;

    if (s == NULL || s->m.closed) {
        return;
    }

    lun_h3_credit(w->h3, piece.len);

    if (lun_mux_keep_body(&s->m, piece.data, piece.len) != LUN_OK) {
        lun_h3_reset(s, LUN_H3_INTERNAL_ERROR);
    }
}


static void
end_frame(lun_h3_wire *w, bool ended)
{
    if (w->frames.type != LUN_H3_HEADERS) {
        return;
    }

    w->at = w->at == LUN_H3_AT_HEADER ? LUN_H3_AT_BODY : LUN_H3_AT_END;
    lun_h3_end_fields(w, ended);
}


/*
 * What waits for QPACK's table is kept, with all that follows: no more than
 * the client has a window for, which opens only when it is used up.
 */
static void
keep(lun_h3_wire *w, const char *bytes, size_t n)
{
    if (w->kept_len + n > w->kept_room) {
        w->kept_room = lun_max(w->kept_len + n, 2 * w->kept_room);
        w->kept = lun_realloc(w->kept, w->kept_room);
    }

    if (n != 0) {
        memmove(w->kept + w->kept_len, bytes, n);
        w->kept_len += n;
    }
}


/* Says how much is not a body's, and so is used up. */
static size_t
take_frames(lun_h3_wire *w, const char **pos, const char *end, bool fin)
{
    size_t      used, own = 0;
    lun_str     piece;
    const char *from;

    while (!w->h3->ended && w->at != LUN_H3_AT_NOTHING) {
        from = *pos;

        switch (lun_h3_frames_next(&w->frames, pos, end, &piece)) {

        case LUN_H3_MORE:
            return own + (size_t) (*pos - from);

        case LUN_H3_BEGIN:
            own += (size_t) (*pos - from);
            begin_frame(w);
            break;

        case LUN_H3_PIECE:
            if (w->frames.type == LUN_H3_DATA) {
                take_data(w, piece);
                break;
            }

            used = piece.len;

            if (w->frames.type == LUN_H3_HEADERS) {
                used = lun_h3_take_fields(w, piece, w->frames.left == 0);
            }

            own += used;

            if (used != piece.len || !lun_list_empty(&w->waiting)) {
                w->frames.left += piece.len - used;
                *pos = piece.data + used;
                return own;
            }

            break;

        case LUN_H3_END:
            end_frame(w, fin && *pos == end);
            break;
        }
    }

    own += (size_t) (end - *pos);
    *pos = end;
    return own;
}


/* The client has said all of it. */
static void
end_request(lun_h3_wire *w)
{
    lun_h3_stream  *s = w->stream;

    if (!lun_h3_frames_between(&w->frames)) {
        lun_h3_end(w->h3, LUN_H3_FRAME_ERROR,
                   "client ended a stream within a frame");
        return;
    }

    if (s == NULL || s->m.closed) {
        return;
    }

    if (!s->m.complete) {
        lun_log(LUN_LOG_INFO, &s->m.log, 0,
                "client ended a stream without a request");
        lun_h3_charge(w->h3, LUN_ACCOUNT_MISTAKE);
        lun_h3_reset(s, LUN_H3_REQUEST_INCOMPLETE);
        return;
    }

    if (!s->m.in_closed) {
        s->m.in_closed = 1;
        lun_h3_check_closed(s);
        lun_mux_ready(&s->m);
    }
}


/*
 * A block that names entries which have not come yet waits for the table; what
 * comes behind it is kept meanwhile.
 */
void
lun_h3_take(lun_h3_wire *w, const char *bytes, size_t n, bool fin)
{
    size_t       own;
    lun_h3      *h3 = w->h3;
    const char  *pos = bytes, *end = bytes + n;

    w->fin = w->fin || fin;

    if (!lun_list_empty(&w->waiting)) {
        keep(w, bytes, n);
        return;
    }

    own = take_frames(w, &pos, end, fin);

    if (own != 0 && !fin && !h3->ended) {
        lun_quic_consumed(h3->q, w->id, own);
    }

    if (!lun_list_empty(&w->waiting)) {
        keep(w, pos, (size_t) (end - pos));

    } else if (fin && !h3->ended && w->at != LUN_H3_AT_NOTHING) {
        end_request(w);
    }
}


/* --- for QUIC ------------------------------------------------------------ */

static lun_h3_wire *
begin_wire(lun_h3 *h3, int64_t id)
{
    if (id % 4 == 0) {
        return begin_request(h3, id);
    }

    return new_wire(h3, id, LUN_H3_WIRE_NEW);
}


/*
 * Every byte is charged before it is looked at, so nothing that a client sends
 * is free of cost to it.
 */
lun_rc
lun_h3_received(lun_quic *q, int64_t id, void **stream, const char *bytes,
    size_t n, bool fin)
{
    lun_h3       *h3 = q->data;
    lun_h3_wire  *w = *stream;

    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);

    if (h3->ended) {
        return LUN_ERROR;
    }

    if (w == NULL) {
        w = *stream = begin_wire(h3, id);
    }

    lun_h3_charge(h3, n);

    if (h3->ended) {
        return LUN_ERROR;
    }

    if (w->kind != LUN_H3_WIRE_REQUEST) {
        lun_h3_take_uni(w, bytes, n, fin);

    } else if (h3->hq) {
        lun_hq_take(w, bytes, n, fin);

    } else {
        lun_h3_take(w, bytes, n, fin);
    }

    return h3->ended ? LUN_ERROR : LUN_OK;
}


/* Both sides give it up. */
static void
client_gives_up(lun_h3_wire *w, const char *how, uint64_t code)
{
    lun_h3_stream  *s = w->stream;

    w->at = LUN_H3_AT_NOTHING;

    if (s == NULL || s->m.closed) {
        return;
    }

    lun_log(LUN_LOG_INFO, &s->m.log, 0, "client %s stream %" PRId64 " with "
            "status 0x%" PRIx64, how, w->id, code);
    lun_h3_reset(s, LUN_H3_REQUEST_CANCELLED);
}


void
lun_h3_was_reset(lun_quic *q, int64_t id, void *stream, uint64_t code)
{
    lun_h3       *h3 = q->data;
    lun_h3_wire  *w = stream;

    if (w == NULL || h3->ended) {
        return;
    }

    if (w->kind == LUN_H3_WIRE_REQUEST) {
        lun_h3_drop_fields(w);

        if (w->stream == NULL || !w->stream->m.in_closed) {
            client_gives_up(w, "canceled", code);
        }

    } else if (w->kind != LUN_H3_WIRE_NEW && w->kind != LUN_H3_WIRE_IGNORED) {
        lun_h3_end(h3, LUN_H3_CLOSED_CRITICAL,
                   "client reset a critical stream");
    }
}


void
lun_h3_was_stopped(lun_quic *q, int64_t id, void *stream, uint64_t code)
{
    lun_h3       *h3 = q->data;
    lun_h3_wire  *w = stream;

    if (w == NULL || h3->ended) {
        return;
    }

    w->cut = 1;
    lun_line_leave(&w->sender);

    if (w->kind == LUN_H3_WIRE_REQUEST) {
        client_gives_up(w, "stopped", code);

    } else {
        lun_h3_end(h3, LUN_H3_CLOSED_CRITICAL,
                   "client stopped a critical stream");
    }
}


/*
 * The client may begin another when QUIC and the request are through with
 * this one.
 */
void
lun_h3_stream_closed(lun_quic *q, int64_t id, void *stream)
{
    lun_h3         *h3 = q->data;
    lun_h3_wire    *w = stream;
    lun_h3_stream  *s;

    if (w == NULL) {
        return;
    }

    s = w->stream;

    if (w == h3->control) {
        h3->control = NULL;

    } else if (w == h3->decoding) {
        h3->decoding = NULL;
    }

    if (w->counted) {
        h3->open--;

    } else if (w->kind != LUN_H3_WIRE_OWN) {
        lun_quic_allow_uni(q, 1);
    }

    if (s != NULL) {
        s->wire = NULL;

        if (!s->m.closed) {
            lun_mux_closed(&s->m);
        }

    } else if (w->counted) {
        lun_quic_allow_bidi(q, 1);
    }

    lun_h3_free_wire(w);
    lun_h3_wake(h3);
}
