/*
 * otel.c -- traces: whose requests are, what of them servers are told.
 *
 *     otel_trace         $otel_parent_sampled;
 *     otel_trace_context propagate;
 *
 * A request is in a trace when it is sampled, when headers are to be passed
 * on, or when a variable asks.  None of that needs an exporter.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/otel/otel_priv.h"

#include "base/digest.h"


/* --- the trace of a request ---------------------------------------------- */

static const lun_header *
find_header(const lun_request *r, lun_str name, lun_header **more)
{
    lun_header  *found = NULL;

    lun_header_each(&r->in.list, h) {
        if (h->hash == 0 || !lun_str_caseeq(h->name, name)) {
            continue;
        }

        if (found != NULL) {
            *more = h;
            return found;
        }

        found = h;
    }

    *more = NULL;
    return found;
}


/* Lines of one name are one list. */
static lun_str
join_states(lun_request *r)
{
    lun_str  parts[3] = { LUN_STR(""), LUN_STR(","), LUN_STR("") };
    lun_str  text = LUN_STR("");

    lun_header_each(&r->in.list, h) {
        if (h->hash == 0 || !lun_str_caseeq(h->name, LUN_STR("tracestate"))) {
            continue;
        }

        if (text.len == 0) {
            text = h->value;

        } else {
            parts[0] = text;
            parts[2] = h->value;
            text = lun_pool_join(r->pool, parts, 3);
        }
    }

    return text;
}


/* Two parents are none (W3C Trace Context, 2.1). */
static lun_trace *
extract(lun_request *r)
{
    lun_header        *more;
    lun_trace         *t;
    lun_trace_parent   p;
    const lun_header  *h = find_header(r, LUN_STR("traceparent"), &more);

    if (h == NULL || more != NULL
        || lun_trace_parent_read(lun_str_trim(h->value), &p) != LUN_OK)
    {
        return lun_trace_new(r->pool, NULL);
    }

    t = lun_trace_new(r->pool, &p);
    t->state = join_states(r);

    if (!lun_trace_state_is_good(t->state)) {
        t->state = LUN_STR("");
    }

    return t;
}


static lun_trace *
trace_of(lun_request *r)
{
    lun_request          *m = r->main;
    const lun_otel_conf  *conf = lun_http_conf(m, &lun_http_otel);

    if (m->trace == NULL) {
        m->trace = conf->context & LUN_OTEL_EXTRACT
                   ? extract(m) : lun_trace_new(m->pool, NULL);
    }

    return m->trace;
}


/* Servers, and scripts, see it as the client's header. */
static void
inject(lun_request *r, const lun_trace *t)
{
    char              *text = lun_pool_text(r->pool, LUN_TRACE_PARENT);
    lun_trace_parent   own = { .sampled = t->sampled };

    memcpy(own.trace, t->id, LUN_TRACE_ID);
    memcpy(own.span, t->root.id, LUN_SPAN_ID);
    (void) lun_trace_parent_write(text, &own);
    lun_http_set_in(r, LUN_STR("traceparent"),
                    lun_str_of(text, LUN_TRACE_PARENT), true);
    lun_http_set_in(r, LUN_STR("tracestate"),
                    t->state.len != 0 ? t->state : LUN_STR_NULL, true);
}


/* --- phases -------------------------------------------------------------- */

static bool
is_sampled(lun_request *r, const lun_otel_conf *conf)
{
    lun_str  text;

    if (conf->trace == NULL) {
        return false;
    }

    text = lun_script_run(&r->session, conf->trace);
    return lun_str_eq(text, LUN_STR("on")) || lun_str_eq(text, LUN_STR("1"));
}


/* Where an internal redirect leads does not change what was decided. */
static lun_verdict
on_rewrite(lun_session *s)
{
    bool                  sampled;
    lun_trace            *t;
    lun_request          *r = lun_request_of(s);
    const lun_otel_conf  *conf = lun_http_conf(r, &lun_http_otel);

    if (r->parent != NULL || r->internal) {
        return LUN_NEXT;
    }

    sampled = is_sampled(r, conf);

    if (!sampled && conf->context == 0) {
        return LUN_NEXT;
    }

    t = trace_of(r);
    t->sampled = sampled;
    t->wants = sampled ? conf->inside : 0;

    if (conf->context & LUN_OTEL_INJECT) {
        inject(r, t);
    }

    return LUN_NEXT;
}


static lun_verdict
on_log(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    lun_trace    *t = r->trace;
    lun_otel     *otel;

    if (t == NULL || !t->sampled || r->parent != NULL) {
        return LUN_NEXT;
    }

    otel = lun_module_data(s->engine, &lun_http_otel.head);

    if (otel->url.len != 0) {
        lun_otel_begin(otel, s->engine->gen);
        lun_trace_add_tries(r, t);
        lun_otel_add_request(otel, r, t);
    }

    return LUN_NEXT;
}


/* --- variables ----------------------------------------------------------- */

enum { TRACE_ID, SPAN_ID, PARENT_ID, PARENT_SAMPLED };


static void
give_hex(lun_session *s, lun_value *v, const uint8_t *id, size_t n)
{
    char  *text = lun_pool_text(s->pool, 2 * n);

    (void) lun_hex(text, id, n);
    v->text = lun_str_of(text, 2 * n);
}


static void
get_trace(lun_session *s, lun_value *v, uintptr_t what)
{
    const lun_trace  *t = trace_of(lun_request_of(s));

    switch (what) {

    case TRACE_ID:
        give_hex(s, v, t->id, LUN_TRACE_ID);
        break;

    case SPAN_ID:
        give_hex(s, v, t->root.id, LUN_SPAN_ID);
        break;

    case PARENT_ID:
        if (t->has_parent) {
            give_hex(s, v, t->parent.span, LUN_SPAN_ID);

        } else {
            v->not_found = 1;
        }

        break;

    default:
        v->text = t->parent.sampled ? LUN_STR("1") : LUN_STR("0");
    }
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("otel_trace_id"), .get = get_trace,
      .data = TRACE_ID, .flags = LUN_VAR_CHANGEABLE,
      .help = "the trace that the request is a part of" },
    { .name = LUN_STR_INIT("otel_span_id"), .get = get_trace,
      .data = SPAN_ID, .flags = LUN_VAR_CHANGEABLE,
      .help = "the request's own span in it" },
    { .name = LUN_STR_INIT("otel_parent_id"), .get = get_trace,
      .data = PARENT_ID, .flags = LUN_VAR_CHANGEABLE,
      .help = "the client's span, of its traceparent" },
    { .name = LUN_STR_INIT("otel_parent_sampled"), .get = get_trace,
      .data = PARENT_SAMPLED, .flags = LUN_VAR_CHANGEABLE,
      .help = "1 if the client's traceparent says that it samples, or 0" },
    { .name = LUN_STR_NULL }
};


/* --- the module ---------------------------------------------------------- */

static lun_rc
on_quit(lun_generation *gen, void *data)
{
    lun_otel_quit(data);
    return LUN_OK;
}


static lun_rc
on_exit(lun_generation *gen, void *data)
{
    lun_otel_exit(data);
    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_otel  *otel = lun_otel_of(cf);

    lun_gen_add_hook(cf->gen, &cf->gen->on_quit, on_quit, otel);
    lun_gen_add_hook(cf->gen, &cf->gen->on_exit, on_exit, otel);
    return lun_otel_conf_finish(cf, otel);
}


lun_http_module  lun_http_otel = {
    .name = "otel",
    .directives = lun_otel_directives,
    .conf_size = sizeof(lun_otel_conf),
    .variables = variables,
    .metrics = lun_otel_metrics,
    .init = init,
    .on[LUN_REWRITE] = on_rewrite,
    .on[LUN_LOG] = on_log,
};
