/*
 * brotli.c -- compress.c's codec for text that is read more often than made.
 *
 *     brotli on;
 *     brotli_types text/css application/javascript;
 *
 * Where an answer's length is known, no larger window is kept for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

#include <brotli/encode.h>


typedef struct {
    lun_compressor       head;
    BrotliEncoderState  *e;
} brotli_state;

typedef struct {
    lun_compress_conf  c;
} brotli_conf;

extern lun_http_module  lun_http_brotli;


static lun_rc
start_brotli(lun_compressor *head, const lun_compress_conf *conf,
    int64_t length)
{
    int64_t        bits;
    brotli_state  *s = (brotli_state *) head;

    s->e = BrotliEncoderCreateInstance(NULL, NULL, NULL);

    if (s->e == NULL) {
        lun_log(LUN_LOG_ALERT, head->out.r->log, 0,
                "BrotliEncoderCreateInstance() failed");
        return LUN_ERROR;
    }

    bits = lun_compress_window(conf->window, BROTLI_MIN_WINDOW_BITS, length);
    (void) BrotliEncoderSetParameter(s->e, BROTLI_PARAM_QUALITY,
                                     (uint32_t) conf->level);
    (void) BrotliEncoderSetParameter(s->e, BROTLI_PARAM_LGWIN,
                                     (uint32_t) bits);

    if (length > 0) {
        (void) BrotliEncoderSetParameter(s->e, BROTLI_PARAM_SIZE_HINT,
                                         (uint32_t) lun_min(length,
                                                            INT64_C(1) << 30));
    }

    return LUN_OK;
}


static lun_rc
step_brotli(lun_compressor *head, lun_compress_io *io, lun_compress_how how,
    bool *more)
{
    static const BrotliEncoderOperation  operations[] = {
        BROTLI_OPERATION_PROCESS, BROTLI_OPERATION_FLUSH,
        BROTLI_OPERATION_FINISH
    };

    uint8_t        *out = (uint8_t *) io->out;
    brotli_state   *s = (brotli_state *) head;
    const uint8_t  *in = (const uint8_t *) io->in;

    if (!BrotliEncoderCompressStream(s->e, operations[how], &io->in_left, &in,
                                     &io->out_left, &out, NULL))
    {
        lun_log(LUN_LOG_ALERT, head->out.r->log, 0,
                "BrotliEncoderCompressStream() failed");
        return LUN_ERROR;
    }

    io->in = (const char *) in;
    io->out = (char *) out;
    *more = io->in_left != 0 || BrotliEncoderHasMoreOutput(s->e)
            || (how == LUN_COMPRESS_END && !BrotliEncoderIsFinished(s->e));
    return LUN_OK;
}


static void
end_brotli(lun_compressor *head)
{
    BrotliEncoderDestroyInstance(((brotli_state *) head)->e);
}


static bool
accepts_brotli(lun_request *r)
{
    const brotli_conf  *conf = lun_http_conf(r, &lun_http_brotli);

    return lun_compress_accepted(r, LUN_STR("br"), conf->c.proxied);
}


static const lun_codec  codec = {
    .encoding = LUN_STR_INIT("br"),
    .size = sizeof(brotli_state),
    .filter = {
        .module = &lun_http_brotli,
        .full_only = true,
        .take = lun_compress_take,
        .close = lun_compress_close,
    },
    .accepted = accepts_brotli,
    .start = start_brotli,
    .step = step_brotli,
    .end = end_brotli,
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
    { .name = LUN_STR_INIT("brotli_ratio"), .get = lun_compress_get_ratio,
      .data = (uintptr_t) &codec,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "how many times smaller brotli made the answer" },
    { .name = LUN_STR_NULL }
};


static lun_rc
set_level(lun_conf *cf, const lun_directive *d, void *data)
{
    return lun_compress_set_level(cf, d, data, BROTLI_MIN_QUALITY,
                                  BROTLI_MAX_QUALITY);
}


/* A size that is 1 << bits, 1k to 16m. */
static lun_rc
set_window(lun_conf *cf, const lun_directive *d, void *data)
{
    int64_t       bits;
    uint64_t      size;
    brotli_conf  *conf = data;

    if (lun_str_to_size(cf->args[1], &size) != LUN_OK) {
        return lun_conf_bad_value(cf);
    }

    for (bits = BROTLI_MIN_WINDOW_BITS; bits <= BROTLI_MAX_WINDOW_BITS; bits++)
    {
        if (size == UINT64_C(1) << bits) {
            conf->c.window = bits;
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "\"brotli_window\" directive must be 1k, 2k, 4k, "
                         "8k, 16k, 32k, 64k, 128k, 256k, 512k, 1m, 2m, 4m, 8m "
                         "or 16m");
}


static const lun_directive  directives[] = {
    LUN_COMPRESS_ROWS("brotli", brotli_conf, lun_compress_set_on, "any"),
    { .name = "brotli_comp_level", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_level, LUN_FIELD(brotli_conf, c.level), .fallback = "6",
      .values = "level",
      .help = "how hard it tries, 0 to 11" },
    { .name = "brotli_window", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_window, LUN_FIELD(brotli_conf, c.window),
      .fallback = "512k",
      .values = "size",
      .help = "how far back the compressor looks: 1k to 16m" },
    { 0 }
};

lun_http_module  lun_http_brotli = {
    .name = "brotli",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(brotli_conf),
    .variables = variables,
    .header_filter = on_header,
    .body_filter = on_body,
};
