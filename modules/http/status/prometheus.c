/*
 * prometheus.c -- all that is counted, for Prometheus and its like.
 *
 *     location = /metrics { prometheus; }
 *     location = /p8s { prometheus all; }       a prometheus_template's
 *
 * Who accepts OpenMetrics gets that, all others the older text.  One worker
 * answers for all: sums are made when they are asked for, a part at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/http.h"
#include "http/delay.h"
#include "modules/http/status/status_priv.h"
#include "session/engine.h"
#include "shm/metric_text.h"


enum { PART = 128 * 1024 };       /* bytes that are printed at a time */

typedef struct {
    bool                            on;
    const lun_prometheus_template  *t;     /* NULL: all that is counted */
} prometheus_conf;

/* An answer that is being made. */
typedef struct {
    lun_metric_form   form;
    lun_metric_page  *metrics;
    lun_chain         out;
} page;

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
send_page(lun_request *r, const page *p)
{
    lun_buf  *b;
    char     *to;
    lun_str   text;

    text.len = (size_t) lun_buf_total(p->out.head);
    text.data = to = lun_pool_text(r->pool, text.len);

    for (b = p->out.head; b != NULL; b = b->next) {
        to = lun_copy(to, b->pos, (size_t) (b->last - b->pos));
    }

    lun_status_say_it_changes(r);
    return lun_http_respond(r, 200, lun_metric_type_of(p->form), text);
}


/* Others have had their turn. */
static void
go_on(lun_request *r)
{
    page  *p = lun_http_state(r, &lun_http_prometheus);

    if (lun_metric_page_print(p->metrics, PART, &p->out)) {
        (void) lun_http_delay(r, LUN_STATUS_PAUSE, go_on);

    } else {
        lun_http_finish(r, send_page(r, p));
    }
}


/*
 * Printed in parts with pauses between, so that requests of this worker don't
 * wait for a page of ten thousand rows.
 */
static lun_verdict
on_content(lun_session *s)
{
    page                   *p;
    lun_request            *r = lun_request_of(s);
    const lun_generation   *gen = s->engine->gen;
    const prometheus_conf  *conf = lun_http_conf(r, &lun_http_prometheus);

    if (!conf->on) {
        return LUN_NEXT;
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    if (conf->t != NULL) {
        return lun_prometheus_template_answer(r, conf->t);
    }

    p = lun_pool_new(r->pool, page);
    p->form = choose_form(r);
    p->metrics = lun_metric_page_new(r->pool, gen->metrics, gen->number,
                                     p->form);
    lun_chain_init(&p->out);
    lun_http_set_state(r, &lun_http_prometheus, p);

    return lun_metric_page_print(p->metrics, PART, &p->out)
           ? lun_http_delay(r, LUN_STATUS_PAUSE, go_on) : send_page(r, p);
}


static lun_rc
set_prometheus(lun_conf *cf, const lun_directive *d, void *data)
{
    prometheus_conf  *conf = data;

    conf->on = true;

    if (cf->argc == 2) {
        conf->t = lun_prometheus_template_of(cf, cf->args[1]);
    }

    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_status_add_server(cf->gen);
    return lun_prometheus_templates_finish(cf);
}


static const lun_directive  directives[] = {
    { .name = "prometheus", .where = LUN_SERVER | LUN_LOCATION,
      .args_max = 1, .repeats = true,
      .set = set_prometheus,
      .values = "[template]",
      .help = "answers with all metrics, as Prometheus reads them, or with a "
              "prometheus_template" },
    { 0 }
};

lun_http_module  lun_http_prometheus = {
    .name = "prometheus",
    .directives = directives,
    .conf_size = sizeof(prometheus_conf),
    .keeps_state = true,
    .init = init,
    .on[LUN_CONTENT] = on_content,
};
