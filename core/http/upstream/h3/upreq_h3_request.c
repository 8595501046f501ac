/*
 * upreq_h3_request.c -- a request in HTTP/3: it has a stream of a connection,
 * and is a header and a body in frames.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h3/upreq_h3.h"

#include <nghttp3/nghttp3.h>

#include "base/check.h"


enum {
    PREFIX   = 16,                 /* bytes that may stand before a block */
    IDLE     = 10 * 1000,          /* ms that QUIC waits for longer than we */
    UNI      = 8                   /* streams that a server may open */
};


static lun_upreq_h3 *
state_of(const lun_upreq *x)
{
    return x->protocol_data;
}


/* --- a connection -------------------------------------------------------- */

/* Whoever waits for a server shall be told so by his own time limits. */
void
lun_upreq_h3_finish_conf(lun_upreq_h3_conf *conf, const lun_upreq_conf *up)
{
    lun_quic_conf  *q = &conf->quic;

    q->streams_bidi = 0;
    q->cid_limit = (unsigned) conf->cids;
    q->streams_uni = UNI;
    q->handshake_timeout = up->connect_timeout;
    q->idle_timeout = lun_max(up->read_timeout, up->send_timeout) + IDLE;
    q->close_code = LUN_H3_NO_ERROR;
}


lun_conn *
lun_upreq_h3_connect(lun_upreq *x, const lun_addr *from, lun_err *err)
{
    const lun_upreq_h3_conf  *conf = state_of(x)->conf;

    return lun_h3_link_connect(x->r->conn->loop, &conf->quic,
                               (size_t) conf->streams, x->balance.addr, from,
                               x->r->log, err);
}


lun_conn *
lun_upreq_h3_join(lun_upreq *x, lun_conn *c)
{
    lun_h3_link   *l = lun_h3_link_of(c);
    lun_upreq_h3  *s = state_of(x);

    LUN_CHECK(s->stream == NULL);

    lun_upreq_offer(x, &l->share);

    s->stream = lun_h3_link_open(l, x->conf->buffer_size, x->r->log);
    return s->stream->conn;
}


lun_conn *
lun_upreq_h3_part(lun_upreq *x)
{
    lun_upreq_h3        *s = state_of(x);
    lun_h3_link_stream  *stream = s->stream;

    LUN_CHECK(stream != NULL);

    s->stream = NULL;
    return lun_h3_link_part(stream, x->try->status == 504);
}


/* --- the header ---------------------------------------------------------- */

/* As an answer's encoder: without a table one is for all connections. */
static nghttp3_qpack_encoder  *encoder;


static bool
encode(lun_pool *pool, const lun_array *fields, nghttp3_buf *prefix,
    nghttp3_buf *text)
{
    size_t           i;
    nghttp3_nv      *list = lun_pool_new_n(pool, nghttp3_nv, fields->count);
    nghttp3_buf      none;
    const lun_pair  *f = fields->items;

    for (i = 0; i < fields->count; i++) {
        list[i].name = (const uint8_t *) f[i].key.data;
        list[i].namelen = f[i].key.len;
        list[i].value = (const uint8_t *) f[i].value.data;
        list[i].valuelen = f[i].value.len;
    }

    nghttp3_buf_init(&none);
    nghttp3_buf_init(text);

    return (encoder != NULL
            || nghttp3_qpack_encoder_new(&encoder, 0, nghttp3_mem_default())
               == 0)
           && nghttp3_qpack_encoder_encode(encoder, prefix, text, &none, 0,
                                           list, fields->count) == 0;
}


/* It means the same on every connection, so it is made once for all tries. */
lun_rc
lun_upreq_h3_make(lun_upreq *x, const lun_array *fields, lun_buf **head)
{
    size_t         size[2];
    uint8_t        room[PREFIX];
    lun_buf       *b;
    nghttp3_buf    prefix, text;
    lun_upreq_h3  *s = state_of(x);

    prefix.begin = prefix.pos = prefix.last = room;
    prefix.end = room + sizeof(room);

    if (!encode(x->r->pool, fields, &prefix, &text)) {
        nghttp3_buf_free(&text, nghttp3_mem_default());
        nghttp3_qpack_encoder_del(encoder);
        encoder = NULL;
        return LUN_ERROR;
    }

    size[0] = nghttp3_buf_len(&prefix);
    size[1] = nghttp3_buf_len(&text);
    b = lun_buf_new_room(x->r->pool, LUN_H3_HEAD + size[0] + size[1]);
    b->last = lun_h3_put_head(b->last, LUN_H3_HEADERS, size[0] + size[1]);
    b->last = lun_copy(b->last, (const char *) prefix.pos, size[0]);
    b->last = lun_copy(b->last, (const char *) text.pos, size[1]);
    nghttp3_buf_free(&text, nghttp3_mem_default());

    if (s->block == NULL) {
        lun_pool_on_end(x->r->pool, lun_upreq_h3_drop_block, s);
    }

    s->block = b;
    s->bodiless = x->body == NULL && !x->streamed;
    *head = b;

    return LUN_OK;
}


void
lun_upreq_h3_begin(lun_upreq *x)
{
    lun_upreq_h3  *s = state_of(x);

    lun_h3_link_owe(s->stream, lun_buf_size(s->block), s->bodiless);
}


/* --- the body ------------------------------------------------------------ */

/* A frame for each piece: what the server has no room for waits in QUIC. */
int64_t
lun_upreq_h3_frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    char          *end;
    lun_upreq_h3  *s = state_of(x);

    if (s->stream->last) {
        return 0;                  /* its header has ended it */
    }

    if (size != 0) {
        end = lun_h3_put_head(f->room, LUN_H3_DATA, (uint64_t) size);
        f->before = lun_str_of(f->room, (size_t) (end - f->room));
    }

    lun_h3_link_owe(s->stream, (int64_t) f->before.len + size, last);
    return size;
}
