/*
 * addition.c -- what other locations say, before and after an answer.
 *
 *     add_before_body /head;
 *     add_after_body /foot;
 *
 * Both are subrequests, whose output goes out in its place.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/subrequest.h"


typedef struct {
    lun_str      before;           /* "": none */
    lun_str      after;
    lun_hash    *types;
} addition_conf;

/* Of a request that gets them. */
typedef struct {
    bool  begun;
} addition_state;

extern lun_http_module  lun_http_addition;


static lun_rc
on_header(lun_request *r)
{
    const addition_conf  *conf = lun_http_conf(r, &lun_http_addition);

    if (r->out.status != 200 || r->parent != NULL
        || (conf->before.len == 0 && conf->after.len == 0)
        || !lun_http_is_type(r, conf->types))
    {
        return lun_http_next_header(r, &lun_http_addition);
    }

    lun_http_set_state(r, &lun_http_addition,
                       lun_pool_new(r->pool, addition_state));
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_weak_etag(r);

    return lun_http_next_header(r, &lun_http_addition);
}


static lun_rc
ask(lun_request *r, lun_str uri)
{
    lun_request  *sub;

    if (uri.len == 0) {
        return LUN_OK;
    }

    sub = lun_subrequest_ask(r, uri, LUN_STR_NULL, 0);

    if (sub == NULL) {
        return LUN_ERROR;
    }

    lun_subrequest_start(sub, NULL, NULL);
    return LUN_OK;
}


/* The end of the answer waits until the last of the others has spoken. */
static lun_rc
finish(lun_request *r, const addition_conf *conf, lun_buf *in, lun_buf *last)
{
    lun_rc    rc;
    lun_buf  *end = lun_buf_new(r->pool);

    last->eof = 0;
    rc = lun_http_next_body(r, &lun_http_addition, in);
    lun_http_set_state(r, &lun_http_addition, NULL);

    if (rc == LUN_ERROR || ask(r, conf->after) != LUN_OK) {
        return LUN_ERROR;
    }

    end->eof = 1;
    return lun_http_next_body(r, &lun_http_addition, end);
}


/*
 * Text in front is asked for when the first of the body comes, not with the
 * header: the answer may turn out to have none.
 */
static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_buf              *b;
    addition_state       *s;
    const addition_conf  *conf;

    if (in == NULL || r->header_only
        || (s = lun_http_state(r, &lun_http_addition)) == NULL)
    {
        return lun_http_next_body(r, &lun_http_addition, in);
    }

    conf = lun_http_conf(r, &lun_http_addition);

    if (!s->begun) {
        s->begun = true;

        if (ask(r, conf->before) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    for (b = in; b != NULL && conf->after.len != 0; b = b->next) {
        if (b->eof) {
            return finish(r, conf, in, b);
        }
    }

    return lun_http_next_body(r, &lun_http_addition, in);
}


static lun_rc
set_uri(lun_conf *cf, const lun_directive *d, void *data)
{
    if (lun_set_str(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_subrequest_in_order(cf);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "add_before_body", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_uri, LUN_FIELD(addition_conf, before),
      .values = "uri",
      .help = "the answer to this URI is put before the page" },
    { .name = "add_after_body", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_uri, LUN_FIELD(addition_conf, after),
      .values = "uri",
      .help = "the answer to this URI is put behind the page" },
    { .name = "addition_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_media_types,
      LUN_FIELD(addition_conf, types), .fallback = "text/html",
      .values = "mime-type ...",
      .help = "types of pages that something is added to" },
    { 0 }
};

lun_http_module  lun_http_addition = {
    .name = "addition",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(addition_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
