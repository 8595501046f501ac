/*
 * modules.c -- modules of the program, and what one generation makes of them.
 *
 * A module counts as used when a directive of it stands somewhere below
 * `http {`; the phases and filters of a generation hold the used ones only.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/conf/http.h"


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

void
lun_http_register(lun_schema *schema, const lun_http_module_lists *l)
{
    lun_http_module         *m;
    lun_http_module *const  *at;

    lists = l;

    for (at = l->modules; (m = *at) != NULL; at++) {
        m->part = (lun_conf_part) {
            .name = m->name,
            .directives = m->directives,
            .conf_size = m->conf_size,
            .inherited = m->inherited,
        };

        lun_schema_add(schema, &m->part);
        m->index = m->part.index;
    }
}


lun_http_module *const *
lun_http_modules(void)
{
    return lists->modules;
}


void *
lun_http_top_conf(lun_conf *cf, const lun_http_module *m)
{
    lun_block        *b = cf->block;
    lun_http_engine  *e = cf->gen->http;

    if (e->block != NULL) {
        b = e->block;
    }

    while (b->where != LUN_HTTP) {
        b = b->parent;
    }

    return lun_block_conf(cf, b, &m->part);
}


void *
lun_http_gen_data(lun_generation *gen, const lun_http_module *m)
{
    lun_http_engine  *e = gen->http;

    return e != NULL ? e->data[m->index] : NULL;
}


void
lun_http_set_gen_data(lun_generation *gen, const lun_http_module *m,
    void *data)
{
    lun_http_engine  *e = gen->http;

    e->data[m->index] = data;
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

    e->gen = cf->gen;
    e->parts = (unsigned) lun_schema_count(cf->schema);
    e->data = lun_pool_new_n(cf->pool, void *, e->parts);
    lun_pool_on_end(cf->pool, free_spares, e);

    cf->gen->http = e;
    return e;
}


/* Marks the parts of which this block, or one inside, has a conf of its own. */
static void
mark_used(const lun_block *b, size_t parts, bool *used)
{
    size_t            i;
    void            **above = b->parent != NULL ? b->parent->confs : NULL;
    const lun_block  *child;

    for (i = 0; b->confs_own && i < parts; i++) {
        used[i] |= b->confs[i] != NULL
                   && (above == NULL || b->confs[i] != above[i]);
    }

    for (child = b->first_child; child != NULL; child = child->sibling) {
        mark_used(child, parts, used);
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


static void
choose(lun_http_engine *e, lun_conf *cf)
{
    bool                    *used;
    lun_http_module *const  *m;

    used = lun_pool_new_n(cf->temp, bool, e->parts);
    mark_used(e->block, e->parts, used);

    e->used = lun_pool_new_n(cf->pool, lun_http_module *,
                             count_list(lists->modules));

    for (m = lists->modules; *m != NULL; m++) {
        if ((*m)->always || used[(*m)->index]) {
            e->used[e->used_count++] = *m;
        }
    }
}


static size_t
count_handlers(const lun_http_engine *e, lun_phase phase)
{
    size_t  i, n = 0;

    for (i = 0; i < e->used_count; i++) {
        n += e->used[i]->on[phase] != NULL;
    }

    return n;
}


static void
add_handlers(lun_http_engine *e, lun_phase phase, lun_step_kind kind,
    unsigned *n)
{
    size_t                  i;
    const lun_http_module  *m;

    for (i = 0; i < e->used_count; i++) {
        m = e->used[i];

        if (m->on[phase] != NULL) {
            e->steps[(*n)++] = (lun_step) {
                .run = m->on[phase],
                .kind = (uint8_t) kind,
                .phase = (uint8_t) phase,
            };
        }
    }
}


static void
line_up(lun_http_engine *e, lun_pool *pool)
{
    size_t    i;
    unsigned  n = 0, from, room = 0;

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        room += order[i].handlers
                ? (unsigned) count_handlers(e, order[i].phase) : 1;
    }

    e->steps = lun_pool_new_n(pool, lun_step, room);

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        from = n;

        if (order[i].handlers) {
            add_handlers(e, order[i].phase, order[i].kind, &n);

        } else {
            e->steps[n++] = (lun_step) {
                .kind = (uint8_t) order[i].kind,
                .phase = (uint8_t) order[i].phase,
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

        while (from < n) {
            e->steps[from++].next = (uint16_t) n;
        }
    }
}


static void
line_up_log(lun_http_engine *e, lun_pool *pool)
{
    size_t  i;

    e->log = lun_pool_new_n(pool, lun_phase_fn *,
                            count_handlers(e, LUN_LOG));

    for (i = 0; i < e->used_count; i++) {
        if (e->used[i]->on[LUN_LOG] != NULL) {
            e->log[e->log_count++] = e->used[i]->on[LUN_LOG];
        }
    }
}


static bool
is_used(const lun_http_engine *e, const lun_http_module *m)
{
    size_t  i;

    for (i = 0; i < e->used_count; i++) {
        if (e->used[i] == m) {
            return true;
        }
    }

    return false;
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

        if (is_used(e, m)) {
            e->next_header[m->index] = e->header_filter;
            e->header_filter = m->header_filter;
        }
    }

    for (i = count_list(lists->body_filters); i > 0; i--) {
        m = lists->body_filters[i - 1];

        if (is_used(e, m)) {
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


lun_rc
lun_http_engine_read(lun_conf *cf, lun_block *http)
{
    size_t            i;
    lun_http_engine  *e = cf->gen->http;

    e->block = http;
    choose(e, cf);

    for (i = 0; i < e->used_count; i++) {
        if (e->used[i]->init != NULL && e->used[i]->init(cf) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    line_up(e, cf->pool);
    line_up_log(e, cf->pool);
    link_filters(e, cf->pool);

    return LUN_OK;
}


void
lun_http_log(lun_request *r)
{
    size_t            i;
    lun_http_engine  *e = r->engine;

    if (r->logged) {
        return;
    }

    r->logged = 1;
    r->phase = LUN_LOG;
    r->log->doing = "logging request";

    for (i = 0; i < e->log_count; i++) {
        (void) e->log[i](r);
    }
}
