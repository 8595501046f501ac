/*
 * engine.c -- the modules of a protocol, and which of them a generation uses.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/engine.h"

#include "base/check.h"
#include "session/listen_conf.h"


/* --- the program --------------------------------------------------------- */

void
lun_protocol_register(lun_schema *schema, const lun_protocol *p,
    lun_module *const *modules)
{
    lun_module       *m;
    static unsigned   states;      /* of the program's modules */

    lun_schema_add_protocol(schema, p->level, p->levels);

    for ( ; (m = *modules) != NULL; modules++) {
        m->part.name = m->name;
        m->part.directives = m->directives;
        m->part.conf_size = m->conf_size;
        m->part.inherited = m->inherited;

        lun_schema_add(schema, &m->part);
        m->index = m->part.index;

        if (m->keeps_state && m->state == 0) {
            m->state = ++states;
        }
    }
}


/* --- a generation -------------------------------------------------------- */

static lun_rc
finish_variables(lun_generation *gen, lun_engine *e)
{
    lun_rc    rc;
    lun_conf  cf = { 0 };

    cf.gen = gen;
    cf.engine = e;
    cf.pool = gen->pool;
    cf.log = (lun_log *) lun_log_default();
    cf.schema = gen->schema;
    cf.prefix = gen->prefix;
    cf.conf_prefix = gen->conf_prefix;
    cf.testing = cf.read_on = gen->testing;

    cf.temp = lun_pool_new_sized(4096);
    rc = lun_var_finish(&cf);
    lun_pool_free(cf.temp);

    return rc;
}


static lun_rc
on_init(lun_generation *gen, void *data)
{
    lun_engine  *e = data;

    if (finish_variables(gen, e) != LUN_OK
        || e->protocol->finish(e) != LUN_OK)
    {
        return LUN_ERROR;
    }

    return lun_listen_conf_check(e);
}


void
lun_engine_init(lun_conf *cf, lun_engine *e, const lun_protocol *p,
    lun_module *const *modules)
{
    e->gen = cf->gen;
    e->protocol = p;
    e->modules = modules;
    e->next = cf->gen->engines;
    cf->gen->engines = e;
    cf->engine = e;
    lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, e);

    lun_var_add_table(cf, lun_session_variables);
    lun_var_add_table(cf, lun_proxied_variables);

    for ( ; *modules != NULL; modules++) {
        e->parts = lun_max(e->parts, (*modules)->index + 1);
        e->states = lun_max(e->states, (*modules)->state + 1);

        if ((*modules)->variables != NULL) {
            lun_var_add_table(cf, (*modules)->variables);
        }
    }

    e->data = lun_pool_new_n(cf->pool, void *, e->parts);
}


lun_engine *
lun_engine_find(const lun_generation *gen, const lun_protocol *p)
{
    lun_engine  *e = gen->engines;

    while (e != NULL && e->protocol != p) {
        e = e->next;
    }

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
count_list(lun_module *const *list)
{
    size_t  n = 0;

    while (list[n] != NULL) {
        n++;
    }

    return n;
}


static bool
is_used(const lun_module *m, const bool *used)
{
    return m->always || used[m->index]
           || (m->with != NULL && used[m->with->index]);
}


static void
choose_modules(lun_conf *cf, lun_engine *e)
{
    bool               *used;
    lun_module *const  *m;

    used = lun_pool_new_n(cf->temp, bool, e->parts);
    mark_used(e->block, e->parts, used);

    e->used = lun_pool_new_n(cf->pool, lun_module *, count_list(e->modules));

    for (m = e->modules; *m != NULL; m++) {
        if (!is_used(*m, used)) {
            continue;
        }

        e->used[e->used_count++] = *m;

        if ((*m)->metrics != NULL) {
            lun_metric_declare(cf->gen->metrics, (*m)->metrics);
        }
    }
}


bool
lun_engine_uses(const lun_engine *e, const lun_module *m)
{
    size_t  i;

    for (i = 0; i < e->used_count; i++) {
        if (e->used[i] == m) {
            return true;
        }
    }

    return false;
}


size_t
lun_engine_handlers(const lun_engine *e, lun_phase phase, lun_phase_fn **to)
{
    size_t  i, n = 0;

    LUN_CHECK(phase < LUN_MODULE_PHASES);

    for (i = 0; i < e->used_count; i++) {
        if (e->used[i]->on[phase] == NULL) {
            continue;
        }

        if (to != NULL) {
            to[n] = e->used[i]->on[phase];
        }

        n++;
    }

    return n;
}


lun_rc
lun_engine_read(lun_conf *cf, lun_block *block)
{
    size_t       i;
    lun_engine  *e = cf->engine;

    e->block = block;
    choose_modules(cf, e);

    for (i = 0; i < e->used_count; i++) {
        if (e->used[i]->init != NULL && e->used[i]->init(cf) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    e->log_count = lun_engine_handlers(e, LUN_LOG, NULL);
    e->log = lun_pool_new_n(cf->pool, lun_phase_fn *, e->log_count);
    (void) lun_engine_handlers(e, LUN_LOG, e->log);

    return LUN_OK;
}


void
lun_engine_log(lun_session *s)
{
    size_t             i;
    const lun_engine  *e = s->engine;

    lun_session_check(s);

    for (i = 0; i < e->log_count; i++) {
        (void) e->log[i](s);
    }
}


/* --- what modules ask for ------------------------------------------------ */

void *
lun_module_top_conf(lun_conf *cf, const lun_module *m)
{
    lun_block  *b = cf->engine->block != NULL ? cf->engine->block : cf->block;

    while (b->where != cf->engine->protocol->level) {
        b = b->parent;
    }

    return lun_block_conf(cf, b, &m->part);
}


void *
lun_module_data(const lun_engine *e, const lun_module *m)
{
    return e->data[m->index];
}


void
lun_module_set_data(lun_engine *e, const lun_module *m, void *data)
{
    e->data[m->index] = data;
}
