/*
 * gzip.c -- compresses answers as they pass.
 *
 * A compressor lives in the request's pool.  It says little at a time: what it
 * says waits until a buf is full, or the answer asks for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/gzip/gzip_priv.h"

#include <zlib.h>

#include "http/conf/core_conf.h"
#include "http/filter_buf.h"


/* What deflateInit2() takes for gzip's frame. */
enum { GZIP_FRAME = 16 };

typedef struct {
    z_stream          z;
    lun_filter_buf    out;
    int64_t           taken, given;  /* bytes, for $gzip_ratio */
    bool              open;
} gzip_state;

extern lun_http_module  lun_http_gzip;


/* --- whether ------------------------------------------------------------- */

static bool
worth_it(const lun_request *r, const lun_gzip_conf *conf)
{
    unsigned  status = r->out.status;

    return conf->on && (status == 200 || status == 403 || status == 404)
           && r->parent == NULL && (!r->header_only || r->method == LUN_HEAD)
           && r->out.known[LUN_HOUT_CONTENT_ENCODING] == NULL
           && (r->out.content_length == -1
               || r->out.content_length >= (int64_t) conf->min_length)
           && lun_http_is_type(r, conf->types);
}


/* --- the compressor ------------------------------------------------------ */

static void
end_state(void *data)
{
    gzip_state  *s = data;

    if (s->open) {
        (void) deflateEnd(&s->z);
    }
}


static lun_rc
start(lun_request *r, const lun_gzip_conf *conf)
{
    gzip_state  *s = lun_pool_new(r->pool, gzip_state);

    if (deflateInit2(&s->z, (int) conf->level, Z_DEFLATED,
                     (int) conf->window + GZIP_FRAME, (int) conf->hash,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    {
        lun_log(LUN_LOG_ALERT, r->log, 0, "deflateInit2() failed");
        return LUN_ERROR;
    }

    s->open = true;
    lun_pool_on_end(r->pool, end_state, s);
    lun_filter_buf_init(&s->out, r, conf->buffers.size, conf->buffers.num);
    s->out.whole = true;
    lun_http_set_state(r, &lun_http_gzip, s);

    return LUN_OK;
}


static lun_rc
on_header(lun_request *r)
{
    const lun_gzip_conf  *conf = lun_http_conf(r, &lun_http_gzip);

    if (!worth_it(r, conf)) {
        return lun_http_next_header(r, &lun_http_gzip);
    }

    lun_gzip_vary(r);

    if (!lun_gzip_accepted(r)) {
        return lun_http_next_header(r, &lun_http_gzip);
    }

    /* HEAD is told what GET would have got. */
    if (r->method != LUN_HEAD && start(r, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_http_set_out(r, LUN_STR("Content-Encoding"), LUN_STR("gzip"));
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_weak_etag(r);
    r->filter_need_in_memory = r->method != LUN_HEAD;

    return lun_http_next_header(r, &lun_http_gzip);
}


/*
 * Compresses what z.next_in has; with a flush until all is out.  Otherwise it
 * stops where no more may wait to be sent: with all taken, only a little of
 * what is in the compressor can be left to say.
 */
static lun_rc
squeeze(gzip_state *s, int how)
{
    int      rc;
    size_t   size;

    do {
        if (how == Z_NO_FLUSH && s->z.avail_in != 0
            && lun_filter_buf_is_full(&s->out))
        {
            break;
        }

        s->z.next_out = (Bytef *) lun_filter_buf_room(&s->out, &size);
        s->z.avail_out = (uInt) size;

        rc = deflate(&s->z, how);

        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
            lun_log(LUN_LOG_ALERT, s->out.r->log, 0, "deflate() failed: %d, "
                    "%d", how, rc);
            return LUN_ERROR;
        }

        size -= s->z.avail_out;
        lun_filter_buf_wrote(&s->out, size);
        s->given += (int64_t) size;
    } while (s->z.avail_out == 0 || (rc != Z_STREAM_END && how == Z_FINISH));

    return LUN_OK;
}


static lun_rc
take(void *state, lun_str *text)
{
    gzip_state  *s = state;

    s->z.next_in = (Bytef *) (uintptr_t) text->data;
    s->z.avail_in = (uInt) lun_min(text->len, (size_t) UINT32_MAX);
    text->len -= s->z.avail_in;

    if (squeeze(s, Z_NO_FLUSH) != LUN_OK) {
        return LUN_ERROR;
    }

    text->data = (const char *) s->z.next_in;
    text->len += s->z.avail_in;
    return LUN_OK;
}


/* What the buf's flags ask for behind its bytes. */
static lun_rc
close_buf(void *state, lun_buf *b)
{
    bool         end = b->eof || b->eof_part;
    gzip_state  *s = state;

    if (!end && !b->flush) {
        return LUN_OK;
    }

    s->z.avail_in = 0;

    if (squeeze(s, end ? Z_FINISH : Z_SYNC_FLUSH) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_filter_buf_close(&s->out, b);

    if (end) {
        (void) deflateEnd(&s->z);
        s->open = false;
    }

    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_gzip,
    .full_only = true,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    gzip_state  *s = lun_http_state(r, &lun_http_gzip);

    if (s == NULL || !s->open) {
        return lun_http_next_body(r, &lun_http_gzip, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


/* --- $gzip_ratio --------------------------------------------------------- */

static void
get_ratio(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request       *r = lun_request_of(s);
    int64_t            hundredths;
    const gzip_state  *state = lun_http_state(r, &lun_http_gzip);

    (void) data;

    if (state == NULL || state->given == 0) {
        v->not_found = 1;
        return;
    }

    hundredths = (state->taken * 100 + state->given / 2) / state->given;
    v->text = lun_pool_fmt(r->pool, "%" PRId64 ".%02d", hundredths / 100,
                           (int) (hundredths % 100));
}


static const lun_variable  variables[] = {
    { LUN_STR_INIT("gzip_ratio"), get_ratio, NULL, 0, LUN_VAR_VOLATILE, 0 },
    { LUN_STR_NULL, NULL, NULL, 0, 0, 0 }
};


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_level(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_gzip_conf  *conf = data;

    if (lun_set_num(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->level < 1 || conf->level > 9) {
        return lun_conf_fail(cf, "value must be between 1 and 9");
    }

    return LUN_OK;
}


static const lun_enum  versions[] = {
    { "1.0", 1000 }, { "1.1", 1001 }, { NULL, 0 }
};

/* A size that is 1 << bits; deflate counts in bits. */
static lun_rc
set_bits(lun_conf *cf, int64_t *field, unsigned from, unsigned to,
    unsigned less)
{
    uint64_t  size;
    unsigned  bits;

    if (lun_str_to_size(cf->args[1], &size) != LUN_OK) {
        return lun_conf_bad_value(cf);
    }

    for (bits = from; bits <= to; bits++) {
        if (size == UINT64_C(1) << bits) {
            *field = bits - less;
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "\"%.*s\" directive must be 512, 1k, 2k, 4k, "
                         "8k, 16k, %s", LUN_S(cf->args[0]),
                         to > 15 ? "32k, 64k, or 128k" : "or 32k");
}


static lun_rc
set_window(lun_conf *cf, const lun_directive *d, void *data)
{
    (void) d;
    return set_bits(cf, &((lun_gzip_conf *) data)->window, 9, 15, 0);
}


/* The memory level is that of a table of 1 << (level + 9) bytes, nginx's. */
static lun_rc
set_hash(lun_conf *cf, const lun_directive *d, void *data)
{
    (void) d;
    return set_bits(cf, &((lun_gzip_conf *) data)->hash, 9, 17, 8);
}


static const lun_directive  directives[] = {
    { .name = "gzip", .where = LUN_HTTP_LEVELS | LUN_LOCATION_IF, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_gzip_conf, on), .fallback = "off",
      .help = "compresses answers" },
    { .name = "gzip_vary", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_gzip_conf, vary), .fallback = "off",
      .help = "adds Vary: Accept-Encoding" },
    { .name = "gzip_comp_level", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_level, LUN_FIELD(lun_gzip_conf, level), .fallback = "1",
      .help = "how hard it tries, 1 to 9" },
    { .name = "gzip_min_length", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(lun_gzip_conf, min_length),
      .fallback = "20",
      .help = "shorter answers are left alone" },
    { .name = "gzip_buffers", .where = LUN_HTTP_LEVELS, .args = 2,
      .set = lun_set_bufs, LUN_FIELD(lun_gzip_conf, buffers),
      .fallback = "32 4k",
      .help = "number and size of its buffers" },
    { .name = "gzip_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_media_types,
      LUN_FIELD(lun_gzip_conf, types), .fallback = "text/html",
      .help = "types that are compressed" },
    { .name = "gzip_proxied", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits,
      LUN_FIELD(lun_gzip_conf, proxied), .data = lun_gzip_proxied,
      .fallback = "off",
      .help = "which answers to proxies are compressed" },
    { .name = "gzip_http_version", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(lun_gzip_conf, version), .data = versions,
      .fallback = "1.1",
      .help = "the lowest version of HTTP that it is for" },
    { .name = "gzip_disable", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_gzip_set_disable,
      LUN_FIELD(lun_gzip_conf, disable),
      .help = "clients that get no compressed answers" },
    { .name = "gzip_window", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_window, LUN_FIELD(lun_gzip_conf, window), .fallback = "32k",
      .help = "how far back the compressor looks: 512 to 32k" },
    { .name = "gzip_hash", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_hash, LUN_FIELD(lun_gzip_conf, hash), .fallback = "64k",
      .help = "size of the compressor's table: 512 to 128k" },
    { .name = "gzip_no_buffer", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_no_effect, .data = "a flush goes out at once",
      .help = "without effect here" },
    { .name = "postpone_gzipping", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_no_effect, .data = "small parts are gathered anyway",
      .help = "without effect here" },
    { 0 }
};

lun_http_module  lun_http_gzip = {
    .name = "gzip",
    .directives = directives,
    .conf_size = sizeof(lun_gzip_conf),
    .variables = variables,
    .header_filter = on_header,
    .body_filter = on_body,
};
