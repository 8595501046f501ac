/*
 * field_out.c -- an answer's header as HTTP/2 and HTTP/3 have it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/field_out.h"

#include "base/check.h"
#include "http/conf/core_conf.h"


enum { OWN_FIELDS = 8 };               /* at most, that are in no list */


void
lun_fields_init(lun_fields *f, lun_pool *pool, size_t count)
{
    f->pool = pool;
    f->count = 0;
    f->room = count + OWN_FIELDS;
    f->list = lun_pool_alloc(pool, sizeof(*f->list) * f->room);
}


static void
put(lun_fields *f, lun_str name, lun_str value)
{
    LUN_CHECK(f->count < f->room);
    f->list[f->count++] = (lun_hpack_field) { name, value };
}

#define PUT(f, name, value)  put((f), LUN_STR(name), (value))


static lun_str
lower(lun_pool *pool, lun_str name)
{
    char    *text;
    size_t   i;

    for (i = 0; i < name.len && lun_lower(name.data[i]) == name.data[i]; i++);

    if (i == name.len) {
        return name;
    }

    text = lun_pool_text(pool, name.len);

    for (i = 0; i < name.len; i++) {
        text[i] = lun_lower(name.data[i]);
    }

    return lun_str_of(text, name.len);
}


/* Those that speak of an HTTP/1 connection, and are not known. */
static bool
is_hop(lun_str name)
{
    static const lun_str  names[] = {
        LUN_STR_INIT("keep-alive"), LUN_STR_INIT("proxy-connection"),
        LUN_STR_INIT("upgrade")
    };
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_caseeq(name, names[i])) {
            return true;
        }
    }

    return false;
}


static LUN_NOINLINE void
put_unknown(lun_fields *f, const lun_header *h)
{
    if (!is_hop(h->name)) {
        put(f, lower(f->pool, h->name), h->value);
    }
}


void
lun_fields_put_list(lun_fields *f, const lun_header_list *list)
{
    lun_header_each(list, h) {
        if (h->known < 0) {
            put_unknown(f, h);

        } else if (h->known != LUN_HOUT_CONNECTION
                   && h->known != LUN_HOUT_TRANSFER_ENCODING)
        {
            put(f, lun_header_out_name(h->known), h->value);
        }
    }
}


/* As put_known() of h1_out.c does; but Location comes with the list. */
static void
put_known(lun_fields *f, lun_request *r)
{
    char                   *p, *text;
    const lun_headers_out  *out = &r->out;
    const lun_core_conf    *conf = lun_core_conf_of(r);

    if (out->known[LUN_HOUT_SERVER] == NULL && conf->server_tokens.len != 0) {
        PUT(f, "server", conf->server_tokens);
    }

    if (out->known[LUN_HOUT_DATE] == NULL) {
        PUT(f, "date", lun_clock_http());
    }

    if (lun_http_type_is_as_written(out)) {
        PUT(f, "content-type", out->type_line);

    } else if (out->content_type.len != 0) {
        PUT(f, "content-type", out->charset.len == 0 ? out->content_type
            : lun_pool_fmt(r->pool, "%.*s; charset=%.*s",
                           LUN_S(out->content_type), LUN_S(out->charset)));
    }

    if (out->content_length >= 0) {
        text = lun_pool_text(r->pool, 20);
        p = lun_fmt_u64(text, (uint64_t) out->content_length);
        PUT(f, "content-length", lun_str_of(text, (size_t) (p - text)));
    }

    if (out->last_modified != -1
        && out->known[LUN_HOUT_LAST_MODIFIED] == NULL)
    {
        text = lun_pool_text(r->pool, LUN_HTTP_DATE);
        p = lun_clock_http_date(text, out->last_modified);
        PUT(f, "last-modified", lun_str_of(text, (size_t) (p - text)));
    }
}


static lun_str
status_of(lun_request *r)
{
    if (r->out.status == 200) {
        return LUN_STR("200");
    }

    /* What was asked for by CONNECT is there. */
    if (r->out.status == 101 && r->in.tunnel) {
        return LUN_STR("200");
    }

    return lun_pool_fmt(r->pool, "%03u", r->out.status % 1000);
}


void
lun_fields_put_status(lun_fields *f, lun_str status)
{
    PUT(f, ":status", status);
}


void
lun_fields_put_header(lun_fields *f, lun_request *r)
{
    lun_fields_put_status(f, status_of(r));
    put_known(f, r);
    lun_fields_put_list(f, &r->out.list);
}
