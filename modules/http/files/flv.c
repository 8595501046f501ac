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


/*
 * A part begins with the head of a file of its own, so that players take it for
 * one; the ETag is that of the part.
 */
static lun_verdict
on_content(lun_session *s)
{
    int64_t           start;
    lun_request      *r = lun_request_of(s);
    lun_verdict       v;
    lun_safe_path     c;
    lun_static_file   f;

    if (!lun_http_has_content(r, &lun_http_flv)) {
        return LUN_NEXT;
    }

    if (!lun_file_open_media(r, &c, &f, &v)) {
        return v;
    }

    r->log->doing = "sending flv to client";
    start = start_of(r, f.info.size);

    r->allow_ranges = 1;

    if (start > 0) {
        lun_http_set_etag(r, f.info.mtime, (int64_t) sizeof(head) - 1
                          + f.info.size - start);
        return lun_file_send_part(r, &f, lun_str_of(head, sizeof(head) - 1),
                                  start, f.info.size);
    }

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
