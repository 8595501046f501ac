/*
 * prometheus.c -- all that is counted, for Prometheus and its like.
 *
 *     location = /metrics { prometheus; }
 *
 * Who accepts OpenMetrics gets that, all others the older text.  One worker
 * answers for all: sums are made when they are asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/http.h"
#include "session/engine.h"
#include "shm/metric_text.h"


typedef struct {
    bool  on;
} prometheus_conf;

extern lun_http_module  lun_http_prometheus;


static lun_metric_form
choose_form(const lun_request *r)
{
    lun_str            openmetrics = LUN_STR("application/openmetrics-text");
    const lun_header  *h = r->in.known[LUN_HIN_ACCEPT];

    return h != NULL && lun_str_casefind(h->value, openmetrics) != NULL
           ? LUN_METRIC_OPENMETRICS : LUN_METRIC_PROMETHEUS;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_str                 type, text;
    char                   *p;
    lun_buf                *b;
    lun_chain               out;
    lun_request            *r = lun_request_of(s);
    lun_metric_form         form;
    const lun_generation   *gen = s->engine->gen;
    const prometheus_conf  *conf = lun_http_conf(r, &lun_http_prometheus);

    if (!conf->on) {
        return LUN_NEXT;
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    form = choose_form(r);
    type = lun_metric_type_of(form);
    lun_chain_init(&out);
    lun_metric_print(r->pool, gen->metrics, gen->number, form, &out);

    text.len = (size_t) lun_buf_total(out.head);
    text.data = p = lun_pool_text(r->pool, text.len);

    for (b = out.head; b != NULL; b = b->next) {
        p = lun_copy(p, b->pos, (size_t) (b->last - b->pos));
    }

    return lun_http_respond(r, 200, type, text);
}


static lun_rc
set_prometheus(lun_conf *cf, const lun_directive *d, void *data)
{
    prometheus_conf  *conf = data;

    conf->on = true;
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "prometheus", .where = LUN_SERVER | LUN_LOCATION,
      .repeats = true,
      .set = set_prometheus,
      .help = "answers with all metrics, as Prometheus reads them" },
    { 0 }
};

lun_http_module  lun_http_prometheus = {
    .name = "prometheus",
    .directives = directives,
    .conf_size = sizeof(prometheus_conf),
    .on[LUN_CONTENT] = on_content,
};
