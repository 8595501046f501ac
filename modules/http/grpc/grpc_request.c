/*
 * grpc_request.c -- the fields of a request to a gRPC server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/grpc/grpc_priv.h"

#include "format/uri.h"


static const lun_grpc_header *
find_set(const lun_grpc_conf *conf, lun_str name)
{
    size_t                  i;
    const lun_grpc_header  *h;

    if (conf->set == NULL) {
        return NULL;
    }

    h = conf->set->items;

    for (i = 0; i < conf->set->count; i++, h++) {
        if (lun_str_caseeq(h->name, name)) {
            return h;
        }
    }

    return NULL;
}


static bool
is_passed(const lun_grpc_conf *conf, lun_str name)
{
    return !lun_upreq_fields_is_barred(name)
           && !lun_str_caseeq(name, LUN_STR("host"))
           && !lun_str_caseeq(name, LUN_STR("expect"))
           && !lun_str_caseeq(name, LUN_STR("content-length"))
           && find_set(conf, name) == NULL;
}


/* The path as it came; or, where it was rewritten, what it is now. */
static lun_str
path_of(lun_request *r)
{
    char    *text, *p;
    size_t   n;

    if (!r->uri_is_new && !r->args_are_new && !r->internal) {
        return r->target;
    }

    n = lun_uri_escaped_len(r->uri, LUN_ESCAPE_URI);
    text = lun_pool_text(r->pool, n + 1 + r->args.len);
    p = lun_uri_escape(text, r->uri, LUN_ESCAPE_URI);

    if (r->args.len != 0) {
        *p++ = '?';
        p = lun_copy_str(p, r->args);
    }

    return lun_str_of(text, (size_t) (p - text));
}


/* grpc_set_header Host, where it says something. */
static lun_str
authority(lun_upreq *x, const lun_grpc_conf *conf)
{
    lun_str                 text = LUN_STR("");
    const lun_grpc_state   *s = x->protocol_data;
    const lun_grpc_header  *h = find_set(conf, LUN_STR("host"));

    if (h != NULL) {
        text = lun_script_run(&x->r->session, h->value);
    }

    return text.len != 0 ? text : s->url.host_header;
}


/* A length in front of no body at all would be a lie: it was dropped. */
static bool
has_length(const lun_upreq *x)
{
    return x->r->in.content_length == 0
           || (x->r->in.content_length > 0
               && (x->body != NULL || x->streamed));
}


static void
add_usual(lun_upreq *x, const lun_grpc_conf *conf, lun_array *fields)
{
    lun_request  *r = x->r;

    lun_upreq_fields_add(r->pool, fields, LUN_STR(":method"), r->method_name);
    lun_upreq_fields_add(r->pool, fields, LUN_STR(":scheme"),
                     x->target.tls != NULL ? LUN_STR("https")
                                           : LUN_STR("http"));
    lun_upreq_fields_add(r->pool, fields, LUN_STR(":path"), path_of(r));

    lun_upreq_fields_add(r->pool, fields, LUN_STR(":authority"),
                     authority(x, conf));

    if (find_set(conf, LUN_STR("content-length")) == NULL && has_length(x)) {
        lun_upreq_fields_add(r->pool, fields, LUN_STR("content-length"),
                         lun_pool_fmt(r->pool, "%" PRId64,
                                      r->in.content_length));
    }

    if (find_set(conf, LUN_STR("te")) == NULL
        && lun_upreq_fields_take_trailers(r))
    {
        lun_upreq_fields_add(r->pool, fields, LUN_STR("te"),
                         LUN_STR("trailers"));
    }
}


static void
add_fields(lun_upreq *x, lun_array *fields)
{
    size_t                  i;
    lun_str                 text;
    lun_request            *r = x->r;
    const lun_grpc_conf    *conf = lun_http_conf(r, &lun_http_grpc);
    const lun_grpc_header  *h;

    add_usual(x, conf, fields);

    for (i = 0; conf->set != NULL && i < conf->set->count; i++) {
        h = lun_array_at(conf->set, i);
        text = lun_str_caseeq(h->name, LUN_STR("host"))
               ? LUN_STR("") : lun_script_run(&r->session, h->value);

        if (text.len != 0) {
            lun_upreq_fields_add(r->pool, fields, h->name, text);
        }
    }

    lun_header_each(&r->in.list, in) {
        if (is_passed(conf, in->name)) {
            lun_upreq_fields_add(r->pool, fields, in->name, in->value);
        }
    }
}


static lun_rc
make_request(lun_upreq *x, lun_buf **head)
{
    lun_array  fields;

    lun_array_init(&fields, x->r->pool, sizeof(lun_pair), 32);
    add_fields(x, &fields);

    return lun_upreq_h2_make(x, &fields, head);
}


const lun_upstream_protocol  lun_grpc_protocol = {
    .schema      = LUN_STR_INIT("grpc://"),
    .tls_schema  = LUN_STR_INIT("grpcs://"),
    .language    = LUN_STR_INIT("h2"),
    .reassembles = true,
    .dates_itself = true,
    .make        = make_request,
    .join        = lun_upreq_h2_join,
    .part        = lun_upreq_h2_part,
    .begin       = lun_upreq_h2_begin,
    .frame       = lun_upreq_h2_frame,
    .reset       = lun_upreq_h2_reset,
    .read_header = lun_upreq_h2_read_header,
    .read_body   = lun_upreq_h2_read_body,
};
