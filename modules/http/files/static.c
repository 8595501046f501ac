/*
 * static.c -- files.  The last of the content handlers: whatever nobody else
 * wants is a file under `root`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "format/uri.h"
#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"


/* A directory without a slash at its end. */
static lun_verdict
add_slash(lun_request *r)
{
    char    *start, *p;
    size_t   len;

    len = lun_uri_escaped_len(r->uri, LUN_ESCAPE_URI);

    p = start = lun_pool_text(r->pool, len + 2 + r->args.len);
    p = lun_uri_escape(p, r->uri, LUN_ESCAPE_URI);
    *p++ = '/';

    if (r->args.len != 0) {
        *p++ = '?';
        p = lun_copy_str(p, r->args);
    }

    lun_http_set_out(r, LUN_STR("Location"),
                     lun_str_of(start, (size_t) (p - start)));

    return LUN_STATUS + 301;
}


/* A type lives as long as the generation whose settings gave it. */
static void
set_type(lun_request *r, lun_static_type *kept)
{
    uint32_t              generation = lun_http_generation(r)->number;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (r->out.content_type.len != 0) {
        return;                    /* of who sent the request here */
    }

    if (kept != NULL && kept->conf == conf && kept->generation == generation) {
        r->out.content_type = kept->text;
        return;
    }

    lun_http_set_type(r);

    if (kept != NULL && r->out.charset.len == 0) {
        *kept = (lun_static_type) { r->out.content_type, conf, generation };
    }
}


static void
set_headers(lun_request *r, const lun_static_file *f)
{
    r->out.status = 200;
    r->out.content_length = f->info.size;
    r->out.last_modified = f->info.mtime;

    if (f->etag.len == 0) {
        lun_http_set_etag(r, f->info.mtime, f->info.size);

    } else if (lun_core_conf_of(r)->etag) {
        lun_http_add_out(r, LUN_STR("ETag"), f->etag);
    }

    set_type(r, f->type);
    r->allow_ranges = 1;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request      *r = lun_request_of(s);
    lun_safe_path     c;
    lun_verdict       v;
    lun_static_file   f;

    if ((r->method & (LUN_GET | LUN_HEAD | LUN_POST)) == 0) {
        return LUN_STATUS + 405;
    }

    if (lun_uri_is_folder(r->uri)) {
        return LUN_NEXT;
    }

    if (!lun_file_open_request(r, &c, &f, &v)) {
        return v;
    }

    if (f.info.is_dir) {
        return add_slash(r);
    }

    if (!f.info.is_file) {
        lun_log(LUN_LOG_CRIT, r->log, 0, "\"%s\" is not a regular file",
                c.path.data);
        return LUN_STATUS + 404;
    }

    /* Only now: a POST to what is not there is a 404. */
    if (r->method == LUN_POST) {
        return LUN_STATUS + 405;
    }

    v = lun_body_discard(r);

    if (v >= LUN_STATUS) {
        return v;
    }

    r->log->doing = "sending response to client";
    set_headers(r, &f);

    return lun_file_send(r, &f);
}


lun_http_module  lun_http_static = {
    .name = "static",
    .always = true,
    .on[LUN_CONTENT] = on_content,
};
