/*
 * grpc.c -- requests that a gRPC server answers, over HTTP/2.
 *
 *     location / { grpc_pass grpc://127.0.0.1:50051; }
 *
 * Bodies go both ways as they come, and at the same time; trailers are passed.
 * Frames, windows and connections are core/http/upstream/h2's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/grpc/grpc_priv.h"
#include "client/http_question.h"
#include "http/upstream/upreq_passes.h"
#include "http/upstream/upreq_rows.h"


static const lun_upreq_scheme  schemes[] = {
    { LUN_STR_INIT("grpc://"), 80, false },
    { LUN_STR_INIT("grpcs://"), 443, true },
    { LUN_STR_INIT(""), 80, false },
    { { 0, NULL }, 0, false }
};

/* What a client is not told unless grpc_pass_header says so. */
static const lun_str  hidden[] = {
    LUN_STR_INIT("Date"), LUN_STR_INIT("Server"),
    LUN_STR_INIT("X-Accel-Expires"), LUN_STR_INIT("X-Accel-Redirect"),
    LUN_STR_INIT("X-Accel-Limit-Rate"), LUN_STR_INIT("X-Accel-Buffering"),
    LUN_STR_INIT("X-Accel-Charset"), { 0, NULL }
};


static lun_verdict
on_content(lun_session *session)
{
    lun_verdict           v;
    lun_upreq            *x;
    lun_request          *r = lun_request_of(session);
    lun_grpc_state       *s;
    const lun_grpc_conf  *conf = lun_http_conf(r, &lun_http_grpc);

    if (conf->address == NULL || !lun_http_has_content(r, &lun_http_grpc)) {
        return LUN_NEXT;
    }

    x = lun_upreq_new(r, &conf->up, &lun_grpc_protocol);
    s = lun_pool_new(r->pool, lun_grpc_state);
    s->h2.head = r->method == LUN_HEAD;
    s->h2.fields.keep_trailers = true;
    x->protocol_data = s;
    v = lun_upreq_find_target(x, conf->address, &s->url);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_upreq_stream(x, false);
    return lun_upreq_start(x);
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_grpc_conf  *conf = data;

    return lun_upreq_set_pass(cf, &lun_http_grpc, schemes, &conf->address);
}


static lun_rc
set_header(lun_conf *cf, const lun_directive *d, void *data)
{
    char             *name;
    lun_grpc_conf    *conf = data;
    lun_grpc_header  *h;

    if (conf->set == NULL) {
        conf->set = lun_array_new(cf->pool, sizeof(lun_grpc_header), 4);
    }

    h = lun_array_push(conf->set);
    name = lun_pool_text(cf->pool, cf->args[1].len);
    lun_mem_lower(name, cf->args[1].data, cf->args[1].len);
    h->name = lun_str_of(name, cf->args[1].len);
    h->value = lun_script_new(cf, cf->args[2]);

    return h->value != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    lun_grpc_conf  *conf = data;

    conf->up.pass_request_headers = true;
    conf->up.pass_request_body = true;
    conf->up.pass_trailers = true;
    conf->up.tls.alpn = LUN_STR("\2h2");

    if (lun_upreq_finish_conf(cf, "grpc", &conf->up, hidden) != LUN_OK) {
        return LUN_ERROR;
    }

    return conf->address == NULL || !lun_upreq_may_use_tls(conf->address)
           ? LUN_OK
           : lun_upstream_tls_finish_conf(cf, "grpc_", &conf->up.tls);
}


static bool
passes(lun_pool *pool, const void *data, lun_upreq_passes *to)
{
    size_t                  i;
    lun_str                 text;
    const lun_grpc_conf    *conf = data;
    const lun_grpc_header  *h;

    if (!lun_upreq_passes_to(to, pool, conf->address, &conf->up,
                             LUN_PASSES_HTTP, "grpc"))
    {
        return false;
    }

    for (i = 0; conf->set != NULL && i < conf->set->count; i++) {
        h = lun_array_at(conf->set, i);
        text = lun_script_text(h->value);

        if (text.len == 0 || lun_script_has_variables(text)) {
            continue;
        }

        if (lun_str_eq(h->name, LUN_STR("host"))) {
            to->host = text;

        } else if (!lun_http_question_is_framing(h->name)) {
            *(lun_http_field *) lun_array_push(&to->fields)
                = (lun_http_field) { h->name, text };
        }
    }

    return true;
}


static const lun_directive  directives[] = {
    { .name = "grpc_pass", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .set = set_pass, LUN_FIELD(lun_grpc_conf, address),
      .values = "address",
      .help = "the server that answers" },
    { .name = "grpc_set_header", .where = LUN_HTTP_LEVELS, .args = 2,
      .repeats = true, .set = set_header, LUN_FIELD(lun_grpc_conf, set),
      .values = "field value",
      .help = "a header of the request to the server" },

    LUN_UPSTREAM_CONN_ROWS("grpc_", lun_grpc_conf, up),
    LUN_UPSTREAM_HEADER_ROWS("grpc_", lun_grpc_conf, up),
    LUN_UPSTREAM_TLS_ROWS("grpc_", LUN_HTTP_LEVELS, lun_grpc_conf, up.tls),
    { 0 }
};

lun_http_module  lun_http_grpc = {
    .name = "grpc",
    .directives = directives,
    .conf_size = sizeof(lun_grpc_conf),
    .inherited = inherited,
    .passes = passes,
    .on[LUN_CONTENT] = on_content,
};
