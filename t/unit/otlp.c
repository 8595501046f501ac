/*
 * otlp.c -- spans as collectors read them; and texts that are none.
 *
 * What is expected in protobuf was read by OpenTelemetry's own classes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/otlp.c"

#include "base/check.h"
#include "tap.h"


#define EXPECTED                                                              \
    "0a8d020a250a170a0c736572766963652e6e616d6512070a057368226f700a0a"        \
    "0a016112050a03efbfbd12e3010a070a026d651201311291010a103031323334"        \
    "353637383961626364656612087370616e7370616e1a036b3d762a0547455420"        \
    "2f300239c0223f22994aec184138684522994aec184a100a0174120b0a096361"        \
    "66c3a920efbfbd4a080a016e120318ac024a100a016d120b18ffffffffffffff"        \
    "ffff014a0e0a0164120921000000000000f83f4a070a0166120210014a0c0a01"        \
    "6c12072a050a030a017812440a10303132333435363738396162636465661208"        \
    "7370616e7370616e2208706172656e7469642a00300339c0223f22994aec1841"        \
    "38684522994aec187a0612026e6f1802"


static const uint8_t  trace[LUN_TRACE_ID] = "0123456789abcdef";
static const uint8_t  id[LUN_SPAN_ID] = "spanspan";
static const uint8_t  parent[LUN_SPAN_ID] = "parentid";

static lun_pool  *pool;

static const lun_otlp_attr  attrs[] = {
    { LUN_STR_INIT("service.name"), LUN_STR_INIT("sh\"op") },
    { LUN_STR_INIT("a"), LUN_STR_INIT("\xff") }
};


static void
begin(lun_otlp *o, lun_otlp_head *h, lun_otlp_form form)
{
    lun_otlp_head_init(h, pool, form, attrs, 2, LUN_STR("me"), LUN_STR("1"));
    *o = (lun_otlp) { .form = form, .head = lun_otlp_head_room(h) };
}


static void
add_spans(lun_otlp *o)
{
    lun_otlp_span  s = {
        .trace = trace, .id = id, .state = LUN_STR("k=v"),
        .name = LUN_STR("GET /"), .kind = LUN_SPAN_SERVER,
        .start = 1795892372979000, .end = 1795892372979411
    };

    lun_otlp_open(o, &s);
    lun_otlp_text(o, LUN_STR("t"), LUN_STR("caf\xc3\xa9 \xc3"));
    lun_otlp_number(o, LUN_STR("n"), 300);
    lun_otlp_number(o, LUN_STR("m"), -1);
    lun_otlp_double(o, LUN_STR("d"), 1.5);
    lun_otlp_flag(o, LUN_STR("f"), true);
    lun_otlp_list(o, LUN_STR("l"), LUN_STR("x"));
    lun_otlp_close(o);

    s.parent = parent;
    s.state = LUN_STR("");
    s.name = LUN_STR("");
    s.kind = LUN_SPAN_CLIENT;
    s.failed = true;
    s.why = LUN_STR("no");
    lun_otlp_open(o, &s);
    lun_otlp_close(o);
}


static void
writes_json(void)
{
    lun_otlp        o;
    lun_str         body;
    lun_otlp_head   h;

    begin(&o, &h, LUN_OTLP_JSON);
    add_spans(&o);
    body = lun_otlp_finish(&o, &h);

    is_str(lun_pool_strz(pool, body),
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"sh\\\"op\"}},"
        "{\"key\":\"a\",\"value\":{\"stringValue\":\"\\ufffd\"}}]},"
        "\"scopeSpans\":[{\"scope\":{\"name\":\"me\",\"version\":\"1\"},"
        "\"spans\":["
        "{\"traceId\":\"30313233343536373839616263646566\","
        "\"spanId\":\"7370616e7370616e\",\"traceState\":\"k=v\","
        "\"name\":\"GET /\",\"kind\":2,"
        "\"startTimeUnixNano\":\"1795892372979000000\","
        "\"endTimeUnixNano\":\"1795892372979411000\",\"attributes\":["
        "{\"key\":\"t\",\"value\":{\"stringValue\":\"caf\xc3\xa9 \\ufffd\"}},"
        "{\"key\":\"n\",\"value\":{\"intValue\":\"300\"}},"
        "{\"key\":\"m\",\"value\":{\"intValue\":\"-1\"}},"
        "{\"key\":\"d\",\"value\":{\"doubleValue\":1.5}},"
        "{\"key\":\"f\",\"value\":{\"boolValue\":true}},"
        "{\"key\":\"l\",\"value\":{\"arrayValue\":{\"values\":["
        "{\"stringValue\":\"x\"}]}}}]},"
        "{\"traceId\":\"30313233343536373839616263646566\","
        "\"spanId\":\"7370616e7370616e\","
        "\"parentSpanId\":\"706172656e746964\",\"name\":\"\",\"kind\":3,"
        "\"startTimeUnixNano\":\"1795892372979000000\","
        "\"endTimeUnixNano\":\"1795892372979411000\","
        "\"status\":{\"code\":2,\"message\":\"no\"},\"attributes\":[]}"
        "]}]}]}", "two spans in JSON");

    ok(lun_str_eq(lun_otlp_finish(&o, &h), body), "the same again");
    lun_otlp_clear(&o);
    body = lun_otlp_finish(&o, &h);
    ok(lun_str_ends(body, LUN_STR("\"spans\":[]}]}]}")), "and none");
    lun_otlp_free(&o);
}


static void
writes_protobuf(void)
{
    char            hex[2000];
    lun_otlp        o;
    lun_str         body;
    lun_otlp_head   h;

    begin(&o, &h, LUN_OTLP_PROTOBUF);
    add_spans(&o);
    body = lun_otlp_finish(&o, &h);
    *lun_hex(hex, (const unsigned char *) body.data, body.len) = '\0';
    is_str(hex, EXPECTED, "two spans in protobuf");
    lun_otlp_free(&o);
}


/* The length of the field that begins at p: *to is what is behind it. */
static size_t
read_length(const char *p, const char **to)
{
    int     shift = 0;
    size_t  n = 0;

    do {
        n |= (size_t) (*++p & 0x7f) << shift;
        shift += 7;
    } while (*p & 0x80);

    *to = p + 1;
    return n;
}


/* Its length is in front of it, whatever that takes; so is that of all. */
static void
has_spans_of(unsigned count)
{
    char            name[32], text[LUN_OTLP_TEXT + 10];
    size_t          n;
    unsigned        i;
    lun_otlp        o;
    lun_str         body;
    const char     *p, *all;
    lun_otlp_head   h;
    lun_otlp_span   s = { .trace = trace, .id = id, .name = LUN_STR("") };

    memset(text, 'x', sizeof(text));
    begin(&o, &h, LUN_OTLP_PROTOBUF);
    lun_otlp_open(&o, &s);

    for (i = 0; i < count; i++) {
        lun_otlp_text(&o, LUN_STR("k"), lun_str_of(text, sizeof(text)));
    }

    lun_otlp_close(&o);
    lun_otlp_open(&o, &s);
    lun_otlp_close(&o);
    body = lun_otlp_finish(&o, &h);

    n = read_length(body.data, &p);
    all = p + n;
    p += h.resource.len;
    n = read_length(p, &p);
    LUN_CHECK(p + n == all);
    p += h.scope.len;
    n = read_length(p, &p);        /* the first span */
    p += n;
    n = read_length(p, &p);        /* and the second */

    *lun_fmt(name, name + 31, "%u long attributes", count) = '\0';
    ok(all == body.data + body.len && p + n == all, "%s", name);
    lun_otlp_free(&o);
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);

    writes_json();
    writes_protobuf();
    has_spans_of(0);
    has_spans_of(1);
    has_spans_of(3);
    has_spans_of(4);
    has_spans_of(600);

    lun_pool_free(pool);
    return done_testing();
}
