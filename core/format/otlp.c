/*
 * otlp.c -- spans as OTLP, in protobuf or JSON.
 *
 * In protobuf a message has its length in front.  That of an attribute is
 * known before it is written; a span leaves two bytes for its own, which are
 * what nearly all of them need, and moves if they are not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/otlp.h"

#include "base/digest.h"
#include "base/fmt.h"
#include "base/utf8.h"


enum {
    FIRST_ROOM = 16 * 1024,
    VARINT = 10,
    SPAN_LEN = 2                   /* bytes that are left for it */
};

/* Wire types, and tags: field << 3 | type. */
enum {
    /* ResourceSpans, Resource, ScopeSpans, InstrumentationScope */
    RESOURCE_SPANS = 0x0a, RESOURCE = 0x0a, RESOURCE_ATTR = 0x0a,
    SCOPE_SPANS = 0x12, SCOPE = 0x0a, SCOPE_NAME = 0x0a, SCOPE_VERSION = 0x12,
    SPAN = 0x12,
    /* Span */
    TRACE_ID = 0x0a, SPAN_ID = 0x12, TRACE_STATE = 0x1a, PARENT = 0x22,
    NAME = 0x2a, KIND = 0x30, START = 0x39, END = 0x41, ATTR = 0x4a,
    STATUS = 0x7a,
    /* Status */
    MESSAGE = 0x12, CODE = 0x18, CODE_ERROR = 2,
    /* KeyValue, AnyValue, ArrayValue */
    KEY = 0x0a, VALUE = 0x12,
    STRING_VALUE = 0x0a, BOOL_VALUE = 0x10, INT_VALUE = 0x18,
    DOUBLE_VALUE = 0x21, ARRAY_VALUE = 0x2a, ARRAY_ITEM = 0x0a
};


/* --- room ---------------------------------------------------------------- */

/* Room for n more bytes. */
static void
make_room(lun_otlp *o, size_t n)
{
    size_t  used, room;

    if (o->start != NULL && (size_t) (o->end - o->p) >= n) {
        return;
    }

    used = o->start != NULL ? (size_t) (o->p - o->start) : o->head;
    room = o->start != NULL ? 2 * (size_t) (o->end - o->start)
                            : (size_t) FIRST_ROOM;

    while (room < used + n) {
        room *= 2;
    }

    o->start = lun_realloc(o->start, room);
    o->p = o->start + used;
    o->end = o->start + room;
}


static lun_str
cut(lun_str s)
{
    return lun_str_of(s.data, lun_min(s.len, (size_t) LUN_OTLP_TEXT));
}


/* --- protobuf ------------------------------------------------------------ */

static size_t
varint_len(uint64_t n)
{
    size_t  len = 1;

    while (n >= 0x80) {
        n >>= 7;
        len++;
    }

    return len;
}


static char *
put_varint(char *p, uint64_t n)
{
    while (n >= 0x80) {
        *p++ = (char) (n | 0x80);
        n >>= 7;
    }

    *p++ = (char) n;
    return p;
}


/* The least byte first, whatever the machine. */
static char *
put_fixed(char *p, uint64_t n)
{
    int  i;

    for (i = 0; i < 8; i++) {
        *p++ = (char) (n >> (8 * i));
    }

    return p;
}


/* A message or a text of `len` bytes comes. */
static char *
put_begin(char *p, int tag, size_t len)
{
    *p++ = (char) tag;
    return put_varint(p, len);
}


/* Bytes of such a field, all in all. */
static size_t
field_len(size_t len)
{
    return 1 + varint_len(len) + len;
}


static char *
put_bytes(char *p, int tag, const void *bytes, size_t len)
{
    return lun_copy(put_begin(p, tag, len), bytes, len);
}


/* `len` is that of the text as UTF-8. */
static char *
put_text(char *p, int tag, lun_str text, size_t len)
{
    p = put_begin(p, tag, len);
    return len == text.len ? lun_copy_str(p, text) : lun_utf8_clean(p, text);
}


/* A KeyValue up to its value, of which `len` bytes follow. */
static char *
put_key(char *p, int tag, lun_str key, size_t len)
{
    p = put_begin(p, tag, field_len(key.len) + field_len(len));
    p = put_bytes(p, KEY, key.data, key.len);
    return put_begin(p, VALUE, len);
}


static size_t
attr_room(lun_str key, size_t len)
{
    return key.len + len + 8 * VARINT;
}


/* --- JSON ---------------------------------------------------------------- */

/* "key":"text", with `more` in front of the value's quote. */
static char *
json_text(char *p, const char *before, lun_str text, const char *behind)
{
    size_t  most = text.len * LUN_UTF8_JSON;

    p = lun_copy_str(p, lun_str_z(before));
    *p++ = '"';
    p = lun_utf8_json(p, p + most, text);
    *p++ = '"';

    return lun_copy_str(p, lun_str_z(behind));
}


static size_t
json_room(lun_str text)
{
    return text.len * LUN_UTF8_JSON + 64;
}


static char *
json_hex(char *p, const char *name, const uint8_t *id, size_t n)
{
    p = lun_copy_str(p, lun_str_z(name));
    *p++ = '"';
    p = lun_hex(p, id, n);
    *p++ = '"';

    return p;
}


/* {"key":"...","value":{ of the span at hand. */
static void
json_key(lun_otlp *o, lun_str key, size_t more)
{
    make_room(o, json_room(key) + more);

    if (o->attrs++ != 0) {
        *o->p++ = ',';
    }

    o->p = json_text(o->p, "{\"key\":", key, ",\"value\":{");
}


/* 64 bits are a text: numbers of JavaScript have 53. */
static char *
json_number(char *p, const char *name, uint64_t n, const char *behind)
{
    p = lun_copy_str(p, lun_str_z(name));
    p = lun_fmt_u64(p, n);
    return lun_copy_str(p, lun_str_z(behind));
}


/* --- what stands in front ------------------------------------------------ */

static void
head_json(lun_otlp_head *h, lun_pool *pool, const lun_otlp_attr *attrs,
    size_t count, lun_str name, lun_str version)
{
    char    *text, *p;
    size_t   i, room = json_room(name) + json_room(version) + 256;

    for (i = 0; i < count; i++) {
        room += json_room(attrs[i].key) + json_room(attrs[i].value);
    }

    p = text = lun_pool_text(pool, room);
    p = lun_copy_str(p, LUN_STR("{\"resourceSpans\":[{\"resource\":"
                                "{\"attributes\":["));

    for (i = 0; i < count; i++) {
        p = json_text(p, i != 0 ? ",{\"key\":" : "{\"key\":", attrs[i].key,
                      ",\"value\":{\"stringValue\":");
        p = json_text(p, "", attrs[i].value, "}}");
    }

    p = json_text(p, "]},\"scopeSpans\":[{\"scope\":{\"name\":", name,
                  ",\"version\":");
    p = json_text(p, "", version, "},\"spans\":[");
    h->resource = lun_str_of(text, (size_t) (p - text));
    h->scope = LUN_STR("");
}


static char *
put_resource_attr(char *p, const lun_otlp_attr *a, size_t *size)
{
    size_t  len = lun_utf8_clean_len(a->value);
    size_t  kv = field_len(a->key.len) + field_len(field_len(len));

    *size += field_len(kv);

    if (p == NULL) {
        return NULL;
    }

    p = put_begin(p, RESOURCE_ATTR, kv);
    p = put_bytes(p, KEY, a->key.data, a->key.len);
    p = put_begin(p, VALUE, field_len(len));
    return put_text(p, STRING_VALUE, a->value, len);
}


static void
head_protobuf(lun_otlp_head *h, lun_pool *pool, const lun_otlp_attr *attrs,
    size_t count, lun_str name, lun_str version)
{
    char    *text, *p;
    size_t   i, n = 0;

    for (i = 0; i < count; i++) {
        (void) put_resource_attr(NULL, &attrs[i], &n);
    }

    p = text = lun_pool_text(pool, n + VARINT + 1);
    p = put_begin(p, RESOURCE, n);

    for (i = 0; i < count; i++) {
        p = put_resource_attr(p, &attrs[i], &n);
    }

    h->resource = lun_str_of(text, (size_t) (p - text));

    n = field_len(name.len) + field_len(version.len);
    p = text = lun_pool_text(pool, n + VARINT + 1);
    p = put_begin(p, SCOPE, n);
    p = put_bytes(p, SCOPE_NAME, name.data, name.len);
    p = put_bytes(p, SCOPE_VERSION, version.data, version.len);
    h->scope = lun_str_of(text, (size_t) (p - text));
}


void
lun_otlp_head_init(lun_otlp_head *h, lun_pool *pool, lun_otlp_form form,
    const lun_otlp_attr *attrs, size_t count, lun_str name, lun_str version)
{
    h->form = form;

    if (form == LUN_OTLP_JSON) {
        head_json(h, pool, attrs, count, name, version);

    } else {
        head_protobuf(h, pool, attrs, count, name, version);
    }
}


size_t
lun_otlp_head_room(const lun_otlp_head *h)
{
    return h->resource.len + h->scope.len + 2 * (1 + VARINT);
}


/*
 * Room was left for the heads in front of the first span, and where they begin
 * is counted back from there: a batch is never moved.
 */
lun_str
lun_otlp_finish(lun_otlp *o, const lun_otlp_head *h)
{
    char          *p;
    size_t         spans, scope_spans, len;
    const lun_str  tail = LUN_STR("]}]}]}");

    make_room(o, tail.len);

    if (o->form == LUN_OTLP_JSON) {
        p = o->start + o->head - h->resource.len;
        (void) lun_copy_str(p, h->resource);
        return lun_str_of(p, (size_t) (lun_copy_str(o->p, tail) - p));
    }

    spans = (size_t) (o->p - o->start) - o->head;
    scope_spans = h->scope.len + spans;
    len = h->resource.len + field_len(scope_spans);
    p = o->start + o->head - h->scope.len - 1 - varint_len(scope_spans)
        - h->resource.len - 1 - varint_len(len);
    len = (size_t) (o->p - p);
    p = put_begin(p, RESOURCE_SPANS, h->resource.len + field_len(scope_spans));
    p = lun_copy_str(p, h->resource);
    p = put_begin(p, SCOPE_SPANS, scope_spans);
    (void) lun_copy_str(p, h->scope);

    return lun_str_of(o->p - len, len);
}


/* --- a span -------------------------------------------------------------- */

/*
 * Times are nanoseconds in strings: they do not fit into a double, which JSON's
 * readers make of numbers.
 */
static void
open_json(lun_otlp *o, const lun_otlp_span *s)
{
    char  *p;

    make_room(o, json_room(s->state) + json_room(s->name) + json_room(s->why)
                 + 512);
    p = o->p;

    if (o->count != 0) {
        *p++ = ',';
    }

    p = json_hex(p, "{\"traceId\":", s->trace, LUN_TRACE_ID);
    p = json_hex(p, ",\"spanId\":", s->id, LUN_SPAN_ID);

    if (s->state.len != 0) {
        p = json_text(p, ",\"traceState\":", s->state, "");
    }

    if (s->parent != NULL) {
        p = json_hex(p, ",\"parentSpanId\":", s->parent, LUN_SPAN_ID);
    }

    p = json_text(p, ",\"name\":", cut(s->name), "");
    p = json_number(p, ",\"kind\":", s->kind, "");
    p = json_number(p, ",\"startTimeUnixNano\":\"", s->start * 1000, "\"");
    p = json_number(p, ",\"endTimeUnixNano\":\"", s->end * 1000, "\"");

    if (s->failed) {
        p = lun_copy_str(p, LUN_STR(",\"status\":{\"code\":2"));

        if (s->why.len != 0) {
            p = json_text(p, ",\"message\":", cut(s->why), "");
        }

        *p++ = '}';
    }

    o->p = lun_copy_str(p, LUN_STR(",\"attributes\":["));
}


static char *
put_status(char *p, lun_str why, size_t len)
{
    p = put_begin(p, STATUS, (len != 0 ? field_len(len) : 0) + 2);

    if (len != 0) {
        p = put_text(p, MESSAGE, why, len);
    }

    *p++ = CODE;
    *p++ = CODE_ERROR;
    return p;
}


/*
 * A span's length stands in front of it and is not known yet: room is left for
 * as many bytes as most need, and the span is moved once if it needs others.
 */
static void
open_protobuf(lun_otlp *o, const lun_otlp_span *s)
{
    char     *p;
    lun_str   name = cut(s->name), why = cut(s->why);
    size_t    len = lun_utf8_clean_len(name), why_len = lun_utf8_clean_len(why);

    make_room(o, len + why_len + s->state.len + 128);
    p = o->p;
    *p++ = SPAN;
    p += SPAN_LEN;
    o->span = (size_t) (p - o->start);

    p = put_bytes(p, TRACE_ID, s->trace, LUN_TRACE_ID);
    p = put_bytes(p, SPAN_ID, s->id, LUN_SPAN_ID);

    if (s->state.len != 0) {
        p = put_bytes(p, TRACE_STATE, s->state.data, s->state.len);
    }

    if (s->parent != NULL) {
        p = put_bytes(p, PARENT, s->parent, LUN_SPAN_ID);
    }

    p = put_text(p, NAME, name, len);
    *p++ = KIND;
    *p++ = (char) s->kind;
    *p++ = START;
    p = put_fixed(p, s->start * 1000);
    *p++ = END;
    p = put_fixed(p, s->end * 1000);
    o->p = s->failed ? put_status(p, why, why_len) : p;
}


void
lun_otlp_open(lun_otlp *o, const lun_otlp_span *span)
{
    o->attrs = 0;

    if (o->form == LUN_OTLP_JSON) {
        open_json(o, span);

    } else {
        open_protobuf(o, span);
    }
}


void
lun_otlp_close(lun_otlp *o)
{
    size_t  len, need;

    o->count++;
    make_room(o, VARINT);

    if (o->form == LUN_OTLP_JSON) {
        o->p = lun_copy(o->p, "]}", 2);
        return;
    }

    len = (size_t) (o->p - o->start) - o->span;
    need = varint_len(len);

    if (need != SPAN_LEN) {
        memmove(o->start + o->span - SPAN_LEN + need, o->start + o->span, len);
        o->p = o->p - SPAN_LEN + need;
    }

    (void) put_varint(o->start + o->span - SPAN_LEN, len);
}


/* --- attributes ---------------------------------------------------------- */

void
lun_otlp_text(lun_otlp *o, lun_str key, lun_str value)
{
    size_t  len;

    value = cut(value);

    if (o->form == LUN_OTLP_JSON) {
        json_key(o, key, json_room(value));
        o->p = json_text(o->p, "\"stringValue\":", value, "}}");
        return;
    }

    len = lun_utf8_clean_len(value);
    make_room(o, attr_room(key, len));
    o->p = put_key(o->p, ATTR, key, field_len(len));
    o->p = put_text(o->p, STRING_VALUE, value, len);
}


void
lun_otlp_list(lun_otlp *o, lun_str key, lun_str value)
{
    size_t  len;

    value = cut(value);

    if (o->form == LUN_OTLP_JSON) {
        json_key(o, key, json_room(value));
        o->p = json_text(o->p, "\"arrayValue\":{\"values\":[{\"stringValue\":",
                         value, "}]}}}");
        return;
    }

    len = lun_utf8_clean_len(value);
    make_room(o, attr_room(key, len));
    o->p = put_key(o->p, ATTR, key, field_len(field_len(field_len(len))));
    o->p = put_begin(o->p, ARRAY_VALUE, field_len(field_len(len)));
    o->p = put_begin(o->p, ARRAY_ITEM, field_len(len));
    o->p = put_text(o->p, STRING_VALUE, value, len);
}


void
lun_otlp_number(lun_otlp *o, lun_str key, int64_t value)
{
    if (o->form == LUN_OTLP_JSON) {
        json_key(o, key, 64);
        o->p = lun_fmt(o->p, o->end, "\"intValue\":\"%" PRId64 "\"}}", value);
        return;
    }

    make_room(o, attr_room(key, VARINT));
    o->p = put_key(o->p, ATTR, key, 1 + varint_len((uint64_t) value));
    *o->p++ = INT_VALUE;
    o->p = put_varint(o->p, (uint64_t) value);
}


/* JSON has no number for what is none. */
void
lun_otlp_double(lun_otlp *o, lun_str key, double value)
{
    uint64_t  bits;

    if (o->form == LUN_OTLP_JSON) {
        json_key(o, key, 64);
        o->p = value - value != 0
               ? lun_fmt(o->p, o->end, "\"doubleValue\":\"%s\"}}",
                         value != value ? "NaN"
                         : value > 0 ? "Infinity" : "-Infinity")
               : lun_fmt(o->p, o->end, "\"doubleValue\":%.17g}}", value);
        return;
    }

    memcpy(&bits, &value, sizeof(bits));
    make_room(o, attr_room(key, VARINT));
    o->p = put_key(o->p, ATTR, key, 9);
    *o->p++ = DOUBLE_VALUE;
    o->p = put_fixed(o->p, bits);
}


void
lun_otlp_flag(lun_otlp *o, lun_str key, bool value)
{
    if (o->form == LUN_OTLP_JSON) {
        json_key(o, key, 64);
        o->p = lun_fmt(o->p, o->end, "\"boolValue\":%s}}",
                       value ? "true" : "false");
        return;
    }

    make_room(o, attr_room(key, 2));
    o->p = put_key(o->p, ATTR, key, 2);
    *o->p++ = BOOL_VALUE;
    *o->p++ = value;
}


/* --- its ends ------------------------------------------------------------ */

void
lun_otlp_clear(lun_otlp *o)
{
    o->p = o->start != NULL ? o->start + o->head : NULL;
    o->count = 0;
}


void
lun_otlp_free(lun_otlp *o)
{
    lun_free(o->start);
    o->start = o->p = o->end = NULL;
    o->count = 0;
}
