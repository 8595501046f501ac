/*
 * form_input.c -- set_form_input: variables set to fields of a form that a
 * client has sent.
 *
 *     set_form_input $name;             set_form_input_multi $all name;
 *
 * The body is read before the instructions of a location that has one of
 * these run; a form in a temporary file (larger than client_body_buffer_size)
 * has no fields.  Values are as they were sent: set_unescape_uri takes their
 * escapes back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/array_var/array_var_priv.h"

#include "http/conf/location.h"


typedef struct {
    const lun_block  *block;       /* whose instructions ask for it */
} form_conf;

typedef struct {
    bool  starting;                /* lun_body_read() is on the stack */
} form_state;

typedef struct {
    lun_str   field;
    unsigned  index;               /* of the variable */
    bool      all;                 /* set_form_input_multi */
} form_code;


static bool
is_form(const lun_request *r)
{
    const lun_header  *h = r->main->in.known[LUN_HIN_CONTENT_TYPE];

    return (r->main->method & (LUN_POST | LUN_PUT)) != 0 && h != NULL
           && lun_str_casestarts(h->value, LUN_STR("application/"
                                                   "x-www-form-urlencoded"));
}


/* --- the body ------------------------------------------------------------ */

static void
on_body(lun_request *r)
{
    const form_state  *s = lun_http_state(r, &lun_http_form_input);

    if (!s->starting) {
        lun_http_resume(r);
    }
}


static lun_verdict
on_rewrite(lun_session *session)
{
    lun_verdict       v;
    form_state       *s;
    lun_request      *r = lun_request_of(session);
    const form_conf  *conf = lun_http_conf(r, &lun_http_form_input);

    if (r->location == NULL || conf->block != r->location->block
        || r->parent != NULL || !is_form(r))
    {
        return LUN_NEXT;
    }

    if (r->body != NULL) {
        return LUN_NEXT;
    }

    s = lun_pool_new(r->pool, form_state);
    lun_http_set_state(r, &lun_http_form_input, s);
    s->starting = true;
    v = lun_body_read(r, on_body);
    s->starting = false;

    return v == LUN_LEAVE ? LUN_NEXT : v;
}


/* --- fields -------------------------------------------------------------- */

/* Takes the next "name=value" off a form. */
static lun_str
take_field(lun_str *rest)
{
    lun_str      field = *rest;
    const char  *end = lun_str_chr(*rest, '&');

    if (end != NULL) {
        field.len = (size_t) (end - rest->data);
    }

    rest->data += lun_min(field.len + 1, rest->len);
    rest->len -= lun_min(field.len + 1, rest->len);
    return field;
}


static bool
is_field(lun_str field, lun_str name, lun_str *value)
{
    if (field.len <= name.len || field.data[name.len] != '='
        || !lun_str_caseeq(lun_str_of(field.data, name.len), name))
    {
        return false;
    }

    *value = lun_str_of(field.data + name.len + 1, field.len - name.len - 1);
    return true;
}


/*
 * A body that went to a file is not read, as the module has it:
 * client_body_buffer_size says how large a form may be.
 */
static lun_verdict
run_code(lun_request *r, void *data)
{
    lun_str           form = LUN_STR(""), value, first = LUN_STR("");
    lun_values       *all = NULL;
    const lun_body   *body = r->main->body;
    const form_code  *c = data;

    if (is_form(r) && body != NULL && body->complete
        && body->file == LUN_FD_NONE)
    {
        form = lun_body_text(r->main);
    }

    if (c->all) {
        all = lun_values_new(r);
        first = lun_values_text(all);
    }

    while (form.len != 0) {
        if (!is_field(take_field(&form), c->field, &value)) {
            continue;
        }

        if (!c->all) {
            first = value;
            break;
        }

        lun_values_add(all, value);
    }

    lun_var_set(&r->session, c->index, first);
    return LUN_NEXT;
}


/* --- directives ---------------------------------------------------------- */

/* A row's .data. */
typedef struct {
    bool  all;
} form_kind;


static lun_rc
set_input(lun_conf *cf, const lun_directive *d, void *data)
{
    form_code        *c = lun_pool_new(cf->pool, form_code);
    form_conf        *conf;
    lun_block        *block = cf->block;
    const form_kind  *kind = d->data;

    c->all = kind->all;
    c->index = lun_rewrite_variable(cf, cf->args[1]);

    if (c->index == 0 || lun_values_want(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    c->field = cf->argc == 3 ? cf->args[2]
                             : lun_str_of(cf->args[1].data + 1,
                                          cf->args[1].len - 1);

    while (block->where == LUN_LOCATION_IF) {
        block = block->parent;
    }

    conf = lun_block_conf(cf, block, &lun_http_form_input.part);
    conf->block = block;
    lun_rewrite_add(cf, run_code, c);

    return LUN_OK;
}


#define INPUT(text, many, ...)                                                \
    { .name = text, .where = LUN_LOCATION | LUN_LOCATION_IF, .args = 1,       \
      .args_max = 2, .repeats = true, .set = set_input,                       \
      .data = &(const form_kind) { many }, __VA_ARGS__ }

static const lun_directive  directives[] = {
    INPUT("set_form_input", false,
          .values = "$variable [argument]",
          .help = "a field of a form that was sent"),
    INPUT("set_form_input_multi", true,
          .values = "$variable [argument]",
          .help = "all fields of that name, as a list"),
    { 0 }
};

lun_http_module  lun_http_form_input = {
    .name = "form_input",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(form_conf),
    .on[LUN_REWRITE] = on_rewrite,
};
