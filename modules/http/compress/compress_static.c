/*
 * compress_static.c -- files that were compressed before: "x.gz", "x.br" or
 * "x.zst" instead of "x".  Three modules, for three codecs.
 *
 *     brotli_static on;
 *     gzip_static on;
 *
 * Path rules are static.c's: what may not be served there is not here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"
#include "http/file/open_file_cache.h"


typedef enum { OFF, ON, ALWAYS } which;

typedef struct {
    int  which;
} static_conf;

typedef struct {
    lun_http_module  *module;
    const char       *suffix;
    lun_str           encoding;
} packing;

extern lun_http_module  lun_http_gzip_static, lun_http_brotli_static,
                        lun_http_zstd_static;

static const packing  gzip = { &lun_http_gzip_static, ".gz",
                               LUN_STR_INIT("gzip") };
static const packing  brotli = { &lun_http_brotli_static, ".br",
                                 LUN_STR_INIT("br") };
static const packing  zstd = { &lun_http_zstd_static, ".zst",
                               LUN_STR_INIT("zstd") };


/* Only gzip has conditions beside that the client takes it. */
static bool
is_accepted(lun_request *r, const packing *p)
{
    return p == &gzip ? lun_gzip_accepted(r)
                      : lun_compress_is_taken(r, p->encoding);
}


/* The request's file with the suffix behind its name. */
static lun_verdict
packed_path(lun_request *r, const packing *p, lun_safe_path *c)
{
    lun_verdict  v = lun_http_file_path(r, c);

    if (v == LUN_NEXT) {
        c->path = lun_pool_fmt(r->pool, "%.*s%s", LUN_S(c->path),
                               p->suffix);
    }

    return v;
}


/* True: there is one. */
static bool
open_file(lun_request *r, const lun_safe_path *c, lun_static_file *f)
{
    const char  *failed;
    lun_err      err = lun_open_file(r, c, f, &failed);

    switch (err != 0 ? lun_err_kind_of(err) : LUN_ERR_NOT_FOUND) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_NOT_DIR:
    case LUN_ERR_BAD_NAME:
        break;

    case LUN_ERR_ACCESS:
    case LUN_ERR_LINK:
        lun_log(LUN_LOG_ERR, r->log, err, "%s \"%s\" failed", failed,
                c->path.data);
        break;

    default:
        lun_log(LUN_LOG_CRIT, r->log, err, "%s \"%s\" failed", failed,
                c->path.data);
    }

    return err == 0;
}


static void
set_headers(lun_request *r, const packing *p, const lun_static_file *f)
{
    r->log->doing = "sending response to client";
    r->out.status = 200;
    r->out.content_length = f->info.size;
    r->out.last_modified = f->info.mtime;
    lun_http_set_etag(r, f->info.mtime, f->info.size);
    lun_http_set_type(r);
    lun_http_set_out(r, LUN_STR("Content-Encoding"), p->encoding);
    r->packed = 1;
    r->allow_ranges = 1;
}


/*
 * Whether the packed file is there is asked even of clients that don't take it,
 * if answers vary by that: caches between have to be told.
 */
static lun_verdict
serve(lun_request *r, const packing *p)
{
    bool                accepted;
    lun_safe_path       c;
    lun_verdict         v;
    lun_static_file     f;
    const static_conf  *conf = lun_http_conf(r, p->module);

    if (conf->which == OFF || (r->method & (LUN_GET | LUN_HEAD)) == 0
        || lun_uri_is_folder(r->uri))
    {
        return LUN_NEXT;
    }

    accepted = conf->which == ALWAYS || is_accepted(r, p);

    if (!accepted && !lun_gzip_varies(r)) {
        return LUN_NEXT;
    }

    v = packed_path(r, p, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    if (!open_file(r, &c, &f)) {
        return LUN_NEXT;
    }

    if (conf->which == ON) {
        lun_gzip_vary(r);
    }

    if (!accepted || f.info.is_dir) {
        return LUN_NEXT;
    }

    if (!f.info.is_file) {
        lun_log(LUN_LOG_CRIT, r->log, 0, "\"%s\" is not a regular file",
                c.path.data);
        return LUN_STATUS + 404;
    }

    v = lun_body_discard(r);

    if (v >= LUN_STATUS) {
        return v;
    }

    set_headers(r, p, &f);
    return lun_file_send(r, &f);
}


static lun_verdict
on_gzip(lun_session *s)
{
    return serve(lun_request_of(s), &gzip);
}


static lun_verdict
on_brotli(lun_session *s)
{
    return serve(lun_request_of(s), &brotli);
}


static lun_verdict
on_zstd(lun_session *s)
{
    return serve(lun_request_of(s), &zstd);
}


/* Its fallback is set where there is no http block. */
static lun_rc
set_which(lun_conf *cf, const lun_directive *d, void *data)
{
    static_conf  *conf = data;

    if (lun_set_enum(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->which != OFF) {
        lun_gzip_need(cf);
    }

    return LUN_OK;
}


static const lun_enum  words[] = {
    { "off", OFF }, { "on", ON }, { "always", ALWAYS }, { NULL, 0 }
};

#define STATIC_ROW(name_, help_)                                              \
    { .name = name_, .where = LUN_HTTP_LEVELS, .args = 1, .set = set_which,   \
      LUN_FIELD(static_conf, which), .data = words, .fallback = "off",        \
      .values = "on | off | always",                                          \
      .help = help_ }

static const lun_directive  gzip_directives[] = {
    STATIC_ROW("gzip_static",
               "serves files that have been compressed before (.gz)"),
    { 0 }
};

static const lun_directive  brotli_directives[] = {
    STATIC_ROW("brotli_static",
               "serves files that have been compressed before (.br)"),
    { 0 }
};

static const lun_directive  zstd_directives[] = {
    STATIC_ROW("zstd_static",
               "serves files that have been compressed before (.zst)"),
    { 0 }
};

lun_http_module  lun_http_gzip_static = {
    .name = "gzip_static",
    .directives = gzip_directives,
    .conf_size = sizeof(static_conf),
    .on[LUN_CONTENT] = on_gzip,
};

lun_http_module  lun_http_brotli_static = {
    .name = "brotli_static",
    .directives = brotli_directives,
    .conf_size = sizeof(static_conf),
    .on[LUN_CONTENT] = on_brotli,
};

lun_http_module  lun_http_zstd_static = {
    .name = "zstd_static",
    .directives = zstd_directives,
    .conf_size = sizeof(static_conf),
    .on[LUN_CONTENT] = on_zstd,
};
