/*
 * variables.c -- the table of names, and the values of a request.
 *
 * A name that something refers to gets an index; a request has one value per
 * index, computed when it is first asked for.  A name may be referred to
 * before it is defined: what nobody has defined by the end is an error, or
 * belongs to a family such as $http_*.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/variables.h"

#include "config/nearest.h"

#include "base/check.h"
#include "session/session.h"
#include "session/var_settle.h"


enum {
    DEFINED   = 0x100,             /* among lun_variable.flags */
    OF_TABLE  = 0x200,             /* a module's, not the configuration's */
    MAX_DEPTH = 100                /* of variables made of variables */
};

/* Where a variable is used first: a statement's file and line. */
typedef struct {
    lun_str   file;
    unsigned  line;
} use;

typedef struct {
    lun_hash   names;              /* of lun_variable */
    lun_array  indexed;            /* of lun_variable *; [0] is unused */
    lun_array  uses;               /* of use, by index */
    lun_array  families;           /* of lun_variable: http_, arg_, ... */
} var_table;

static int  depth;


static var_table *
table_of(lun_conf *cf)
{
    var_table    *t;
    lun_engine   *e = cf->engine;

    if (e->variables != NULL) {
        return e->variables;
    }

    t = e->variables = lun_pool_new(cf->pool, var_table);
    lun_hash_init(&t->names, cf->pool, 256, true);
    lun_array_init(&t->indexed, cf->pool, sizeof(lun_variable *), 32);
    lun_array_init(&t->uses, cf->pool, sizeof(use), 32);
    lun_array_init(&t->families, cf->pool, sizeof(lun_variable), 16);
    lun_array_push(&t->indexed);
    lun_array_push(&t->uses);

    return t;
}


/* The entry of a name, made (undefined) when it has none. */
static lun_variable *
entry(lun_conf *cf, var_table *t, lun_str name)
{
    char          *text;
    lun_variable  *v = lun_hash_get(&t->names, name);

    if (v != NULL) {
        return v;
    }

    text = lun_pool_text(cf->pool, name.len);
    lun_mem_lower(text, name.data, name.len);

    v = lun_pool_new(cf->pool, lun_variable);
    v->name = lun_str_of(text, name.len);
    lun_hash_add(&t->names, v->name, v);

    return v;
}


lun_rc
lun_var_name(lun_conf *cf, lun_str text, lun_str *name)
{
    if (!lun_str_starts(text, LUN_STR("$"))) {
        return lun_conf_fail(cf, "invalid variable name \"%.*s\"",
                             LUN_S(text));
    }

    *name = lun_str_of(text.data + 1, text.len - 1);
    return LUN_OK;
}


lun_variable *
lun_var_define(lun_conf *cf, lun_str name, unsigned flags)
{
    lun_variable  *v;

    if (name.len == 0) {
        (void) lun_conf_fail(cf, "invalid variable name \"$\"");
        return NULL;
    }

    v = entry(cf, table_of(cf), name);

    if ((v->flags & DEFINED) == 0) {
        v->flags = flags | DEFINED;
        return v;
    }

    if ((v->flags & LUN_VAR_CHANGEABLE) == 0) {
        (void) lun_conf_fail(cf, "the duplicate \"%.*s\" variable",
                             LUN_S(name));
        return NULL;
    }

    return v;
}


static void
give_index(lun_conf *cf, var_table *t, lun_variable *v)
{
    if (v->index == 0) {
        v->index = (unsigned) t->indexed.count;
        *(lun_variable **) lun_array_push(&t->indexed) = v;
        *(use *) lun_array_push(&t->uses) = (use) { cf->file, cf->end_line };
    }
}


unsigned
lun_var_index(lun_conf *cf, lun_str name)
{
    lun_variable   *v;
    var_table  *t = table_of(cf);

    if (name.len == 0) {
        (void) lun_conf_fail(cf, "invalid variable name \"$\"");
        return 0;
    }

    v = entry(cf, t, name);
    give_index(cf, t, v);

    return v->index;
}


bool
lun_var_constant(lun_conf *cf, lun_str name, lun_str *text)
{
    const lun_variable  *v = lun_hash_get(&table_of(cf)->names, name);

    if (v == NULL || (v->flags & LUN_VAR_CONSTANT) == 0) {
        return false;
    }

    *text = lun_str_z((const char *) v->data);
    return true;
}


void
lun_var_add_table(lun_conf *cf, const lun_variable *table)
{
    lun_variable   *v;
    var_table  *t = table_of(cf);

    for ( ; table->name.len != 0; table++) {
        if (table->flags & LUN_VAR_PREFIX) {
            v = lun_array_push(&t->families);
            *v = *table;
            continue;
        }

        v = entry(cf, t, table->name);
        v->get = table->get;
        v->set = table->set;
        v->data = table->data;
        v->flags = table->flags | DEFINED | OF_TABLE;
        v->help = table->help;
    }
}


void
lun_var_each(const lun_engine *e, lun_var_each_fn *each, void *data)
{
    size_t            i;
    lun_hash_slot    *slot;
    const var_table  *t = e->variables;

    for (slot = NULL; (slot = lun_hash_next(&t->names, slot)) != NULL; ) {
        if (((const lun_variable *) slot->value)->get != NULL) {
            each(data, slot->value);
        }
    }

    for (i = 0; i < t->families.count; i++) {
        each(data, lun_array_at(&t->families, i));
    }
}


/* The family with the longest prefix of that name, or NULL. */
static const lun_variable *
family(const var_table *t, lun_str name)
{
    size_t               i;
    const lun_variable  *v, *best = NULL;

    for (i = 0; i < t->families.count; i++) {
        v = lun_array_at(&t->families, i);

        if (v->name.len <= name.len && lun_str_casestarts(name, v->name)
            && (best == NULL || v->name.len > best->name.len))
        {
            best = v;
        }
    }

    return best;
}


bool
lun_var_in_family(lun_conf *cf, lun_str name)
{
    return family(table_of(cf), name) != NULL;
}


static lun_str
member(const lun_variable *f, lun_str name)
{
    return lun_str_of(name.data + f->name.len, name.len - f->name.len);
}


static void
get_nothing(lun_session *s, lun_value *v, uintptr_t data)
{
    v->not_found = 1;
}


lun_rc
lun_var_define_unset(lun_conf *cf, const lun_str *names, size_t n,
    unsigned *indexes)
{
    size_t         i;
    lun_variable  *v;

    for (i = 0; i < n; i++) {
        v = lun_var_define(cf, names[i], LUN_VAR_CHANGEABLE);

        if (v == NULL) {
            return LUN_ERROR;
        }

        v->get = get_nothing;
        indexes[i] = lun_var_index(cf, v->name);
    }

    return LUN_OK;
}


/* With -t, which reads on, the names that may be meant are told. */
static void
report_unknown(lun_conf *cf, const var_table *t, const lun_variable *v)
{
    const use      *u = lun_array_at(&t->uses, v->index);
    lun_str         text;
    lun_nearest     near;
    lun_hash_slot  *slot;

    (void) lun_conf_fail_at(cf, u->file, u->line, "unknown \"%.*s\" variable",
                            LUN_S(v->name));
    lun_nearest_init(&near, v->name);

    for (slot = NULL; (slot = lun_hash_next(&t->names, slot)) != NULL; ) {
        v = slot->value;

        if (v->flags & DEFINED) {
            lun_nearest_try(&near, v->name);
        }
    }

    text = lun_nearest_text(&near, cf->temp, "$");

    if (cf->read_on && text.len != 0) {
        lun_conf_warn(cf, "%.*s", LUN_S(text));
    }
}


lun_rc
lun_var_finish(lun_conf *cf)
{
    size_t               i;
    lun_rc               rc = LUN_OK;
    lun_str             *rest;
    lun_variable        *v;
    var_table       *t = table_of(cf);
    lun_hash_slot       *slot;
    const lun_variable  *f;

    /* What the configuration has made is there for Lua to write to, and needs
       a place; of a module's, only what is meant for that. */
    for (slot = NULL; (slot = lun_hash_next(&t->names, slot)) != NULL; ) {
        v = slot->value;

        if ((v->flags & LUN_VAR_WRITTEN)
            || ((v->flags & LUN_VAR_CHANGEABLE) && v->set == NULL
                && (v->flags & OF_TABLE) == 0))
        {
            give_index(cf, t, v);
        }
    }

    for (i = 1; i < t->indexed.count; i++) {
        v = *(lun_variable **) lun_array_at(&t->indexed, i);

        if (v->get != NULL) {
            continue;
        }

        f = family(t, v->name);

        if (f != NULL) {
            rest = lun_pool_new(cf->pool, lun_str);
            *rest = member(f, v->name);
            v->get = rest->len != 0 ? f->get : get_nothing;
            v->data = (uintptr_t) rest;
            v->flags |= f->flags & (LUN_VAR_VOLATILE | LUN_VAR_PREFIX);
            continue;
        }

        if ((v->flags & DEFINED) == 0) {
            report_unknown(cf, t, v);
            rc = LUN_ERROR;

            if (!cf->read_on) {
                break;
            }
        }
    }

    return rc;
}


unsigned
lun_var_count(const lun_engine *e)
{
    const var_table  *t = e->variables;

    return (unsigned) t->indexed.count;
}


static void
compute(lun_session *s, const lun_variable *var, lun_value *v)
{
    LUN_CHECK(depth <= MAX_DEPTH);

    *v = (lun_value) { .known = 1 };

    if (var->get == NULL) {
        v->not_found = 1;

    } else if (depth == MAX_DEPTH) {
        lun_log(LUN_LOG_ERR, s->log, 0, "cycle while evaluating variable "
                "\"%.*s\"", LUN_S(var->name));
        v->not_found = 1;

    } else {
        depth++;
        var->get(s, v, var->data);
        depth--;
    }

    v->known = 1;
    v->volatile_ = (var->flags & LUN_VAR_VOLATILE) != 0;

    if (v->not_found || v->text.len == 0) {
        v->text = LUN_STR("");
    }
}


static const lun_variable *
by_index(const lun_session *s, unsigned index)
{
    const var_table  *t = s->engine->variables;

    LUN_CHECK(index < t->indexed.count);

    return *(lun_variable **) lun_array_at(&t->indexed, index);
}


const lun_value *
lun_var_get_fresh(lun_session *s, unsigned index)
{
    lun_value  *v = &s->values[index];

    lun_session_check(s);

    if (!v->known || v->volatile_) {
        compute(s, by_index(s, index), v);
    }

    return v;
}


void
lun_var_settle(lun_session *s)
{
    unsigned             i;
    const var_table     *t = s->engine->variables;
    const lun_variable  *v;

    lun_session_check(s);

    for (i = 1; i < t->indexed.count; i++) {
        v = by_index(s, i);

        if (v->flags & LUN_VAR_OF_SOCKET) {
            (void) lun_var_get_fresh(s, i);
            s->values[i].volatile_ = 0;
        }
    }
}


const lun_value *
lun_var_get_named(lun_session *s, lun_str name)
{
    lun_str               rest;
    lun_value            *value;
    const lun_variable   *v, *f;
    lun_variable          one;
    const var_table  *t = s->engine->variables;

    lun_session_check(s);
    v = lun_hash_get(&t->names, name);

    /* What a family makes is kept for scripts only, as by nginx. */
    if (v != NULL && v->index != 0 && (v->flags & DEFINED)) {
        return lun_var_get_fresh(s, v->index);
    }

    if (v == NULL || v->get == NULL) {
        f = family(t, name);

        if (f == NULL) {
            return NULL;
        }

        rest = member(f, name);
        one = *f;
        one.data = (uintptr_t) &rest;
        v = &one;
    }

    value = lun_pool_new(s->pool, lun_value);
    compute(s, v, value);

    return value;
}


static void
store(lun_session *s, unsigned index, lun_str text)
{
    LUN_CHECK(index != 0);

    s->values[index] = (lun_value) {
        .text = text.data != NULL ? text : LUN_STR(""),
        .known = 1,
        .not_found = text.data == NULL,
    };
}


lun_var_verdict
lun_var_set_named(lun_session *s, lun_str name, lun_str text)
{
    const lun_variable   *v;
    const var_table  *t = s->engine->variables;

    lun_session_check(s);
    v = lun_hash_get(&t->names, name);

    /* One of a family stays unknown where only its value is asked for. */
    if (v == NULL || (v->flags & (LUN_VAR_PREFIX | DEFINED)) == LUN_VAR_PREFIX)
    {
        return LUN_VAR_UNKNOWN;
    }

    if ((v->flags & LUN_VAR_CHANGEABLE) == 0) {
        return LUN_VAR_READ_ONLY;
    }

    if (v->set != NULL) {
        v->set(s, text, v->data);

    } else if (v->index != 0) {
        store(s, v->index, text);

    } else {
        return LUN_VAR_UNKNOWN;
    }

    return LUN_VAR_SET;
}


void
lun_var_set(lun_session *s, unsigned index, lun_str text)
{
    const lun_variable  *v = by_index(s, index);

    lun_session_check(s);

    if (v->set != NULL) {
        v->set(s, text, v->data);

    } else {
        store(s, index, text);
    }
}


void
lun_var_forget(lun_session *s, lun_str name)
{
    const var_table     *t = s->engine->variables;
    const lun_variable  *v = lun_hash_get(&t->names, name);

    lun_session_check(s);

    if (v != NULL && v->index != 0) {
        s->values[v->index].known = 0;
    }
}
