/*
 * proxy_cookie.c -- cookies that a server sets: proxy_cookie_domain, _path and
 * _flags.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"

#include "session/pattern.h"


typedef struct {
    lun_str  name;
    lun_str  value;                /* data NULL: it has none */
} attribute;

/* A proxy_cookie_flags. */
typedef struct {
    lun_script   *name;
    lun_pattern  *regex;           /* NULL: see name */
    lun_array     flags;           /* of lun_script * */
    bool          off;
} flag_rule;

/* What a flag says of an attribute: it shall be there, or not. */
enum {
    SECURE = 0x01, HTTPONLY = 0x02, STRICT = 0x04, LAX = 0x08, NONE = 0x10,
    NO_SECURE = 0x20, NO_HTTPONLY = 0x40, NO_SAMESITE = 0x80
};

static const struct {
    lun_str   word;
    unsigned  flag;
} words[] = {
    { LUN_STR_INIT("secure"), SECURE },
    { LUN_STR_INIT("nosecure"), NO_SECURE },
    { LUN_STR_INIT("httponly"), HTTPONLY },
    { LUN_STR_INIT("nohttponly"), NO_HTTPONLY },
    { LUN_STR_INIT("samesite=strict"), STRICT },
    { LUN_STR_INIT("samesite=lax"), LAX },
    { LUN_STR_INIT("samesite=none"), NONE },
    { LUN_STR_INIT("nosamesite"), NO_SAMESITE }
};

/* Of several flags for one attribute the first one here counts. */
static const struct {
    unsigned  flag;
    lun_str   name;
    lun_str   value;
    bool      drop;
} changes[] = {
    { SECURE, LUN_STR_INIT("Secure"), { 0, NULL }, false },
    { NO_SECURE, LUN_STR_INIT("Secure"), { 0, NULL }, true },
    { HTTPONLY, LUN_STR_INIT("HttpOnly"), { 0, NULL }, false },
    { NO_HTTPONLY, LUN_STR_INIT("HttpOnly"), { 0, NULL }, true },
    { STRICT, LUN_STR_INIT("SameSite"), LUN_STR_INIT("Strict"), false },
    { LAX, LUN_STR_INIT("SameSite"), LUN_STR_INIT("Lax"), false },
    { NONE, LUN_STR_INIT("SameSite"), LUN_STR_INIT("None"), false },
    { NO_SAMESITE, LUN_STR_INIT("SameSite"), { 0, NULL }, true }
};


/* --- the directives ------------------------------------------------------ */

static void
drop_dot(lun_str *domain)
{
    if (lun_str_starts(*domain, LUN_STR("."))) {
        domain->data++;
        domain->len--;
    }
}


/* Domains may begin with a dot, which counts for nothing, as case does: what
   is sent begins with one if the cookie's did. */
lun_rc
lun_set_proxy_cookie_domain(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (cf->argc == 3 && !lun_str_starts(cf->args[1], LUN_STR("~"))) {
        drop_dot(&cf->args[1]);
        drop_dot(&cf->args[2]);
    }

    return lun_proxy_add_rule(cf, d, conf, true);
}


static lun_rc
read_flags(lun_conf *cf, flag_rule *rule)
{
    size_t       i;
    lun_script  *s;

    lun_array_init(&rule->flags, cf->pool, sizeof(lun_script *), 2);

    for (i = 2; i < cf->argc; i++) {
        s = lun_script_new(cf, cf->args[i]);

        if (s == NULL) {
            return LUN_ERROR;
        }

        *(lun_script **) lun_array_push(&rule->flags) = s;
    }

    return LUN_OK;
}


/* `off` has to stand alone, as in nginx. */
lun_rc
lun_set_proxy_cookie_flags(lun_conf *cf, const lun_directive *d, void *data)
{
    bool             off = false;
    lun_str          name = cf->args[1];
    flag_rule       *rule;
    lun_proxy_conf  *conf = data;

    if (conf->cookie_flags == NULL) {
        conf->cookie_flags = lun_array_new(cf->pool, sizeof(flag_rule), 2);

    } else {
        off = ((flag_rule *) lun_array_at(conf->cookie_flags, 0))->off;
    }

    if (cf->argc == 2 && !lun_str_eq(name, LUN_STR("off"))) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(name));
    }

    if (off || (cf->argc == 2 && conf->cookie_flags->count != 0)) {
        return lun_conf_fail(cf, "\"%.*s\" directive is duplicate",
                             LUN_S(cf->args[0]));
    }

    rule = lun_array_push(conf->cookie_flags);

    if (cf->argc == 2) {
        rule->off = true;
        return LUN_OK;
    }

    if (lun_str_starts(name, LUN_STR("~"))) {
        name = lun_str_of(name.data + 1, name.len - 1);
        rule->regex = lun_pattern_new(cf, name, LUN_REGEX_CASELESS);

    } else {
        rule->name = lun_script_new(cf, name);
    }

    if (rule->regex == NULL && rule->name == NULL) {
        return LUN_ERROR;
    }

    return read_flags(cf, rule);
}


/* --- a cookie in its parts ----------------------------------------------- */

static lun_array *
split(lun_request *r, lun_str cookie)
{
    lun_str      part;
    attribute   *a;
    lun_array   *list = lun_array_new(r->pool, sizeof(attribute), 8);
    const char  *p = cookie.data, *end = p + cookie.len, *stop, *mark;

    for ( ; p < end; p = stop + 1) {
        stop = memchr(p, ';', (size_t) (end - p));
        stop = stop != NULL ? stop : end;
        part = lun_str_trim(lun_str_of(p, (size_t) (stop - p)));

        a = lun_array_push(list);
        a->name = part;
        mark = lun_str_chr(part, '=');

        if (mark != NULL) {
            a->name.len = (size_t) (mark - part.data);
            a->value = lun_str_of(mark + 1, part.len - a->name.len - 1);
        }
    }

    return list;
}


static lun_str
assemble(lun_request *r, const lun_array *list)
{
    char             *text, *p;
    size_t            i, len = 0;
    const attribute  *a = list->items;

    for (i = 0; i < list->count; i++) {
        len += a[i].name.len + a[i].value.len + sizeof("; =") - 1;
    }

    p = text = lun_pool_text(r->pool, len);

    for (i = 0; i < list->count; i++) {
        p = lun_copy(p, "; ", i != 0 ? 2 : 0);
        p = lun_copy_str(p, a[i].name);
        p = lun_copy(p, "=", a[i].value.data != NULL);
        p = lun_copy_str(p, a[i].value);
    }

    return lun_str_of(text, (size_t) (p - text));
}


/* The first part is the cookie itself. */
static attribute *
find(const lun_array *list, lun_str name)
{
    size_t      i;
    attribute  *a = list->items;

    for (i = 1; i < list->count; i++) {
        if (lun_str_caseeq(a[i].name, name)) {
            return &a[i];
        }
    }

    return NULL;
}


/* --- changing it --------------------------------------------------------- */

static bool
apply_domain(lun_request *r, const lun_proxy_rules *rules, lun_array *list)
{
    size_t                 i;
    lun_str                bare, domain;
    attribute             *a = find(list, LUN_STR("Domain"));
    const lun_proxy_rule  *rule;

    if (a == NULL || rules == NULL || rules->off) {
        return false;
    }

    bare = a->value;

    if (lun_str_starts(bare, LUN_STR("."))) {
        bare = lun_str_of(bare.data + 1, bare.len - 1);
    }

    for (i = 0; i < rules->rules->count; i++) {
        rule = lun_array_at(rules->rules, i);

        if (rule->regex != NULL
            ? lun_pattern_match(&r->session, rule->regex, a->value)
              == LUN_PATTERN_YES
            : lun_str_caseeq(lun_script_run(&r->session, rule->prefix), bare))
        {
            domain = lun_script_run(&r->session, rule->replacement);

            /* A dot in front was not compared, and stays. */
            if (rule->regex == NULL && bare.len != a->value.len) {
                domain = lun_pool_fmt(r->pool, ".%.*s", LUN_S(domain));
            }

            a->value = domain;
            return true;
        }
    }

    return false;
}


static bool
apply_path(lun_request *r, const lun_proxy_rules *rules, lun_array *list)
{
    attribute  *a = find(list, LUN_STR("Path"));

    return a != NULL && lun_proxy_apply(r, rules, &a->value);
}


static void
remove_named(lun_array *list, lun_str name)
{
    size_t      i, kept = lun_min(list->count, 1);
    attribute  *a = list->items;

    for (i = 1; i < list->count; i++) {
        if (!lun_str_caseeq(a[i].name, name)) {
            a[kept++] = a[i];
        }
    }

    list->count = kept;
}


/* What is there already stays where it is. */
static void
set_attribute(lun_array *list, lun_str name, lun_str value)
{
    attribute  *a = find(list, name);

    if (a == NULL) {
        a = lun_array_push(list);

    } else if (value.data == NULL || lun_str_caseeq(a->value, value)) {
        return;
    }

    a->name = name;
    a->value = value;
}


static void
set_flags(lun_array *list, unsigned flags)
{
    size_t   i;
    lun_str  last = LUN_STR_NULL;

    for (i = 0; i < LUN_ARRAY_LEN(changes); i++) {
        if (!(flags & changes[i].flag) || lun_str_eq(changes[i].name, last)) {
            continue;
        }

        last = changes[i].name;

        if (changes[i].drop) {
            remove_named(list, last);
        } else {
            set_attribute(list, last, changes[i].value);
        }
    }
}


static bool
fits(lun_request *r, const flag_rule *rule, lun_str name)
{
    return rule->regex != NULL
           ? lun_pattern_match(&r->session, rule->regex, name)
             == LUN_PATTERN_YES
           : lun_str_caseeq(lun_script_run(&r->session, rule->name), name);
}


/* 0: nobody knows the word. */
static unsigned
flag_of(lun_str word)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        if (lun_str_caseeq(words[i].word, word)) {
            return words[i].flag;
        }
    }

    return 0;
}


static bool
apply_flags(lun_request *r, const flag_rule *rule, lun_array *list)
{
    size_t       i;
    lun_str      word;
    unsigned     flag, flags = 0;
    lun_script  *script;

    for (i = 0; i < rule->flags.count; i++) {
        script = *(lun_script **) lun_array_at(&rule->flags, i);
        word = lun_script_run(&r->session, script);
        flag = flag_of(word);

        if (flag == 0) {
            lun_log(LUN_LOG_INFO, r->log, 0,
                    "invalid proxy_cookie_flags flag \"%.*s\"", LUN_S(word));
        }

        flags |= flag;
    }

    set_flags(list, flags);
    return flags != 0;
}


static bool
choose_flags(lun_request *r, const lun_array *rules, lun_array *list)
{
    size_t            i;
    const attribute  *cookie = list->items;
    const flag_rule  *rule;

    if (rules == NULL || cookie->value.data == NULL) {
        return false;
    }

    for (i = 0; i < rules->count; i++) {
        rule = lun_array_at(rules, i);

        if (!rule->off && fits(r, rule, cookie->name)) {
            return apply_flags(r, rule, list);
        }
    }

    return false;
}


lun_str
lun_proxy_cookie(lun_request *r, const lun_proxy_conf *conf, lun_str cookie)
{
    bool        changed;
    lun_array  *list;

    if (conf->cookie_domain == NULL && conf->cookie_path == NULL
        && conf->cookie_flags == NULL)
    {
        return cookie;
    }

    list = split(r, cookie);

    if (list->count == 0) {
        return cookie;
    }

    changed = apply_domain(r, conf->cookie_domain, list);
    changed |= apply_path(r, conf->cookie_path, list);
    changed |= choose_flags(r, conf->cookie_flags, list);

    return changed ? assemble(r, list) : cookie;
}
