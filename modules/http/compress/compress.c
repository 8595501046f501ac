/*
 * compress.c -- answers compressed as they pass, whatever the codec.
 *
 * A compressor lives in the request's pool.  It says little at a time: what it
 * says waits until a buf is full, or the answer asks for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

#include "base/check.h"


/* --- whether ------------------------------------------------------------- */

static bool
worth_it(const lun_request *r, const lun_compress_conf *conf)
{
    unsigned  status = r->out.status;

    return conf->on && (status == 200 || status == 403 || status == 404)
           && r->parent == NULL && (!r->header_only || r->method == LUN_HEAD)
           && r->out.known[LUN_HOUT_CONTENT_ENCODING] == NULL
           && (r->out.content_length == -1
               || r->out.content_length >= (int64_t) conf->min_length)
           && lun_http_is_type(r, conf->types);
}


static void
end_compressor(void *data)
{
    lun_compressor  *s = data;

    if (s->open) {
        s->open = false;
        s->codec->end(s);
    }
}


static lun_rc
start(lun_request *r, const lun_codec *codec, const lun_compress_conf *conf)
{
    lun_compressor  *s = lun_pool_zalloc(r->pool, codec->size);

    s->codec = codec;
    lun_filter_buf_init(&s->out, r, conf->buffers.size, conf->buffers.num);
    s->out.whole = true;

    if (codec->start(s, conf, r->out.content_length) != LUN_OK) {
        return LUN_ERROR;
    }

    s->open = true;
    lun_pool_on_end(r->pool, end_compressor, s);
    lun_http_set_state(r, codec->filter.module, s);

    return LUN_OK;
}


lun_rc
lun_compress_header(lun_request *r, const lun_codec *codec)
{
    const lun_http_module    *m = codec->filter.module;
    const lun_compress_conf  *conf = lun_http_conf(r, m);

    if (!worth_it(r, conf)) {
        return lun_http_next_header(r, m);
    }

    lun_gzip_vary(r);

    if (!codec->accepted(r)) {
        return lun_http_next_header(r, m);
    }

    /* HEAD is told what GET would have got. */
    if (r->method != LUN_HEAD && start(r, codec, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_http_set_out(r, LUN_STR("Content-Encoding"), codec->encoding);
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_weak_etag(r);
    r->filter_need_in_memory = r->method != LUN_HEAD;

    return lun_http_next_header(r, m);
}


/* --- the body ------------------------------------------------------------ */

/*
 * Compresses the text; with a flush until all is out.  Otherwise it stops
 * where no more may wait to be sent, and leaves the rest: with all taken, only
 * a little of what is in the compressor can be left to say.
 */
static lun_rc
squeeze(lun_compressor *s, lun_str *text, lun_compress_how how)
{
    bool             more;
    size_t           size;
    lun_compress_io  io = { .in = text->data, .in_left = text->len };

    do {
        if (how == LUN_COMPRESS_MORE && io.in_left != 0
            && lun_filter_buf_is_full(&s->out))
        {
            break;
        }

        io.out = lun_filter_buf_room(&s->out, &size);
        io.out_left = size;

        if (s->codec->step(s, &io, how, &more) != LUN_OK) {
            return LUN_ERROR;
        }

        size -= io.out_left;
        lun_filter_buf_wrote(&s->out, size);
        s->given += (int64_t) size;
    } while (more);

    s->taken += (int64_t) (text->len - io.in_left);
    *text = lun_str_of(io.in, io.in_left);
    return LUN_OK;
}


lun_rc
lun_compress_take(void *state, lun_str *text)
{
    return squeeze(state, text, LUN_COMPRESS_MORE);
}


/* What the buf's flags ask for behind its bytes. */
lun_rc
lun_compress_close(void *state, lun_buf *b)
{
    bool             end = b->eof || b->eof_part;
    lun_str          none = LUN_STR("");
    lun_compressor  *s = state;

    if (!end && !b->flush) {
        return LUN_OK;
    }

    if (squeeze(s, &none, end ? LUN_COMPRESS_END : LUN_COMPRESS_FLUSH)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_filter_buf_close(&s->out, b);

    if (end) {
        end_compressor(s);
    }

    return LUN_OK;
}


lun_rc
lun_compress_body(lun_request *r, const lun_codec *codec, lun_buf *in)
{
    lun_compressor  *s = lun_http_state(r, codec->filter.module);

    if (s == NULL || !s->open) {
        return lun_http_next_body(r, codec->filter.module, in);
    }

    return lun_filter_buf_run(&s->out, &codec->filter, s, in);
}


int64_t
lun_compress_window(int64_t bits, int64_t least, int64_t length)
{
    if (length >= 0) {
        while (bits > least && length <= (INT64_C(1) << (bits - 1)) - 16) {
            bits--;
        }
    }

    return lun_max(bits, least);
}


/* --- variables ----------------------------------------------------------- */

/* NULL, and the variable is not found: nothing was compressed. */
static const lun_compressor *
compressor_of(lun_session *s, lun_value *v, uintptr_t codec)
{
    const lun_compressor  *c;

    c = lun_http_state(lun_request_of(s),
                       ((const lun_codec *) codec)->filter.module);

    if (c == NULL || c->given == 0) {
        v->not_found = 1;
        return NULL;
    }

    return c;
}


void
lun_compress_get_ratio(lun_session *s, lun_value *v, uintptr_t data)
{
    int64_t                hundredths;
    const lun_compressor  *c = compressor_of(s, v, data);

    if (c != NULL) {
        hundredths = (c->taken * 100 + c->given / 2) / c->given;
        v->text = lun_pool_fmt(s->pool, "%" PRId64 ".%02d", hundredths / 100,
                               (int) (hundredths % 100));
    }
}


void
lun_compress_get_taken(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_compressor  *c = compressor_of(s, v, data);

    if (c != NULL) {
        v->text = lun_pool_fmt(s->pool, "%" PRId64, c->taken);
    }
}


void
lun_compress_get_given(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_compressor  *c = compressor_of(s, v, data);

    if (c != NULL) {
        v->text = lun_pool_fmt(s->pool, "%" PRId64, c->given);
    }
}


/* --- directives ---------------------------------------------------------- */

lun_rc
lun_compress_set_level(lun_conf *cf, const lun_directive *d, void *data,
    int64_t least, int64_t most)
{
    lun_compress_conf  *conf = data;

    if (lun_set_num(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->level < least || conf->level > most) {
        return lun_conf_fail(cf, "value must be between %" PRId64 " and %"
                             PRId64, least, most);
    }

    return LUN_OK;
}


/* Its fallback is set where there is no http block. */
lun_rc
lun_compress_set_on(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_compress_conf  *conf = data;

    if (lun_set_flag(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->on) {
        lun_gzip_need(cf);
    }

    return LUN_OK;
}
