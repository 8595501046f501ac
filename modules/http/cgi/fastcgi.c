/*
 * fastcgi.c -- requests that a FastCGI server answers (PHP, above all):
 * directives, variables, the handler.
 *
 *     location ~ [^/]\.php(/|$) {
 *         fastcgi_split_path_info ^(.+?\.php)(/.*)$;
 *         include fastcgi_params;
 *         fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
 *         fastcgi_pass php;
 *     }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/fastcgi_priv.h"
#include "http/upstream/upreq_passes.h"
#include "http/upstream/upreq_rows.h"


/* FastCGI has no port of its own: an address says one. */

static lun_verdict
on_content(lun_session *s)
{
    lun_verdict              v;
    lun_upreq               *x;
    lun_request             *r = lun_request_of(s);
    lun_upreq_url            url;
    const lun_fastcgi_conf  *conf = lun_http_conf(r, &lun_http_fastcgi);

    if (conf->address == NULL || !lun_http_has_content(r, &lun_http_fastcgi)) {
        return LUN_NEXT;
    }

    x = lun_upreq_new(r, &conf->up, &lun_fastcgi_protocol);
    x->protocol_data = lun_pool_new(r->pool, lun_fastcgi_state);
    v = lun_upreq_find_target(x, conf->address, &url);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_upreq_stream(x, false);
    return lun_upreq_start(x);
}


/* --- variables ----------------------------------------------------------- */

/* The uri's part that names a script, and (may be NULL) what follows it. */
static lun_str
split_uri(lun_request *r, const lun_fastcgi_conf *conf, lun_str *info)
{
    enum { PAIRS = 3 };

    int32_t  at[2 * PAIRS] = { 0 };
    lun_str  none = LUN_STR("");

    info = info != NULL ? info : &none;
    *info = LUN_STR("");

    if (conf->split == NULL
        || lun_regex_match(conf->split, r->uri, 0, at, PAIRS) < 0
        || at[2] < 0)
    {
        return r->uri;
    }

    if (at[4] >= 0) {
        *info = lun_str_of(r->uri.data + at[4], (size_t) (at[5] - at[4]));
    }

    return lun_str_of(r->uri.data + at[2], (size_t) (at[3] - at[2]));
}


static void
get_script_name(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request             *r = lun_request_of(s);
    const lun_fastcgi_conf  *conf = lun_http_conf(r, &lun_http_fastcgi);

    v->text = split_uri(r, conf, NULL);

    if (conf->index.len != 0 && lun_str_ends(v->text, LUN_STR("/"))) {
        v->text = lun_pool_fmt(s->pool, "%.*s%.*s", LUN_S(v->text),
                               LUN_S(conf->index));
    }
}


static void
get_path_info(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    (void) split_uri(r, lun_http_conf(r, &lun_http_fastcgi), &v->text);
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("fastcgi_script_name"), .get = get_script_name,
      .flags = LUN_VAR_VOLATILE,
      .help = "the script of the path; the index in a folder" },
    { .name = LUN_STR_INIT("fastcgi_path_info"), .get = get_path_info,
      .flags = LUN_VAR_VOLATILE,
      .help = "what follows the script in the path" },
    { .name = LUN_STR_NULL }
};


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_fastcgi_conf  *conf = data;

    return lun_upreq_set_pass(cf, &lun_http_fastcgi, lun_upreq_no_schemes,
                              &conf->address);
}


static lun_rc
set_split(lun_conf *cf, const lun_directive *d, void *data)
{
    char               error[128];
    size_t             at;
    lun_str            text = cf->args[1];
    lun_fastcgi_conf  *conf = data;

    conf->split = lun_regex_new(cf->pool, text, LUN_REGEX_JIT, error,
                                sizeof(error), &at);

    if (conf->split == NULL) {
        return lun_conf_fail(cf, "pcre2_compile() failed: %s in \"%.*s\"",
                             error, LUN_S(text));
    }

    if (lun_regex_groups(conf->split) != 2) {
        return lun_conf_fail(cf, "pattern \"%.*s\" must have 2 captures",
                             LUN_S(text));
    }

    return LUN_OK;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    lun_fastcgi_conf  *conf = data;

    if (lun_upreq_finish_conf(cf, "fastcgi", &conf->up, lun_cgi_hidden)
        != LUN_OK
        || lun_cache_finish_conf(cf, "fastcgi", &conf->cache, &conf->up)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    return lun_cgi_finish_params(cf, &conf->params);
}


static lun_rc
init(lun_conf *cf)
{
    const lun_fastcgi_conf  *top = lun_http_top_conf(cf, &lun_http_fastcgi);

    lun_upreq_want_folder(cf, &top->up, "fastcgi");
    return LUN_OK;
}


#define F(member)    LUN_FIELD(lun_fastcgi_conf, member)
#define HERE         .where = LUN_HTTP_LEVELS

static bool
passes(lun_pool *pool, const void *data, lun_upreq_passes *to)
{
    const lun_fastcgi_conf  *conf = data;

    return lun_upreq_passes_to(to, pool, conf->address, &conf->up,
                               LUN_PASSES_OTHER, "fastcgi");
}


static const lun_directive  directives[] = {
    { .name = "fastcgi_pass", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .set = set_pass, F(address),
      .values = "address",
      .help = "the server that answers" },

    /* The request. */
    { .name = "fastcgi_param", HERE, .args = 2, .args_max = 3,
      .repeats = true, .set = lun_set_cgi_param, F(params.list),
      .values = "parameter value [if_not_empty]",
      .help = "a parameter for the program, and its value" },
    { .name = "fastcgi_index", HERE, .args = 1, .set = lun_set_str,
      F(index), .fallback = "\"\"",
      .values = "name",
      .help = "the file behind a URI that ends with a slash" },
    { .name = "fastcgi_split_path_info", HERE, .args = 1, .set = set_split,
      F(split),
      .values = "regex",
      .help = "a pattern: what of the URI is script and what path" },
    { .name = "fastcgi_keep_conn", HERE, .args = 1, .set = lun_set_flag,
      F(keep_conn), .fallback = "off",
      .help = "asks the program to keep the connection" },

    LUN_UPSTREAM_ROWS("fastcgi_", lun_fastcgi_conf, up),
    LUN_CACHE_ROWS("fastcgi_", lun_fastcgi_conf, cache, up),

    /* The answer. */
    { .name = "fastcgi_catch_stderr", HERE, .args = 1, .repeats = true,
      .set = lun_set_upreq_names, F(catch_stderr),
      .values = "string",
      .help = "texts of standard error that make an answer a bad one" },
    { 0 }
};

lun_http_module  lun_http_fastcgi = {
    .name = "fastcgi",
    .directives = directives,
    .conf_size = sizeof(lun_fastcgi_conf),
    .inherited = inherited,
    .variables = variables,
    .init = init,
    .passes = passes,
    .on[LUN_CONTENT] = on_content,
};
