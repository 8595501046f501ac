/*
 * referer.c -- $invalid_referer: whether a request comes from a page of a site
 * that is not among those named.
 *
 *     valid_referers none blocked server_names
 *                    *.example.com example.* www.example.org/galleries/
 *                    ~\.google\.;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "config/slots.h"
#include "http/conf/location.h"
#include "session/pattern.h"


typedef struct {
    lun_str  host;                 /* "a.b", "*.a.b", ".a.b", "a.*" */
    lun_str  path;                 /* what must follow it */
} site;

typedef struct {
    bool       none;               /* no Referer at all */
    bool       blocked;            /* one that a proxy has made useless */
    bool       server_names;
    lun_hash   exact;              /* of site */
    lun_array  wild;               /* of site */
    lun_array  patterns;           /* of lun_pattern * */
} rules;

typedef struct {
    rules     *rules;
} referer_conf;

extern lun_http_module  lun_http_referer;


/* --- judging ------------------------------------------------------------- */

static bool
fits(lun_str pattern, lun_str host)
{
    lun_str  bare = pattern;

    if (lun_str_starts(pattern, LUN_STR("*."))) {
        bare = lun_str_of(pattern.data + 1, pattern.len - 1);
        return host.len > bare.len && lun_str_ends(host, bare);
    }

    if (lun_str_starts(pattern, LUN_STR("."))) {
        bare = lun_str_of(pattern.data + 1, pattern.len - 1);
        return lun_str_ends(host, pattern) || lun_str_eq(host, bare);
    }

    if (lun_str_ends(pattern, LUN_STR(".*"))) {
        bare.len--;
        return host.len > bare.len && lun_str_starts(host, bare);
    }

    return lun_str_eq(pattern, host);
}


static bool
is_own(lun_request *r, lun_str host)
{
    const lun_server_name  *n;

    for (n = r->server->names; n != NULL; n = n->next) {
        if (n->regex != NULL
            ? lun_pattern_match(&r->session, n->regex, host) == LUN_PATTERN_YES
            : n->name.len != 0 && fits(n->name, host))
        {
            return true;
        }
    }

    return false;
}


static bool
is_site(const rules *l, lun_str host, lun_str path)
{
    size_t       i;
    const site  *s = lun_hash_get(&l->exact, host);

    for (i = 0; s == NULL && i < l->wild.count; i++) {
        s = lun_array_at(&l->wild, i);
        s = fits(s->host, host) ? s : NULL;
    }

    return s != NULL && lun_str_starts(path, s->path);
}


static bool
matches(lun_request *r, const rules *l, lun_str url)
{
    size_t  i;

    for (i = 0; i < l->patterns.count; i++) {
        if (lun_pattern_match(&r->session, *(lun_pattern **)
                                 lun_array_at(&l->patterns, i), url)
            == LUN_PATTERN_YES)
        {
            return true;
        }
    }

    return false;
}


/* "www.example.com:80/path": the host in lower case, and the path. */
static bool
split(lun_request *r, lun_str url, lun_str *host, lun_str *path)
{
    char        *low;
    size_t       n = 0;
    const char  *slash;

    while (n < url.len && url.data[n] != '/' && url.data[n] != ':') {
        n++;
    }

    if (n > 256) {
        return false;
    }

    low = lun_pool_text(r->pool, n);
    lun_mem_lower(low, url.data, n);
    *host = lun_str_of(low, n);

    slash = lun_str_chr(url, '/');
    *path = slash == NULL ? LUN_STR("")
            : lun_str_of(slash, url.len - (size_t) (slash - url.data));

    return true;
}


static bool
is_valid(lun_request *r, const rules *l)
{
    lun_str            url, host, path;
    const lun_header  *h = r->in.known[LUN_HIN_REFERER];

    if (h == NULL) {
        return l->none;
    }

    url = h->value;

    if (!lun_str_caseafter(url, LUN_STR("http://"), &url)
        && !lun_str_caseafter(url, LUN_STR("https://"), &url))
    {
        return l->blocked;
    }

    /* Less than "i.ru" is no host. */
    if (url.len < 4) {
        return l->blocked;
    }

    if (!split(r, url, &host, &path)) {
        return false;
    }

    return is_site(l, host, path) || (l->server_names && is_own(r, host))
           || matches(r, l, url);
}


static void
get_invalid(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request         *r = lun_request_of(s);
    const referer_conf  *conf = lun_http_conf(r, &lun_http_referer);

    v->text = conf->rules == NULL || is_valid(r, conf->rules) ? LUN_STR("")
                                                              : LUN_STR("1");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("invalid_referer"), .get = get_invalid,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "\"1\" if Referer is not among those that are valid" },
    { .name = LUN_STR_NULL }
};


/* --- reading ------------------------------------------------------------- */

static lun_rc
add_pattern(lun_conf *cf, rules *l, lun_str text)
{
    lun_pattern  *p;

    if (text.len == 1) {
        return lun_conf_fail(cf, "empty regex in \"%.*s\"", LUN_S(text));
    }

    p = lun_pattern_new(cf, lun_str_of(text.data + 1, text.len - 1),
                        LUN_REGEX_CASELESS);

    *(lun_pattern **) lun_array_push(&l->patterns) = p;
    return p != NULL ? LUN_OK : LUN_ERROR;
}


/* "*.name" and "name.*" have the only stars that there may be. */
static bool
has_stray_star(lun_str host)
{
    if (host.len > 2 && lun_str_starts(host, LUN_STR("*."))) {
        host = lun_str_of(host.data + 2, host.len - 2);

    } else if (host.len > 2 && lun_str_ends(host, LUN_STR(".*"))) {
        host.len -= 2;
    }

    return lun_str_chr(host, '*') != NULL;
}


/*
 * A path may follow the host; stars may stand at either end of the host only.
 */
static lun_rc
add_site(lun_conf *cf, rules *l, lun_str text)
{
    char        *low;
    site        *s;
    lun_str      path = LUN_STR("");
    const char  *slash;

    if (text.len == 0) {
        return lun_conf_fail(cf, "invalid referer \"\"");
    }

    slash = lun_str_chr(text, '/');

    if (slash != NULL) {
        path = lun_str_of(slash, text.len - (size_t) (slash - text.data));
        text.len -= path.len;
    }

    if (has_stray_star(text)) {
        return lun_conf_fail(cf, "invalid hostname or wildcard \"%.*s\"",
                             LUN_S(text));
    }

    low = lun_pool_text(cf->pool, text.len);
    lun_mem_lower(low, text.data, text.len);
    text = lun_str_of(low, text.len);

    if (lun_str_chr(text, '*') != NULL || lun_str_starts(text, LUN_STR("."))) {
        s = lun_array_push(&l->wild);

    } else {
        s = lun_pool_new(cf->pool, site);
        lun_hash_set(&l->exact, text, s);
    }

    s->host = text;
    s->path = path;

    return LUN_OK;
}


static lun_rc
add_word(lun_conf *cf, rules *l, lun_str word)
{
    if (lun_str_eq(word, LUN_STR("none"))) {
        l->none = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("blocked"))) {
        l->blocked = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("server_names"))) {
        l->server_names = true;
        return LUN_OK;
    }

    return lun_str_starts(word, LUN_STR("~")) ? add_pattern(cf, l, word)
                                              : add_site(cf, l, word);
}


static lun_rc
set_referers(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t         i;
    rules         *l;
    referer_conf  *conf = data;

    if (conf->rules == NULL) {
        l = conf->rules = lun_pool_new(cf->pool, rules);
        lun_hash_init(&l->exact, cf->pool, 0, false);
        lun_array_init(&l->wild, cf->pool, sizeof(site), 0);
        lun_array_init(&l->patterns, cf->pool, sizeof(lun_pattern *), 0);
    }

    for (i = 1; i < cf->argc; i++) {
        if (add_word(cf, conf->rules, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* Without a site they would say nothing of the others. */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    const rules  *l = ((const referer_conf *) data)->rules;

    if (l != NULL && (l->none || l->blocked) && !l->server_names
        && l->exact.count + l->wild.count + l->patterns.count == 0)
    {
        return lun_conf_fail_bare(cf, "the \"none\" or \"blocked\" referers "
                                  "are specified in the \"valid_referers\" "
                                  "directive without any valid referer");
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "valid_referers", .where = LUN_SERVER | LUN_LOCATION,
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = set_referers, LUN_FIELD(referer_conf, rules),
      .values = "none | blocked | server_names | string ...",
      .help = "pages that may link here" },
    { .name = "referer_hash_max_size", .where = LUN_SERVER | LUN_LOCATION,
      .args = 1, .set = lun_set_ignored, .data = &lun_ignored_num,
      .help = "without effect here" },
    { .name = "referer_hash_bucket_size", .where = LUN_SERVER | LUN_LOCATION,
      .args = 1, .set = lun_set_ignored, .data = &lun_ignored_num,
      .help = "without effect here" },
    { 0 }
};

lun_http_module  lun_http_referer = {
    .name = "referer",
    .directives = directives,
    .conf_size = sizeof(referer_conf),
    .inherited = inherited,
    .variables = variables,
};
