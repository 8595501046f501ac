/*
 * h3_out.c -- an answer as HTTP/3 has it.
 *
 * A header is a frame at once.  A body waits in r->output; as much of it as
 * fits into a page becomes a frame when QUIC asks for bytes and it is its turn
 * (h3_send.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include "base/check.h"
#include "http/mux/mux_conn.h"
#include "http/write.h"


enum {
    MAX_BLOCK = 1 << 20,               /* bytes of an answer's header */
    CHUNK     = 16000,                 /* of a body, in a frame */
    HEAD      = 3,                     /* of such a frame */
    WORTH     = 1024,                  /* room that is worth a frame */
    LOW       = 2048,                  /* less to send: more is made */
    PREFIX    = 16
};


/* --- headers ------------------------------------------------------------- */

/*
 * Without a table an encoder knows nothing of connections: one is for all.
 * Its text stays until the next one's.
 */
static nghttp3_qpack_encoder  *encoder;
static nghttp3_buf             text;


static size_t
length_of(const nghttp3_buf *buf)
{
    return (size_t) (buf->last - buf->pos);
}


/*
 * Without a dynamic table the encoder is the same for all connections of the
 * process: there is one.
 */
static bool
encode(lun_h3_stream *s, const lun_fields *f, nghttp3_buf *prefix)
{
    size_t        i;
    nghttp3_nv   *list;
    nghttp3_buf   none;

    if (encoder == NULL
        && nghttp3_qpack_encoder_new(&encoder, 0, nghttp3_mem_default()) != 0)
    {
        return false;
    }

    list = lun_pool_alloc(f->pool, sizeof(*list) * f->count);

    for (i = 0; i < f->count; i++) {
        list[i] = (nghttp3_nv) {
            .name = (const uint8_t *) f->list[i].name.data,
            .namelen = f->list[i].name.len,
            .value = (const uint8_t *) f->list[i].value.data,
            .valuelen = f->list[i].value.len
        };
    }

    nghttp3_buf_init(&none);
    text.last = text.pos = text.begin;
    return nghttp3_qpack_encoder_encode(encoder, prefix, &text, &none,
                                        s->m.id, list, f->count) == 0;
}


static void
end_output(lun_h3_stream *s)
{
    s->wire->ends = 1;
    s->m.out_closed = 1;
    lun_h3_may_send(s->wire);
    lun_h3_check_closed(s);
    lun_mux_ready(&s->m);
}


static lun_rc
put_block(lun_h3_stream *s, const lun_fields *f, bool last)
{
    char         *p, *room;
    uint8_t       bytes[PREFIX];
    size_t        i, size = 0;
    nghttp3_buf   prefix = { bytes, bytes + PREFIX, bytes, bytes };

    if (s->wire == NULL || lun_h3_of(&s->m)->ended) {
        return LUN_ERROR;              /* the last word is said */
    }

    for (i = 0; i < f->count; i++) {
        size += f->list[i].name.len + f->list[i].value.len;
    }

    if (size > MAX_BLOCK || !encode(s, f, &prefix)) {
        lun_log(LUN_LOG_ERR, &s->m.log, 0, "too large header of an answer: "
                "%zu bytes", size);
        return LUN_ERROR;
    }

    size = length_of(&prefix) + length_of(&text);
    room = lun_h3_queue_room(&s->wire->queue, LUN_H3_HEAD + size);
    p = lun_h3_put_head(room, LUN_H3_HEADERS, size);
    p = lun_copy(p, prefix.pos, length_of(&prefix));
    p = lun_copy(p, text.pos, length_of(&text));
    size = (size_t) (p - room);
    lun_h3_queue_add(&s->wire->queue, size);

    s->m.r->header_size += (int64_t) size;
    lun_h3_credit(lun_h3_of(&s->m), size);

    if (last) {
        end_output(s);

    } else {
        lun_h3_may_send(s->wire);
    }

    return LUN_OK;
}


lun_rc
lun_h3_send_header(lun_request *r)
{
    lun_fields      f;
    lun_h3_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!lun_mux_may_send(&s->m) || s->wire == NULL) {
        return LUN_ERROR;
    }

    if (LUN_UNLIKELY(r->in.connect) && lun_mux_answer_connect(r) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_fields_init(&f, r->pool, r->out.list.count);
    lun_fields_put_header(&f, r);
    lun_line_decide(&lun_h3_of(&s->m)->senders, &s->wire->sender,
                    &r->out.list);

    s->m.no_body = r->header_only
                   || (r->out.content_length == 0 && !r->expect_trailers);

    return put_block(s, &f, s->m.no_body);
}


lun_rc
lun_h3_send_continue(lun_request *r)
{
    lun_fields      f;
    lun_h3_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!lun_mux_may_send(&s->m)) {
        return LUN_ERROR;
    }

    lun_fields_init(&f, r->pool, 0);
    lun_fields_put_status(&f, LUN_STR("100"));
    return put_block(s, &f, false);
}


void
lun_h3_send_hints(lun_request *r, const lun_header_list *hints)
{
    lun_fields      f;
    lun_h3_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (lun_mux_may_send(&s->m)) {
        lun_fields_init(&f, r->pool, hints->count);
        lun_fields_put_status(&f, LUN_STR("103"));
        lun_fields_put_list(&f, hints);
        (void) put_block(s, &f, false);
    }
}


/* --- the body ------------------------------------------------------------ */

/* Trailers end the stream instead of the last of the body. */
static void
end_body(lun_h3_stream *s)
{
    lun_fields    f;
    lun_request  *r = s->m.r;

    if (r->out.trailers.count == 0 || lun_h3_of(&s->m)->hq) {
        end_output(s);
        return;
    }

    lun_fields_init(&f, r->pool, r->out.trailers.count);
    lun_fields_put_list(&f, &r->out.trailers);

    if (put_block(s, &f, true) != LUN_OK) {
        lun_h3_reset(s, LUN_H3_INTERNAL_ERROR);
    }
}


/* What a frame may have of what is there. */
static size_t
size_of_frame(const lun_h3_queue *q, size_t there)
{
    size_t  left = lun_h3_queue_left(q), size = lun_min(there,
                                                        (size_t) CHUNK);

    return left >= WORTH + HEAD && left - HEAD < size ? left - HEAD : size;
}


static void
put_body(lun_h3_stream *s)
{
    bool           last;
    char          *p;
    size_t         size, head;
    int64_t        n;
    lun_request   *r = s->m.r;
    lun_h3_queue  *q = &s->wire->queue;

    size = size_of_frame(q, lun_buf_total(r->output.head));
    head = lun_h3_of(&s->m)->hq ? 0 : HEAD;
    p = lun_h3_queue_room(q, head + size);
    n = lun_http_read_output(r, p + head, size);

    if (n < 0) {
        lun_h3_reset(s, LUN_H3_INTERNAL_ERROR);
        return;
    }

    lun_mux_output_went(&s->m);
    last = r->output.head == NULL && lun_mux_is_whole(&s->m);
    s->m.starved = n == 0 && !last;

    if (n != 0) {
        if (head != 0) {
            *p = LUN_H3_DATA;
            (void) lun_varint_put_wide(p + 1, (uint64_t) n, HEAD - 1);
        }

        lun_h3_queue_add(q, head + (size_t) n);
        lun_h3_credit(lun_h3_of(&s->m), (size_t) n);
        r->header_size += (int64_t) head;          /* not its body's */
    }

    if (last) {
        end_body(s);
    }
}


void
lun_h3_fill(lun_h3_stream *s)
{
    LUN_CHECK_MARK(&s->m, LUN_MARK_MUX_STREAM);

    if (s->wire->queue.unsent < LOW && lun_mux_may_send(&s->m)
        && !s->m.out_closed && s->m.r->header_sent)
    {
        put_body(s);
    }
}
