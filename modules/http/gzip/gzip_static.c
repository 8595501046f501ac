/*
 * gzip_static.c -- files that were compressed before: "x.gz" instead of "x".
 *
 *     gzip_static on;
 *
 * Path rules are static.c's: what may not be served there is not here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/gzip/gzip_priv.h"

#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"


typedef enum { OFF, ON, ALWAYS } which;

typedef struct {
    int  which;
} static_conf;

extern lun_http_module  lun_http_gzip_static;


/* The request's file with ".gz" behind its name. */
static lun_verdict
packed_path(lun_request *r, lun_safe_path *c)
{
    lun_verdict  v = lun_http_file_path(r, c);

    if (v == LUN_NEXT) {
        c->path = lun_pool_fmt(r->pool, "%.*s.gz", LUN_S(c->path));
    }

    return v;
}


/* True: there is one. */
static bool
open_file(lun_request *r, const lun_safe_path *c, lun_static_file *f)
{
    const char  *failed;
    lun_err      err = lun_file_cache_open(r->pool, c, f, &failed);

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
set_headers(lun_request *r, const lun_static_file *f)
{
    r->log->doing = "sending response to client";
    r->out.status = 200;
    r->out.content_length = f->info.size;
    r->out.last_modified = f->info.mtime;
    lun_http_set_etag(r, f->info.mtime, f->info.size);
    lun_http_set_type(r);
    lun_http_set_out(r, LUN_STR("Content-Encoding"), LUN_STR("gzip"));
    r->packed = 1;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request        *r = lun_request_of(s);
    bool                accepted;
    lun_safe_path       c;
    lun_verdict         v;
    lun_static_file     f;
    const static_conf  *conf = lun_http_conf(r, &lun_http_gzip_static);

    if (conf->which == OFF || (r->method & (LUN_GET | LUN_HEAD)) == 0
        || lun_uri_is_folder(r->uri))
    {
        return LUN_NEXT;
    }

    accepted = conf->which == ALWAYS || lun_gzip_accepted(r);

    if (!accepted && !lun_gzip_varies(r)) {
        return LUN_NEXT;
    }

    v = packed_path(r, &c);

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

    set_headers(r, &f);
    return lun_file_send(r, &f);
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

static const lun_directive  directives[] = {
    { .name = "gzip_static", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_which, LUN_FIELD(static_conf, which), .data = words,
      .fallback = "off",
      .help = "serves files that have been compressed before (.gz)" },
    { 0 }
};

lun_http_module  lun_http_gzip_static = {
    .name = "gzip_static",
    .directives = directives,
    .conf_size = sizeof(static_conf),
    .on[LUN_CONTENT] = on_content,
};
