/*
 * upreq_h3_answer.c -- an answer in HTTP/3: header, body and trailers, as the
 * frames of one stream.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h3/upreq_h3.h"

#include <nghttp3/nghttp3.h>

#include "base/check.h"
#include "http/upstream/upreq_answer.h"


enum {
    MOST_IDLE  = 1000,             /* frames that tell us nothing, in a row */
    MOST_HINTS = 100
};

typedef enum {
    MORE,
    FIELDS,                        /* a block is complete */
    DATA,
    ENDED,
    BAD
} event;


static lun_upreq_h3 *
state_of(const lun_upreq *x)
{
    return x->protocol_data;
}


void
lun_upreq_h3_drop_block(void *state)
{
    lun_upreq_h3  *s = state;

    nghttp3_qpack_stream_context_del(s->context);
    s->context = NULL;
    s->in_block = false;
}


void
lun_upreq_h3_reset(lun_upreq *x)
{
    lun_upreq_h3  *s = state_of(x);

    lun_upreq_h3_drop_block(s);
    s->frames = (lun_h3_frames) { 0 };
    s->left = -1;
    s->header_done = s->ended = false;
    x->answer.framed = true;
}


static event
refuse(const lun_upreq *x, const char *what)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent %s", what);
    return BAD;
}


/* --- blocks of fields ---------------------------------------------------- */

/* Without a table there is nothing in it that is one connection's; but an error
   is its end. */
static nghttp3_qpack_decoder  *decoder;


static event
begin_block(lun_upreq *x)
{
    lun_upreq_h3  *s = state_of(x);

    if (nghttp3_qpack_stream_context_new(&s->context, 0,
                                         nghttp3_mem_default()) != 0)
    {
        return refuse(x, "a header for which there is no memory");
    }

    s->in_block = true;
    s->block_size = 0;
    lun_upreq_fields_begin(x, &s->fields, s->header_done);
    return MORE;
}


static lun_str
text_of(const lun_upreq *x, nghttp3_rcbuf *buf)
{
    nghttp3_vec  v = nghttp3_rcbuf_get_buf(buf);
    lun_str      text = lun_pool_str(x->r->pool,
                                     lun_str_of((const char *) v.base, v.len));

    nghttp3_rcbuf_decref(buf);
    return text;
}


/* A field that says nothing of a connection costs memory of the request: the
   room for a header is a limit for both. */
static event
take_field(lun_upreq *x, lun_upreq_h3 *s, const nghttp3_qpack_nv *nv)
{
    lun_str  name = text_of(x, nv->name), value = text_of(x, nv->value);

    return lun_upreq_fields_take(x, &s->fields, name, value) == LUN_OK ? MORE
                                                                       : BAD;
}


static event
take_block(lun_upreq *x, lun_str piece, bool last)
{
    event             e = MORE;
    uint8_t           flags;
    lun_upreq_h3     *s = state_of(x);
    nghttp3_ssize     n;
    const uint8_t    *pos = (const uint8_t *) piece.data;
    const uint8_t    *end = pos + piece.len;
    nghttp3_qpack_nv  nv;

    s->block_size += piece.len;

    if (s->block_size > 2 * x->conf->buffer_size) {
        return refuse(x, "too big header");
    }

    if (decoder == NULL
        && nghttp3_qpack_decoder_new(&decoder, 0, 0, nghttp3_mem_default())
           != 0)
    {
        return refuse(x, "a header for which there is no memory");
    }

    do {
        n = nghttp3_qpack_decoder_read_request(decoder, s->context, &nv,
                                               &flags, pos,
                                               (size_t) (end - pos), last);
        if (n < 0 || (flags & NGHTTP3_QPACK_DECODE_FLAG_BLOCKED)) {
            nghttp3_qpack_decoder_del(decoder);
            decoder = NULL;
            return refuse(x, "invalid http3 header block");
        }

        pos += n;

        if (flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT) {
            e = take_field(x, s, &nv);
        }

        if (flags & NGHTTP3_QPACK_DECODE_FLAG_FINAL) {
            lun_upreq_h3_drop_block(s);
            break;
        }
    } while (e == MORE
             && (n != 0 || (flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT)));

    return e;
}


/* --- frames -------------------------------------------------------------- */

static event
begin_frame(lun_upreq *x)
{
    lun_upreq_h3         *s = state_of(x);
    const lun_h3_frames  *f = &s->frames;

    switch (f->type) {

    case LUN_H3_HEADERS:
        return s->fields.in_trailers ? refuse(x, "header behind trailers")
                                     : begin_block(x);

    case LUN_H3_DATA:
        if (!s->header_done || s->fields.in_trailers) {
            return refuse(x, "unexpected data frame");
        }

        break;

    case LUN_H3_CANCEL_PUSH:
    case LUN_H3_SETTINGS:
    case LUN_H3_PUSH_PROMISE:
    case LUN_H3_GOAWAY:
    case LUN_H3_MAX_PUSH_ID:
        return refuse(x, "unexpected frame in the stream of a request");

    default:
        if (lun_h3_is_of_h2(f->type)) {
            return refuse(x, "unexpected frame in the stream of a request");
        }
    }

    return ++s->idle > MOST_IDLE ? refuse(x, "too many frames for nothing")
                                 : MORE;
}


static event
take_piece(lun_upreq *x, lun_str piece)
{
    lun_upreq_h3  *s = state_of(x);

    if (s->frames.type == LUN_H3_HEADERS) {
        return s->in_block ? take_block(x, piece, s->frames.left == 0)
                           : refuse(x, "invalid http3 header block");
    }

    if (s->frames.type != LUN_H3_DATA) {
        return MORE;
    }

    s->idle = 0;
    return DATA;
}


/* A block that is over before its frame, or not with it, is none. */
static event
end_frame(lun_upreq *x)
{
    lun_upreq_h3  *s = state_of(x);

    if (s->frames.type != LUN_H3_HEADERS) {
        return MORE;
    }

    return s->in_block || s->block_size == 0
           ? refuse(x, "invalid http3 header block") : FIELDS;
}


/* What the server has said of the stream itself, behind all that came on it. */
static event
look_at_stream(lun_upreq *x, size_t here)
{
    lun_upreq_h3              *s = state_of(x);
    const lun_h3_link_stream  *stream = s->stream;

    if (lun_h3_link_has_ended(stream, here)) {
        s->ended = true;
        return ENDED;
    }

    if (here != 0 || !lun_h3_link_was_reset(stream)
        || lun_bytes_left(&stream->in) != 0)
    {
        return MORE;
    }

    if (stream->code == LUN_H3_REQUEST_REJECTED) {
        lun_h3_link_retire(stream->w.link);
    }

    x->answer.unheard = !s->header_done
                        && (stream->unheard
                            || stream->code == LUN_H3_REQUEST_REJECTED);
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream rejected request with error "
            "%" PRIu64, stream->unheard ? LUN_H3_REQUEST_REJECTED
                                        : stream->code);
    return BAD;
}


static event
next_event(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    event          e = MORE;
    lun_upreq_h3  *s = state_of(x);

    while (e == MORE) {
        switch (lun_h3_frames_next(&s->frames, pos, end, piece)) {

        case LUN_H3_MORE:
            return look_at_stream(x, 0);

        case LUN_H3_BEGIN:
            e = begin_frame(x);
            break;

        case LUN_H3_PIECE:
            e = take_piece(x, *piece);
            break;

        case LUN_H3_END:
            e = end_frame(x);
            break;
        }
    }

    return e;
}


/* --- header and body ----------------------------------------------------- */

static lun_upstream_verdict
end_header(lun_upreq *x, size_t here)
{
    lun_upreq_h3  *s = state_of(x);

    if (x->answer.status == 0) {
        (void) refuse(x, "no :status header");
        return LUN_UPSTREAM_BAD;
    }

    if (x->answer.status < 200) {
        if (++s->hints > MOST_HINTS) {
            (void) refuse(x, "too many interim responses");
            return LUN_UPSTREAM_BAD;
        }

        return LUN_UPSTREAM_INTERIM;
    }

    s->header_done = true;
    s->left = lun_upreq_set_length(x, s->head);

    /* No body, nor trailers, which our header can say. */
    if (s->left < 0 && look_at_stream(x, here) == ENDED) {
        x->answer.length = s->left = 0;
        x->answer.framed = false;
    }

    return LUN_UPSTREAM_DONE;
}


lun_upstream_verdict
lun_upreq_h3_read_header(lun_upreq *x, const char **pos, const char *end)
{
    lun_str  piece;

    switch (next_event(x, pos, end, &piece)) {

    case MORE:
        return LUN_UPSTREAM_MORE;

    case FIELDS:
        return end_header(x, (size_t) (end - *pos));

    case ENDED:
        (void) refuse(x, "no header");
        return LUN_UPSTREAM_BAD;

    default:
        return LUN_UPSTREAM_BAD;
    }
}


/* Nothing can come behind it: what is left is the link's own mark. */
static lun_upstream_verdict
end_body(lun_upreq *x, const char **pos, const char *end)
{
    const lun_upreq_h3  *s = state_of(x);

    if (lun_upreq_end_framed(x, s->left) != LUN_OK) {
        return LUN_UPSTREAM_BAD;
    }

    *pos = end;
    x->answer.keep = true;
    return LUN_UPSTREAM_DONE;
}


lun_upstream_verdict
lun_upreq_h3_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    event          e;
    lun_upreq_h3  *s = state_of(x);

    if (s->ended) {
        return end_body(x, pos, end);
    }

    do {
        e = next_event(x, pos, end, piece);
    } while (e == FIELDS);         /* trailers: its end comes behind them */

    switch (e) {

    case MORE:
        return LUN_UPSTREAM_MORE;

    case DATA:
        if (lun_upreq_take_framed(x, &s->left, piece->len) != LUN_OK) {
            return LUN_UPSTREAM_BAD;
        }

        return LUN_UPSTREAM_DATA;

    case ENDED:
        return end_body(x, pos, end);

    default:
        return LUN_UPSTREAM_BAD;
    }
}
