/*
 * array_var.c -- OpenResty's array-var: variables that hold lists of texts.
 *
 *     array_split ',' $arg_names to=$names;
 *     array_map_op set_quote_sql_str $names;
 *     array_map "name = $array_it" $names;
 *     array_join ' or ' $names to=$condition;
 *
 * All are instructions of a block, in their turn among `set` and the others.
 * Without `to` the variable itself is changed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/array_var/array_var_priv.h"


typedef struct {
    lun_str      item;             /* of array_map, while that runs */
} array_state;

/* array_split */
typedef struct {
    lun_script  *separator;
    lun_script  *subject;
    lun_script  *most;             /* NULL: no limit */
    unsigned     to;
} split_code;

/* The others: what with, which list, where to. */
typedef struct {
    const char               *name;
    lun_script               *with;
    const lun_text_function  *function;    /* array_map_op */
    unsigned                  from;
    unsigned                  to;  /* the same: in place */
} list_code;


/* --- lists --------------------------------------------------------------- */

static array_state *
state_of(lun_request *r)
{
    array_state  *s = lun_http_state(r, &lun_http_array_var);

    if (s == NULL) {
        s = lun_pool_new(r->pool, array_state);
        lun_http_set_state(r, &lun_http_array_var, s);
    }

    return s;
}


/*
 * The lists of a request hang on a variable that nobody else can change: like
 * those that stand for them, it outlives internal redirects.
 */
static void
get_lists(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = LUN_STR("");
}


lun_rc
lun_values_want(lun_conf *cf)
{
    uintptr_t      index;
    lun_variable  *v;

    if (lun_module_data(cf->engine, &lun_http_array_var.head) != NULL) {
        return LUN_OK;
    }

    /* Scripts may say any name, but not change this one. */
    v = lun_var_define(cf, LUN_STR("array lists"), 0);

    if (v == NULL) {
        return LUN_ERROR;
    }

    v->get = get_lists;
    index = lun_var_index(cf, v->name);
    lun_module_set_data(cf->engine, &lun_http_array_var.head, (void *) index);

    return LUN_OK;
}


static unsigned
lists_index(const lun_request *r)
{
    return (unsigned) (uintptr_t) lun_module_data(r->session.engine,
                                                  &lun_http_array_var.head);
}


static lun_values *
lists_of(lun_request *r)
{
    const lun_value  *v = lun_var_get_fresh(&r->session, lists_index(r));

    return v->text.len != 0 ? (lun_values *) (uintptr_t) v->text.data : NULL;
}


lun_values *
lun_values_new(lun_request *r)
{
    lun_values  *v = lun_pool_new(r->pool, lun_values);

    lun_array_init(&v->items, r->pool, sizeof(lun_str), 4);
    memcpy(v->word, "(array)", sizeof(v->word));
    v->next = lists_of(r);
    lun_var_set(&r->session, lists_index(r), lun_str_of((const char *) v,
                                                        sizeof(*v)));

    return v;
}


void
lun_values_add(lun_values *v, lun_str item)
{
    *(lun_str *) lun_array_push(&v->items) = item;
}


lun_str
lun_values_text(const lun_values *v)
{
    return lun_str_of(v->word, sizeof(v->word) - 1);
}


lun_values *
lun_values_of(lun_request *r, lun_str text)
{
    lun_values  *v;

    for (v = lists_of(r); v != NULL; v = v->next) {
        if (text.data == v->word && text.len == sizeof(v->word) - 1) {
            return v;
        }
    }

    return NULL;
}


/* The list of a directive's second argument; NULL: logged. */
static lun_values *
list_of(lun_request *r, const list_code *c)
{
    lun_str      text = lun_var_get_fresh(&r->session, c->from)->text;
    lun_values  *v = lun_values_of(r, text);

    if (v == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "%s: invalid array variable value in "
                "the 2nd argument: \"%.*s\"", c->name, LUN_S(text));
    }

    return v;
}


/* --- array_split, array_join --------------------------------------------- */

/* Every byte is an item where nothing separates them. */
static size_t
item_len(lun_str rest, lun_str separator)
{
    const char  *end;

    if (separator.len == 0) {
        return lun_min(rest.len, (size_t) 1);
    }

    end = lun_str_find(rest, separator);
    return end != NULL ? (size_t) (end - rest.data) : rest.len;
}


/* The last of `most` items is all that is left; 0: no limit. */
static void
split(lun_values *v, lun_str rest, lun_str separator, uint64_t most)
{
    size_t  n;

    while (rest.len != 0 || (separator.len != 0 && v->items.count != 0)) {
        n = v->items.count + 1 == most ? rest.len : item_len(rest, separator);
        lun_values_add(v, lun_str_of(rest.data, n));

        if (n == rest.len) {
            return;
        }

        rest.data += n + separator.len;
        rest.len -= n + separator.len;
    }
}


static lun_verdict
run_split(lun_request *r, void *data)
{
    lun_str            text, separator;
    uint64_t           most = 0;
    lun_values        *v = lun_values_new(r);
    const split_code  *c = data;

    if (c->most != NULL) {
        text = lun_script_run(&r->session, c->most);

        if (lun_str_to_u64(text, &most) != LUN_OK) {
            lun_log(LUN_LOG_ERR, r->log, 0, "array_split: invalid max items: "
                    "\"%.*s\"", LUN_S(text));
            return LUN_STATUS + 500;
        }
    }

    separator = lun_script_run(&r->session, c->separator);
    split(v, lun_script_run(&r->session, c->subject), separator, most);
    lun_var_set(&r->session, c->to, lun_values_text(v));

    return LUN_NEXT;
}


static lun_verdict
run_join(lun_request *r, void *data)
{
    char             *start, *p;
    size_t            i, len = 0;
    lun_str           separator;
    lun_values       *v;
    const lun_str    *items;
    const list_code  *c = data;

    separator = lun_script_run(&r->session, c->with);
    v = list_of(r, c);

    if (v == NULL) {
        return LUN_STATUS + 500;
    }

    items = v->items.items;

    for (i = 0; i < v->items.count; i++) {
        len += items[i].len + separator.len;
    }

    p = start = lun_pool_text(r->pool, len + 1);

    for (i = 0; i < v->items.count; i++) {
        if (i != 0) {
            p = lun_copy_str(p, separator);
        }

        p = lun_copy_str(p, items[i]);
    }

    lun_var_set(&r->session, c->to, lun_str_of(start, (size_t) (p - start)));
    return LUN_NEXT;
}


/* --- array_map, array_map_op --------------------------------------------- */

/* The list that the results go to: the same, or one as long. */
static lun_values *
target_of(lun_request *r, const list_code *c, lun_values *from)
{
    lun_values  *to = from;

    if (c->to != c->from) {
        to = lun_values_new(r);
        (void) lun_array_push_n(&to->items, from->items.count);
        lun_var_set(&r->session, c->to, lun_values_text(to));
    }

    return to;
}


static lun_rc
map_item(lun_request *r, const list_code *c, lun_str item, lun_str *out)
{
    if (c->function != NULL) {
        return lun_text_run(c->function, r, r->pool, item, out);
    }

    state_of(r)->item = item;
    *out = lun_script_run(&r->session, c->with);
    return LUN_OK;
}


/*
 * Each item is put into the variable that the function reads ($array_it), one
 * after the other.
 */
static lun_verdict
run_map(lun_request *r, void *data)
{
    size_t            i;
    lun_rc            rc = LUN_OK;
    lun_str           out;
    lun_values       *from, *to;
    const list_code  *c = data;

    from = list_of(r, c);

    if (from == NULL) {
        return LUN_STATUS + 500;
    }

    to = target_of(r, c, from);

    for (i = 0; i < from->items.count && rc == LUN_OK; i++) {
        out = LUN_STR("");
        rc = map_item(r, c, *(lun_str *) lun_array_at(&from->items, i), &out);
        *(lun_str *) lun_array_at(&to->items, i) = out;
    }

    state_of(r)->item = LUN_STR("");

    if (rc != LUN_OK) {
        lun_log(LUN_LOG_ERR, r->log, 0, "%s: invalid value", c->name);
        return LUN_STATUS + 500;
    }

    return LUN_NEXT;
}


static void
get_item(lun_session *session, lun_value *v, uintptr_t data)
{
    const array_state  *s;

    s = lun_http_state(lun_request_of(session), &lun_http_array_var);
    v->text = s != NULL ? s->item : LUN_STR("");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("array_it"), .get = get_item,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the element of the list that is being mapped" },
    { .name = LUN_STR_INIT("") }
};


/* --- directives ---------------------------------------------------------- */

/* "to=$name"; 0: reported. */
static unsigned
read_target(lun_conf *cf, lun_str word)
{
    lun_str  name;

    if (!lun_str_after(word, LUN_STR("to="), &name)) {
        (void) lun_conf_fail(cf, "%.*s: expecting the \"to\" option, but got "
                             "\"%.*s\"", LUN_S(cf->args[0]), LUN_S(word));
        return 0;
    }

    return lun_rewrite_variable(cf, name);
}


static lun_rc
set_split(lun_conf *cf, const lun_directive *d, void *conf)
{
    split_code  *c = lun_pool_new(cf->pool, split_code);

    if (lun_values_want(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    c->separator = lun_script_new(cf, cf->args[1]);
    c->subject = lun_script_new(cf, cf->args[2]);
    c->to = read_target(cf, cf->args[cf->argc - 1]);

    if (c->separator == NULL || c->subject == NULL || c->to == 0) {
        return LUN_ERROR;
    }

    if (cf->argc == 5) {
        c->most = lun_script_new(cf, cf->args[3]);

        if (c->most == NULL) {
            return LUN_ERROR;
        }
    }

    lun_rewrite_add(cf, run_split, c);
    return LUN_OK;
}


/* A row's .data. */
typedef struct {
    lun_rewrite_fn  *run;
    bool             by_name;      /* its first argument is a directive */
} list_kind;


/*
 * Two shapes: with a text (split, join) or with the name of a set_* function,
 * and the target may be left out of both.
 */
static lun_rc
set_list(lun_conf *cf, const lun_directive *d, void *conf)
{
    list_code        *c = lun_pool_new(cf->pool, list_code);
    const list_kind  *kind = d->data;

    c->name = d->name;

    if (lun_values_want(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!kind->by_name) {
        c->with = lun_script_new(cf, cf->args[1]);

        if (c->with == NULL) {
            return LUN_ERROR;
        }

    } else {
        c->function = lun_text_function_of(cf->args[1]);

        if (c->function == NULL) {
            return lun_conf_fail(cf, "%s: directive \"%.*s\" not found or not "
                                 "using ndk_set_var_value", d->name,
                                 LUN_S(cf->args[1]));
        }
    }

    c->from = c->to = lun_rewrite_variable(cf, cf->args[2]);

    if (cf->argc == 4 && c->from != 0) {
        c->to = read_target(cf, cf->args[3]);
    }

    if (c->to == 0) {
        return LUN_ERROR;
    }

    lun_rewrite_add(cf, kind->run, c);
    return LUN_OK;
}


enum {
    PLACES = LUN_SERVER | LUN_SERVER_IF | LUN_LOCATION | LUN_LOCATION_IF
};

#define LIST(text, fn, named, ...)                                            \
    { .name = text, .where = PLACES, .args = 2, .args_max = 3,                \
      .repeats = true, .set = set_list,                                       \
      .data = &(const list_kind) { fn, named }, __VA_ARGS__ }

static const lun_directive  directives[] = {
    { .name = "array_split", .where = PLACES, .args = 3, .args_max = 4,
      .repeats = true, .set = set_split,
      .values = "separator subject to=$variable [max_items=number]",
      .help = "a list of the parts of a text" },
    LIST("array_join", run_join, false,
         .values = "separator $array [$variable]",
         .help = "a text of the items of a list"),
    LIST("array_map", run_map, false,
         .values = "template $array [to=$variable]",
         .help = "each item of a list as a template says"),
    LIST("array_map_op", run_map, true,
         .values = "directive $array [to=$variable]",
         .help = "each item of a list through a set_... directive"),
    { 0 }
};

lun_http_module  lun_http_array_var = {
    .name = "array_var",
    .keeps_state = true,
    .directives = directives,
    .variables = variables,
};
