/*
 * upreq_h2_answer.c -- an answer in HTTP/2: header, body and trailers, as the
 * frames of one stream.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/upreq_h2_priv.h"

#include "base/check.h"
#include "format/hpack.h"
#include "http/upstream/upreq_answer.h"


enum {
    GIVE_BACK = LUN_H2_STREAM_WINDOW / 2,
    HINTS_COST = 20,               /* frames that an interim answer is worth */
    MOST_HINTS = 100               /* of a stream: others may pay for many */
};

typedef enum {
    MORE,
    FIELDS,                        /* a header block is complete */
    DATA,
    ENDED,
    BAD
} event;


void
lun_upreq_h2_reset(lun_upreq *x)
{
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    lun_frames_init(&s->frames);
    s->received = 0;
    s->part = LUN_STR_NULL;
    s->left = -1;
    s->header_done = s->ended = s->ends = false;
    s->was_reset = false;
    x->answer.framed = true;
}


static event
refuse(const lun_upreq *x, const char *what)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent %s", what);
    return BAD;
}


/* --- frames that say no -------------------------------------------------- */

/*
 * The server has not looked at the request, and will not.  On a new connection
 * that is as bad an answer as any.
 */
static event
take_goaway(lun_upreq *x)
{
    const lun_upreq_h2  *s = lun_upreq_h2_of(x);

    x->answer.unheard = x->balance.cached && !s->header_done;
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent goaway with error %u",
            lun_frame_u32(s->frames.unit + 4));
    return BAD;
}


/*
 * A server that has answered may say that it wants no more of the request.  One
 * that has no time for it is not asked again on this connection, which would
 * have no end.
 */
static event
take_reset(lun_upreq *x)
{
    lun_upreq_h2  *s = lun_upreq_h2_of(x);
    uint32_t       why = lun_frame_u32(s->frames.unit);

    if (why == 0 && s->ended && !s->was_reset) {
        s->was_reset = true;
        return MORE;
    }

    if (why == LUN_H2_REFUSED_STREAM) {
        x->answer.unheard = !s->header_done;
        lun_h2_link_retire(s->stream->link);
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream rejected request with "
            "error %u", why);
    return BAD;
}


static event
take_unit(lun_upreq *x)
{
    return lun_upreq_h2_of(x)->frames.type == LUN_FRAME_GOAWAY
           ? take_goaway(x) : take_reset(x);
}


/* --- header blocks ------------------------------------------------------- */

/*
 * The size is of the fields as they are: a server whose block is small and
 * names one large entry again and again is held by proxy_buffer_size as any
 * other.
 */
static event
take_field(lun_upreq *x, lun_str name, lun_str value)
{
    return lun_upreq_fields_take(x, &lun_upreq_h2_of(x)->fields, name, value)
           == LUN_OK ? MORE : BAD;
}


static event
take_block(lun_upreq *x, lun_str block)
{
    event        e = MORE;
    lun_str      name, value;
    const char  *pos = block.data, *end = block.data + block.len;

    while (e == MORE) {
        switch (lun_hpack_next(x->r->pool, &pos, end, &name, &value)) {

        case LUN_HPACK_FIELD:
            e = take_field(x, name, value);
            break;

        case LUN_HPACK_END:
            return MORE;

        default:
            return refuse(x, "invalid http2 header block");
        }
    }

    return e;
}


/*
 * A whole block is read where it lies; one in pieces is put together first.
 * It is hardly larger than what it stands for, unless it stands for nothing.
 */
static event
take_piece(lun_upreq *x, lun_str piece)
{
    char              *room;
    size_t             most = 2 * x->conf->buffer_size;
    lun_upreq_h2      *s = lun_upreq_h2_of(x);
    const lun_frames  *f = &s->frames;

    if (s->part.data == NULL && f->left == f->pad && !f->in_block) {
        return take_block(x, piece);
    }

    if (piece.len > most - s->part.len) {
        return refuse(x, "too big header");
    }

    if (s->part.data == NULL) {
        s->part.data = lun_pool_text(x->r->pool, most);
    }

    room = (char *) (uintptr_t) s->part.data;
    memcpy(room + s->part.len, piece.data, piece.len);
    s->part.len += piece.len;

    return MORE;
}


static event
end_block(lun_upreq *x)
{
    event          e = MORE;
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    if (s->part.data != NULL) {
        e = take_block(x, s->part);
        s->part.len = 0;
    }

    s->ended = s->ends;
    return e != MORE ? e : FIELDS;
}


static event
begin_block(lun_upreq *x)
{
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    s->part.len = 0;
    s->ends = (s->frames.flags & LUN_FRAME_END_STREAM) != 0;

    if (!s->header_done) {
        lun_upreq_fields_begin(x, &s->fields, false);
        return MORE;
    }

    if (!s->ends) {
        return refuse(x, "trailers without end stream flag");
    }

    lun_upreq_fields_begin(x, &s->fields, true);
    return MORE;
}


/* --- events -------------------------------------------------------------- */

static event
begin_stream_frame(lun_upreq *x)
{
    lun_upreq_h2      *s = lun_upreq_h2_of(x);
    const lun_frames  *f = &s->frames;

    if (s->ended) {
        return refuse(x, "frame for closed stream");
    }

    if (f->type == LUN_FRAME_HEADERS) {
        return begin_block(x);
    }

    if (!s->header_done) {
        return refuse(x, "unexpected data frame");
    }

    s->ends = (f->flags & LUN_FRAME_END_STREAM) != 0;
    s->received += (int64_t) f->length;

    return MORE;
}


static event
begin_frame(lun_upreq *x)
{
    const lun_frames  *f = &lun_upreq_h2_of(x)->frames;

    return f->type == LUN_FRAME_HEADERS || f->type == LUN_FRAME_DATA
           ? begin_stream_frame(x) : MORE;
}


/* A stream's last frame needs no room for more. */
static event
end_data(lun_upreq *x)
{
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    s->ended = s->ends;

    if (s->ended) {
        return ENDED;
    }

    if (s->received >= GIVE_BACK) {
        lun_link_stream_give_back(s->stream, s->received);
        s->received = 0;
    }

    return MORE;
}


static event
end_frame(lun_upreq *x)
{
    const lun_frames  *f = &lun_upreq_h2_of(x)->frames;

    switch (f->type) {

    case LUN_FRAME_HEADERS:
    case LUN_FRAME_CONTINUATION:
        return f->in_block ? MORE : end_block(x);

    case LUN_FRAME_DATA:
        return end_data(x);

    default:
        return MORE;
    }
}


/*
 * What the link found wrong counts only when all bytes that came before it were
 * read.
 */
static event
next_event(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    event          e = MORE;
    const char    *wrong;
    lun_upreq_h2  *s = lun_upreq_h2_of(x);
    lun_frames    *f = &s->frames;

    while (e == MORE) {
        switch (lun_frames_next(f, pos, end, piece)) {

        case LUN_FRAMES_MORE:
            wrong = lun_link_stream_wrong(s->stream);
            return wrong == NULL ? MORE : refuse(x, wrong);

        case LUN_FRAMES_BEGIN:
            e = begin_frame(x);
            break;

        case LUN_FRAMES_PIECE:
            e = f->type == LUN_FRAME_DATA ? DATA : take_piece(x, *piece);
            break;

        case LUN_FRAMES_UNIT:
            e = take_unit(x);
            break;

        case LUN_FRAMES_END:
            e = end_frame(x);
            break;

        default:
            return refuse(x, f->what);
        }
    }

    return e;
}


/* --- header and body ----------------------------------------------------- */

static lun_upstream_verdict
end_header(lun_upreq *x)
{
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    if (x->answer.status == 0) {
        (void) refuse(x, "no :status header");
        return LUN_UPSTREAM_BAD;
    }

    if (x->answer.status >= 200) {
        s->header_done = true;
        s->left = lun_upreq_set_length(x, s->head);

        /* No body, nor trailers, which our header can say. */
        if (s->ended && s->left < 0) {
            x->answer.length = s->left = 0;
            x->answer.framed = false;
        }

        return LUN_UPSTREAM_DONE;
    }

    if (s->ended) {
        (void) refuse(x, "interim response with end stream flag");
        return LUN_UPSTREAM_BAD;
    }

    if (++s->stream->hints > MOST_HINTS
        || lun_h2_link_spend(s->stream->link, HINTS_COST) != LUN_OK)
    {
        (void) refuse(x, "too many interim responses");
        return LUN_UPSTREAM_BAD;
    }

    return LUN_UPSTREAM_INTERIM;
}


lun_upstream_verdict
lun_upreq_h2_read_header(lun_upreq *x, const char **pos, const char *end)
{
    lun_str  piece;

    switch (next_event(x, pos, end, &piece)) {

    case MORE:
        return LUN_UPSTREAM_MORE;

    case FIELDS:
        return end_header(x);

    default:
        return LUN_UPSTREAM_BAD;
    }
}


/* The stream is over; what has come behind it is about the connection. */
static lun_upstream_verdict
end_body(lun_upreq *x, const char **pos, const char *end)
{
    lun_str              piece;
    const lun_upreq_h2  *s = lun_upreq_h2_of(x);

    if (lun_upreq_end_framed(x, s->left) != LUN_OK) {
        return LUN_UPSTREAM_BAD;
    }

    if (next_event(x, pos, end, &piece) != MORE) {
        return LUN_UPSTREAM_BAD;
    }

    x->answer.keep = true;
    return LUN_UPSTREAM_DONE;
}


/*
 * More than Content-Length said is an error of the server (RFC 9113, 8.1.1):
 * what it meant by it is anybody's guess, and the client has a length by then.
 */
lun_upstream_verdict
lun_upreq_h2_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    if (s->ended) {
        return end_body(x, pos, end);
    }

    switch (next_event(x, pos, end, piece)) {

    case MORE:
        return LUN_UPSTREAM_MORE;

    case DATA:
        if (lun_upreq_take_framed(x, &s->left, piece->len) != LUN_OK) {
            return LUN_UPSTREAM_BAD;
        }

        lun_h2_link_earn(s->stream->link);
        return LUN_UPSTREAM_DATA;

    case FIELDS:
    case ENDED:
        return end_body(x, pos, end);

    default:
        return LUN_UPSTREAM_BAD;
    }
}
