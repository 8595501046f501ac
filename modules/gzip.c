/*
 * gzip.c -- compresses answers as they pass.
 *
 * A compressor lives in the request's pool.  Its output bufs are its own: one
 * that was sent (pos has reached last) is filled again, so that an answer of
 * any length needs a few of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/gzip_priv.h"

#include <zlib.h>

#include "http/conf/core_conf.h"
#include "net/clock.h"
#include "os/file.h"


enum { FILE_PIECE = 16384, GZIP_WINDOW = 15 + 16, MEM_LEVEL = 8 };

typedef struct {
    z_stream     z;
    lun_array    bufs;             /* of lun_buf *: all that were made */
    lun_buf     *out;              /* the one that is being filled */
    size_t       buf_size;
    char        *piece;            /* of a file */
    int64_t      taken, given;     /* bytes, for $gzip_ratio */
    bool         open;
} gzip_state;

extern lun_http_module  lun_http_gzip;


/* --- whether ------------------------------------------------------------- */

static bool
worth_it(const lun_request *r, const lun_gzip_conf *conf)
{
    unsigned  status = r->out.status;

    return conf->on && (status == 200 || status == 403 || status == 404)
           && r->parent == NULL && !r->header_only && r->method != LUN_HEAD
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

    if (deflateInit2(&s->z, (int) conf->level, Z_DEFLATED, GZIP_WINDOW,
                     MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    {
        lun_log(LUN_LOG_ALERT, r->log, 0, "deflateInit2() failed");
        return LUN_ERROR;
    }

    s->open = true;
    lun_pool_on_end(r->pool, end_state, s);
    s->buf_size = conf->buffers.size;
    lun_array_init(&s->bufs, r->pool, sizeof(lun_buf *), 4);
    lun_http_set_state(r, &lun_http_gzip, s);

    return LUN_OK;
}


static lun_rc
on_header(lun_request *r)
{
    const lun_gzip_conf  *conf = lun_http_conf(r, &lun_http_gzip);

    if (!worth_it(r, conf)) {
        return lun_http_gzip.next_header(r);
    }

    lun_gzip_vary(r);

    if (!lun_gzip_accepted(r)) {
        return lun_http_gzip.next_header(r);
    }

    if (start(r, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_http_set_out(r, LUN_STR("Content-Encoding"), LUN_STR("gzip"));
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_weak_etag(r);
    r->filter_need_in_memory = 1;

    return lun_http_gzip.next_header(r);
}


/* A buf to fill: one of ours that has been sent, or a new one. */
static lun_buf *
take_buf(lun_request *r, gzip_state *s)
{
    size_t    i;
    lun_buf  *b = NULL;

    for (i = 0; i < s->bufs.count && b == NULL; i++) {
        b = *(lun_buf **) lun_array_at(&s->bufs, i);

        if (b->pos != b->last) {
            b = NULL;
        }
    }

    if (b == NULL) {
        b = lun_buf_new_room(r->pool, s->buf_size);
        *(lun_buf **) lun_array_push(&s->bufs) = b;
    }

    b->pos = b->last = b->start;
    b->flush = b->eof = b->eof_part = 0;
    b->temporary = 1;

    return b;
}


static void
put_out(gzip_state *s, lun_chain *out)
{
    s->out->last = (char *) s->z.next_out;
    s->given += lun_buf_size(s->out);
    lun_chain_push(out, s->out);
    s->out = NULL;
}


/* Compresses what z.next_in has; with a flush until all is out. */
static lun_rc
squeeze(lun_request *r, gzip_state *s, int how, lun_chain *out)
{
    int  rc;

    for ( ;; ) {
        if (s->out == NULL) {
            s->out = take_buf(r, s);
            s->z.next_out = (Bytef *) s->out->start;
            s->z.avail_out = (uInt) s->buf_size;
        }

        rc = deflate(&s->z, how);

        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
            lun_log(LUN_LOG_ALERT, r->log, 0, "deflate() failed: %d, %d",
                    how, rc);
            return LUN_ERROR;
        }

        if (s->z.avail_out == 0) {
            put_out(s, out);
            continue;
        }

        if (rc == Z_STREAM_END || how != Z_FINISH) {
            return LUN_OK;
        }
    }
}


static lun_rc
squeeze_file(lun_request *r, gzip_state *s, lun_buf *b, lun_chain *out)
{
    size_t   done, want;
    lun_err  err;

    if (s->piece == NULL) {
        s->piece = lun_pool_text(r->pool, FILE_PIECE);
    }

    while (b->file_pos < b->file_last) {
        want = (size_t) lun_min(b->file_last - b->file_pos, FILE_PIECE);
        err = lun_file_read(b->file, s->piece, want, b->file_pos, &done);

        if (err != 0 || done != want) {
            lun_log(LUN_LOG_ALERT, r->log, err, "read() returned only %zu "
                    "bytes instead of %zu", done, want);
            return LUN_ERROR;
        }

        s->z.next_in = (Bytef *) s->piece;
        s->z.avail_in = (uInt) want;
        s->taken += (int64_t) want;
        b->file_pos += (int64_t) want;

        if (squeeze(r, s, Z_NO_FLUSH, out) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
squeeze_buf(lun_request *r, gzip_state *s, lun_buf *b, lun_chain *out)
{
    if (b->in_file) {
        return squeeze_file(r, s, b, out);
    }

    s->z.next_in = (Bytef *) b->pos;
    s->z.avail_in = (uInt) (b->last - b->pos);
    s->taken += b->last - b->pos;
    b->pos = b->last;

    return squeeze(r, s, Z_NO_FLUSH, out);
}


/* What the buf's flags ask for behind its bytes. */
static lun_rc
close_buf(lun_request *r, gzip_state *s, const lun_buf *b, lun_chain *out)
{
    bool  end = b->eof || b->eof_part;

    if (!end && !b->flush) {
        return LUN_OK;
    }

    s->z.avail_in = 0;

    if (squeeze(r, s, end ? Z_FINISH : Z_SYNC_FLUSH, out) != LUN_OK) {
        return LUN_ERROR;
    }

    s->out->flush = b->flush;
    s->out->eof = b->eof;
    s->out->eof_part = b->eof_part;
    put_out(s, out);

    if (end) {
        (void) deflateEnd(&s->z);
        s->open = false;
    }

    return LUN_OK;
}


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_buf     *b, *next;
    lun_chain    out;
    gzip_state  *s = lun_http_state(r, &lun_http_gzip);

    if (s == NULL || !s->open) {
        return lun_http_gzip.next_body(r, in);
    }

    lun_chain_init(&out);

    for (b = in; b != NULL && s->open; b = next) {
        next = b->next;

        if (squeeze_buf(r, s, b, &out) != LUN_OK
            || close_buf(r, s, b, &out) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return out.head != NULL || in == NULL
           ? lun_http_gzip.next_body(r, out.head) : LUN_OK;
}


/* --- $gzip_ratio --------------------------------------------------------- */

static void
get_ratio(lun_request *r, lun_value *v, uintptr_t data)
{
    int64_t            hundredths;
    const gzip_state  *s = lun_http_state(r, &lun_http_gzip);

    (void) data;

    if (s == NULL || s->given == 0) {
        v->not_found = 1;
        return;
    }

    hundredths = (s->taken * 100 + s->given / 2) / s->given;
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

static const lun_directive  directives[] = {
    { .name = "gzip", .where = LUN_HTTP_LEVELS | LUN_LOCATION_IF, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_gzip_conf, on), .fallback = "off" },
    { .name = "gzip_vary", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_gzip_conf, vary), .fallback = "off" },
    { .name = "gzip_comp_level", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_level, LUN_FIELD(lun_gzip_conf, level), .fallback = "1" },
    { .name = "gzip_min_length", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(lun_gzip_conf, min_length),
      .fallback = "20" },
    { .name = "gzip_buffers", .where = LUN_HTTP_LEVELS, .args = 2,
      .set = lun_set_bufs, LUN_FIELD(lun_gzip_conf, buffers),
      .fallback = "32 4k" },
    { .name = "gzip_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_media_types,
      LUN_FIELD(lun_gzip_conf, types), .fallback = "text/html" },
    { .name = "gzip_proxied", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits,
      LUN_FIELD(lun_gzip_conf, proxied), .data = lun_gzip_proxied,
      .fallback = "off" },
    { .name = "gzip_http_version", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(lun_gzip_conf, version), .data = versions,
      .fallback = "1.1" },
    { .name = "gzip_disable", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_gzip_set_disable,
      LUN_FIELD(lun_gzip_conf, disable) },
    { .name = "gzip_window", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_ignored },
    { .name = "gzip_hash", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_ignored },
    { .name = "gzip_no_buffer", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_ignored },
    { .name = "postpone_gzipping", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_ignored },
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
