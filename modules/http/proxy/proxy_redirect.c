/*
 * proxy_redirect.c -- headers of the answer that name the server: Location,
 * Refresh; and the rules that cookies are changed by.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"

#include "session/pattern.h"


/* --- rules --------------------------------------------------------------- */

static lun_proxy_rules *
rules_of(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_proxy_rules  **field = (lun_proxy_rules **) (void *)
                               ((char *) conf + d->field);

    if (*field == NULL) {
        *field = lun_pool_new(cf->pool, lun_proxy_rules);
        (*field)->rules = lun_array_new(cf->pool, sizeof(lun_proxy_rule), 2);
    }

    return *field;
}


/* "~regex", "~*regex", or text. */
static lun_rc
read_rule(lun_conf *cf, lun_proxy_rule *rule, bool caseless)
{
    lun_str  text = cf->args[1];

    rule->replacement = lun_script_new(cf, cf->args[2]);

    if (rule->replacement == NULL) {
        return LUN_ERROR;
    }

    if (!lun_str_starts(text, LUN_STR("~"))) {
        rule->prefix = lun_script_new(cf, text);
        return rule->prefix != NULL ? LUN_OK : LUN_ERROR;
    }

    text = lun_str_of(text.data + 1, text.len - 1);

    if (lun_str_starts(text, LUN_STR("*"))) {
        text = lun_str_of(text.data + 1, text.len - 1);
        caseless = true;
    }

    rule->regex = lun_pattern_new(cf, text, caseless ? LUN_REGEX_CASELESS : 0);
    return rule->regex != NULL ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_proxy_add_rule(lun_conf *cf, const lun_directive *d, void *conf,
    bool caseless)
{
    lun_proxy_rules  *rules = rules_of(cf, d, conf);

    if (!rules->off && cf->argc == 2
        && !lun_str_eq(cf->args[1], LUN_STR("off")))
    {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    /* "off" is all that there is. */
    if (rules->off
        || (cf->argc == 2 && (rules->rules->count != 0 || rules->usual)))
    {
        return lun_conf_fail(cf, "\"%.*s\" directive is duplicate",
                             LUN_S(cf->args[0]));
    }

    if (cf->argc == 2) {

        rules->off = true;
        return LUN_OK;
    }

    return read_rule(cf, lun_array_push(rules->rules), caseless);
}


lun_rc
lun_set_proxy_rule(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_proxy_add_rule(cf, d, conf, false);
}


lun_rc
lun_set_proxy_redirect(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_proxy_rules       *rules = rules_of(cf, d, conf);
    const lun_proxy_conf  *c = conf;

    if (cf->argc != 2 || rules->off
        || !lun_str_eq(cf->args[1], LUN_STR("default")))
    {
        return lun_proxy_add_rule(cf, d, conf, false);
    }

    if (c->target == NULL) {
        return lun_conf_fail(cf, "\"proxy_redirect default\" should be "
                             "placed after the \"proxy_pass\" directive");
    }

    if (!rules->usual) {
        rules->usual = true;
        rules->usual_at = rules->rules->count;
    }

    return LUN_OK;
}


/* "proxy_redirect default": the url of proxy_pass is this location. */
static lun_rc
add_usual(lun_conf *cf, lun_proxy_rules *rules, const lun_proxy_target *t)
{
    lun_str          prefix = t->address.text, name = t->location;
    lun_proxy_rule  *rule = lun_array_push(rules->rules);

    if (t->address.url.uri.len == 0) {
        prefix = lun_pool_fmt(cf->pool, "%.*s/", LUN_S(prefix));
        name = LUN_STR("/");
    }

    rule->prefix = lun_script_new(cf, prefix);
    rule->replacement = lun_script_new(cf, name);

    return rule->prefix != NULL && rule->replacement != NULL ? LUN_OK
                                                             : LUN_ERROR;
}


static void
copy_rules(lun_array *to, const lun_array *from, size_t first, size_t end)
{
    if (first != end) {
        memcpy(lun_array_push_n(to, end - first), lun_array_at(from, first),
               (end - first) * sizeof(lun_proxy_rule));
    }
}


/*
 * `default` is about this location's own proxy_pass, so what was inherited is
 * copied and completed here, at its place in the order.
 */
lun_rc
lun_proxy_finish_redirect(lun_conf *cf, lun_proxy_conf *conf)
{
    lun_proxy_rules  *own, *rules = conf->redirect;

    if (conf->target == NULL || (rules != NULL && !rules->usual)) {
        return LUN_OK;
    }

    if (conf->target->address.script != NULL) {
        if (rules == NULL) {
            return LUN_OK;
        }

        return lun_conf_fail(cf, "\"proxy_redirect default\" cannot be used "
                             "with \"proxy_pass\" directive with variables");
    }

    own = lun_pool_new(cf->pool, lun_proxy_rules);
    own->rules = lun_array_new(cf->pool, sizeof(lun_proxy_rule), 2);
    conf->redirect = own;

    if (rules == NULL) {
        return add_usual(cf, own, conf->target);
    }

    own->off = rules->off;
    copy_rules(own->rules, rules->rules, 0, rules->usual_at);

    if (add_usual(cf, own, conf->target) != LUN_OK) {
        return LUN_ERROR;
    }

    copy_rules(own->rules, rules->rules, rules->usual_at,
               rules->rules->count);
    return LUN_OK;
}


/* --- applying them ------------------------------------------------------- */

static bool
apply_one(lun_request *r, const lun_proxy_rule *rule, lun_str *text)
{
    lun_str  prefix, with;

    if (rule->regex != NULL) {
        if (lun_pattern_match(&r->session, rule->regex, *text)
            != LUN_PATTERN_YES)
        {
            return false;
        }

        *text = lun_script_run(&r->session, rule->replacement);
        return true;
    }

    prefix = lun_script_run(&r->session, rule->prefix);

    if (!lun_str_starts(*text, prefix)) {
        return false;
    }

    with = lun_script_run(&r->session, rule->replacement);
    *text = lun_pool_fmt(r->pool, "%.*s%.*s", LUN_S(with),
                         (int) (text->len - prefix.len),
                         text->data + prefix.len);
    return true;
}


bool
lun_proxy_apply(lun_request *r, const lun_proxy_rules *rules, lun_str *text)
{
    size_t  i;

    if (rules == NULL || rules->off) {
        return false;
    }

    for (i = 0; i < rules->rules->count; i++) {
        if (apply_one(r, lun_array_at(rules->rules, i), text)) {
            return true;
        }
    }

    return false;
}


/* --- the headers --------------------------------------------------------- */

/* Only what a rule has made is this server's, and may be made absolute. */
static void
pass_location(lun_request *r, const lun_proxy_conf *conf, const lun_header *h)
{
    bool     changed;
    lun_str  value = h->value;

    changed = lun_proxy_apply(r, conf->redirect, &value);
    (void) lun_http_add_out(r, h->name, value);

    if (!changed) {
        lun_http_keep_location(r);
    }
}


/* "5; url=http://..." */
static lun_str
change_refresh(lun_request *r, const lun_proxy_conf *conf, lun_str value)
{
    size_t       n;
    lun_str      url;
    const char  *mark = lun_str_casefind(value, LUN_STR("url="));

    if (mark == NULL) {
        return value;
    }

    n = (size_t) (mark - value.data) + sizeof("url=") - 1;
    url = lun_str_of(value.data + n, value.len - n);

    if (!lun_proxy_apply(r, conf->redirect, &url)) {
        return value;
    }

    return lun_pool_fmt(r->pool, "%.*s%.*s", (int) n, value.data, LUN_S(url));
}


bool
lun_proxy_pass_header(lun_upreq *x, const lun_header *h)
{
    lun_str                value;
    lun_request           *r = x->r;
    const lun_proxy_conf  *conf = lun_http_conf(r, &lun_http_proxy);

    switch (h->known) {

    case LUN_HOUT_LOCATION:
        pass_location(r, conf, h);
        return true;

    case LUN_HOUT_REFRESH:
        value = change_refresh(r, conf, h->value);
        break;

    case LUN_HOUT_SET_COOKIE:
        value = lun_proxy_cookie(r, conf, h->value);
        break;

    default:
        return false;
    }

    (void) lun_http_add_out(r, h->name, value);
    return true;
}
