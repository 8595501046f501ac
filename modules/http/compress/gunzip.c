/*
 * gunzip.c -- the text of compressed answers, for clients who do not take
 * them.
 *
 *     gunzip on;
 *
 * Who takes it is said by gzip's directives.  A body may be several gzip
 * streams, one behind the other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

#include <zlib-ng.h>

#include "http/filter_buf.h"


enum { WINDOW = 15 + 16 };         /* with a gzip header */

typedef struct {
    bool      on;
    lun_bufs  buffers;
} gunzip_conf;

typedef struct {
    zng_stream       z;
    bool            open;
    bool            whole;         /* it stands behind a stream */
    lun_filter_buf  out;
} gunzip_state;

extern lun_http_module  lun_http_gunzip;


static void
end_state(void *data)
{
    gunzip_state  *s = data;

    if (s->open) {
        (void) zng_inflateEnd(&s->z);
        s->open = false;
    }
}


static lun_rc
start(lun_request *r, const gunzip_conf *conf)
{
    gunzip_state  *s = lun_pool_new(r->pool, gunzip_state);

    if (zng_inflateInit2(&s->z, WINDOW) != Z_OK) {
        lun_log(LUN_LOG_ALERT, r->log, 0, "inflateInit2() failed");
        return LUN_ERROR;
    }

    s->open = true;
    lun_pool_on_end(r->pool, end_state, s);
    lun_filter_buf_init(&s->out, r, conf->buffers.size, conf->buffers.num);
    lun_http_set_state(r, &lun_http_gunzip, s);

    return LUN_OK;
}


/*
 * The answer varies by what clients take, whether or not this one is unpacked.
 */
static lun_rc
on_header(lun_request *r)
{
    const lun_header   *h = r->out.known[LUN_HOUT_CONTENT_ENCODING];
    const gunzip_conf  *conf = lun_http_conf(r, &lun_http_gunzip);

    if (!conf->on || h == NULL || h->hash == 0
        || !lun_str_caseeq(h->value, LUN_STR("gzip")))
    {
        return lun_http_next_header(r, &lun_http_gunzip);
    }

    lun_gzip_vary(r);

    if (lun_gzip_accepted(r)) {
        return lun_http_next_header(r, &lun_http_gunzip);
    }

    if (start(r, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_http_set_out(r, LUN_STR("Content-Encoding"), LUN_STR_NULL);
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_weak_etag(r);
    r->filter_need_in_memory = 1;

    return lun_http_next_header(r, &lun_http_gunzip);
}


/* --- the body ------------------------------------------------------------ */

/*
 * A little text may be much: it stops where no more may wait to be sent, with
 * all taken only the rest of what the last bytes stand for is left to say.
 */
static lun_rc
take(void *state, lun_str *text)
{
    int            rc;
    char          *room;
    size_t         size;
    gunzip_state  *s = state;

    s->z.next_in = (const uint8_t *) text->data;
    s->z.avail_in = (uint32_t) lun_min(text->len, (size_t) UINT32_MAX);
    text->len -= s->z.avail_in;

    do {
        if (s->z.avail_in > 0 && lun_filter_buf_is_full(&s->out)) {
            break;
        }

        if (s->whole && s->z.avail_in > 0) {
            (void) zng_inflateReset(&s->z);
            s->whole = false;
        }

        room = lun_filter_buf_room(&s->out, &size);
        s->z.next_out = (uint8_t *) room;
        s->z.avail_out = (uint32_t) size;

        rc = zng_inflate(&s->z, Z_NO_FLUSH);

        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
            lun_log(LUN_LOG_ERR, s->out.r->log, 0, "inflate() failed: %d, %d",
                    Z_NO_FLUSH, rc);
            return LUN_ERROR;
        }

        lun_filter_buf_wrote(&s->out, size - s->z.avail_out);
        s->whole |= rc == Z_STREAM_END;
    } while (s->z.avail_in > 0 || (s->z.avail_out == 0 && !s->whole));

    text->data = (const char *) s->z.next_in;
    text->len += s->z.avail_in;
    return LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    gunzip_state  *s = state;

    if (b->eof || b->eof_part) {
        end_state(s);

        if (!s->whole) {
            lun_log(LUN_LOG_ERR, s->out.r->log, 0, "inflate() returned %d on "
                    "response end", Z_BUF_ERROR);
            return LUN_ERROR;
        }
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_gunzip,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    gunzip_state  *s = lun_http_state(r, &lun_http_gunzip);

    if (s == NULL || !s->open || r->header_only) {
        return lun_http_next_body(r, &lun_http_gunzip, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


/* --- directives ---------------------------------------------------------- */

/* Its fallback is set where there is no http block. */
static lun_rc
set_gunzip(lun_conf *cf, const lun_directive *d, void *data)
{
    gunzip_conf  *conf = data;

    if (lun_set_flag(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->on) {
        lun_gzip_need(cf);
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "gunzip", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_gunzip, LUN_FIELD(gunzip_conf, on), .fallback = "off",
      .values = "on | off",
      .help = "decompresses for clients that can't" },
    { .name = "gunzip_buffers", .where = LUN_HTTP_LEVELS, .args = 2,
      .set = lun_set_bufs, LUN_FIELD(gunzip_conf, buffers),
      .fallback = "32 4k",
      .help = "number and size of its buffers" },
    { 0 }
};

lun_http_module  lun_http_gunzip = {
    .name = "gunzip",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(gunzip_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
