/*
 * empty_gif.c -- a picture of one transparent pixel, from memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"


extern lun_http_module  lun_http_empty_gif;

static const char  picture[] =
    "GIF89a" "\1\0\1\0"            /* one by one */
    "\x80\x01\0"                   /* two colours, the second behind all */
    "\0\0\0" "\xff\xff\xff"
    "!\xf9\4" "\1\0\0\1\0"         /* colour 1 is transparent */
    "," "\0\0\0\0" "\1\0\1\0" "\0"
    "\2\2" "L\1" "\0"              /* the pixel */
    ";";


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    lun_verdict   v;

    if (!lun_http_has_content(r, &lun_http_empty_gif)) {
        return LUN_NEXT;
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    v = lun_body_discard(r);

    if (v != LUN_LEAVE) {
        return v;
    }

    r->out.last_modified = 23349600;   /* 1970-09-28 06:00:00, as nginx has */
    return lun_http_respond(r, 200, LUN_STR("image/gif"),
                            lun_str_of(picture, sizeof(picture) - 1));
}


static lun_rc
set_gif(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_http_set_content(cf, &lun_http_empty_gif);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "empty_gif", .where = LUN_LOCATION, .set = set_gif,
      .help = "answers with a picture of one transparent pixel" },
    { 0 }
};

lun_http_module  lun_http_empty_gif = {
    .name = "empty_gif",
    .directives = directives,
    .on[LUN_CONTENT] = on_content,
};
