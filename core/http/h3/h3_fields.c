/*
 * h3_fields.c -- headers that come, packed by QPACK (RFC 9204), of which
 * nghttp3 knows the tables.
 *
 * A header is decoded as it comes, piece by piece: its fields go to the request
 * at once.  One that refers to what has not come of the table waits, and with
 * it its stream; what has a limit is how many of them may.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include "base/check.h"


/* --- the decoder --------------------------------------------------------- */

static void
fail(lun_h3 *h3, int error)
{
    lun_h3_end(h3, error == NGHTTP3_ERR_QPACK_HEADER_TOO_LARGE
                   ? (uint64_t) LUN_H3_EXCESSIVE_LOAD
                   : nghttp3_err_infer_quic_app_error_code(error),
               error == NGHTTP3_ERR_QPACK_HEADER_TOO_LARGE
               ? "client sent too large header field"
               : "client sent invalid header block");
}


nghttp3_qpack_decoder *
lun_h3_decoder(lun_h3 *h3)
{
    int                 rc;
    const lun_h3_conf  *conf = h3->conf;
    size_t              streams = (size_t) conf->concurrent_streams;

    if (h3->decoder != NULL) {
        return h3->decoder;
    }

    rc = nghttp3_qpack_decoder_new(&h3->decoder,
                                   (size_t) conf->table_capacity, streams,
                                   nghttp3_mem_default());
    if (rc != 0) {
        fail(h3, rc);
        return NULL;
    }

    nghttp3_qpack_decoder_set_max_concurrent_streams(h3->decoder, streams);
    return h3->decoder;
}


void
lun_h3_fields_fini(lun_h3 *h3)
{
    nghttp3_qpack_decoder_del(h3->decoder);
    h3->decoder = NULL;
}


static void
stop_waiting(lun_h3_wire *w)
{
    if (!lun_list_empty(&w->waiting)) {
        lun_list_remove(&w->waiting);
        w->h3->waiting_count--;
    }
}


void
lun_h3_drop_fields(lun_h3_wire *w)
{
    stop_waiting(w);

    if (w->fields == NULL) {
        return;
    }

    /* The encoder must know that nobody refers to its table any more. */
    if (nghttp3_qpack_stream_context_get_ricnt2(w->fields) != 0
        && !w->h3->ended)
    {
        (void) nghttp3_qpack_decoder_cancel_stream(w->h3->decoder, w->id);
    }

    nghttp3_qpack_stream_context_del(w->fields);
    w->fields = NULL;
}


/* --- a field ------------------------------------------------------------- */

static lun_str
text_of(const nghttp3_rcbuf *buf)
{
    nghttp3_vec  v = nghttp3_rcbuf_get_buf(buf);

    return lun_str_of((const char *) v.base, v.len);
}


/* The rest of the header is not needed to read others. */
static void
take_field(lun_h3_wire *w, lun_str name, lun_str value)
{
    lun_h3_stream  *s = w->stream;

    if (s == NULL || s->m.closed || s->m.r->in.refusal != 0) {
        lun_h3_charge(w->h3, name.len + value.len + LUN_ACCOUNT_FIELD);
    }

    if (s == NULL || s->m.closed) {
        return;
    }

    if (w->at != LUN_H3_AT_HEADER) {
        if (lun_field_take_trailer(&s->m.in, name) != LUN_OK) {
            lun_h3_charge(w->h3, LUN_ACCOUNT_MISTAKE);
            lun_h3_reset(s, LUN_H3_MESSAGE_ERROR);
        }

        return;
    }

    if (lun_field_take(&s->m.in, name, value) == LUN_FIELDS_FLOOD) {
        w->skips = 1;

    } else if (lun_str_eq(name, LUN_STR("priority"))) {
        lun_line_ask(&w->h3->senders, &w->sender, value);
    }
}


/* --- a header ------------------------------------------------------------ */

static void
wait_for_table(lun_h3_wire *w)
{
    lun_h3  *h3 = w->h3;

    if (h3->waiting_count >= (uint64_t) h3->conf->concurrent_streams) {
        fail(h3, NGHTTP3_ERR_QPACK_DECOMPRESSION_FAILED);
        return;
    }

    h3->waiting_count++;
    lun_list_push_back(&h3->waiting, &w->waiting);
}


/* As lun_h3_take_fields(). */
static size_t
decode(lun_h3_wire *w, lun_str piece, bool last)
{
    uint8_t           flags;
    lun_h3           *h3 = w->h3;
    nghttp3_ssize     n;
    const uint8_t    *pos = (const uint8_t *) piece.data;
    const uint8_t    *end = pos + piece.len;
    nghttp3_qpack_nv  field;

    while (w->fields != NULL && !h3->ended) {
        n = nghttp3_qpack_decoder_read_request(h3->decoder, w->fields, &field,
                                               &flags, pos,
                                               (size_t) (end - pos), last);
        if (n < 0) {
            fail(h3, (int) n);
            break;
        }

        pos += n;

        if (flags & NGHTTP3_QPACK_DECODE_FLAG_BLOCKED) {
            wait_for_table(w);
            return (size_t) (pos - (const uint8_t *) piece.data);
        }

        if (flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT) {
            take_field(w, text_of(field.name), text_of(field.value));
            nghttp3_rcbuf_decref(field.name);
            nghttp3_rcbuf_decref(field.value);
        }

        if (flags & NGHTTP3_QPACK_DECODE_FLAG_FINAL) {
            nghttp3_qpack_stream_context_del(w->fields);
            w->fields = NULL;

        } else if (w->skips) {
            lun_h3_drop_fields(w);

        } else if (n == 0 && !(flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT)) {
            break;
        }
    }

    return piece.len;
}


size_t
lun_h3_take_fields(lun_h3_wire *w, lun_str piece, bool last)
{
    int      rc;
    lun_h3  *h3 = w->h3;

    if (w->skips || lun_h3_decoder(h3) == NULL) {
        return piece.len;
    }

    if (w->fields == NULL && w->block == 0) {
        rc = nghttp3_qpack_stream_context_new(&w->fields, w->id,
                                              nghttp3_mem_default());
        if (rc != 0) {
            fail(h3, rc);
            return piece.len;
        }
    }

    w->block += piece.len;
    return decode(w, piece, last);
}


static void
end_header(lun_h3_stream *s, size_t size, bool ended)
{
    lun_h3  *h3 = lun_h3_of(&s->m);

    if (s->m.r->in.refusal == 0) {
        lun_h3_credit(h3, size);
    }

    s->m.in_closed = ended;
    lun_h3_count_request(h3);
    lun_mux_complete(&s->m);
}


void
lun_h3_end_fields(lun_h3_wire *w, bool ended)
{
    lun_h3_stream  *s = w->stream;

    /* Nothing at all is no header: two numbers stand before the fields. */
    if (w->block == 0 || w->fields != NULL) {
        fail(w->h3, NGHTTP3_ERR_QPACK_DECOMPRESSION_FAILED);
        return;
    }

    if (s == NULL || s->m.closed) {
        return;
    }

    s->m.r->request_length += (int64_t) w->block;

    if (w->at == LUN_H3_AT_BODY) {
        end_header(s, w->block, ended);
    }
}


void
lun_h3_go_on(lun_h3 *h3)
{
    char         *kept;
    size_t        len;
    lun_list     *at, *next;
    uint64_t      there = nghttp3_qpack_decoder_get_icnt(h3->decoder);
    lun_h3_wire  *w;

    for (at = h3->waiting.next; at != &h3->waiting && !h3->ended; at = next) {
        next = at->next;
        w = lun_container_of(at, lun_h3_wire, waiting);

        if (nghttp3_qpack_stream_context_get_ricnt2(w->fields) > there) {
            continue;
        }

        stop_waiting(w);
        kept = w->kept;
        len = w->kept_len;
        w->kept = NULL;
        w->kept_len = w->kept_room = 0;

        /* It refers to the table, and then has no field. */
        if (w->frames.left == 0) {
            fail(h3, NGHTTP3_ERR_QPACK_DECOMPRESSION_FAILED);

        } else {
            lun_h3_take(w, kept, len, w->fin);
        }

        lun_free(kept);
    }
}
