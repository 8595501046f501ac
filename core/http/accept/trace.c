/*
 * trace.c -- spans of a request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/trace.h"

#include "http/subrequest_priv.h"
#include "os/clock.h"
#include "os/proc.h"
#include "os/random.h"
#include "session/upstream/tries.h"


/* --- numbers ------------------------------------------------------------- */

/*
 * Ids have to differ from all others, and need not be secrets: 256 bits of the
 * system's are the beginning of each process's own row (xoshiro256**).
 */
static uint64_t
next_number(void)
{
    uint64_t         n, t;
    static int64_t   seeded;       /* a fork is to have a row of its own */
    static uint64_t  row[4];

    if (LUN_UNLIKELY(seeded != lun_proc_pid())) {
        lun_random_bytes(row, sizeof(row));
        row[0] |= 1;
        seeded = lun_proc_pid();
    }

    n = row[1] * 5;
    n = (n << 7 | n >> 57) * 9;
    t = row[1] << 17;
    row[2] ^= row[0];
    row[3] ^= row[1];
    row[1] ^= row[2];
    row[0] ^= row[3];
    row[2] ^= t;
    row[3] = row[3] << 45 | row[3] >> 19;

    return n;
}


static void
fill_id(uint8_t *id, size_t n)
{
    size_t    i;
    uint64_t  number;

    for (i = 0; i < n; i += sizeof(number)) {
        do {
            number = next_number();
        } while (number == 0);

        memcpy(id + i, &number, sizeof(number));
    }
}


/* --- times --------------------------------------------------------------- */

static uint64_t
wall(void)
{
    return ((uint64_t) lun_clock.sec * 1000 + lun_clock.msec) * 1000;
}


/* The loop's time, and what has passed since: one row for all. */
uint64_t
lun_trace_now(void)
{
    return wall() + (lun_time_monotonic_us() - lun_clock.mono * 1000);
}


uint64_t
lun_trace_moment(lun_msec mono)
{
    return wall() - (lun_clock.mono - lun_min(mono, lun_clock.mono)) * 1000;
}


/* --- spans --------------------------------------------------------------- */

lun_trace *
lun_trace_new(lun_pool *pool, const lun_trace_parent *parent)
{
    lun_trace  *t = lun_pool_new(pool, lun_trace);

    if (parent != NULL) {
        t->parent = *parent;
        t->has_parent = true;
        memcpy(t->id, parent->trace, LUN_TRACE_ID);

    } else {
        fill_id(t->id, LUN_TRACE_ID);
    }

    fill_id(t->root.id, LUN_SPAN_ID);
    t->root.kind = LUN_SPAN_SERVER;
    t->last = &t->spans;

    return t;
}


lun_span *
lun_trace_within(const lun_request *r, lun_trace *t)
{
    for ( ; r != NULL && r->parent != NULL; r = r->parent) {
        if (r->sub->span != NULL) {
            return r->sub->span;
        }
    }

    return &t->root;
}


lun_span *
lun_trace_add(lun_request *r, lun_trace *t, lun_span *parent, lun_str name,
    lun_span_kind kind)
{
    lun_span  *span;

    if (t->count++ >= LUN_TRACE_SPANS) {
        return NULL;
    }

    span = lun_pool_new(r->pool, lun_span);
    fill_id(span->id, LUN_SPAN_ID);
    span->parent = parent;
    span->name = name;
    span->kind = kind;
    span->start = lun_trace_now();
    *t->last = span;
    t->last = &span->next;

    return span;
}


lun_span_attr *
lun_span_attr_new(lun_request *r, lun_span *span, lun_str key)
{
    lun_span_attr  *a;

    if (span->attr_count >= LUN_SPAN_ATTRS) {
        return NULL;
    }

    span->attr_count++;
    a = lun_pool_new(r->pool, lun_span_attr);
    a->key = key;
    a->next = span->attrs;
    span->attrs = a;

    return a;
}


void
lun_span_text(lun_request *r, lun_span *span, lun_str key, lun_str text)
{
    lun_span_attr  *a = lun_span_attr_new(r, span, key);

    if (a != NULL) {
        a->text = text;
    }
}


void
lun_span_number(lun_request *r, lun_span *span, lun_str key, int64_t n)
{
    lun_span_attr  *a = lun_span_attr_new(r, span, key);

    if (a != NULL) {
        a->kind = LUN_SPAN_NUMBER;
        a->number = n;
    }
}


/* --- servers that were asked --------------------------------------------- */

/* A status is an error of what it answers to where it says so to a client. */
static void
add_try(lun_request *r, lun_trace *t, const lun_upstream_try *a)
{
    lun_span  *span = lun_trace_add(r, t, lun_trace_within(r, t),
                                    LUN_STR("upstream"), LUN_SPAN_CLIENT);

    if (span == NULL) {
        return;
    }

    span->start = lun_trace_moment(a->started);
    span->end = a->response_time >= 0
                ? span->start + (uint64_t) a->response_time * 1000
                : lun_trace_moment(lun_clock.mono);
    span->failed = a->status == 0 || a->status >= 400;

    lun_span_text(r, span, LUN_STR("server.address"), a->addr);
    lun_span_text(r, span, LUN_STR("http.request.method"), r->method_name);

    if (a->status != 0) {
        lun_span_number(r, span, LUN_STR("http.response.status_code"),
                        a->status);
    }

    if (a->connect_time >= 0) {
        lun_span_number(r, span, LUN_STR("upstream.connect_time_ms"),
                        a->connect_time);
    }

    if (a->header_time >= 0) {
        lun_span_number(r, span, LUN_STR("upstream.header_time_ms"),
                        a->header_time);
    }

    lun_span_number(r, span, LUN_STR("upstream.bytes_sent"), a->sent);
    lun_span_number(r, span, LUN_STR("upstream.bytes_received"), a->received);
}


void
lun_trace_add_tries(lun_request *r, lun_trace *t)
{
    const lun_upstream_try  *a;

    if ((t->wants & LUN_TRACE_UPSTREAM) == 0) {
        return;
    }

    for (a = r->tries; a != NULL; a = a->next) {
        if (a->addr.data != NULL) {
            add_try(r, t, a);
        }
    }
}


/* --- subrequests --------------------------------------------------------- */

void
lun_trace_begin_sub(lun_request *r, lun_trace *t)
{
    if (t->wants & LUN_TRACE_SUBREQUEST) {
        r->sub->span = lun_trace_add(r, t, lun_trace_within(r, t), r->uri,
                                     LUN_SPAN_INTERNAL);
    }
}


void
lun_trace_end_sub(lun_request *r, lun_trace *t)
{
    unsigned   status = r->out.status;
    lun_span  *span = r->sub->span;

    lun_trace_add_tries(r, t);

    if (span == NULL) {
        return;
    }

    span->end = lun_trace_now();
    span->failed = status == 0 || status >= 500;
    lun_span_text(r, span, LUN_STR("http.method"), r->method_name);
    lun_span_text(r, span, LUN_STR("http.target"), r->uri);
    lun_span_number(r, span, LUN_STR("http.status_code"), status);
}
