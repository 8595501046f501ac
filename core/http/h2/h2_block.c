/*
 * h2_block.c -- header blocks that come.
 *
 * A block is decoded as it comes, piece by piece: fields that it has for a
 * request go there at once.  What nobody wants is decoded as well, for the
 * table that all blocks of the connection share, and charged for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


enum { MAX_CONTINUATIONS = 8 };


/* --- whether there is to be one ------------------------------------------ */

/* A client that opens one refused stream after the other is left. */
static void
refuse_stream(lun_h2 *h2, uint32_t id)
{
    h2->last_cut = lun_max(h2->last_cut, id);

    if (h2->refused++ > lun_max((uint64_t) h2->h2_conf->concurrent_streams,
                                100))
    {
        lun_h2_flood(h2, "client sent too many refused streams");

    } else {
        lun_h2_put_reset(h2, id, LUN_H2_REFUSED_STREAM);
    }
}


/* A new stream that is none: it is refused, or the connection ends. */
static bool
is_refused(lun_h2 *h2, uint32_t id, bool with_data)
{
    size_t  count = h2->mux.stream_count;

    if (h2->fresh++ > 2 * (uint64_t) h2->h2_conf->concurrent_streams) {
        lun_h2_flood(h2, "client sent too many streams at once");
        return true;
    }

    /*
     * No more in hand than it was told, even if it resets.  Those that are
     * over the client no longer counts, whenever they are freed.
     */
    if (count - h2->mux.over >= (uint64_t) h2->h2_conf->concurrent_streams) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "concurrent streams exceeded "
                "%zu", count);
        refuse_stream(h2, id);
        return true;
    }

    /*
     * By its window as it knows it the client may send more of a body than
     * http2_body_preread_size.
     */
    if (!h2->heeds && with_data
        && h2->h2_conf->body_preread_size < LUN_H2_FIRST_WINDOW)
    {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent stream with data "
                "before settings were acknowledged");
        refuse_stream(h2, id);
        return true;
    }

    return false;
}


static lun_h2_block_use
begin_request(lun_h2 *h2, uint32_t id, bool ends_stream)
{
    h2->last_id = id;

    /* We have said that we take no more. */
    if (h2->leaving || is_refused(h2, id, !ends_stream)) {
        return LUN_H2_BLOCK_DROPPED;
    }

    h2->last_served = id;
    h2->block.stream = lun_h2_new_stream(h2, id);
    return LUN_H2_BLOCK_REQUEST;
}


/* Numbers only rise; what comes again is a stream's trailers. */
static lun_h2_block_use
begin_trailers(lun_h2 *h2, uint32_t id, bool ends_stream)
{
    lun_h2_stream  *s = lun_h2_find(h2, id);

    if (s != NULL && !s->m.closed && !s->m.in_closed) {
        h2->block.stream = s;

        if (!ends_stream) {
            lun_log(LUN_LOG_INFO, &s->m.log, 0, "client sent trailers that "
                    "are not the end of the stream");
            lun_h2_charge(h2, LUN_ACCOUNT_MISTAKE);
            lun_h2_reset(s, LUN_H2_PROTOCOL_ERROR);
        }

        return LUN_H2_BLOCK_TRAILERS;
    }

    /* They may have been on their way when the stream was reset. */
    if (ends_stream && id <= h2->last_cut && (s == NULL || s->m.closed)) {
        return LUN_H2_BLOCK_DROPPED;
    }

    lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent HEADERS frame with "
            "incorrect identifier %u, the last was %u", id, h2->last_id);
    lun_h2_end(h2, s != NULL && s->m.in_closed && !s->m.closed
                   ? LUN_H2_STREAM_CLOSED : LUN_H2_PROTOCOL_ERROR);
    return LUN_H2_BLOCK_DROPPED;
}


void
lun_h2_block_begin(lun_h2 *h2)
{
    lun_h2_block      *b = &h2->block;
    const lun_frames  *f = &h2->frames;

    LUN_CHECK(b->use == LUN_H2_BLOCK_NONE && b->cut_len == 0);

    h2->last_block = f->stream;
    h2->decoder.inside = false;
    b->stream = NULL;
    b->size = 0;
    b->continuations = 0;
    b->ends_stream = (f->flags & LUN_FRAME_END_STREAM) != 0;
    b->use = f->stream > h2->last_id
             ? begin_request(h2, f->stream, b->ends_stream)
             : begin_trailers(h2, f->stream, b->ends_stream);
}


/* --- what it says -------------------------------------------------------- */

static void
take_field(lun_h2 *h2, lun_str name, lun_str value)
{
    lun_h2_block   *b = &h2->block;
    lun_h2_stream  *s = b->stream;

    /* What nobody will look at was decoded all the same. */
    if (b->use != LUN_H2_BLOCK_REQUEST || s->m.r->in.refusal != 0) {
        lun_h2_charge(h2, name.len + value.len + LUN_ACCOUNT_FIELD);
    }

    if (b->use == LUN_H2_BLOCK_REQUEST) {
        if (lun_field_take(&s->m.in, name, value) == LUN_FIELDS_FLOOD) {
            lun_h2_end(h2, LUN_H2_ENHANCE_YOUR_CALM);

        } else if (lun_str_eq(name, LUN_STR("priority"))) {
            lun_line_ask(&h2->senders, &s->sender, value);
        }

    } else if (b->use == LUN_H2_BLOCK_TRAILERS && !s->m.closed
               && lun_field_take_trailer(&s->m.in, name) != LUN_OK)
    {
        lun_h2_charge(h2, LUN_ACCOUNT_MISTAKE);
        lun_h2_reset(s, LUN_H2_PROTOCOL_ERROR);
    }
}


static void
take_bad(lun_h2 *h2, lun_hpack_verdict v)
{
    lun_h2_block  *b = &h2->block;

    if (v == LUN_HPACK_LARGE) {
        if (b->use == LUN_H2_BLOCK_REQUEST) {
            (void) lun_field_too_large(&b->stream->m.in);

        } else {
            lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent too large "
                    "header field");
        }

        lun_h2_end(h2, LUN_H2_ENHANCE_YOUR_CALM);
        return;
    }

    lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0,
            "client sent invalid header block");
    lun_h2_end(h2, LUN_H2_COMPRESSION_ERROR);
}


/* Fields, up to one that is cut off; moves *pos. */
static void
decode(lun_h2 *h2, const char **pos, const char *end)
{
    lun_str            name, value;
    lun_hpack_verdict  v;

    do {
        v = lun_hpack_decode(&h2->decoder, pos, end, &name, &value);

        if (v == LUN_HPACK_FIELD) {
            take_field(h2, name, value);
        }
    } while (v == LUN_HPACK_FIELD && !h2->ended);

    if (v == LUN_HPACK_BAD || v == LUN_HPACK_LARGE) {
        take_bad(h2, v);
    }
}


/* Behind what is cut off: no field is longer than the decoder takes. */
static void
keep_cut(lun_h2 *h2, lun_str rest)
{
    size_t         room;
    lun_h2_block  *b = &h2->block;

    if (b->cut_len + rest.len > b->cut_room) {
        room = lun_max(b->cut_len + rest.len, b->cut_room * 2);
        b->cut = lun_realloc(b->cut, room);
        b->cut_room = room;
    }

    memmove(b->cut + b->cut_len, rest.data, rest.len);
    b->cut_len += rest.len;
}


void
lun_h2_block_piece(lun_h2 *h2, lun_str piece)
{
    const char    *pos, *end;
    lun_h2_block  *b = &h2->block;

    LUN_CHECK(b->use != LUN_H2_BLOCK_NONE);

    b->size += piece.len;

    if (b->cut_len != 0) {
        keep_cut(h2, piece);
        piece = lun_str_of(b->cut, b->cut_len);
        b->cut_len = 0;
    }

    pos = piece.data;
    end = pos + piece.len;
    decode(h2, &pos, end);

    if (pos != end && !h2->ended) {
        keep_cut(h2, lun_str_of(pos, (size_t) (end - pos)));
    }
}


/* --- its end ------------------------------------------------------------- */

static void
end_request(lun_h2 *h2, lun_h2_stream *s)
{
    lun_h2_block  *b = &h2->block;

    s->m.r->request_length += (int64_t) b->size;

    if (s->m.r->in.refusal == 0) {
        lun_h2_credit(h2, b->size);
    }

    s->m.in_closed = b->ends_stream;
    lun_h2_account(h2);
    lun_mux_complete(&s->m);
}


static void
end_trailers(lun_h2 *h2, lun_h2_stream *s)
{
    if (s->m.closed) {
        return;
    }

    s->m.r->request_length += (int64_t) h2->block.size;
    s->m.in_closed = 1;
    lun_h2_check_closed(s);
    lun_mux_ready(&s->m);
}


/*
 * A block may come in pieces (CONTINUATION), and their number is bounded: each
 * costs us more than its sender.
 */
void
lun_h2_block_end(lun_h2 *h2)
{
    lun_h2_block  *b = &h2->block;

    if (h2->ended) {
        return;
    }

    if (h2->frames.in_block) {
        if (b->continuations++ == MAX_CONTINUATIONS) {
            lun_h2_flood(h2, "client sent too many CONTINUATION frames");
        }

        return;
    }

    if (b->cut_len != 0) {
        take_bad(h2, LUN_HPACK_BAD);
        return;
    }

    if (b->use == LUN_H2_BLOCK_REQUEST) {
        end_request(h2, b->stream);

    } else if (b->use == LUN_H2_BLOCK_TRAILERS) {
        end_trailers(h2, b->stream);
    }

    b->use = LUN_H2_BLOCK_NONE;
    b->stream = NULL;
}


void
lun_h2_block_fini(lun_h2 *h2)
{
    lun_free(h2->block.cut);
    lun_hpack_decoder_fini(&h2->decoder);
}
