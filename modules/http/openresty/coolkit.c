/*
 * coolkit.c -- override_method: a request's method is what a text says.
 *
 *     override_method $arg_method;        override_method POST $http_x_method;
 *
 * Methods in front of the text: only requests with one of these.  It holds from
 * the rewrite phase of the location on.  $location is the name of the location,
 * $remote_passwd the password that came with $remote_user.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/digest.h"
#include "http/conf/location.h"


typedef struct {
    lun_script  *source;           /* NULL: "off" */
    uint32_t     methods;          /* that may be overridden */
} override_rule;

typedef struct {
    override_rule  *rule;          /* NULL: none */
} coolkit_conf;

extern lun_http_module  lun_http_coolkit;


static lun_verdict
on_rewrite(lun_session *s)
{
    lun_str              name;
    lun_method           method;
    lun_request         *r = lun_request_of(s);
    const coolkit_conf  *conf = lun_http_conf(r, &lun_http_coolkit);

    if (conf->rule == NULL || conf->rule->source == NULL
        || (conf->rule->methods & r->method) == 0)
    {
        return LUN_NEXT;
    }

    name = lun_script_run(s, conf->rule->source);
    method = lun_method_of(name);

    /* What is no method leaves the request as it is. */
    if (method != LUN_METHOD_OTHER) {
        /* Who has asked for a header would take a body for the next answer. */
        r->header_only |= r->method == LUN_HEAD && r->parent == NULL;
        r->method = method;
        r->method_name = lun_method_name(method);
    }

    return LUN_NEXT;
}


/* --- variables ----------------------------------------------------------- */

static void
get_location(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_request  *r = lun_request_of(s);

    v->text = r->location != NULL ? r->location->name : LUN_STR("");
}


static void
get_password(lun_session *s, lun_value *v, uintptr_t data)
{
    char               *text;
    size_t              len;
    lun_str             coded, both;
    const char         *mark;
    const lun_request  *r = lun_request_of(s);
    const lun_header   *h = r->main->in.known[LUN_HIN_AUTHORIZATION];

    v->not_found = 1;

    if (h == NULL
        || !lun_str_caseafter(h->value, LUN_STR("basic "), &coded))
    {
        return;
    }

    coded = lun_str_trim(coded);
    text = lun_pool_text(r->pool, coded.len / 4 * 3 + 3);

    if (lun_base64_decode(text, &len, coded, false, false) != LUN_OK) {
        return;
    }

    both = lun_str_of(text, len);
    mark = lun_str_chr(both, ':');

    if (mark != NULL) {
        v->text = lun_str_of(mark + 1, len - (size_t) (mark + 1 - text));
        v->not_found = 0;
    }
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("location"), .get = get_location,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the location of the request" },
    { .name = LUN_STR_INIT("remote_passwd"), .get = get_password,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "the password of Basic authentication" },
    { .name = LUN_STR_INIT("") }
};


/* --- the directive ------------------------------------------------------- */

/* Without methods it is for all of them. */
static lun_rc
set_override(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t          i;
    lun_method      method;
    coolkit_conf   *conf = data;
    override_rule  *rule = lun_pool_new(cf->pool, override_rule);

    conf->rule = rule;

    if (cf->argc == 2 && lun_str_eq(cf->args[1], LUN_STR("off"))) {
        return LUN_OK;
    }

    for (i = 1; i < cf->argc - 1; i++) {
        method = lun_method_of(cf->args[i]);

        if (method == LUN_METHOD_OTHER) {
            return lun_conf_fail(cf, "invalid method \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        rule->methods |= method;
    }

    if (rule->methods == 0) {
        rule->methods = UINT32_MAX;
    }

    rule->source = lun_script_new(cf, cf->args[cf->argc - 1]);
    return rule->source != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "override_method", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = set_override,
      LUN_FIELD(coolkit_conf, rule),
      .values = "method | $variable ...",
      .help = "the method is what a text says" },
    { 0 }
};

lun_http_module  lun_http_coolkit = {
    .name = "coolkit",
    .directives = directives,
    .conf_size = sizeof(coolkit_conf),
    .variables = variables,
    .on[LUN_REWRITE] = on_rewrite,
};
