/*
 * gzip.c -- compress.c's codec that all clients know: deflate in gzip's frame.
 *
 * A deflater has a third of a megabyte, which is zeroed when it is made.  Some
 * wait for the next answer with the same settings: only half of it is zeroed
 * then, and the processor still has it at hand.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

#include <zlib-ng.h>

#include "config/slots.h"


/* What zng_deflateInit2() takes for gzip's frame. */
enum { GZIP_FRAME = 16 };

enum { SPARES = 4 };

typedef struct deflater  deflater;
struct deflater {
    deflater    *next;             /* while it waits */
    int64_t      level, window, hash;
    zng_stream   z;                /* never moves: zlib-ng knows where it is */
};

typedef struct {
    lun_compressor  head;
    deflater       *deflater;
} gzip_state;

static deflater  *spares;
static size_t     spare_count;

extern lun_http_module  lun_http_gzip;


/* --- deflaters ----------------------------------------------------------- */

static void
free_deflater(deflater *d)
{
    (void) zng_deflateEnd(&d->z);
    lun_free(d);
}


/* One that has waited, or NULL. */
static deflater *
take_spare(const lun_gzip_conf *conf)
{
    deflater  *d, **at;

    for (at = &spares; (d = *at) != NULL; at = &d->next) {
        if (d->level == conf->c.level && d->window == conf->c.window
            && d->hash == conf->hash)
        {
            *at = d->next;
            spare_count--;
            break;
        }
    }

    if (d != NULL && zng_deflateReset(&d->z) != Z_OK) {
        free_deflater(d);
        return NULL;
    }

    return d;
}


/* NULL: no memory. */
static deflater *
new_deflater(const lun_gzip_conf *conf)
{
    deflater  *d = lun_calloc(sizeof(*d));

    d->level = conf->c.level;
    d->window = conf->c.window;
    d->hash = conf->hash;

    if (zng_deflateInit2(&d->z, (int) d->level, Z_DEFLATED,
                         (int) d->window + GZIP_FRAME, (int) d->hash,
                         Z_DEFAULT_STRATEGY) != Z_OK)
    {
        lun_free(d);
        return NULL;
    }

    return d;
}


/* Of settings that nobody uses any more, it makes room in time. */
static void
put_deflater(deflater *d)
{
    deflater  **at;

    d->next = spares;
    spares = d;

    if (spare_count < SPARES) {
        spare_count++;
        return;
    }

    for (at = &spares; (*at)->next != NULL; at = &(*at)->next) { /* void */ }

    free_deflater(*at);
    *at = NULL;
}


/* --- the codec ----------------------------------------------------------- */

static lun_rc
start_gzip(lun_compressor *head, const lun_compress_conf *c, int64_t length)
{
    gzip_state           *s = (gzip_state *) head;
    const lun_gzip_conf  *conf = (const lun_gzip_conf *) c;

    s->deflater = take_spare(conf);

    if (s->deflater == NULL) {
        s->deflater = new_deflater(conf);
    }

    if (s->deflater == NULL) {
        lun_log(LUN_LOG_ALERT, head->out.r->log, 0, "deflateInit2() failed");
        return LUN_ERROR;
    }

    return LUN_OK;
}


/*
 * zlib counts in 32 bits: a larger piece is given in parts, and *more says that
 * there is one.
 */
static lun_rc
step_gzip(lun_compressor *head, lun_compress_io *io, lun_compress_how how,
    bool *more)
{
    static const int  flush[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH };

    int          rc;
    size_t       left = io->in_left;
    zng_stream  *z = &((gzip_state *) head)->deflater->z;

    z->next_in = (const uint8_t *) io->in;
    z->avail_in = (uint32_t) lun_min(left, (size_t) UINT32_MAX);
    left -= z->avail_in;
    z->next_out = (uint8_t *) io->out;
    z->avail_out = (uint32_t) lun_min(io->out_left, (size_t) UINT32_MAX);
    io->out_left -= z->avail_out;

    rc = zng_deflate(z, flush[how]);

    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        lun_log(LUN_LOG_ALERT, head->out.r->log, 0, "deflate() failed: %d, %d",
                flush[how], rc);
        return LUN_ERROR;
    }

    io->in = (const char *) z->next_in;
    io->in_left = left + z->avail_in;
    *more = z->avail_out == 0 || io->in_left != 0
            || (rc != Z_STREAM_END && how == LUN_COMPRESS_END);
    io->out_left += z->avail_out;
    return LUN_OK;
}


static void
end_gzip(lun_compressor *head)
{
    put_deflater(((gzip_state *) head)->deflater);
}


static const lun_codec  codec = {
    .encoding = LUN_STR_INIT("gzip"),
    .size = sizeof(gzip_state),
    .filter = {
        .module = &lun_http_gzip,
        .full_only = true,
        .take = lun_compress_take,
        .close = lun_compress_close,
    },
    .accepted = lun_gzip_accepted,
    .start = start_gzip,
    .step = step_gzip,
    .end = end_gzip,
};


static lun_rc
on_header(lun_request *r)
{
    return lun_compress_header(r, &codec);
}


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    return lun_compress_body(r, &codec, in);
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("gzip_ratio"), .get = lun_compress_get_ratio,
      .data = (uintptr_t) &codec,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "how many times smaller gzip made the answer" },
    { .name = LUN_STR_NULL }
};


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_level(lun_conf *cf, const lun_directive *d, void *data)
{
    return lun_compress_set_level(cf, d, data, 1, 9);
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
    return set_bits(cf, &((lun_gzip_conf *) data)->c.window, 9, 15, 0);
}


/* The memory level is that of a table of 1 << (level + 9) bytes, nginx's. */
static lun_rc
set_hash(lun_conf *cf, const lun_directive *d, void *data)
{
    return set_bits(cf, &((lun_gzip_conf *) data)->hash, 9, 17, 8);
}


static const lun_no_effect  no_buffer = { lun_set_flag,
    "a flush goes out at once" };
static const lun_no_effect  no_postpone = { lun_set_size,
    "small parts are gathered anyway" };

static const lun_directive  directives[] = {
    LUN_COMPRESS_ROWS("gzip", lun_gzip_conf, lun_set_flag, "off"),
    { .name = "gzip_vary", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_gzip_conf, vary), .fallback = "off",
      .help = "adds Vary: Accept-Encoding" },
    { .name = "gzip_comp_level", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_level, LUN_FIELD(lun_gzip_conf, c.level), .fallback = "1",
      .values = "level",
      .help = "how hard it tries, 1 to 9" },
    { .name = "gzip_http_version", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(lun_gzip_conf, version), .data = versions,
      .fallback = "1.1",
      .help = "the lowest version of HTTP that it is for" },
    { .name = "gzip_disable", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_gzip_set_disable,
      LUN_FIELD(lun_gzip_conf, disable),
      .values = "regex ...",
      .help = "clients that get no compressed answers" },
    { .name = "gzip_window", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_window, LUN_FIELD(lun_gzip_conf, c.window), .fallback = "32k",
      .values = "size",
      .help = "how far back the compressor looks: 512 to 32k" },
    { .name = "gzip_hash", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_hash, LUN_FIELD(lun_gzip_conf, hash), .fallback = "64k",
      .values = "size",
      .help = "size of the compressor's table: 512 to 128k" },
    { .name = "gzip_no_buffer", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_no_effect, .data = &no_buffer,
      .help = "without effect here" },
    { .name = "postpone_gzipping", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_no_effect, .data = &no_postpone,
      .help = "without effect here" },
    { 0 }
};

lun_http_module  lun_http_gzip = {
    .name = "gzip",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_gzip_conf),
    .variables = variables,
    .header_filter = on_header,
    .body_filter = on_body,
};
