/*
 * trace.c -- traces of scripts, for lua/ngx/trace.lua.  Phases that have a
 * request.
 *
 * A script knows a span by its id: whatever it keeps for longer than the
 * request lives finds none any more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "http/accept/trace.h"


static lun_span *
span_of(const lun_request *r, const char *id)
{
    lun_span   *span;
    lun_trace  *t = r->main->trace;

    if (t == NULL) {
        return NULL;
    }

    if (memcmp(t->root.id, id, LUN_SPAN_ID) == 0) {
        return &t->root;
    }

    for (span = t->spans; span != NULL; span = span->next) {
        if (memcmp(span->id, id, LUN_SPAN_ID) == 0) {
            return span;
        }
    }

    return NULL;
}


/* The id of the request's own span, as bytes.  ERROR: it is in no trace. */
int
lun_ffi_trace_root(const lun_request *r, char *id)
{
    const lun_trace  *t = r->main->trace;

    if (t == NULL) {
        return LUN_ERROR;
    }

    memcpy(id, t->root.id, LUN_SPAN_ID);
    return LUN_OK;
}


/* What a header of a question from within that span has. */
int
lun_ffi_trace_parent(const lun_request *r, const char *id, char *text)
{
    lun_trace_parent  p;
    const lun_trace  *t = r->main->trace;

    if (t == NULL) {
        return LUN_ERROR;
    }

    memcpy(p.trace, t->id, LUN_TRACE_ID);
    memcpy(p.span, id, LUN_SPAN_ID);
    p.sampled = t->sampled;
    (void) lun_trace_parent_write(text, &p);
    return LUN_OK;
}


/* LUN_AGAIN: the request is in a trace that nobody samples, or has enough. */
int
lun_ffi_trace_start(lun_request *r, const char *parent, const char *name,
    size_t len, int kind, char *id)
{
    lun_span   *span, *above = span_of(r, parent);
    lun_trace  *t = r->main->trace;

    if (t == NULL) {
        return LUN_ERROR;
    }

    if (!t->sampled) {
        return LUN_AGAIN;
    }

    span = lun_trace_add(r, t, above != NULL ? above : &t->root,
                         lun_pool_str(r->pool, lun_str_of(name, len)),
                         (lun_span_kind) kind);
    if (span == NULL) {
        return LUN_AGAIN;
    }

    memcpy(id, span->id, LUN_SPAN_ID);
    return LUN_OK;
}


/* An attribute of a span that goes on; NULL: there is none. */
static lun_span_attr *
new_attr(lun_request *r, const char *id, const char *key, size_t len)
{
    lun_span  *span = span_of(r, id);

    if (span == NULL || span->end != 0) {
        return NULL;
    }

    return lun_span_attr_new(r, span,
                             lun_pool_str(r->pool, lun_str_of(key, len)));
}


void
lun_ffi_span_text(lun_request *r, const char *id, const char *key, size_t len,
    const char *text, size_t text_len)
{
    lun_span_attr  *a = new_attr(r, id, key, len);

    if (a != NULL) {
        a->text = lun_pool_str(r->pool, lun_str_of(text, text_len));
    }
}


/* A whole number is one there, too. */
void
lun_ffi_span_number(lun_request *r, const char *id, const char *key,
    size_t len, double n)
{
    lun_span_attr  *a = new_attr(r, id, key, len);

    if (a == NULL) {
        return;
    }

    if (n >= -9007199254740992.0 && n <= 9007199254740992.0
        && (double) (int64_t) n == n)
    {
        a->kind = LUN_SPAN_NUMBER;
        a->number = (int64_t) n;

    } else {
        a->kind = LUN_SPAN_DOUBLE;
        a->decimal = n;
    }
}


void
lun_ffi_span_flag(lun_request *r, const char *id, const char *key, size_t len,
    int flag)
{
    lun_span_attr  *a = new_attr(r, id, key, len);

    if (a != NULL) {
        a->kind = LUN_SPAN_FLAG;
        a->number = flag != 0;
    }
}


void
lun_ffi_span_name(lun_request *r, const char *id, const char *name,
    size_t len)
{
    lun_span  *span = span_of(r, id);

    if (span != NULL && span->end == 0) {
        span->name = lun_pool_str(r->pool, lun_str_of(name, len));
    }
}


void
lun_ffi_span_fail(lun_request *r, const char *id, const char *why, size_t len)
{
    lun_span  *span = span_of(r, id);

    if (span != NULL && span->end == 0) {
        span->failed = true;
        span->why = lun_pool_str(r->pool, lun_str_of(why, len));
    }
}


/* The request's own ends with the request. */
void
lun_ffi_span_finish(lun_request *r, const char *id)
{
    lun_span  *span = span_of(r, id);

    if (span != NULL && span->end == 0 && span->parent != NULL) {
        span->end = lun_trace_now();
    }
}
