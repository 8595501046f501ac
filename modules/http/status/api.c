/*
 * api.c -- what the server says of itself, as JSON: each path of the tree is a
 * resource (core/config/status.h).
 *
 *     location /status/ { api /status/; }
 *
 * The texts of errors are Angie's, whose exporters and console read them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "config/status_json.h"
#include "http/conf/http.h"
#include "http/conf/location.h"
#include "http/delay.h"
#include "modules/http/status/status_priv.h"
#include "session/engine.h"


typedef struct {
    lun_script      *path;         /* NULL: none */
    lun_location    *location;     /* that has said so */
    lun_status_api   api;
    bool             config_files;
} api_conf;

/* An answer that is being made. */
typedef struct {
    lun_status_json   json;
    lun_status_walk  *walk;
    lun_str           path;        /* as its errors name it */
} answer;


/* --- the answer ---------------------------------------------------------- */

static lun_str
text_of(lun_pool *pool, const lun_chain *out)
{
    char     *p;
    lun_buf  *b;
    lun_str   text = LUN_STR("");

    if (out->head == NULL) {
        return text;
    }

    text.len = (size_t) lun_buf_total(out->head);
    text.data = p = lun_pool_text(pool, text.len);

    for (b = out->head; b != NULL; b = b->next) {
        p = lun_copy(p, b->pos, (size_t) (b->last - b->pos));
    }

    return text;
}


static lun_verdict
send_json(lun_request *r, unsigned status, lun_status_json *json)
{
    lun_status_json_end(json);
    return lun_http_respond(r, status, LUN_STR("application/json"),
                            text_of(r->pool, &json->out));
}


static lun_verdict
send_error(lun_request *r, const answer *a, unsigned status, const char *error,
    lun_str description)
{
    lun_status_json   json = { .pool = r->pool, .pretty = a->json.pretty };
    lun_status_value  v = { LUN_STATUS_TEXT, 0, 1, lun_str_z(error) };

    lun_status_json_printer.open(&json, LUN_STR_NULL, false);
    lun_status_json_printer.value(&json, LUN_STR("error"), &v);
    v.text = description;
    lun_status_json_printer.value(&json, LUN_STR("description"), &v);
    lun_status_json_printer.close(&json);

    return send_json(r, status, &json);
}


static lun_verdict
complete(lun_request *r, answer *a)
{
    if (!lun_status_was_found(a->walk)) {
        return send_error(r, a, 404, "PathNotFound", lun_pool_fmt(r->pool,
            "Requested API entity \"/%.*s\" doesn't exist.", LUN_S(a->path)));
    }

    lun_status_say_it_changes(r);
    return send_json(r, 200, &a->json);
}


/* Others have had their turn. */
static void
go_on(lun_request *r)
{
    answer  *a = lun_http_state(r, &lun_http_api);

    if (lun_status_walk_on(a->walk)) {
        (void) lun_http_delay(r, LUN_STATUS_PAUSE, go_on);

    } else {
        lun_http_finish(r, complete(r, a));
    }
}


/* --- the path ------------------------------------------------------------ */

/*
 * What the directive says, and behind it what the request's has behind the
 * location's; both may have slashes where they meet.
 */
static lun_str
path_of(lun_request *r, const api_conf *conf)
{
    size_t               skip = 0;
    lun_str              rest, prefix = lun_script_run(&r->session, conf->path);
    const lun_location  *loc = conf->location;

    if (loc->match == LUN_MATCH_REGEX) {
        rest = LUN_STR("");

    } else {
        /* A path that was rewritten in here is another, all of it. */
        skip = lun_str_starts(r->uri, loc->name) ? loc->name.len : 0;
        rest = lun_str_of(r->uri.data + skip, r->uri.len - skip);
    }

    while (prefix.len != 0 && prefix.data[prefix.len - 1] == '/'
           && rest.len != 0)
    {
        prefix.len--;
    }

    if (lun_str_starts(rest, LUN_STR("/"))) {
        rest = lun_str_of(rest.data + 1, rest.len - 1);
    }

    if (lun_str_starts(prefix, LUN_STR("/"))) {
        prefix = lun_str_of(prefix.data + 1, prefix.len - 1);
    }

    if (rest.len == 0) {
        return prefix;
    }

    return prefix.len == 0 ? rest
           : lun_pool_fmt(r->pool, "%.*s/%.*s", LUN_S(prefix), LUN_S(rest));
}


lun_verdict
lun_status_answer(lun_request *r, const lun_status_ask *ask, lun_str path)
{
    answer   *a = lun_pool_new(r->pool, answer);
    lun_str   value;

    a->path = path;
    a->json.pool = r->pool;
    a->json.pretty = !(lun_status_arg(r, "pretty", &value)
                       && lun_str_eq(value, LUN_STR("off")));
    a->json.epoch = lun_status_arg(r, "date", &value)
                    && lun_str_eq(value, LUN_STR("epoch"));

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        lun_http_set_out(r, LUN_STR("Allow"), LUN_STR("GET, HEAD"));
        return send_error(r, a, 405, "MethodNotAllowed", lun_pool_fmt(r->pool,
            "The %.*s method is not allowed for the requested API entity "
            "\"/%.*s\".", LUN_S(r->method_name), LUN_S(path)));
    }

    a->walk = lun_status_walk_new(r->pool, lun_http_generation(r), ask,
                                  &lun_status_json_printer, &a->json);
    lun_http_set_state(r, &lun_http_api, a);

    return lun_status_walk_on(a->walk)
           ? lun_http_delay(r, LUN_STATUS_PAUSE, go_on) : complete(r, a);
}


/*
 * What can be written to is asked first: servers of upstreams and pairs have
 * paths of their own below the tree's.
 */
static lun_verdict
on_content(lun_session *s)
{
    int64_t          depth;
    lun_str          value;
    lun_verdict      v;
    lun_request     *r = lun_request_of(s);
    const api_conf  *conf = lun_http_conf(r, &lun_http_api);
    lun_status_ask   ask = { .conn = r->conn };

    if (!lun_http_has_content(r, &lun_http_api)) {
        return LUN_NEXT;
    }

    ask.path = path_of(r, conf);
    ask.config_files = conf->config_files;

    if (lun_status_api_servers(r, &conf->api, ask.path, &v)
        || lun_status_api_keyvals(r, &conf->api, ask.path, &v)
        || lun_status_api_reset(r, &conf->api, ask.path, &v))
    {
        return v;
    }

    if (lun_status_arg(r, "depth", &value)
        && lun_str_to_i64(value, &depth) == LUN_OK && depth > 0)
    {
        ask.depth = (int) lun_min(depth, 100);
    }

    return lun_status_answer(r, &ask, ask.path);
}


/* --- directives ---------------------------------------------------------- */

/* PATH write=on, in this order or the other; NGINX Plus' has no path. */
static lun_rc
read_words(lun_conf *cf, api_conf *conf)
{
    size_t   i;
    lun_str  word, path = LUN_STR("");

    for (i = 1; i < cf->argc; i++) {
        word = cf->args[i];

        if (lun_str_eq(word, LUN_STR("write=on"))) {
            conf->api.write = true;

        } else if (lun_str_starts(word, LUN_STR("write="))) {
            if (!lun_str_eq(word, LUN_STR("write=off"))) {
                return lun_conf_bad_value(cf);
            }

        } else if (path.len != 0) {
            return lun_conf_bad_value(cf);

        } else {
            path = word;
        }
    }

    conf->path = lun_script_new(cf, path.len != 0 ? path : LUN_STR("/"));
    conf->api.user = lun_script_new(cf, LUN_STR("$remote_user"));
    conf->api.request_id = lun_script_new(cf, LUN_STR("$request_id"));

    return conf->path != NULL && conf->api.user != NULL
           && conf->api.request_id != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
set_api(lun_conf *cf, const lun_directive *d, void *data)
{
    api_conf      *conf = data;
    lun_location  *loc = cf->block->owner;

    if (loc->match == LUN_MATCH_NAMED) {
        return lun_conf_fail(cf, "\"api\" directive cannot be used inside "
                             "named or combined locations");
    }

    if (loc->match != LUN_MATCH_EXACT && loc->match != LUN_MATCH_REGEX
        && !lun_uri_is_folder(loc->name))
    {
        return lun_conf_fail(cf, "\"api\" directive cannot be used inside "
                             "prefix location without slash at the end");
    }

    if (read_words(cf, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    conf->location = loc;
    loc->has_slash_redirect = lun_uri_is_folder(loc->name);
    lun_http_set_content(cf, &lun_http_api);
    return LUN_OK;
}


static lun_rc
set_compat(lun_conf *cf, const lun_directive *d, void *data)
{
    if (!lun_str_eq(cf->args[1], LUN_STR("angie"))
        && !lun_str_eq(cf->args[1], LUN_STR("off")))
    {
        return lun_conf_bad_value(cf);
    }

    if (lun_str_eq(cf->args[1], LUN_STR("angie"))) {
        lun_status_add(cf->gen, "status/angie", lun_status_write_program,
                       NULL);
    }

    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_status_add_server(cf->gen);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "api", .where = LUN_LOCATION, .args = 1, .args_max = 2,
      .set = set_api,
      .values = "prefix",
      .help = "answers with what the server says of itself, as JSON" },
    { .name = "api_config_files", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(api_conf, config_files),
      .fallback = "off",
      .help = "the configuration's files are a part of that" },
    { .name = "status_compat", .where = LUN_HTTP, .args = 1,
      .set = set_compat,
      .values = "angie",
      .help = "whose programs shall read it: angie" },
    { 0 }
};

lun_http_module  lun_http_api = {
    .name = "api",
    .directives = directives,
    .conf_size = sizeof(api_conf),
    .keeps_state = true,
    .init = init,
    .on[LUN_CONTENT] = on_content,
};
