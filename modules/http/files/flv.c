/*
 * flv.c -- flash video from any byte on.
 *
 *     location ~ \.flv$ { flv; }
 *
 * "?start=N" gives a header of its own and the file from there: a player that
 * seeks knows the bytes at which pictures begin.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"


extern lun_http_module  lun_http_flv;

static const char  head[] = "FLV\x1\x5\0\0\0\x9\0\0\0\0";


/* Where to begin; 0: with the file's own header. */
static int64_t
start_of(lun_request *r, int64_t size)
{
    int64_t           n;
    const lun_value  *v = lun_var_get_named(&r->session, LUN_STR("arg_start"));

    if (v == NULL || v->not_found || lun_str_to_i64(v->text, &n) != LUN_OK
        || n <= 0 || n >= size)
    {
        return 0;
    }

    return n;
}


static lun_verdict
send_from(lun_request *r, const lun_static_file *f, int64_t start)
{
    lun_buf  *first, *rest;

    r->out.content_length = (int64_t) sizeof(head) - 1 + f->info.size - start;

    if (lun_http_send_header(r) == LUN_ERROR) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    first = lun_buf_new_str(r->pool, lun_str_of(head, sizeof(head) - 1));
    rest = f->fd == LUN_FD_NONE
           ? lun_buf_new_str(r->pool,
                             lun_str_of(f->data.data + start,
                                        f->data.len - (size_t) start))
           : lun_buf_new_file(r->pool, f->fd, start, f->info.size);
    first->next = rest;
    lun_http_mark_last(r, rest);

    return lun_http_output(r, first) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}


static lun_verdict
on_content(lun_session *s)
{
    int64_t           start;
    lun_err           err;
    lun_request      *r = lun_request_of(s);
    lun_verdict       v;
    const char       *failed;
    lun_safe_path     c;
    lun_static_file   f;

    if (!lun_http_has_content(r, &lun_http_flv)) {
        return LUN_NEXT;
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    if (lun_uri_is_folder(r->uri)) {
        return LUN_NEXT;
    }

    v = lun_body_discard(r);

    if (v >= LUN_STATUS) {
        return v;
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    err = lun_file_cache_open(r->pool, &c, &f, &failed);

    if (err != 0) {
        return lun_file_refuse(r, err, failed, c.path);
    }

    if (!f.info.is_file) {
        return LUN_NEXT;
    }

    r->log->doing = "sending flv to client";
    r->out.status = 200;
    r->out.content_length = f.info.size;
    r->out.last_modified = f.info.mtime;
    lun_http_set_etag(r, f.info.mtime, f.info.size);
    lun_http_set_type(r);
    start = start_of(r, f.info.size);

    if (start > 0) {
        return send_from(r, &f, start);
    }

    r->allow_ranges = 1;
    return lun_file_send(r, &f);
}


static lun_rc
set_flv(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_http_set_content(cf, &lun_http_flv);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "flv", .where = LUN_LOCATION, .set = set_flv,
      .help = "serves flash videos from the byte that ?start= names" },
    { 0 }
};

lun_http_module  lun_http_flv = {
    .name = "flv",
    .directives = directives,
    .on[LUN_CONTENT] = on_content,
};
