/*
 * uwsgi.c -- requests that a uwsgi server answers (Python, above all), in
 * plain text or over TLS.
 *
 *     location / { include uwsgi_params; uwsgi_pass unix:/run/app.sock; }
 *
 * A request is four bytes (modifier1, the size of what follows, modifier2),
 * pairs with their lengths in two bytes each, lowest first, uwsgi_string; then
 * the body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/cgi_plain.h"
#include "http/upstream/upreq_passes.h"

#include "base/fmt.h"


enum { HEAD = 4, MOST = UINT16_MAX };

static const lun_upreq_scheme  schemes[] = {
    { LUN_STR_INIT("uwsgi://"), 0, false },
    { LUN_STR_INIT("suwsgi://"), 0, true },
    { LUN_STR_INIT(""), 0, false },
    { { 0, NULL }, 0, false }
};

typedef struct {
    lun_cgi_plain_conf  plain;
    int64_t             modifier1;
    int64_t             modifier2;
    lun_str             string;    /* behind the pairs */
} uwsgi_conf;

extern lun_http_module  lun_http_uwsgi;


/* --- the request --------------------------------------------------------- */

static char *
put_number(char *p, size_t n)
{
    *p++ = (char) n;
    *p++ = (char) (n >> 8);

    return p;
}


static char *
put(char *p, lun_str text)
{
    return lun_copy_str(put_number(p, text.len), text);
}


/*
 * Sizes are 16 bits: what does not fit can't be said, and is an error of the
 * request.
 */
static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    char                *p;
    size_t               i, size;
    lun_buf             *b;
    lun_array            pairs;
    lun_request         *r = x->r;
    const uwsgi_conf    *conf = lun_http_conf(r, &lun_http_uwsgi);
    const lun_cgi_pair  *pair;

    lun_cgi_make_pairs(r, &conf->plain.params,
                       conf->plain.up.pass_request_headers,
                       &pairs);
    pair = pairs.items;
    size = conf->string.len;

    for (i = 0; i < pairs.count; i++) {
        size += pair[i].name.len + pair[i].value.len + 4;
    }

    if (size > MOST) {
        lun_log(LUN_LOG_ERR, r->log, 0, "uwsgi request is too big: %zu",
                size);
        return LUN_ERROR;
    }

    b = lun_buf_new_room(r->pool, HEAD + size);
    p = b->last;
    *p++ = (char) conf->modifier1;
    p = put_number(p, size);
    *p++ = (char) conf->modifier2;

    for (i = 0; i < pairs.count; i++) {
        p = put(p, pair[i].name);
        p = put(p, pair[i].value);
    }

    b->last = lun_copy_str(p, conf->string);
    *head = b;

    return LUN_OK;
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("uwsgi://"),
    .tls_schema  = LUN_STR_INIT("suwsgi://"),
    .make        = make,
    .reset       = lun_cgi_plain_reset,
    .read_header = lun_cgi_plain_read_header,
    .read_body   = lun_cgi_plain_read_body,
};


static lun_verdict
on_content(lun_session *s)
{
    return lun_cgi_plain_content(lun_request_of(s), &lun_http_uwsgi, &protocol);
}


/* --- the configuration --------------------------------------------------- */

/* One byte. */
static lun_rc
set_modifier(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  *n = (int64_t *) (void *) ((char *) conf + d->field);

    if (lun_set_num(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (*n > UINT8_MAX) {
        return lun_conf_fail(cf, "value must be between 0 and 255");
    }

    return LUN_OK;
}


static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    uwsgi_conf  *conf = data;

    return lun_upreq_set_pass(cf, &lun_http_uwsgi, schemes,
                              &conf->plain.address);
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    uwsgi_conf  *conf = data;

    /* Unlike with FastCGI and SCGI, a client sees Status, which is first. */
    if (lun_cgi_plain_finish_conf(cf, &lun_http_uwsgi, &conf->plain,
                                  lun_cgi_hidden + 1) != LUN_OK)
    {
        return LUN_ERROR;
    }

    return conf->plain.address == NULL
           || !lun_upreq_may_use_tls(conf->plain.address) ? LUN_OK
           : lun_upstream_tls_finish_conf(cf, "uwsgi_", &conf->plain.up.tls);
}


static lun_rc
init(lun_conf *cf)
{
    const uwsgi_conf  *top = lun_http_top_conf(cf, &lun_http_uwsgi);

    lun_upreq_want_folder(cf, &top->plain.up, "uwsgi");
    return LUN_OK;
}


static bool
passes(lun_pool *pool, const void *data, lun_upreq_passes *to)
{
    const uwsgi_conf  *conf = data;

    return lun_upreq_passes_to(to, pool, conf->plain.address, &conf->plain.up,
                               LUN_PASSES_OTHER, "uwsgi");
}


static const lun_directive  directives[] = {
    LUN_CGI_PLAIN_ROWS("uwsgi_", set_pass),

    { .name = "uwsgi_modifier1", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_modifier, LUN_FIELD(uwsgi_conf, modifier1),
      .fallback = "0",
      .values = "number",
      .help = "the first byte of uwsgi's header" },
    { .name = "uwsgi_modifier2", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_modifier, LUN_FIELD(uwsgi_conf, modifier2),
      .fallback = "0",
      .values = "number",
      .help = "the last byte of uwsgi's header" },
    { .name = "uwsgi_string", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_str, LUN_FIELD(uwsgi_conf, string),
      .values = "string",
      .help = "what follows the parameters of a request" },

    LUN_UPSTREAM_ROWS("uwsgi_", uwsgi_conf, plain.up),
    LUN_CACHE_ROWS("uwsgi_", uwsgi_conf, plain.cache, plain.up),
    LUN_UPSTREAM_TLS_ROWS("uwsgi_", LUN_HTTP_LEVELS, uwsgi_conf, plain.up.tls),
    { 0 }
};

lun_http_module  lun_http_uwsgi = {
    .name = "uwsgi",
    .directives = directives,
    .conf_size = sizeof(uwsgi_conf),
    .inherited = inherited,
    .init = init,
    .passes = passes,
    .on[LUN_CONTENT] = on_content,
};
