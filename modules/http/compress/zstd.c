/*
 * zstd.c -- compress.c's codec for much in little time.
 *
 *     zstd on;
 *     zstd_types application/json;
 *
 * What is said of an answer's length makes its tables small.  A window is at
 * most 8 MB, whatever the level: no client must take a larger one (RFC 9659).
 * With zstd_dict_file nothing tells a client that it needs the dictionary.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

/* ZSTD_getCParams() is for who does not fear its change. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>


enum {
    WINDOW_MOST = 23,              /* bits */
    LEVELS = 22
};

/* zstd_dict_file; prepared for each level that is in use. */
typedef struct {
    lun_str      bytes;
    ZSTD_CDict  *made[LEVELS + 1];
} dictionary;

typedef struct {
    lun_compressor  head;
    ZSTD_CCtx      *z;
} zstd_state;

typedef struct {
    lun_compress_conf  c;
    dictionary        *dict;       /* NULL: none */
} zstd_conf;

extern lun_http_module  lun_http_zstd;


static lun_rc
start_zstd(lun_compressor *head, const lun_compress_conf *conf, int64_t length)
{
    int                          window, level = (int) conf->level;
    zstd_state                  *s = (zstd_state *) head;
    const dictionary            *dict = ((const zstd_conf *) conf)->dict;
    ZSTD_compressionParameters   usual;

    s->z = ZSTD_createCCtx();

    if (s->z == NULL) {
        lun_log(LUN_LOG_ALERT, head->out.r->log, 0, "ZSTD_createCCtx() "
                "failed");
        return LUN_ERROR;
    }

    if (dict != NULL) {
        /* It has level and window in it. */
        (void) ZSTD_CCtx_refCDict(s->z, dict->made[level]);
        return LUN_OK;
    }

    usual = ZSTD_getCParams(level, length > 0 ? (unsigned long long) length
                                              : ZSTD_CONTENTSIZE_UNKNOWN, 0);
    window = lun_min((int) usual.windowLog, (int) WINDOW_MOST);

    (void) ZSTD_CCtx_setParameter(s->z, ZSTD_c_compressionLevel, level);
    (void) ZSTD_CCtx_setParameter(s->z, ZSTD_c_windowLog, window);

    return LUN_OK;
}


static lun_rc
step_zstd(lun_compressor *head, lun_compress_io *io, lun_compress_how how,
    bool *more)
{
    static const ZSTD_EndDirective  directives[] = {
        ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end
    };

    size_t          rc;
    zstd_state     *s = (zstd_state *) head;
    ZSTD_inBuffer   in = { .src = io->in, .size = io->in_left };
    ZSTD_outBuffer  out = { .dst = io->out, .size = io->out_left };

    rc = ZSTD_compressStream2(s->z, &out, &in, directives[how]);

    if (ZSTD_isError(rc)) {
        lun_log(LUN_LOG_ALERT, head->out.r->log, 0,
                "ZSTD_compressStream2() failed: %s", ZSTD_getErrorName(rc));
        return LUN_ERROR;
    }

    io->in += in.pos;
    io->in_left -= in.pos;
    io->out += out.pos;
    io->out_left -= out.pos;
    *more = io->in_left != 0 || io->out_left == 0
            || (rc != 0 && how != LUN_COMPRESS_MORE);
    return LUN_OK;
}


static void
end_zstd(lun_compressor *head)
{
    (void) ZSTD_freeCCtx(((zstd_state *) head)->z);
}


static bool
accepts_zstd(lun_request *r)
{
    const zstd_conf  *conf = lun_http_conf(r, &lun_http_zstd);

    return lun_compress_accepted(r, LUN_STR("zstd"), conf->c.proxied);
}


static const lun_codec  codec = {
    .encoding = LUN_STR_INIT("zstd"),
    .size = sizeof(zstd_state),
    .filter = {
        .module = &lun_http_zstd,
        .full_only = true,
        .take = lun_compress_take,
        .close = lun_compress_close,
    },
    .accepted = accepts_zstd,
    .start = start_zstd,
    .step = step_zstd,
    .end = end_zstd,
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
    { .name = LUN_STR_INIT("zstd_ratio"), .get = lun_compress_get_ratio,
      .data = (uintptr_t) &codec,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "how many times smaller zstd made the answer" },
    { .name = LUN_STR_INIT("zstd_bytes_in"), .get = lun_compress_get_taken,
      .data = (uintptr_t) &codec,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "bytes before zstd" },
    { .name = LUN_STR_INIT("zstd_bytes_out"), .get = lun_compress_get_given,
      .data = (uintptr_t) &codec,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "bytes behind zstd" },
    { .name = LUN_STR_NULL }
};


static lun_rc
set_level(lun_conf *cf, const lun_directive *d, void *data)
{
    return lun_compress_set_level(cf, d, data, 1, ZSTD_maxCLevel());
}


static void
end_dictionary(void *data)
{
    size_t       i;
    dictionary  *dict = data;

    for (i = 0; i <= LEVELS; i++) {
        (void) ZSTD_freeCDict(dict->made[i]);
    }
}


static lun_rc
set_dictionary(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_err      err;
    lun_str      path = lun_conf_path(cf, cf->args[1], true);
    dictionary  *dict = lun_pool_new(cf->pool, dictionary);

    err = lun_conf_asset(cf, path, &dict->bytes);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "open() \"%.*s\" failed",
                                 LUN_S(path));
    }

    lun_pool_on_end(cf->pool, end_dictionary, dict);
    ((zstd_conf *) data)->dict = dict;

    return LUN_OK;
}


/* The dictionary as the level of this block wants it. */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    zstd_conf                   *conf = data;
    dictionary                  *dict = conf->dict;
    int                          level = (int) conf->c.level;
    ZSTD_compressionParameters   usual;

    if (dict == NULL || dict->made[level] != NULL) {
        return LUN_OK;
    }

    usual = ZSTD_getCParams(level, 0, dict->bytes.len);
    usual.windowLog = lun_min(usual.windowLog, WINDOW_MOST);

    dict->made[level] = ZSTD_createCDict_advanced(dict->bytes.data,
                            dict->bytes.len, ZSTD_dlm_byRef, ZSTD_dct_auto,
                            usual, ZSTD_defaultCMem);

    return dict->made[level] != NULL
           ? LUN_OK : lun_conf_fail(cf, "ZSTD_createCDict() failed");
}


static const lun_directive  directives[] = {
    LUN_COMPRESS_ROWS("zstd", zstd_conf, lun_compress_set_on, "any"),
    { .name = "zstd_comp_level", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_level, LUN_FIELD(zstd_conf, c.level), .fallback = "1",
      .values = "level",
      .help = "how hard it tries, 1 to 22" },
    { .name = "zstd_dict_file", .where = LUN_HTTP, .args = 1,
      .set = set_dictionary, LUN_FIELD(zstd_conf, dict),
      .values = "file",
      .help = "a dictionary that all clients of these answers have" },
    { 0 }
};

lun_http_module  lun_http_zstd = {
    .name = "zstd",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(zstd_conf),
    .inherited = inherited,
    .variables = variables,
    .header_filter = on_header,
    .body_filter = on_body,
};
