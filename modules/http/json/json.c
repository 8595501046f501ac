/*
 * json.c -- json_set: variables that are parts of a document in another one.
 *
 *     client_body_early_read on;
 *     json_set $method $request_body request.method;
 *
 * All variables of one document get their values when the first of them is
 * asked for, so it is read once in a request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <string.h>

#include "http/module.h"
#include "format/json_document.h"


/* A variable that holds a document. */
typedef struct {
    unsigned         variable;     /* its index */
    lun_json_places  places;
    lun_array        parts;        /* of json_part * */
} json_source;

/* A variable that is a part of it. */
typedef struct {
    json_source   *source;
    size_t         number;         /* of its place */
    lun_variable  *variable;
    unsigned       index;
} json_part;

typedef struct {
    int64_t     max_depth;
    lun_array  *sources;           /* of json_source *; NULL: none */
} json_conf;

extern lun_http_module  lun_http_json;


/* Values of all that are parts of the document; false: it is none. */
static bool
read_source(lun_session *s, const json_source *source, lun_str *values)
{
    const json_conf  *conf = lun_http_conf(lun_request_of(s), &lun_http_json);
    const lun_value  *text = lun_var_get_fresh(s, source->variable);

    return lun_json_document_read(&source->places, s->pool, text->text,
                                  (unsigned) conf->max_depth, values);
}


static void
get_part(lun_session *s, lun_value *v, uintptr_t data)
{
    size_t              i;
    lun_str            *values;
    lun_value          *one;
    const json_part    *part = (const json_part *) data;
    const json_source  *source = part->source;

    values = lun_pool_new_n(s->pool, lun_str, source->places.count + 1);

    if (!read_source(s, source, values)) {
        memset(values, 0, (source->places.count + 1) * sizeof(lun_str));
    }

    v->text = values[part->number];
    v->not_found = v->text.data == NULL;

    for (i = 0; i < source->parts.count; i++) {
        part = *(json_part **) lun_array_at(&source->parts, i);
        one = &s->values[part->index];

        /* What was set since, or another directive took over, stays. */
        if (one != v && !one->known && part->variable->get == get_part
            && part->variable->data == (uintptr_t) part)
        {
            *one = (lun_value) { .known = 1, .text = values[part->number] };
            one->not_found = one->text.data == NULL;

            if (one->text.len == 0) {
                one->text = LUN_STR("");
            }
        }
    }
}


/* --- reading ------------------------------------------------------------- */

static json_source *
source_of(lun_conf *cf, json_conf *conf, unsigned variable)
{
    size_t        i;
    json_source  *source;

    if (conf->sources == NULL) {
        conf->sources = lun_pool_new(cf->pool, lun_array);
        lun_array_init(conf->sources, cf->pool, sizeof(json_source *), 2);
    }

    for (i = 0; i < conf->sources->count; i++) {
        source = *(json_source **) lun_array_at(conf->sources, i);

        if (source->variable == variable) {
            return source;
        }
    }

    source = lun_pool_new(cf->pool, json_source);
    source->variable = variable;
    lun_array_init(&source->parts, cf->pool, sizeof(json_part *), 4);
    *(json_source **) lun_array_push(conf->sources) = source;

    return source;
}


/* json_set $variable $source path; */
static lun_rc
set_part(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str     name, from;
    unsigned    index;
    json_part  *part = lun_pool_new(cf->pool, json_part);

    if (lun_var_name(cf, cf->args[1], &name) != LUN_OK
        || lun_var_name(cf, cf->args[2], &from) != LUN_OK)
    {
        return LUN_ERROR;
    }

    part->variable = lun_var_define(cf, name, LUN_VAR_CHANGEABLE);
    index = part->variable != NULL ? lun_var_index(cf, from) : 0;

    if (index == 0) {
        return LUN_ERROR;
    }

    part->source = source_of(cf, data, index);
    part->index = lun_var_index(cf, name);

    if (lun_json_places_add(&part->source->places, cf->pool, cf->args[3],
                            &part->number) != LUN_OK)
    {
        return lun_conf_fail(cf, "invalid JSON path \"%.*s\"",
                             LUN_S(cf->args[3]));
    }

    part->variable->get = get_part;
    part->variable->data = (uintptr_t) part;
    *(json_part **) lun_array_push(&part->source->parts) = part;

    return LUN_OK;
}


static lun_rc
set_max_depth(lun_conf *cf, const lun_directive *d, void *data)
{
    json_conf  *conf = data;

    if (lun_set_num(cf, d, data) != LUN_OK) {
        return LUN_ERROR;
    }

    return conf->max_depth >= 1 && conf->max_depth <= LUN_JSON_DEPTH_MOST
           ? LUN_OK
           : lun_conf_fail(cf, "value must be between 1 and %d",
                           LUN_JSON_DEPTH_MOST);
}


static const lun_directive  directives[] = {
    { .name = "json_set", .where = LUN_HTTP, .args = 3, .repeats = true,
      .set = set_part,
      .values = "$variable $json path",
      .help = "a variable that is a part of a JSON document" },
    { .name = "json_max_depth", .where = LUN_HTTP, .args = 1,
      .set = set_max_depth, LUN_FIELD(json_conf, max_depth),
      .fallback = "32",
      .values = "number",
      .help = "how deep a JSON document of json_set may be nested" },
    { 0 }
};

lun_http_module  lun_http_json = {
    .name = "json",
    .directives = directives,
    .conf_size = sizeof(json_conf),
};
