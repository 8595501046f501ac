/*
 * trace.h -- the trace that a request is a part of, and its spans: what took
 * how long.  Who makes traces, and where they go, is a module's matter
 * (modules/http/otel); rooms that know what took its time add spans here.
 *
 * r->main->trace is NULL where nobody traces: all that others pay for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TRACE_H
#define LUN_TRACE_H

#include "format/otlp.h"
#include "http/request.h"

typedef struct lun_span       lun_span;
typedef struct lun_span_attr  lun_span_attr;

/* What the spans inside of a request's own are of. */
enum {
    LUN_TRACE_UPSTREAM   = 0x01,   /* each server that was asked */
    LUN_TRACE_CACHE      = 0x02,   /* how long a cache took to decide */
    LUN_TRACE_SUBREQUEST = 0x04
};

enum {
    LUN_TRACE_SPANS = 256,         /* of a request; others are counted */
    LUN_SPAN_ATTRS  = 64           /* of a span */
};

typedef enum {
    LUN_SPAN_TEXT,
    LUN_SPAN_NUMBER,
    LUN_SPAN_DOUBLE,
    LUN_SPAN_FLAG
} lun_span_attr_kind;

struct lun_span_attr {
    lun_span_attr       *next;
    lun_str              key;
    lun_span_attr_kind   kind;
    lun_str              text;
    int64_t              number;   /* or 0, 1 */
    double               decimal;
};

struct lun_span {
    lun_span        *next;
    lun_span        *parent;       /* NULL: that of another process, or none */
    uint8_t          id[LUN_SPAN_ID];
    lun_str          name;
    lun_span_kind    kind;
    uint64_t         start, end;   /* us since the epoch; end 0: it goes on */
    bool             failed;
    lun_str          why;
    lun_span_attr   *attrs;        /* the latest first */
    unsigned         attr_count;
};

/* In the request's pool. */
struct lun_trace {
    uint8_t           id[LUN_TRACE_ID];
    lun_span          root;        /* the request's own; its name and times are
                                      found when it ends */
    lun_trace_parent  parent;      /* as the client said it; or zero */
    bool              has_parent;
    bool              sampled;     /* its spans are wanted */
    unsigned          wants;       /* LUN_TRACE_...; 0: nor those inside */
    lun_str           state;       /* tracestate */
    lun_span         *spans;       /* inside, as they began */
    lun_span        **last;
    unsigned          count;
};

/* A new trace; `parent` (may be NULL) says which it goes on. */
lun_trace *lun_trace_new(lun_pool *pool, const lun_trace_parent *parent);

/* The request's trace, if its spans of that kind are wanted; or NULL. */
static inline lun_trace *
lun_trace_of(const lun_request *r, unsigned what)
{
    lun_trace  *t = r->main->trace;

    return LUN_LIKELY(t == NULL) || (t->wants & what) == 0 ? NULL : t;
}

/* The span that what r does is inside of: a subrequest's, or the root. */
lun_span *lun_trace_within(const lun_request *r, lun_trace *t);

/* us since the epoch: now; and of a moment on lun_clock.mono. */
uint64_t lun_trace_now(void);
uint64_t lun_trace_moment(lun_msec mono);

/*
 * A span in the trace, from now on; `name` lives as long as the request.  NULL:
 * there are LUN_TRACE_SPANS.
 */
lun_span *lun_trace_add(lun_request *r, lun_trace *t, lun_span *parent,
    lun_str name, lun_span_kind kind);

/* What is said of a span; texts live as long as the request. */
void lun_span_text(lun_request *r, lun_span *span, lun_str key, lun_str text);
void lun_span_number(lun_request *r, lun_span *span, lun_str key, int64_t n);
/* NULL: it has LUN_SPAN_ATTRS. */
lun_span_attr *lun_span_attr_new(lun_request *r, lun_span *span, lun_str key);

/* --- for subrequest.c, and who ends a request --- */

/* A subrequest begins; it is over. */
void lun_trace_begin_sub(lun_request *r, lun_trace *t);
void lun_trace_end_sub(lun_request *r, lun_trace *t);

/* The servers that r has asked, each a span. */
void lun_trace_add_tries(lun_request *r, lun_trace *t);

#endif
