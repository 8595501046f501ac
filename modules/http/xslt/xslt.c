/*
 * xslt.c -- answers of XML are transformed by stylesheets as they pass.
 *
 *     xml_entities     entities.dtd;
 *     xslt_stylesheet  first.xslt;
 *     xslt_stylesheet  second.xslt one='text':two=/root $arg_more;
 *
 * An answer comes into memory whole; then the header goes out and what the
 * last stylesheet made of it.  libxslt (xslt_library.c) is only needed where
 * a stylesheet is named.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/xslt/xslt_priv.h"

#include <stdlib.h>

#include "base/array.h"
#include "format/uri.h"
#include "http/conf/core_conf.h"
#include "http/filter_buf.h"
#include "http/module.h"
#include "os/file.h"


enum { MOST = 64 * 1024 * 1024, FIRST_ROOM = 32 * 1024 };

typedef struct {
    lun_str      name;
    lun_script  *value;
    bool         is_text;
} param;

typedef struct {
    lun_xslt_sheet  *sheet;
    lun_array        args;         /* of lun_script *, each "a=b:c=d" */
} stylesheet;

typedef struct {
    lun_array  *sheets;            /* of stylesheet; NULL: none */
    lun_array  *params;            /* of param; NULL: none */
    lun_str     dtd;
    lun_hash   *types;
    bool        last_modified, external;
} xslt_conf;

typedef struct {
    lun_filter_buf    out;
    const xslt_conf  *conf;
    char             *data;        /* what has come; malloc's */
    size_t            len, room;
} xslt_state;

extern lun_http_module  lun_http_xslt;


/* --- parameters ---------------------------------------------------------- */

static void
add_param(lun_array *to, lun_pool *pool, lun_str name, lun_str value,
    bool is_text)
{
    lun_xslt_param  *p = lun_array_push(to);

    p->name = lun_pool_strz(pool, name);
    p->value = lun_pool_strz(pool, value);
    p->is_text = is_text;
}


/* "a=b:c=d"; what stands for itself is escaped as in a uri. */
static lun_rc
add_args(lun_array *to, lun_request *r, lun_str text)
{
    char        *value, *end;
    lun_str      one;
    const char  *equals, *colon, *last = text.data + text.len;

    while (text.len != 0) {
        colon = lun_str_chr(text, ':');
        one = lun_str_of(text.data, (size_t) ((colon != NULL ? colon : last)
                                              - text.data));
        equals = lun_str_chr(one, '=');

        if (equals == NULL) {
            lun_log(LUN_LOG_ERR, r->log, 0, "invalid libxslt parameter "
                    "\"%.*s\"", LUN_S(one));
            return LUN_ERROR;
        }

        value = lun_pool_text(r->pool, one.len + 1);
        end = lun_uri_unescape(value,
                               lun_str_of(equals + 1, (size_t) (one.data
                                          + one.len - equals) - 1), false);
        add_param(to, r->pool,
                  lun_str_of(one.data, (size_t) (equals - one.data)),
                  lun_str_of(value, (size_t) (end - value)), false);

        text = colon == NULL ? LUN_STR("")
               : lun_str_of(colon + 1, (size_t) (last - colon) - 1);
    }

    return LUN_OK;
}


static lun_rc
make_step(lun_request *r, const xslt_conf *conf, const stylesheet *sheet,
    lun_xslt_step *step)
{
    size_t        i;
    lun_str       text;
    lun_array     params;
    const param  *p;

    lun_array_init(&params, r->pool, sizeof(lun_xslt_param), 4);

    for (i = 0; conf->params != NULL && i < conf->params->count; i++) {
        p = lun_array_at(conf->params, i);
        add_param(&params, r->pool, p->name,
                  lun_script_run(&r->session, p->value), p->is_text);
    }

    for (i = 0; i < sheet->args.count; i++) {
        text = lun_script_run(&r->session,
                        *(lun_script **) lun_array_at(&sheet->args, i));

        if (add_args(&params, r, text) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    *step = (lun_xslt_step) { sheet->sheet, params.items, params.count };
    return LUN_OK;
}


/* --- the answer ---------------------------------------------------------- */

static lun_rc
transform(xslt_state *s)
{
    size_t            i;
    lun_array        *sheets = s->conf->sheets;
    lun_request      *r = s->out.r;
    lun_xslt_step    *steps;
    lun_xslt_result   result;

    steps = lun_pool_new_n(r->pool, lun_xslt_step, sheets->count);
    s->out.silent = false;

    for (i = 0; i < sheets->count; i++) {
        if (make_step(r, s->conf, lun_array_at(sheets, i), &steps[i])
            != LUN_OK)
        {
            return lun_http_refuse(r, 500);
        }
    }

    if (lun_xslt_run(r->pool, lun_str_of(s->data, s->len), s->conf->dtd,
                     s->conf->external, steps, sheets->count, &result, r->log)
        != LUN_OK)
    {
        return lun_http_refuse(r, 500);
    }

    if (result.type.len != 0) {
        r->out.content_type = result.type;
    }

    if (result.charset.len != 0) {
        r->out.charset = result.charset;
    }

    lun_http_text_changes(r, s->conf->last_modified);
    r->out.content_length = (int64_t) result.text.len;

    if (lun_http_next_header(r, &lun_http_xslt) == LUN_ERROR) {
        return LUN_ERROR;
    }

    /* The header has no body behind it for HEAD. */
    if (!r->header_only) {
        lun_filter_buf_put(&s->out, result.text.data, result.text.len);
    }

    return LUN_OK;
}


/* A document is transformed as a whole: it is gathered up to MOST, doubling. */
static lun_rc
take(void *state, lun_str *text)
{
    char        *room;
    xslt_state  *s = state;

    if (text->len > MOST - s->len) {
        lun_log(LUN_LOG_ERR, s->out.r->log, 0, "xslt filter: too big "
                "response");
        s->out.silent = false;
        return lun_http_refuse(s->out.r, 500);
    }

    if (text->len > s->room - s->len) {
        s->room = lun_max(s->room * 2, lun_max(s->len + text->len,
                                               (size_t) FIRST_ROOM));
        room = realloc(s->data, s->room);

        if (room == NULL) {
            return LUN_ERROR;
        }

        s->data = room;
    }

    memcpy(s->data + s->len, text->data, text->len);
    s->len += text->len;
    text->len = 0;
    return LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    xslt_state  *s = state;

    if ((b->eof || b->eof_part) && s->out.silent && transform(s) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_xslt,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    xslt_state  *s = lun_http_state(r, &lun_http_xslt);

    if (s == NULL || s->conf == NULL) {
        return lun_http_next_body(r, &lun_http_xslt, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


static void
free_data(void *data)
{
    xslt_state  *s = data;

    free(s->data);
}


static lun_rc
on_header(lun_request *r)
{
    xslt_state       *s = lun_http_state(r, &lun_http_xslt);
    const xslt_conf  *conf = lun_http_conf(r, &lun_http_xslt);

    if (s != NULL) {                   /* the page of an error */
        s->conf = NULL;
        return lun_http_next_header(r, &lun_http_xslt);
    }

    if (conf->sheets == NULL || r->out.status == 304
        || !lun_http_is_type(r, conf->types))
    {
        return lun_http_next_header(r, &lun_http_xslt);
    }

    s = lun_pool_new(r->pool, xslt_state);
    lun_pool_on_end(r->pool, free_data, s);
    lun_filter_buf_init(&s->out, r, 32768, 32);
    s->out.silent = true;
    s->conf = conf;
    lun_http_set_state(r, &lun_http_xslt, s);

    r->header_held = 1;
    r->filter_need_in_memory = 1;
    r->allow_ranges = 0;
    lun_http_clear_ranges(r);
    return LUN_OK;
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
need_library(lun_conf *cf)
{
    const char  *why;

    if (lun_xslt_load(&why) != LUN_OK) {
        return lun_conf_fail(cf, "\"%.*s\" is not possible: %s",
                             LUN_S(cf->args[0]), why);
    }

    return LUN_OK;
}


static lun_rc
set_entities(lun_conf *cf, const lun_directive *d, void *data)
{
    char       *bytes;
    size_t      size;
    lun_err     err;
    lun_str     path = lun_conf_path(cf, cf->args[1], true);
    xslt_conf  *conf = data;

    if (need_library(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    err = lun_file_slurp(path.data, &bytes, &size);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "xmlParseDTD() \"%.*s\" failed",
                                 LUN_S(path));
    }

    lun_pool_on_end(cf->pool, free, bytes);
    conf->dtd = lun_str_of(bytes, size);

    return lun_xslt_is_dtd(conf->dtd, cf->log) ? LUN_OK
           : lun_conf_fail(cf, "xmlParseDTD() \"%.*s\" failed", LUN_S(path));
}


/*
 * Read and compiled now, so that a mistake in it is an error of the
 * configuration.
 */
static lun_rc
set_stylesheet(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        i;
    lun_str       path = lun_conf_path(cf, cf->args[1], true);
    xslt_conf    *conf = data;
    stylesheet   *s;
    lun_script  **arg;

    if (need_library(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->sheets == NULL) {
        conf->sheets = lun_array_new(cf->pool, sizeof(stylesheet), 1);
    }

    s = lun_array_push(conf->sheets);
    lun_array_init(&s->args, cf->pool, sizeof(lun_script *), 1);
    s->sheet = lun_xslt_sheet_read(cf->pool, path.data, cf->log);

    if (s->sheet == NULL) {
        return lun_conf_fail(cf, "xsltParseStylesheetFile(\"%.*s\") failed",
                             LUN_S(path));
    }

    for (i = 2; i < cf->argc; i++) {
        arg = lun_array_push(&s->args);
        *arg = lun_script_new(cf, cf->args[i]);

        if (*arg == NULL) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* d->data: it is a text, and no expression. */
static lun_rc
set_param(lun_conf *cf, const lun_directive *d, void *data)
{
    param      *p;
    xslt_conf  *conf = data;

    if (conf->params == NULL) {
        conf->params = lun_array_new(cf->pool, sizeof(param), 2);
    }

    p = lun_array_push(conf->params);
    p->name = cf->args[1];
    p->value = lun_script_new(cf, cf->args[2]);
    p->is_text = d->data != NULL;
    return p->value != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "xml_entities", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_entities, LUN_FIELD(xslt_conf, dtd),
      .values = "file",
      .help = "a DTD with entities for all documents" },
    { .name = "xml_external_entities", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(xslt_conf, external), .fallback = "off",
      .help = "documents may have entities that are files" },
    { .name = "xslt_stylesheet", .where = LUN_LOCATION, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_stylesheet,
      LUN_FIELD(xslt_conf, sheets),
      .values = "file [parameter ...]",
      .help = "a stylesheet that answers go through" },
    { .name = "xslt_param", .where = LUN_HTTP_LEVELS, .args = 2,
      .repeats = true, .set = set_param, LUN_FIELD(xslt_conf, params),
      .values = "name value",
      .help = "a parameter of stylesheets: an expression of XPath" },
    { .name = "xslt_string_param", .where = LUN_HTTP_LEVELS, .args = 2,
      .repeats = true, .set = set_param, LUN_FIELD(xslt_conf, params),
      .data = "text",
      .values = "name value",
      .help = "a parameter of stylesheets: a text" },
    { .name = "xslt_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_media_types,
      LUN_FIELD(xslt_conf, types), .fallback = "text/xml",
      .data = "text/xml",
      .values = "mime-type ...",
      .help = "types, beside text/xml, that go through" },
    { .name = "xslt_last_modified", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(xslt_conf, last_modified),
      .fallback = "off", .help = "keeps Last-Modified" },
    { 0 }
};

lun_http_module  lun_http_xslt = {
    .name = "xslt",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(xslt_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
