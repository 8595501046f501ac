/*
 * otlp.h -- spans of traces, as a collector of OpenTelemetry takes them: OTLP
 * 1.x, in protobuf or JSON.  Pure.
 *
 *     lun_otlp_open(&o, &span);
 *     lun_otlp_text(&o, LUN_STR("http.method"), LUN_STR("GET"));
 *     lun_otlp_close(&o);
 *     ...
 *     body = lun_otlp_finish(&o, &head);
 *
 * Spans are written as they end, behind room for what stands in front of all
 * of them; so a batch is never copied.  Texts are anybody's: those that are no
 * UTF-8 would have a collector refuse the whole batch, and are made such.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_OTLP_H
#define LUN_FORMAT_OTLP_H

#include "base/pool.h"
#include "format/trace_context.h"

typedef enum { LUN_OTLP_PROTOBUF, LUN_OTLP_JSON } lun_otlp_form;

/* The protocol's numbers. */
typedef enum {
    LUN_SPAN_INTERNAL = 1,
    LUN_SPAN_SERVER   = 2,
    LUN_SPAN_CLIENT   = 3
} lun_span_kind;

enum { LUN_OTLP_TEXT = 4096 };     /* bytes of a value; what is longer is cut */

typedef struct {
    lun_str  key;
    lun_str  value;
} lun_otlp_attr;

/* What stands in front of the spans: written once. */
typedef struct {
    lun_otlp_form  form;
    lun_str        resource;
    lun_str        scope;
} lun_otlp_head;

/* A batch; all zero but `form` and `head` is an empty one. */
typedef struct {
    lun_otlp_form  form;
    size_t         head;           /* bytes for it: lun_otlp_head_room() */
    char          *start, *p, *end;        /* malloc's */
    size_t         span;           /* where the span at hand begins */
    unsigned       count;          /* of spans */
    unsigned       attrs;          /* of that span */
} lun_otlp;

typedef struct {
    const uint8_t  *trace;         /* LUN_TRACE_ID bytes */
    const uint8_t  *id;            /* LUN_SPAN_ID */
    const uint8_t  *parent;        /* the same; NULL: it is the root */
    lun_str         state;         /* tracestate */
    lun_str         name;
    lun_span_kind   kind;
    uint64_t        start, end;    /* us since the epoch */
    bool            failed;
    lun_str         why;           /* it has, or "" */
} lun_otlp_span;

/* What the program says of itself: texts in the pool. */
void lun_otlp_head_init(lun_otlp_head *h, lun_pool *pool, lun_otlp_form form,
    const lun_otlp_attr *attrs, size_t count, lun_str name, lun_str version);
size_t lun_otlp_head_room(const lun_otlp_head *h);

void lun_otlp_open(lun_otlp *o, const lun_otlp_span *span);
/* Between the two: attributes. */
void lun_otlp_text(lun_otlp *o, lun_str key, lun_str value);
void lun_otlp_number(lun_otlp *o, lun_str key, int64_t value);
void lun_otlp_double(lun_otlp *o, lun_str key, double value);
void lun_otlp_flag(lun_otlp *o, lun_str key, bool value);
/* A list of one text: what http.request.header.NAME is. */
void lun_otlp_list(lun_otlp *o, lun_str key, lun_str value);
void lun_otlp_close(lun_otlp *o);

/* The whole message, which stays until the next call. */
lun_str lun_otlp_finish(lun_otlp *o, const lun_otlp_head *h);

/* Empty again; the memory stays. */
void lun_otlp_clear(lun_otlp *o);
/* Nothing is left of it. */
void lun_otlp_free(lun_otlp *o);

#endif
