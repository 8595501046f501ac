/*
 * scgi.c -- requests that an SCGI server answers.
 *
 *     location /app { include scgi_params; scgi_pass 127.0.0.1:4000; }
 *
 * A request is a netstring of names and values, each with a zero byte behind
 * it, CONTENT_LENGTH first; then the body.  An answer ends with the
 * connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/cgi_plain.h"

#include "base/fmt.h"


static const lun_upreq_scheme  schemes[] = {
    { LUN_STR_INIT("scgi://"), 0, false },
    { LUN_STR_INIT(""), 0, false },
    { { 0, NULL }, 0, false }
};

typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no scgi_pass */
    lun_cgi_params      params;
} scgi_conf;

extern lun_http_module  lun_http_scgi;


/* --- the request --------------------------------------------------------- */

static char *
put(char *p, lun_str text)
{
    p = lun_copy_str(p, text);
    *p++ = '\0';

    return p;
}


static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    char                *p;
    size_t               i, size;
    lun_buf             *b;
    lun_str              length, before;
    lun_array            pairs;
    lun_request         *r = x->r;
    const scgi_conf     *conf = lun_http_conf(r, &lun_http_scgi);
    const lun_cgi_pair  *pair;

    lun_cgi_make_pairs(r, &conf->params, conf->up.pass_request_headers,
                       &pairs);
    length = lun_pool_fmt(r->pool, "%" PRId64,
                          x->body == NULL && !x->streamed
                          ? 0 : lun_max(r->in.content_length, (int64_t) 0));
    size = sizeof("CONTENT_LENGTH") + length.len + 1;
    pair = pairs.items;

    for (i = 0; i < pairs.count; i++) {
        size += pair[i].name.len + pair[i].value.len + 2;
    }

    before = lun_pool_fmt(r->pool, "%zu:", size);
    b = lun_buf_new_room(r->pool, before.len + size + 1);
    p = lun_copy_str(b->last, before);
    p = put(p, LUN_STR("CONTENT_LENGTH"));
    p = put(p, length);

    for (i = 0; i < pairs.count; i++) {
        p = put(p, pair[i].name);
        p = put(p, pair[i].value);
    }

    *p++ = ',';
    b->last = p;
    *head = b;

    return LUN_OK;
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("scgi://"),
    .tls_schema  = LUN_STR_INIT("scgi://"),
    .make        = make,
    .reset       = lun_cgi_plain_reset,
    .read_header = lun_cgi_plain_read_header,
    .read_body   = lun_cgi_plain_read_body,
};


static lun_verdict
on_content(lun_session *s)
{
    lun_request      *r = lun_request_of(s);
    const scgi_conf  *conf = lun_http_conf(r, &lun_http_scgi);

    if (conf->address == NULL || !lun_http_has_content(r, &lun_http_scgi)) {
        return LUN_NEXT;
    }

    return lun_cgi_plain_start(r, &conf->up, conf->address, &protocol);
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    scgi_conf  *conf = data;

    (void) d;

    return lun_upreq_set_pass(cf, &lun_http_scgi, schemes, &conf->address);
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    scgi_conf  *conf = data;

    (void) parent;

    if (lun_upreq_finish_conf(cf, "scgi", &conf->up, lun_cgi_hidden)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    return lun_cgi_finish_params(cf, &conf->params,
                                 conf->up.cache.zone != NULL);
}


static lun_rc
init(lun_conf *cf)
{
    const scgi_conf  *top = lun_http_top_conf(cf, &lun_http_scgi);

    lun_upreq_want_folder(cf, &top->up, "scgi");
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "scgi_pass", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .set = set_pass, LUN_FIELD(scgi_conf, address),
      .help = "the server that answers" },
    { .name = "scgi_param", .where = LUN_HTTP_LEVELS, .args = 2,
      .args_max = 3, .repeats = true, .set = lun_set_cgi_param,
      LUN_FIELD(scgi_conf, params.list),
      .help = "a parameter for the program, and its value" },

    LUN_UPSTREAM_ROWS("scgi_", scgi_conf, up),
    { 0 }
};

lun_http_module  lun_http_scgi = {
    .name = "scgi",
    .directives = directives,
    .conf_size = sizeof(scgi_conf),
    .inherited = inherited,
    .init = init,
    .on[LUN_CONTENT] = on_content,
};
