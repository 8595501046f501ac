/*
 * browser.c -- which browser a client is, by its User-Agent: modern or ancient.
 *
 *     modern_browser msie 5.5;
 *     modern_browser unlisted;
 *     ancient_browser Links Lynx netscape4;
 *     modern_browser_value "modern.";
 *
 * Of $modern_browser and $ancient_browser one has a value and the other none.
 * A client without a User-Agent is what is not listed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"


enum {
    PARTS   = 4,                   /* of a version: 1.2.3.4 */
    SCALE   = 1000000,             /* of its first part; each has two digits */
    UNKNOWN = -1
};

/* How a family is known: behind so many bytes, by a mark; then its version. */
typedef struct {
    lun_str  name;
    size_t   skip;
    lun_str  mark;
    size_t   behind;               /* "Opera/9" and "Opera 9" */
} family;

typedef struct {
    const family  *family;
    int64_t        version;        /* at least */
} modern_browser;

typedef struct {
    lun_array  *modern;            /* of modern_browser */
    lun_array  *ancient;           /* of lun_str */
    bool        modern_unlisted;
    bool        netscape4;         /* is ancient */
} browsers;

typedef struct {
    browsers   *list;              /* NULL: nothing is listed */
    lun_str     modern_value;
    lun_str     ancient_value;
} browser_conf;

extern lun_http_module  lun_http_browser;

/* Opera is looked for first: it says that it is others. */
static const family  families[] = {
    { LUN_STR_INIT("opera"), 0, LUN_STR_INIT("Opera"), 1 },
    { LUN_STR_INIT("msie"), sizeof("Mozilla/4.0 (compatible; ") - 1,
      LUN_STR_INIT("MSIE "), 0 },
    { LUN_STR_INIT("gecko"), sizeof("Mozilla/5.0 (") - 1,
      LUN_STR_INIT("rv:"), 0 },
    { LUN_STR_INIT("safari"), sizeof("Mozilla/5.0 (") - 1,
      LUN_STR_INIT("Safari/"), 0 },
    { LUN_STR_INIT("konqueror"), sizeof("Mozilla/5.0 (compatible; ") - 1,
      LUN_STR_INIT("Konqueror/"), 0 }
};


/* --- versions ------------------------------------------------------------ */

/* "5.5" as one number, up to what is no part of it; `whole`: of all. */
static int64_t
read_version(lun_str text, bool whole)
{
    int       parts = 1;
    size_t    i;
    int64_t   version = 0, part = 0, scale = SCALE;

    for (i = 0; i < text.len; i++) {
        if (lun_is_digit(text.data[i])) {
            part = lun_min(part * 10 + (text.data[i] - '0'), (int64_t) 9999);
            continue;
        }

        if (text.data[i] != '.' || parts++ == PARTS) {
            break;
        }

        version += part * scale;
        part = 0;
        scale /= 100;
    }

    return whole && i != text.len ? UNKNOWN : version + part * scale;
}


/* --- which one ----------------------------------------------------------- */

/* UNKNOWN: it is not of that family. */
static int64_t
version_of(lun_str agent, const family *f)
{
    lun_str      rest;
    const char  *mark;

    if (agent.len <= f->skip) {
        return UNKNOWN;
    }

    rest = lun_str_of(agent.data + f->skip, agent.len - f->skip);
    mark = lun_str_find(rest, f->mark);

    if (mark == NULL) {
        return UNKNOWN;
    }

    mark = lun_min(mark + f->mark.len + f->behind, rest.data + rest.len);
    return read_version(lun_str_of(mark, rest.len
                                         - (size_t) (mark - rest.data)),
                        false);
}


/* "Mozilla/1" to "Mozilla/4", and nothing that only says so. */
static bool
is_netscape4(lun_str agent)
{
    return lun_str_starts(agent, LUN_STR("Mozilla/"))
           && agent.len > sizeof("Mozilla/72 ") - 1
           && agent.data[8] >= '1' && agent.data[8] <= '4';
}


/* The first version of a family that is modern; UNKNOWN: none is. */
static int64_t
least_modern(const browsers *list, const family *f)
{
    size_t                 i;
    const modern_browser  *m;

    for (i = 0; i < list->modern->count; i++) {
        m = lun_array_at(list->modern, i);

        if (m->family == f) {
            return m->version;
        }
    }

    return UNKNOWN;
}


/* False: it is of no family that is listed, nor Opera. */
static bool
is_of_family(const browsers *list, lun_str agent, bool *modern)
{
    size_t   i;
    int64_t  version, least;

    for (i = 0; i < LUN_ARRAY_LEN(families); i++) {
        least = least_modern(list, &families[i]);

        if (i > 0 && least == UNKNOWN) {
            continue;
        }

        version = version_of(agent, &families[i]);

        if (version != UNKNOWN) {
            *modern = least != UNKNOWN && version >= least;
            return true;
        }
    }

    return false;
}


/*
 * Versions that are known come first, then what is ancient by name, and the
 * rest is as `modern_browser unlisted` says.
 */
static bool
is_modern(const lun_request *r, const browsers *list)
{
    bool               modern;
    size_t             i;
    lun_str            agent;
    const lun_header  *h = r->in.known[LUN_HIN_USER_AGENT];

    if (h == NULL) {
        return list->modern_unlisted;
    }

    agent = h->value;

    if (list->modern != NULL && list->modern->count != 0
        && is_of_family(list, agent, &modern))
    {
        return modern;
    }

    if (list->netscape4 && is_netscape4(agent)) {
        return false;
    }

    for (i = 0; list->ancient != NULL && i < list->ancient->count; i++) {
        if (lun_str_find(agent, *(lun_str *) lun_array_at(list->ancient, i))
            != NULL)
        {
            return false;
        }
    }

    return list->modern_unlisted;
}


/* --- variables ----------------------------------------------------------- */

static void
get_browser(lun_session *s, lun_value *v, uintptr_t modern)
{
    lun_request            *r = lun_request_of(s);
    static const browsers   none;
    const browser_conf     *conf = lun_http_conf(r, &lun_http_browser);
    const browsers         *list = conf->list != NULL ? conf->list : &none;

    v->not_found = is_modern(r, list) != (modern != 0);
    v->text = modern != 0 ? conf->modern_value : conf->ancient_value;
}


static void
get_msie(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_header  *h = lun_request_of(s)->in.known[LUN_HIN_USER_AGENT];

    v->not_found = h == NULL
                   || lun_str_find(h->value, LUN_STR("MSIE ")) == NULL
                   || lun_str_find(h->value, LUN_STR("Opera")) != NULL;
    v->text = LUN_STR("1");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("modern_browser"), .get = get_browser, .data = 1,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "what modern_browser_value says, of such a browser" },
    { .name = LUN_STR_INIT("ancient_browser"), .get = get_browser,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "what ancient_browser_value says, of such a browser" },
    { .name = LUN_STR_INIT("msie"), .get = get_msie,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "\"1\" if the browser is Internet Explorer" },
    { .name = LUN_STR_NULL }
};


/* --- directives ---------------------------------------------------------- */

static browsers *
list_of(lun_conf *cf, browser_conf *conf)
{
    if (conf->list == NULL) {
        conf->list = lun_pool_new(cf->pool, browsers);
    }

    return conf->list;
}


/* "msie 5.0": a family out of the table, and from which version on. */
static lun_rc
set_modern(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t           i;
    int64_t          version;
    browsers        *list = list_of(cf, data);
    modern_browser  *m;

    if (cf->argc == 2) {
        if (!lun_str_eq(cf->args[1], LUN_STR("unlisted"))) {
            return lun_conf_fail(cf, "invalid browser name \"%.*s\"",
                                 LUN_S(cf->args[1]));
        }

        list->modern_unlisted = true;
        return LUN_OK;
    }

    for (i = 0; i < LUN_ARRAY_LEN(families); i++) {
        if (lun_str_eq(cf->args[1], families[i].name)) {
            break;
        }
    }

    if (i == LUN_ARRAY_LEN(families)) {
        return lun_conf_fail(cf, "unknown browser name \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    version = read_version(cf->args[2], true);

    if (version == UNKNOWN) {
        return lun_conf_fail(cf, "invalid browser version \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    if (list->modern == NULL) {
        list->modern = lun_array_new(cf->pool, sizeof(modern_browser), 4);
    }

    m = lun_array_push(list->modern);
    *m = (modern_browser) { &families[i], version };

    return LUN_OK;
}


static lun_rc
set_ancient(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t     i;
    browsers  *list = list_of(cf, data);

    if (list->ancient == NULL) {
        list->ancient = lun_array_new(cf->pool, sizeof(lun_str), 4);
    }

    for (i = 1; i < cf->argc; i++) {
        if (lun_str_eq(cf->args[i], LUN_STR("netscape4"))) {
            list->netscape4 = true;

        } else {
            *(lun_str *) lun_array_push(list->ancient) = cf->args[i];
        }
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "modern_browser", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = 2, .repeats = true, .set = set_modern,
      LUN_FIELD(browser_conf, list),
      .values = "browser version | unlisted",
      .help = "a family and its first modern version; or: unlisted" },
    { .name = "ancient_browser", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_ancient,
      LUN_FIELD(browser_conf, list),
      .values = "string ...",
      .help = "what in a User-Agent tells of an ancient browser" },
    { .name = "modern_browser_value", .where = LUN_HTTP_LEVELS, .args = 1,
      .repeats = true,
      .set = lun_set_str, LUN_FIELD(browser_conf, modern_value),
      .fallback = "1",
      .values = "string",
      .help = "what $modern_browser has for a modern browser" },
    { .name = "ancient_browser_value", .where = LUN_HTTP_LEVELS, .args = 1,
      .repeats = true,
      .set = lun_set_str, LUN_FIELD(browser_conf, ancient_value),
      .fallback = "1",
      .values = "string",
      .help = "what $ancient_browser has for an ancient browser" },
    { 0 }
};

lun_http_module  lun_http_browser = {
    .name = "browser",
    .directives = directives,
    .conf_size = sizeof(browser_conf),
    .always = true,
    .variables = variables,
};
