/*
 * xss.c -- OpenResty's xss: answers in JSON as scripts that call a function of
 * the page that asked (JSONP).
 *
 *     xss_get on;  xss_callback_arg callback;
 *
 * GET /data?callback=show gives "show(" + the answer + ");".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "format/uri.h"
#include "http/conf/core_conf.h"


typedef struct {
    bool       get;
    lun_str    variable;           /* "arg_NAME"; len 0: none */
    lun_hash  *input_types;
    lun_str    output_type;
    bool       check_status;
    bool       override_status;
} xss_conf;

typedef struct {
    lun_str  callback;
    bool     begun;
} xss_state;

extern lun_http_module  lun_http_xss;


/* --- the name of the function -------------------------------------------- */

static bool
is_name(char c, bool first)
{
    return (lun_lower(c) >= 'a' && lun_lower(c) <= 'z') || c == '_' || c == '$'
           || (!first && lun_is_digit(c));
}


/* Of an index: "[12]" or "[name]"; 0: it is none. */
static size_t
index_len(lun_str s)
{
    size_t  n = 1;

    while (n < s.len && is_name(s.data[n], false)) {
        n++;
    }

    return n > 1 && n < s.len && s.data[n] == ']' ? n + 1 : 0;
}


/* "name", "a.b.c", "list[0].call": a path to a function, and no script. */
static bool
is_callback(lun_str s)
{
    size_t  n;
    bool    first = true;

    if (s.len == 0) {
        return false;
    }

    while (s.len != 0) {
        if (!first && s.data[0] == '[') {
            n = index_len(s);

            if (n == 0) {
                return false;
            }

        } else {
            n = !first && s.data[0] == '.' ? 1 : 0;

            if ((!first && n == 0) || n == s.len || !is_name(s.data[n], true)) {
                return false;
            }

            while (n < s.len && is_name(s.data[n], false)) {
                n++;
            }
        }

        first = false;
        s.data += n;
        s.len -= n;
    }

    return true;
}


/* The value of the argument, decoded; false: there is none. */
static bool
find_callback(lun_request *r, const xss_conf *conf, lun_str *callback)
{
    char             *text;
    const lun_value  *v = lun_var_get_named(&r->session, conf->variable);

    if (v == NULL || v->not_found) {
        return false;
    }

    text = lun_pool_text(r->pool, v->text.len + 1);
    *callback = lun_str_of(text, (size_t) (lun_uri_unescape(text, v->text,
                                                            false) - text));
    return true;
}


/* --- the answer ---------------------------------------------------------- */

static bool
is_wanted(const lun_request *r, const xss_conf *conf)
{
    return conf->get && r->parent == NULL && r->method == LUN_GET
           && (!conf->check_status || r->out.status == 200
               || r->out.status == 201);
}


/*
 * The callback's name comes from the client and is written into a script: with
 * one that could be more than a name the answer goes out as it is.
 */
static lun_rc
on_header(lun_request *r)
{
    lun_str          callback;
    xss_state       *s;
    const xss_conf  *conf = lun_http_conf(r, &lun_http_xss);

    if (!is_wanted(r, conf)) {
        return lun_http_next_header(r, &lun_http_xss);
    }

    if (conf->variable.len == 0) {
        lun_log(LUN_LOG_INFO, r->log, 0, "xss: xss_get is enabled but no "
                "xss_callback_arg specified");
        return lun_http_next_header(r, &lun_http_xss);
    }

    if (!lun_http_is_type(r, conf->input_types)
        || !find_callback(r, conf, &callback))
    {
        return lun_http_next_header(r, &lun_http_xss);
    }

    if (!is_callback(callback)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "xss: bad callback argument: "
                "\"%.*s\"", LUN_S(callback));
        return lun_http_next_header(r, &lun_http_xss);
    }

    s = lun_pool_new(r->pool, xss_state);
    s->callback = callback;
    lun_http_set_state(r, &lun_http_xss, s);

    if (conf->override_status && r->out.status >= 300) {
        r->out.status = 200;
        r->out.status_line = LUN_STR_NULL;
    }

    r->out.content_type = conf->output_type;
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_clear_etag(r);

    return lun_http_next_header(r, &lun_http_xss);
}


/* The end moves behind the closing bracket. */
static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_buf    *b, *next, *end;
    lun_chain   out;
    xss_state  *s = lun_http_state(r, &lun_http_xss);

    if (s == NULL || in == NULL || r->header_only) {
        return lun_http_next_body(r, &lun_http_xss, in);
    }

    lun_chain_init(&out);

    if (!s->begun) {
        s->begun = true;
        lun_chain_push(&out, lun_buf_new_str(r->pool,
                                lun_pool_fmt(r->pool, "%.*s(",
                                             LUN_S(s->callback))));
    }

    for (b = in; b != NULL; b = next) {
        next = b->next;
        lun_chain_push(&out, b);

        if (b->eof) {
            b->eof = 0;
            end = lun_buf_new_str(r->pool, LUN_STR(");"));
            end->eof = 1;
            lun_chain_push(&out, end);
        }
    }

    return lun_http_next_body(r, &lun_http_xss, out.head);
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_argument(lun_conf *cf, const lun_directive *d, void *data)
{
    char      *name;
    lun_str    word = cf->args[1];
    xss_conf  *conf = data;

    name = lun_pool_text(cf->pool, word.len + 4);
    memcpy(name, "arg_", 4);
    lun_mem_lower(name + 4, word.data, word.len);
    conf->variable = lun_str_of(name, word.len + 4);

    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_directive  directives[] = {
    { .name = "xss_get", .where = PLACES, .args = 1, .set = lun_set_flag,
      LUN_FIELD(xss_conf, get), .fallback = "off",
      .help = "answers as calls of a function (JSONP)" },
    { .name = "xss_callback_arg", .where = PLACES, .args = 1,
      .set = set_argument, LUN_FIELD(xss_conf, variable),
      .values = "name",
      .help = "the argument that names the function" },
    { .name = "xss_input_types", .where = PLACES, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_media_types,
      LUN_FIELD(xss_conf, input_types), .fallback = "application/json",
      .data = "application/json",
      .values = "mime-type ...",
      .help = "types of answers that become calls" },
    { .name = "xss_output_type", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(xss_conf, output_type),
      .fallback = "application/x-javascript",
      .values = "mime-type",
      .help = "the type that they have then" },
    { .name = "xss_check_status", .where = PLACES, .args = 1,
      .set = lun_set_flag, LUN_FIELD(xss_conf, check_status),
      .fallback = "on",
      .help = "only answers of 200 and 201" },
    { .name = "xss_override_status", .where = PLACES, .args = 1,
      .set = lun_set_flag, LUN_FIELD(xss_conf, override_status),
      .fallback = "on",
      .help = "a status of 300 and more becomes 200" },
    { 0 }
};

lun_http_module  lun_http_xss = {
    .name = "xss",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(xss_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
