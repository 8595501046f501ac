/*
 * otel_conf.c -- where spans go, and what is said of who sends them:
 *
 *     otel_exporter {
 *         endpoint http://localhost:4318/v1/traces;
 *         header   Authorization "Bearer ...";
 *     }
 *     otel_service_name shop;
 *
 * Names and defaults are those of nginx's module (nginx-otel); `protocol` is
 * ours, in the words of OpenTelemetry's variables.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/otel/otel_priv.h"

#include "client/http_question.h"
#include "format/url.h"
#include "session/tls_conf.h"


enum {
    GRPC_PORT   = 4317,
    HTTP_PORT   = 4318,
    COUNT_MOST  = 1024,            /* batches */
    SIZE_MOST   = 65536            /* spans of one */
};

#define PATH     "/v1/traces"
#define SERVICE  "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


lun_otel *
lun_otel_of(lun_conf *cf)
{
    lun_otel  *otel = lun_module_data(cf->engine, &lun_http_otel.head);

    if (otel == NULL) {
        otel = lun_pool_new(cf->pool, lun_otel);
        otel->interval = 5000;
        otel->batch_size = 512;
        otel->batch_count = 4;
        otel->service_name = LUN_STR("unknown_service:" LUN_PRODUCT);
        lun_array_init(&otel->headers, cf->pool, sizeof(lun_http_field), 2);
        lun_array_init(&otel->resource, cf->pool, sizeof(lun_otlp_attr), 4);
        lun_module_set_data(cf->engine, &lun_http_otel.head, otel);
    }

    return otel;
}


/* --- otel_exporter { } --------------------------------------------------- */

static lun_rc
bad_endpoint(lun_conf *cf, const char *why)
{
    return lun_conf_fail(cf, "%s in \"endpoint\" \"%.*s\"", why,
                         LUN_S(cf->args[1]));
}


/* "host:port" is what nginx's module has, for gRPC; with a path it is OTLP over
   HTTP. */
static lun_rc
set_endpoint(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_url      url;
    lun_str      text = cf->args[1];
    lun_otel    *otel = lun_otel_of(cf);
    const char  *why;

    if (lun_str_find(text, LUN_STR("://")) == NULL) {
        text = lun_pool_fmt(cf->pool, "http://%.*s", LUN_S(text));
    }

    why = lun_url_parse(text, &url);

    if (why != NULL) {
        return bad_endpoint(cf, why);
    }

    if (!lun_str_caseeq(url.scheme, LUN_STR("http"))
        && !lun_str_caseeq(url.scheme, LUN_STR("https")))
    {
        return bad_endpoint(cf, "invalid URL prefix");
    }

    otel->url = text;
    return LUN_OK;
}


static lun_rc
set_protocol(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t     i;
    lun_otel  *otel = lun_otel_of(cf);

    static const char *const  names[] = {
        [LUN_OTEL_GRPC] = "grpc",
        [LUN_OTEL_HTTP_PROTOBUF] = "http/protobuf",
        [LUN_OTEL_HTTP_JSON] = "http/json"
    };

    for (i = LUN_OTEL_GRPC; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_eq(cf->args[1], lun_str_z(names[i]))) {
            otel->protocol = (int) i;
            return LUN_OK;
        }
    }

    return lun_conf_bad_value(cf);
}


static lun_rc
set_interval(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_otel  *otel = lun_otel_of(cf);

    if (lun_str_to_msec(cf->args[1], &otel->interval) != LUN_OK) {
        return lun_conf_bad_time(cf, cf->args[1]);
    }

    return otel->interval != 0 ? LUN_OK : lun_conf_bad_value(cf);
}


static lun_rc
read_count(lun_conf *cf, size_t most, size_t *count)
{
    uint64_t  n;

    if (lun_str_to_size(cf->args[1], &n) != LUN_OK || n == 0 || n > most) {
        return lun_conf_bad_value(cf);
    }

    *count = (size_t) n;
    return LUN_OK;
}


static lun_rc
set_batch_size(lun_conf *cf, const lun_directive *d, void *data)
{
    return read_count(cf, SIZE_MOST, &lun_otel_of(cf)->batch_size);
}


static lun_rc
set_batch_count(lun_conf *cf, const lun_directive *d, void *data)
{
    return read_count(cf, COUNT_MOST, &lun_otel_of(cf)->batch_count);
}


/* Names are lower case: what HTTP/2 wants of them. */
static lun_rc
set_header(lun_conf *cf, const lun_directive *d, void *data)
{
    char               *name = lun_pool_text(cf->pool, cf->args[1].len);
    const char         *why;
    lun_http_field     *f;
    lun_otel           *otel = lun_otel_of(cf);
    lun_http_question   q = { .field_count = 1 };

    lun_mem_lower(name, cf->args[1].data, cf->args[1].len);
    f = lun_array_push(&otel->headers);
    f->name = lun_str_of(name, cf->args[1].len);
    f->value = cf->args[2];
    q.fields = f;
    why = lun_http_question_fault(&q);

    if (why != NULL || lun_str_eq(f->name, LUN_STR("content-type"))) {
        return lun_conf_fail(cf, "\"header\" directive of \"otel_exporter\" "
                             "has %s", why != NULL ? why
                                                   : "invalid header name");
    }

    return LUN_OK;
}


static lun_rc
set_trusted(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_otel  *otel = lun_otel_of(cf);

    if (lun_tls_is_system(cf->args[1])) {
        return LUN_OK;                 /* as without it */
    }

    otel->trusted = lun_tls_load(cf, cf->args[1]);

    return otel->trusted.text.data != NULL ? LUN_OK
           : lun_conf_fail(cf, "failed to open \"%.*s\"",
                           LUN_S(otel->trusted.name));
}


/* By what the endpoint says, where nothing else does. */
static lun_rc
choose_protocol(lun_conf *cf, lun_otel *otel)
{
    lun_url  url;

    (void) lun_url_parse(otel->url, &url);

    if (otel->protocol == LUN_OTEL_AUTO) {
        otel->protocol = url.uri.len > 1 || url.port == HTTP_PORT
                         ? LUN_OTEL_HTTP_PROTOBUF : LUN_OTEL_GRPC;
    }

    otel->form = otel->protocol == LUN_OTEL_HTTP_JSON ? LUN_OTLP_JSON
                                                      : LUN_OTLP_PROTOBUF;

    if (otel->protocol == LUN_OTEL_GRPC) {
        otel->url = lun_pool_fmt(cf->pool, "%.*s://%.*s:%d" SERVICE,
                                 LUN_S(url.scheme), LUN_S(url.host),
                                 url.port == 0 ? GRPC_PORT : url.port);

    } else if (url.uri.len <= 1) {
        otel->url = lun_pool_fmt(cf->pool, "%.*s://%.*s" PATH,
                                 LUN_S(url.scheme), LUN_S(url.authority));
    }

    return LUN_OK;
}


static lun_rc
set_exporter(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_otel   *otel = lun_otel_of(cf);
    lun_block  *block;

    if (lun_conf_read_block(cf, LUN_OTEL_EXPORTER, otel, &block) != LUN_OK) {
        return LUN_ERROR;
    }

    if (otel->url.len == 0) {
        return lun_conf_fail(cf, "\"otel_exporter\" requires \"endpoint\"");
    }

    return choose_protocol(cf, otel);
}


/* --- beside it ----------------------------------------------------------- */

static lun_rc
set_service_name(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_otel_of(cf)->service_name = cf->args[1];
    return LUN_OK;
}


static void
put_resource(lun_otel *otel, lun_str key, lun_str value, bool replace)
{
    size_t          i;
    lun_otlp_attr  *a;

    for (i = 0; i < otel->resource.count; i++) {
        a = lun_array_at(&otel->resource, i);

        if (lun_str_eq(a->key, key)) {
            a->value = replace ? value : a->value;
            return;
        }
    }

    *(lun_otlp_attr *) lun_array_push(&otel->resource)
        = (lun_otlp_attr) { key, value };
}


static lun_rc
set_resource_attr(lun_conf *cf, const lun_directive *d, void *data)
{
    if (cf->args[1].len == 0) {
        return lun_conf_bad_value(cf);
    }

    put_resource(lun_otel_of(cf), cf->args[1], cf->args[2], true);
    return LUN_OK;
}


lun_rc
lun_otel_conf_finish(lun_conf *cf, lun_otel *otel)
{
    put_resource(otel, LUN_STR("service.name"), otel->service_name,
                 !lun_str_eq(otel->service_name,
                             LUN_STR("unknown_service:" LUN_PRODUCT)));
    lun_otlp_head_init(&otel->head, cf->pool, otel->form,
                       otel->resource.items, otel->resource.count,
                       LUN_STR(LUN_PRODUCT), LUN_STR(LUN_VERSION));
    return LUN_OK;
}


/* --- of locations -------------------------------------------------------- */

static lun_rc
set_span_attr(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_otel_attr  *a;
    lun_otel_conf  *conf = data;

    if (conf->attrs == NULL) {
        conf->attrs = lun_array_new(cf->pool, sizeof(lun_otel_attr), 4);
    }

    a = lun_array_push(conf->attrs);
    a->name = cf->args[1];
    a->is_list = lun_str_starts(a->name, LUN_STR("http.request.header."))
                 || lun_str_starts(a->name, LUN_STR("http.response.header."));
    a->value = lun_script_new(cf, cf->args[2]);

    return a->value != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_enum  contexts[] = {
    { "ignore", 0 },
    { "extract", LUN_OTEL_EXTRACT },
    { "inject", LUN_OTEL_INJECT },
    { "propagate", LUN_OTEL_EXTRACT | LUN_OTEL_INJECT },
    { NULL, 0 }
};

static const lun_enum  insides[] = {
    { "off", 0 },
    { "upstream", LUN_TRACE_UPSTREAM },
    { "cache", LUN_TRACE_CACHE },
    { "subrequest", LUN_TRACE_SUBREQUEST },
    { "on", LUN_TRACE_UPSTREAM | LUN_TRACE_CACHE | LUN_TRACE_SUBREQUEST },
    { NULL, 0 }
};

#define INNER(name_, args_, values_, set_, help_, ...)                        \
    { .name = name_, .where = LUN_OTEL_EXPORTER, .args = args_, .set = set_,  \
      .values = values_, .help = help_, __VA_ARGS__ }

const lun_directive  lun_otel_directives[] = {
    { .name = "otel_exporter", .where = LUN_HTTP, .block = true,
      .set = set_exporter,
      .help = "the collector that spans are sent to" },
    INNER("endpoint", 1, "URL", set_endpoint, "its address: a URL"),
    INNER("protocol", 1, "grpc | http/protobuf | http/json", set_protocol,
          "grpc, http/protobuf or http/json: by the endpoint, if not said"),
    INNER("interval", 1, "time", set_interval,
          "how long spans wait for a batch to be full (5s)"),
    INNER("batch_size", 1, "number", set_batch_size, "spans of a batch (512)"),
    INNER("batch_count", 1, "number", set_batch_count,
          "batches of a worker that may wait (4)"),
    INNER("header", 2, "name value", set_header,
          "a header for the collector",
          .repeats = true),
    INNER("trusted_certificate", 1, "file | system", set_trusted,
          "authorities by which the collector is known (the system's)"),
    { .name = "otel_service_name", .where = LUN_HTTP, .args = 1,
      .set = set_service_name,
      .values = "name",
      .help = "what the server is called in traces" },
    { .name = "otel_resource_attr", .where = LUN_HTTP, .args = 2,
      .repeats = true, .set = set_resource_attr,
      .values = "name value",
      .help = "a word about the server, beside that" },
    { .name = "otel_trace", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_script, LUN_FIELD(lun_otel_conf, trace),
      .values = "on | off | $variable",
      .help = "traces requests: on, off, or by a variable" },
    { .name = "otel_trace_context", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(lun_otel_conf, context),
      .data = contexts, .fallback = "ignore",
      .help = "what becomes of traceparent: extract, inject, propagate" },
    { .name = "otel_span_name", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_script, LUN_FIELD(lun_otel_conf, span_name),
      .values = "name",
      .help = "what a request is called (its location)" },
    { .name = "otel_span_attr", .where = LUN_HTTP_LEVELS, .args = 2,
      .repeats = true, .set = set_span_attr,
      LUN_FIELD(lun_otel_conf, attrs),
      .values = "name value",
      .help = "a word about a request" },
    { .name = "otel_child_spans", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = 3, .set = lun_set_bits, LUN_FIELD(lun_otel_conf, inside),
      .data = insides, .fallback = "off",
      .help = "spans inside of a request's: upstream, cache, subrequest; on: "
              "all" },
    { 0 }
};
