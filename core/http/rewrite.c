/*
 * rewrite.c -- the lists of instructions, and the two phases that run them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/rewrite.h"

#include "base/check.h"
#include "http/conf/location.h"
#include "http/engine.h"


typedef struct step  step;
struct step {
    lun_rewrite_fn  *run;
    void            *data;
    step            *next;
};

struct lun_rewrite_list {
    step   *first;
    step  **last;
};


lun_rewrite_list *
lun_rewrite_list_of(lun_conf *cf, lun_block *block)
{
    lun_rewrite_conf  *conf;

    conf = lun_block_conf(cf, block, &lun_http_instructions.part);

    if (conf->list == NULL || conf->block != block) {
        conf->block = block;
        conf->list = lun_pool_new(cf->pool, lun_rewrite_list);
        conf->list->last = &conf->list->first;
    }

    return conf->list;
}


void
lun_rewrite_add(lun_conf *cf, lun_rewrite_fn *fn, void *data)
{
    step              *s = lun_pool_new(cf->pool, step);
    lun_rewrite_list  *list = lun_rewrite_list_of(cf, cf->block);

    s->run = fn;
    s->data = data;

    *list->last = s;
    list->last = &s->next;
}


static inline lun_verdict
run_list(lun_request *r, const lun_rewrite_list *list)
{
    const step   *s;
    lun_verdict   v;

    for (s = list->first; s != NULL; s = s->next) {
        v = s->run(r, s->data);

        if (v != LUN_NEXT) {
            return v;
        }
    }

    return LUN_NEXT;
}


lun_verdict
lun_rewrite_run(lun_request *r, const lun_rewrite_list *list)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    return run_list(r, list);
}


static lun_verdict
run_block(lun_request *r, const lun_block *block)
{
    lun_verdict              v;
    const lun_rewrite_conf  *conf = lun_http_conf(r, &lun_http_instructions);

    /* A conf that was inherited has the list of an outer block. */
    if (conf->list == NULL || conf->block != block) {
        return LUN_NEXT;
    }

    v = run_list(r, conf->list);

    /* Other modules' handlers run after `last`, too, as nginx's do. */
    return v == LUN_LEAVE ? LUN_NEXT : v;
}


static lun_verdict
on_server_rewrite(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    return run_block(r, r->server->block);
}


static lun_verdict
on_rewrite(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    /* Where no location is found it is the server, whose turn is over. */
    if (r->location == NULL || r->location->block == r->server->block) {
        return LUN_NEXT;
    }

    return run_block(r, r->location->block);
}


/* --- variables that only `set` gives a value --- */

static void
get_unset(lun_session *s, lun_value *v, uintptr_t name)
{
    lun_request             *r = lun_request_of(s);
    const lun_rewrite_conf  *conf = lun_http_conf(r, &lun_http_instructions);

    if (conf->warn) {
        lun_log(LUN_LOG_WARN, r->log, 0, "using uninitialized \"%.*s\" "
                "variable", LUN_S(*(const lun_str *) name));
    }

    v->text = LUN_STR("");
}


unsigned
lun_rewrite_variable(lun_conf *cf, lun_str dollar_name)
{
    lun_str        name;
    lun_variable  *v;

    if (lun_var_name(cf, dollar_name, &name) != LUN_OK
        || (v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE)) == NULL)
    {
        return 0;
    }

    if (v->get == NULL && !lun_var_in_family(cf, v->name)) {
        v->get = get_unset;
        v->data = (uintptr_t) &v->name;
    }

    return lun_var_index(cf, v->name);
}


/* --- functions from text to text --- */

typedef struct {
    const lun_directive  *directive;
    unsigned              index;
    lun_script           *value;   /* NULL: the variable's own */
} text_code;


lun_rc
lun_text_run(const lun_text_function *f, lun_request *r, lun_pool *pool,
    lun_str in, lun_str *out)
{
    lun_rc  rc = f->run(r, pool, in, out);

    if (rc != LUN_OK && r != NULL && f->name != NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "%s: invalid value", f->name);
    }

    return rc;
}


static lun_verdict
run_text(lun_request *r, void *data)
{
    lun_str           text, out = LUN_STR("");
    const text_code  *c = data;

    text = c->value != NULL ? lun_script_run(&r->session, c->value)
                            : lun_var_get_fresh(&r->session, c->index)->text;

    if (lun_text_run(c->directive->data, r, r->pool, text, &out) != LUN_OK) {
        return LUN_STATUS + 500;
    }

    lun_var_set(&r->session, c->index, out);
    return LUN_NEXT;
}


lun_rc
lun_set_text(lun_conf *cf, const lun_directive *d, void *conf)
{
    text_code  *c = lun_pool_new(cf->pool, text_code);

    c->directive = d;
    c->index = lun_rewrite_variable(cf, cf->args[1]);

    if (c->index == 0) {
        return LUN_ERROR;
    }

    if (cf->argc == 3) {
        c->value = lun_script_new(cf, cf->args[2]);

        if (c->value == NULL) {
            return LUN_ERROR;
        }
    }

    lun_rewrite_add(cf, run_text, c);
    return LUN_OK;
}


const lun_text_function *
lun_text_function_of(lun_str name)
{
    const lun_directive     *d;
    lun_module *const    *m;

    for (m = lun_http_modules(); *m != NULL; m++) {
        for (d = (*m)->directives; d != NULL && d->name != NULL; d++) {
            if (d->set == lun_set_text && lun_str_eq(name, lun_str_z(d->name)))
            {
                return d->data;
            }
        }
    }

    return NULL;
}


static const lun_directive  directives[] = {
    { .name = "rewrite_log",
      .where = LUN_HTTP_LEVELS | LUN_SERVER_IF | LUN_LOCATION_IF, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_rewrite_conf, log),
      .fallback = "off",
      .help = "logs what rewrite does" },
    { .name = "uninitialized_variable_warn",
      .where = LUN_HTTP_LEVELS | LUN_SERVER_IF | LUN_LOCATION_IF, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_rewrite_conf, warn),
      .fallback = "on",
      .help = "logs variables that have no value" },
    { 0 }
};

lun_http_module  lun_http_instructions = {
    .name = "rewrite",
    .directives = directives,
    .conf_size = sizeof(lun_rewrite_conf),
    .always = true,
    .on[LUN_REWRITE] = on_rewrite,
};

/* A server's instructions come after its Lua code, a location's before it. */
lun_http_module  lun_http_server_instructions = {
    .name = "server rewrite",
    .always = true,
    .on[LUN_SERVER_REWRITE] = on_server_rewrite,
};
