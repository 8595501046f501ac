/*
 * modules.c -- the modules of the http block, and what one generation makes of
 * them: its steps, and the chains of its filters.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/accept/request_metrics.h"
#include "http/conf/core_conf.h"
#include "http/conf/http.h"
#include "http/conf/http_conf.h"
#include "http/h1/h1.h"
#include "http/subrequest.h"
#include "http/trusted_proxy.h"


/* In the order in which a request meets them. */
static const struct {
    lun_phase      phase;
    lun_step_kind  kind;
    bool           handlers;       /* of modules; else one step of the core */
} order[] = {
    { LUN_POST_READ,      LUN_STEP_HANDLER,      true },
    { LUN_SERVER_REWRITE, LUN_STEP_HANDLER,      true },
    { LUN_FIND_CONFIG,    LUN_STEP_FIND_CONFIG,  false },
    { LUN_REWRITE,        LUN_STEP_HANDLER,      true },
    { LUN_POST_REWRITE,   LUN_STEP_POST_REWRITE, false },
    { LUN_PREACCESS,      LUN_STEP_HANDLER,      true },
    { LUN_ACCESS,         LUN_STEP_ACCESS,       true },
    { LUN_POST_ACCESS,    LUN_STEP_POST_ACCESS,  false },
    { LUN_PRECONTENT,     LUN_STEP_HANDLER,      true },
    { LUN_CONTENT,        LUN_STEP_CONTENT,      true },
    { LUN_CONTENT,        LUN_STEP_NO_CONTENT,   false }
};

static const lun_http_module_lists  *lists;


/* --- the program --------------------------------------------------------- */

/* With `satisfy any` another handler may still let the request in. */
static bool
refuses(const lun_session *s)
{
    return lun_core_conf_of(lun_request_of(s))->satisfy == LUN_SATISFY_ALL;
}


static lun_name_servers *
resolver_of(const lun_block *b, lun_msec *timeout)
{
    const lun_core_conf  *core = b->confs[lun_http_core.index];

    *timeout = core->resolver_timeout;
    return core->resolver;
}


const lun_protocol  lun_http = {
    .name = "http",
    .level = LUN_HTTP,
    .levels = LUN_HTTP_LEVELS | LUN_SERVER_IF | LUN_LOCATION_IF
              | LUN_LIMIT_EXCEPT | LUN_UPSTREAM,
    .upstream_port = 80,
    .resolver = resolver_of,
    .finish = lun_http_finish_conf,
    .refuses = refuses,
    .forwarded = lun_trusted_proxy_client,
    .combined = LUN_STR_INIT("$remote_addr - $remote_user [$time_local] "
                             "\"$request\" $status $body_bytes_sent "
                             "\"$http_referer\" \"$http_user_agent\""),
    .active = lun_http_active,
    .session_name = "request",
    .log_path = lun_http_log_path,
};


void
lun_http_register(lun_schema *schema, const lun_http_module_lists *l)
{
    lists = l;
    lun_protocol_register(schema, &lun_http, l->modules);
}


lun_module *const *
lun_http_modules(void)
{
    return lists->modules;
}


void *
lun_http_gen_data(lun_generation *gen, const lun_http_module *m)
{
    lun_http_engine  *e = lun_http_engine_of(gen);

    return e != NULL ? lun_module_data(&e->head, &m->head) : NULL;
}


void
lun_http_set_gen_data(lun_generation *gen, const lun_http_module *m,
    void *data)
{
    lun_module_set_data(&lun_http_engine_of(gen)->head, &m->head, data);
}


lun_generation *
lun_http_generation(const lun_request *r)
{
    return r->engine->gen;
}


/* --- a generation -------------------------------------------------------- */

static void
free_spares(void *data)
{
    lun_http_engine  *e = data;

    while (e->spare_count > 0) {
        lun_pool_free(e->spares[--e->spare_count]);
    }
}


lun_http_engine *
lun_http_engine_new(lun_conf *cf)
{
    lun_http_engine  *e = lun_pool_new(cf->pool, lun_http_engine);

    lun_engine_init(cf, &e->head, &lun_http, lists->modules);
    e->request_id = lun_var_index(cf, LUN_STR("request_id"));
    lun_hash_init(&e->tls_zones, cf->pool, 0, false);
    lun_metric_declare(cf->gen->metrics, lun_server_metrics);
    lun_server_add_status(cf->gen);
    lun_pool_on_end(cf->pool, free_spares, e);

    lun_log_json_members(lun_http_context, lun_http_members);
    lun_log_json_members(lun_request_context, lun_request_members);
    lun_subrequest_log_members();
    lun_h1_log_members();

    return e;
}


static void
add_handlers(lun_http_engine *e, lun_phase phase, lun_step_kind kind,
    lun_phase_fn *const *handlers, unsigned *n)
{
    size_t  i, count = lun_engine_handlers(&e->head, phase, NULL);

    for (i = 0; i < count; i++) {
        e->steps[(*n)++] = (lun_step) {
            .run = handlers[i],
            .kind = (uint8_t) kind,
            .phase = phase,
        };
    }
}


static void
line_up(lun_conf *cf, lun_http_engine *e)
{
    size_t          i;
    unsigned        n = 0, from, room = 0;
    lun_phase_fn  **handlers;

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        room += order[i].handlers
                ? (unsigned) lun_engine_handlers(&e->head, order[i].phase,
                                                 NULL)
                : 1;
    }

    e->steps = lun_pool_new_n(cf->pool, lun_step, room);
    handlers = lun_pool_new_n(cf->temp, lun_phase_fn *, room);

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        from = n;

        if (order[i].handlers) {
            (void) lun_engine_handlers(&e->head, order[i].phase, handlers);
            add_handlers(e, order[i].phase, order[i].kind, handlers, &n);

        } else {
            e->steps[n++] = (lun_step) {
                .kind = (uint8_t) order[i].kind,
                .phase = order[i].phase,
            };
        }

        switch (order[i].phase) {

        case LUN_SERVER_REWRITE:
            e->server_rewrite = from;
            break;

        case LUN_FIND_CONFIG:
            e->find_config = from;
            break;

        case LUN_REWRITE:
            e->rewrite = from;
            break;

        default:
            break;
        }

        /* LEAVE goes on behind the last handler of the phase. */
        while (from < n) {
            e->steps[from++].next = (uint16_t) n;
        }
    }
}


static size_t
count_list(lun_http_module *const *list)
{
    size_t  n = 0;

    while (list[n] != NULL) {
        n++;
    }

    return n;
}


/* Each chain from its last filter to its first; behind the last is the core. */
static void
link_filters(lun_http_engine *e, lun_pool *pool)
{
    size_t            i;
    lun_http_module  *m;

    e->next_header = lun_pool_new_n(pool, lun_header_filter_fn *, e->parts);
    e->next_body = lun_pool_new_n(pool, lun_body_filter_fn *, e->parts);
    e->header_filter = lun_http_end_header;
    e->body_filter = lun_http_end_body;

    for (i = count_list(lists->header_filters); i > 0; i--) {
        m = lists->header_filters[i - 1];

        if (lun_engine_uses(&e->head, &m->head)) {
            e->next_header[m->index] = e->header_filter;
            e->header_filter = m->header_filter;
        }
    }

    for (i = count_list(lists->body_filters); i > 0; i--) {
        m = lists->body_filters[i - 1];

        if (lun_engine_uses(&e->head, &m->head)) {
            e->next_body[m->index] = e->body_filter;
            e->body_filter = m->body_filter;
        }
    }
}


lun_rc
lun_http_next_header(lun_request *r, const lun_http_module *m)
{
    return r->engine->next_header[m->index](r);
}


lun_rc
lun_http_next_body(lun_request *r, const lun_http_module *m, lun_buf *in)
{
    return r->engine->next_body[m->index](r, in);
}


bool
lun_http_filters_idle(const lun_request *r)
{
    size_t                  i;
    const lun_http_module  *m;

    for (i = 0; (m = lists->body_filters[i]) != NULL; i++) {
        if (lun_engine_uses(&r->engine->head, &m->head)
            && !(m->is_idle != NULL ? m->is_idle(r)
                                    : lun_http_state(r, m) == NULL))
        {
            return false;
        }
    }

    return true;
}


lun_rc
lun_http_engine_read(lun_conf *cf, lun_block *http)
{
    lun_http_engine  *e = lun_http_engine_of(cf->gen);

    if (lun_engine_read(cf, http) != LUN_OK) {
        return LUN_ERROR;
    }

    line_up(cf, e);
    link_filters(e, cf->pool);

    return LUN_OK;
}


void
lun_http_log(lun_request *r)
{
    if (r->logged) {
        return;
    }

    r->logged = 1;
    r->phase = LUN_LOG;
    r->log->doing = "logging request";

    if (r->tally != 0) {
        lun_request_count_answer(r);
    }

    lun_engine_log(&r->session);
}
