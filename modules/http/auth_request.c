/*
 * auth_request.c -- whether a request may pass is what another location says:
 * 2xx it may, 401 and 403 it may not.
 *
 *     auth_request     /auth;
 *     auth_request_set $user $sent_http_x_user;
 *
 * The location is asked by a subrequest, of whose answer nobody sees more than
 * the status, the challenges of a 401, and what auth_request_set takes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/rewrite.h"
#include "http/subrequest.h"


typedef struct {
    unsigned      index;
    lun_script   *value;
} auth_variable;

typedef struct {
    lun_str       uri;             /* len 0: off */
    lun_array    *variables;       /* of auth_variable */
} auth_conf;

typedef struct {
    lun_request  *r;
    lun_request  *sub;
    bool          done;
} auth_state;

extern lun_http_module  lun_http_auth_request;


/* --- the answer ---------------------------------------------------------- */

static void
set_variables(lun_request *r, lun_request *sub, const auth_conf *conf)
{
    size_t                i;
    const auth_variable  *v;

    for (i = 0; conf->variables != NULL && i < conf->variables->count; i++) {
        v = lun_array_at(conf->variables, i);
        lun_var_set(&r->session, v->index,
                    lun_script_run(&sub->session, v->value));
    }
}


static void
pass_challenges(lun_request *r, const lun_request *sub)
{
    const lun_header  *h = sub->out.known[LUN_HOUT_WWW_AUTHENTICATE];

    for ( ; h != NULL; h = h->same) {
        lun_http_add_out(r, h->name, h->value);
    }
}


/* The log's words are those it has behind an upstream's answer. */
static lun_verdict
unexpected(lun_request *r, unsigned status)
{
    const char  *doing = r->log->doing;

    r->log->doing = "sending to client";
    lun_log(LUN_LOG_ERR, r->log, 0, "auth request unexpected status: %u",
            status);
    r->log->doing = doing;

    return LUN_STATUS + 500;
}


static lun_verdict
check(lun_request *r, lun_request *sub)
{
    unsigned  status = lun_subrequest_hung_up(sub);

    /* "return 444" over there is one here. */
    if (status != 0) {
        return LUN_STATUS + (lun_verdict) status;
    }

    status = lun_subrequest_status(sub);
    set_variables(r, sub, lun_http_conf(r, &lun_http_auth_request));

    if (status == 401) {
        pass_challenges(r, sub);
    }

    if (status == 401 || status == 403) {
        return LUN_STATUS + (lun_verdict) status;
    }

    return status >= 200 && status < 300 ? LUN_LEAVE : unexpected(r, status);
}


/* --- the question -------------------------------------------------------- */

static void
on_done(lun_request *sub, void *data)
{
    auth_state  *s = data;

    s->done = true;
    lun_http_resume(s->r);
}


static lun_verdict
ask(lun_request *r, lun_str uri)
{
    auth_state   *s = lun_pool_new(r->pool, auth_state);
    lun_request  *sub = lun_subrequest_ask(r, uri, LUN_STR_NULL,
                                           LUN_SUB_CAPTURE);

    if (sub == NULL) {
        return LUN_STATUS + 500;
    }

    /* It does not get the body, so its header must not tell of one. */
    lun_subrequest_drop_body(sub);
    sub->header_only = 1;

    s->r = r;
    s->sub = sub;
    lun_http_set_state(r, &lun_http_auth_request, s);
    lun_subrequest_start(sub, on_done, s);

    return LUN_WAIT;
}


static lun_verdict
on_access(lun_session *session)
{
    lun_request       *r = lun_request_of(session);
    const auth_conf   *conf = lun_http_conf(r, &lun_http_auth_request);
    const auth_state  *s = lun_http_state(r, &lun_http_auth_request);

    if (conf->uri.len == 0) {
        return LUN_NEXT;
    }

    if (s == NULL) {
        return ask(r, conf->uri);
    }

    return s->done ? check(r, s->sub) : LUN_WAIT;
}


/* --- reading ------------------------------------------------------------- */

static lun_rc
set_request(lun_conf *cf, const lun_directive *d, void *data)
{
    auth_conf  *conf = data;

    conf->uri = lun_str_eq(cf->args[1], LUN_STR("off")) ? LUN_STR_NULL
                                                        : cf->args[1];
    return LUN_OK;
}


/* Until the other location has answered. */
static void
get_nothing(lun_session *s, lun_value *v, uintptr_t data)
{
    v->not_found = 1;
}


static lun_rc
set_variable(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str         name;
    auth_conf      *conf = data;
    lun_variable   *var;
    auth_variable  *v;

    if (lun_var_name(cf, cf->args[1], &name) != LUN_OK
        || (var = lun_var_define(cf, name, LUN_VAR_CHANGEABLE)) == NULL)
    {
        return LUN_ERROR;
    }

    if (var->get == NULL && !lun_var_in_family(cf, var->name)) {
        var->get = get_nothing;
    }

    if (conf->variables == NULL) {
        conf->variables = lun_array_new(cf->pool, sizeof(auth_variable), 2);
    }

    v = lun_array_push(conf->variables);
    v->index = lun_var_index(cf, var->name);
    v->value = lun_script_new(cf, cf->args[2]);
    return v->value != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "auth_request", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_request, LUN_FIELD(auth_conf, uri),
      .values = "uri | off",
      .help = "a subrequest that says who may go on" },
    { .name = "auth_request_set", .where = LUN_HTTP_LEVELS, .args = 2,
      .repeats = true, .set = set_variable, LUN_FIELD(auth_conf, variables),
      .values = "$variable value",
      .help = "a variable of what it has answered" },
    { 0 }
};

lun_http_module  lun_http_auth_request = {
    .name = "auth_request",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(auth_conf),
    .on[LUN_ACCESS] = on_access,
};
