/*
 * otel_spans.c -- what of a request becomes a span, and what is said of it.
 *
 * Attributes are those of nginx's module: OpenTelemetry's conventions for HTTP
 * of version 1.16.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/otel/otel_priv.h"

#include "http/accept/server_metrics.h"
#include "http/conf/location.h"


#define TEXT(o, key, value)    lun_otlp_text((o), LUN_STR(key), (value))
#define NUMBER(o, key, value)  lun_otlp_number((o), LUN_STR(key), (value))


static lun_str
flavor_of(const lun_request *r)
{
    switch (r->version) {

    case 1000:
        return LUN_STR("1.0");

    case 1001:
        return LUN_STR("1.1");

    case 2000:
        return LUN_STR("2.0");

    case 3000:
        return LUN_STR("3.0");

    default:
        return LUN_STR("");
    }
}


static unsigned
status_of(const lun_request *r)
{
    return r->error_status != 0 ? r->error_status : r->out.status;
}


static void
add_addresses(lun_otlp *o, const lun_request *r)
{
    char             room[LUN_ADDR_TEXT];
    uint16_t         usual = lun_str_eq(r->scheme, LUN_STR("https")) ? 443 : 80;
    const lun_addr  *local = lun_conn_local(r->conn);

    TEXT(o, "net.host.name", r->server->name.len != 0 ? r->server->name
                                                      : r->in.host);
    TEXT(o, "net.sock.peer.addr",
         lun_addr_format(r->remote, false, room, sizeof(room)));
    NUMBER(o, "net.sock.peer.port", r->remote->port);

    if (local->port != usual) {
        NUMBER(o, "net.host.port", local->port);
    }
}


/*
 * Names are those of nginx's module, which predate OpenTelemetry's stable ones:
 * dashboards look for them.
 */
static void
add_request(lun_otlp *o, const lun_request *r)
{
    int64_t            sent = (int64_t) lun_server_bytes_sent(r)
                              - r->header_size;
    lun_str            flavor = flavor_of(r);
    unsigned           status = status_of(r);
    const lun_header  *agent = r->in.known[LUN_HIN_USER_AGENT];

    TEXT(o, "http.method", r->method_name);
    TEXT(o, "http.target", r->target);
    TEXT(o, "http.scheme", r->scheme);

    if (r->location != NULL && r->location->name.len != 0) {
        TEXT(o, "http.route", r->location->name);
    }

    if (flavor.len != 0) {
        TEXT(o, "http.flavor", flavor);
    }

    if (agent != NULL) {
        TEXT(o, "http.user_agent", agent->value);
    }

    NUMBER(o, "http.request_content_length",
           lun_max(r->in.content_length, (int64_t) 0));
    add_addresses(o, r);
    NUMBER(o, "http.response_content_length", lun_max(sent, (int64_t) 0));

    if (status != 0) {
        NUMBER(o, "http.status_code", status);
    }
}


static void
add_own(lun_otlp *o, lun_request *r, const lun_array *attrs)
{
    size_t                i;
    lun_str               value;
    const lun_otel_attr  *a;

    for (i = 0; attrs != NULL && i < attrs->count; i++) {
        a = lun_array_at(attrs, i);
        value = lun_script_run(&r->session, a->value);

        if (a->is_list) {
            lun_otlp_list(o, a->name, value);

        } else {
            lun_otlp_text(o, a->name, value);
        }
    }
}


/* As they were said: the list has the latest first. */
static void
add_attrs(lun_otlp *o, const lun_span_attr *a)
{
    if (a == NULL) {
        return;
    }

    add_attrs(o, a->next);

    switch (a->kind) {

    case LUN_SPAN_TEXT:
        lun_otlp_text(o, a->key, a->text);
        break;

    case LUN_SPAN_NUMBER:
        lun_otlp_number(o, a->key, a->number);
        break;

    case LUN_SPAN_DOUBLE:
        lun_otlp_double(o, a->key, a->decimal);
        break;

    case LUN_SPAN_FLAG:
        lun_otlp_flag(o, a->key, a->number != 0);
        break;
    }
}


static lun_str
name_of(lun_request *r, const lun_trace *t, const lun_otel_conf *conf)
{
    if (t->root.name.data != NULL) {
        return t->root.name;       /* a script's */
    }

    if (conf->span_name != NULL) {
        return lun_script_run(&r->session, conf->span_name);
    }

    return r->location != NULL ? r->location->name : LUN_STR("");
}


static void
add_root(lun_otel *otel, lun_request *r, lun_trace *t, uint64_t now)
{
    lun_otlp             *o = lun_otel_batch(otel);
    const lun_otel_conf  *conf = lun_http_conf(r, &lun_http_otel);

    if (o == NULL) {
        return;
    }

    lun_otlp_open(o, &(lun_otlp_span) {
        .trace = t->id, .id = t->root.id,
        .parent = t->has_parent ? t->parent.span : NULL,
        .state = t->state, .name = name_of(r, t, conf),
        .kind = LUN_SPAN_SERVER,
        .start = ((uint64_t) r->start_sec * 1000 + r->start_msec) * 1000,
        .end = now,
        .failed = t->root.failed || status_of(r) >= 500,
        .why = t->root.why
    });
    add_request(o, r);
    add_own(o, r, conf->attrs);
    add_attrs(o, t->root.attrs);
    lun_otlp_close(o);
    lun_otel_wrote(otel);
}


/* One that goes on ends with the request. */
static void
add_inner(lun_otel *otel, const lun_trace *t, const lun_span *span,
    uint64_t now)
{
    lun_otlp  *o = lun_otel_batch(otel);

    if (o == NULL) {
        return;
    }

    lun_otlp_open(o, &(lun_otlp_span) {
        .trace = t->id, .id = span->id, .parent = span->parent->id,
        .state = t->state, .name = span->name, .kind = span->kind,
        .start = span->start,
        .end = lun_max(span->end != 0 ? span->end : now, span->start),
        .failed = span->failed, .why = span->why
    });
    add_attrs(o, span->attrs);
    lun_otlp_close(o);
    lun_otel_wrote(otel);
}


void
lun_otel_add_request(lun_otel *otel, lun_request *r, lun_trace *t)
{
    uint64_t         now = lun_trace_now();
    const lun_span  *span;

    add_root(otel, r, t, now);

    for (span = t->spans; span != NULL; span = span->next) {
        add_inner(otel, t, span, now);
    }
}
