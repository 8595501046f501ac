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
#include "http/upstream/upreq_passes.h"

#include "base/fmt.h"


static const lun_upreq_scheme  schemes[] = {
    { LUN_STR_INIT("scgi://"), 0, false },
    { LUN_STR_INIT(""), 0, false },
    { { 0, NULL }, 0, false }
};

extern lun_http_module  lun_http_scgi;


/* --- the request --------------------------------------------------------- */

static char *
put(char *p, lun_str text)
{
    p = lun_copy_str(p, text);
    *p++ = '\0';

    return p;
}


/*
 * A zero byte would end a value early, and what follows, which a client may
 * have chosen, would be read as a name.  CONTENT_LENGTH has to be the first.
 */
static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    char                *p;
    size_t               i, size;
    lun_buf             *b;
    lun_str              length, before;
    lun_array            pairs;
    lun_request         *r = x->r;
    const lun_cgi_pair  *pair;

    const lun_cgi_plain_conf  *conf = lun_http_conf(r, &lun_http_scgi);

    lun_cgi_make_pairs(r, &conf->params, conf->up.pass_request_headers,
                       &pairs);
    length = lun_pool_fmt(r->pool, "%" PRId64,
                          x->body == NULL && !x->streamed
                          ? 0 : lun_max(r->in.content_length, (int64_t) 0));
    size = sizeof("CONTENT_LENGTH") + length.len + 1;
    pair = pairs.items;

    for (i = 0; i < pairs.count; i++) {
        if (lun_str_chr(pair[i].name, '\0') != NULL
            || lun_str_chr(pair[i].value, '\0') != NULL)
        {
            lun_log(LUN_LOG_ERR, r->log, 0, "a zero byte in SCGI parameter "
                    "\"%.*s\"", LUN_S(pair[i].name));
            return LUN_ERROR;
        }

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
    return lun_cgi_plain_content(lun_request_of(s), &lun_http_scgi, &protocol);
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_cgi_plain_conf  *conf = data;

    return lun_upreq_set_pass(cf, &lun_http_scgi, schemes, &conf->address);
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    return lun_cgi_plain_finish_conf(cf, &lun_http_scgi, data, lun_cgi_hidden);
}


static lun_rc
init(lun_conf *cf)
{
    const lun_cgi_plain_conf  *top = lun_http_top_conf(cf, &lun_http_scgi);

    lun_upreq_want_folder(cf, &top->up, "scgi");
    return LUN_OK;
}


static bool
passes(lun_pool *pool, const void *data, lun_upreq_passes *to)
{
    const lun_cgi_plain_conf  *conf = data;

    return lun_upreq_passes_to(to, pool, conf->address, &conf->up,
                               LUN_PASSES_OTHER, "scgi");
}


static const lun_directive  directives[] = {
    LUN_CGI_PLAIN_ROWS("scgi_", set_pass),

    LUN_UPSTREAM_ROWS("scgi_", lun_cgi_plain_conf, up),
    LUN_CACHE_ROWS("scgi_", lun_cgi_plain_conf, cache, up),
    { 0 }
};

lun_http_module  lun_http_scgi = {
    .name = "scgi",
    .directives = directives,
    .conf_size = sizeof(lun_cgi_plain_conf),
    .inherited = inherited,
    .init = init,
    .passes = passes,
    .on[LUN_CONTENT] = on_content,
};
