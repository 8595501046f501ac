/*
 * proxy_fields.c -- the fields of a request in HTTP/2 and HTTP/3.
 *
 * Headers come from the same places as in HTTP/1; those that are about its
 * connections are left out.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"


/* Who asks for trailers is told of them, if somebody passes them on. */
static void
add_te(lun_upreq *x, lun_array *fields)
{
    if (x->conf->pass_trailers && x->conf->pass_request_headers
        && lun_upreq_fields_take_trailers(x->r))
    {
        lun_upreq_fields_add(x->r->pool, fields, LUN_STR("te"),
                         LUN_STR("trailers"));
    }
}


/* A length in front of no body at all would be a lie. */
static bool
is_sent(const lun_upreq *x, const lun_proxy_header *h)
{
    const lun_proxy_state  *s = x->protocol_data;

    return !lun_upreq_fields_is_barred(h->name) && h->source != LUN_PROXY_HOST
           && h->source != LUN_PROXY_HOST_SET
           && (h->source != LUN_PROXY_LENGTH || s->length == 0
               || x->body != NULL || x->streamed);
}


static void
add_headers(lun_upreq *x, const lun_proxy_conf *conf, lun_array *fields)
{
    size_t                   i;
    lun_str                  value;
    lun_pool                *pool = x->r->pool;
    const lun_proxy_header  *h = conf->headers.items;

    for (i = 0; i < conf->headers.count; i++, h++) {
        value = is_sent(x, h) ? lun_proxy_value(x, h) : LUN_STR("");

        if (value.len != 0) {
            lun_upreq_fields_add(pool, fields, h->name, value);
        }
    }

    if (!conf->up.pass_request_headers) {
        return;
    }

    lun_header_each(&x->r->in.list, in) {
        if (lun_proxy_find(&conf->headers, in->hash, in->name) == NULL
            && !lun_upreq_fields_is_barred(in->name))
        {
            lun_upreq_fields_add(pool, fields, in->name, in->value);
        }
    }
}


/* What is Host in HTTP/1. */
static lun_str
authority(lun_upreq *x, const lun_proxy_conf *conf)
{
    lun_str  name = LUN_STR("Host");

    return lun_proxy_value(x, lun_proxy_find(&conf->headers,
                                             lun_header_hash(name), name));
}


/*
 * Pseudo-fields first (RFC 9113, 8.3; RFC 9114, 4.3), then what
 * proxy_set_header says, then what the client sent.
 */
lun_rc
lun_proxy_make_fields(lun_upreq *x, lun_array *fields)
{
    lun_str                method;
    lun_pool              *pool = x->r->pool;
    const lun_proxy_conf  *conf = lun_http_conf(x->r, &lun_http_proxy);

    if (lun_proxy_prepare(x, &method) != LUN_OK) {
        return LUN_ERROR;
    }

    x->body_is_plain = false;

    lun_array_init(fields, pool, sizeof(lun_pair), 32);
    lun_upreq_fields_add(pool, fields, LUN_STR(":method"), method);
    lun_upreq_fields_add(pool, fields, LUN_STR(":scheme"),
                         x->target.tls != NULL ? LUN_STR("https")
                                               : LUN_STR("http"));
    lun_upreq_fields_add(pool, fields, LUN_STR(":path"), x->uri);
    lun_upreq_fields_add(pool, fields, LUN_STR(":authority"),
                         authority(x, conf));
    add_headers(x, conf, fields);
    add_te(x, fields);

    return LUN_OK;
}
