/*
 * manual.c -- see manual.h.  Directives come from the tables that read the
 * configuration, variables from those that have their values, functions from
 * lua/lunette/api.lua, which a spec holds against the API itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/help/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "modules/lua/run/vm.h"
#include "run/generation.h"
#include "run/tool_generation.h"
#include "session/engine.h"
#include "session/variables.h"


/* --- directives ---------------------------------------------------------- */

typedef struct {
    const lun_directive  *d;
    const char           *part;
} manual_row;

typedef struct {
    lun_pool          *pool;
    const lun_schema  *schema;
    lun_array          rows;       /* of manual_row */
} manual;


static void
gather_row(void *data, const lun_directive *d, const char *part)
{
    manual  *m = data;

    *(manual_row *) lun_array_push(&m->rows) = (manual_row) { d, part };
}


static void
gather_rows(void *data, lun_str name)
{
    manual  *m = data;

    lun_schema_rows(m->schema, name, gather_row, m);
}


static int
by_part(const void *a, const void *b)
{
    const manual_row  *x = a, *y = b;
    int                order = strcmp(x->part, y->part);

    return order != 0 ? order : strcmp(x->d->name, y->d->name);
}


static void
tell_manual_row(const manual *m, const manual_row *row, bool again,
    lun_help_line_fn *say, void *data)
{
    lun_pool             *pool = m->pool;
    const lun_directive  *d = row->d;

    if (!again) {
        say(data, lun_pool_fmt(pool, "### %s", d->name));
        say(data, LUN_STR(""));

        if (d->help != NULL) {
            say(data, lun_pool_fmt(pool, "%c%s.",
                                   (char) toupper((unsigned char) d->help[0]),
                                   d->help + 1));
            say(data, LUN_STR(""));
        }
    }

    say(data, lun_pool_fmt(pool, "    %.*s", LUN_S(lun_help_syntax(pool, d))));

    if (d->fallback != NULL) {
        say(data, lun_pool_fmt(pool, "    %s %s;    # unless said otherwise",
                               d->name, d->fallback));
    }

    say(data, LUN_STR(""));
    say(data, lun_pool_fmt(pool, "In: %.*s.%s",
                           LUN_S(lun_help_context(pool, d)),
                           d->repeats ? " May be given several times." : ""));
    say(data, LUN_STR(""));
}


/* Two rows of one name in one module are one entry. */
void
lun_manual_directives(lun_pool *pool, const lun_schema *s,
    lun_help_line_fn *say, void *data)
{
    bool               first, again;
    size_t             i;
    manual             m = { .pool = pool, .schema = s };
    const manual_row  *row, *last = NULL;

    lun_array_init(&m.rows, pool, sizeof(manual_row), 1024);
    lun_schema_names(s, gather_rows, &m);
    qsort(m.rows.items, m.rows.count, sizeof(manual_row), by_part);

    say(data, LUN_STR("# Directives"));
    say(data, LUN_STR(""));
    say(data, LUN_STR("By module, from the tables that read the configuration;"
                      " `lunette help NAME` says"));
    say(data, LUN_STR("the same of one. Each is there since 0.1.0, unless it"
                      " says otherwise. Written by"));
    say(data, LUN_STR("`make manual`, with the pages that stand beside the"
                      " modules."));
    say(data, LUN_STR(""));

    for (i = 0; i < m.rows.count; i++) {
        row = lun_array_at(&m.rows, i);
        first = last == NULL || strcmp(row->part, last->part) != 0;
        again = !first && strcmp(row->d->name, last->d->name) == 0;

        if (first) {
            say(data, lun_pool_fmt(pool, "## %s", row->part));
            say(data, LUN_STR(""));
        }

        tell_manual_row(&m, row, again, say, data);
        last = row;
    }
}


/* --- variables ----------------------------------------------------------- */

/* In how many protocols a variable may be. */
enum { MOST_PROTOCOLS = 8 };

typedef struct {
    const lun_variable  *v;
    unsigned             where;    /* a bit for each protocol, in their order */
} variable;

typedef struct {
    lun_array  all;                /* of variable */
    unsigned   where;
} gathering;


static void
gather_variable(void *data, const lun_variable *v)
{
    gathering  *g = data;

    *(variable *) lun_array_push(&g->all) = (variable) { v, g->where };
}


static int
by_variable(const void *a, const void *b)
{
    const variable  *x = a, *y = b;

    return lun_str_cmp(x->v->name, y->v->name);
}


static const lun_protocol *
protocol_at(unsigned i)
{
    return i < MOST_PROTOCOLS ? lun_generation_floors()->protocols[i] : NULL;
}


static void
gather_all(gathering *g, const lun_generation *gen)
{
    unsigned             i;
    const lun_engine    *e;
    const lun_protocol  *p;

    for (i = 0; (p = protocol_at(i)) != NULL; i++) {
        e = lun_engine_find(gen, p);

        if (e != NULL) {
            g->where = 1u << i;
            lun_var_each(e, gather_variable, g);
        }
    }
}


/* "http and stream" */
static lun_str
places_of(lun_pool *pool, unsigned where)
{
    unsigned             i;
    lun_str              text = LUN_STR("");
    const lun_protocol  *p;

    for (i = 0; (p = protocol_at(i)) != NULL; i++) {
        if (where & 1u << i) {
            text = lun_pool_fmt(pool, "%.*s%s%s", LUN_S(text),
                                text.len != 0 ? " and " : "", p->name);
        }
    }

    return text;
}


/* One of several protocols is one. */
static void
merge(gathering *g)
{
    size_t     i, n = 0;
    variable  *list = g->all.items;

    qsort(list, g->all.count, sizeof(variable), by_variable);

    for (i = 0; i < g->all.count; i++) {
        if (n != 0 && lun_str_eq(list[n - 1].v->name, list[i].v->name)) {
            list[n - 1].where |= list[i].where;
        } else {
            list[n++] = list[i];
        }
    }

    g->all.count = n;
}


static void
tell_variable(lun_pool *pool, const variable *one, lun_help_line_fn *say,
    void *data)
{
    const lun_variable  *v = one->v;

    say(data, lun_pool_fmt(pool, "| `$%.*s%s` | %s |", LUN_S(v->name),
                           v->flags & LUN_VAR_PREFIX ? "NAME" : "",
                           v->help != NULL ? v->help : ""));
}


/* "$arg_page" is of "$arg_NAME". */
static bool
is_called(const lun_variable *v, lun_str name)
{
    return lun_str_eq(v->name, name)
           || ((v->flags & LUN_VAR_PREFIX) && lun_str_starts(name, v->name));
}


/* The next from *at on, of these places; 0: of that name.  NULL: none. */
static const variable *
next_variable(const gathering *g, size_t *at, unsigned where, lun_str name)
{
    const variable  *one;

    while (*at < g->all.count) {
        one = lun_array_at(&g->all, (*at)++);

        if (where != 0 ? one->where == where : is_called(one->v, name)) {
            return one;
        }
    }

    return NULL;
}


static void
tell_variables(lun_pool *pool, const gathering *g, unsigned where,
    lun_help_line_fn *say, void *data)
{
    size_t           at = 0;
    const variable  *one = next_variable(g, &at, where, LUN_STR_NULL);

    if (one == NULL) {
        return;
    }

    say(data, LUN_STR(""));
    say(data, lun_pool_fmt(pool, "## In %.*s", LUN_S(places_of(pool, where))));
    say(data, LUN_STR(""));
    say(data, LUN_STR("| variable | |"));
    say(data, LUN_STR("|---|---|"));

    for ( ; one != NULL; one = next_variable(g, &at, where, LUN_STR_NULL)) {
        tell_variable(pool, one, say, data);
    }
}


static void
tell_all(lun_pool *pool, const gathering *g, lun_help_line_fn *say, void *data)
{
    unsigned  n, where;

    say(data, LUN_STR("# Variables"));
    say(data, LUN_STR(""));
    say(data, LUN_STR("From the tables that have their values; `lunette help"
                      " '$NAME'` says the same of one."));
    say(data, LUN_STR("Those that a configuration makes (`set`, `map`, `geo`,"
                      " captures of patterns) come"));
    say(data, LUN_STR("beside them. Written by `make manual`."));

    /* Those of all protocols first. */
    for (n = 0; protocol_at(n) != NULL; n++) { /* count */ }

    for (where = (1u << n) - 1; where != 0; where--) {
        tell_variables(pool, g, where, say, data);
    }
}


static bool
tell_one(lun_pool *pool, const gathering *g, lun_str name,
    lun_help_line_fn *say, void *data)
{
    size_t           at = 0;
    bool             some = false;
    const variable  *one;

    while ((one = next_variable(g, &at, 0, name)) != NULL) {
        say(data, lun_pool_fmt(pool, "$%.*s (%.*s): %s", LUN_S(one->v->name),
                               LUN_S(places_of(pool, one->where)),
                               one->v->help != NULL ? one->v->help : ""));
        some = true;
    }

    return some;
}


/* One that has all variables; NULL: which was logged. */
static lun_generation *
begin_generation(void)
{
    return lun_tool_generation_begin(NULL, NULL, LUN_STR(
        "events { } http { access_log off; } stream { }"));
}


bool
lun_manual_variables(lun_pool *pool, lun_str name, lun_help_line_fn *say,
    void *data)
{
    bool             good = true;
    gathering        g = { .where = 0 };
    lun_generation  *gen = begin_generation();

    if (gen == NULL) {
        return false;
    }

    lun_array_init(&g.all, pool, sizeof(variable), 256);
    gather_all(&g, gen);
    merge(&g);

    if (name.data == NULL) {
        tell_all(pool, &g, say, data);
    } else {
        good = tell_one(pool, &g, name, say, data);
    }

    lun_tool_generation_end(gen);
    return good;
}


/* --- the Lua API --------------------------------------------------------- */

/*
 * Each text of the list that require("lunette.api")[function](name) returns;
 * how many there were.
 */
static size_t
each_of_api(const char *function, const char *name, lun_help_line_fn *say,
    void *data)
{
    size_t       i, len, count = 0;
    lua_State   *L = lun_vm_open_state();
    const char  *text;

    if (L == NULL) {
        return 0;
    }

    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunette.api");

    if (lun_vm_call(L, 1, 1) == 0) {
        lua_getfield(L, -1, function);
        lua_pushstring(L, name);
        count = lun_vm_call(L, 1, 1) == 0 ? lua_objlen(L, -1) : 0;
    }

    for (i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, (int) i);
        text = lua_tolstring(L, -1, &len);
        say(data, lun_str_of(text, len));
        lua_pop(L, 1);
    }

    lua_close(L);
    return count;
}


bool
lun_manual_api(const char *name, lun_help_line_fn *say, void *data)
{
    return each_of_api("lines", name, say, data) != 0;
}


bool
lun_manual_topics(lun_help_line_fn *say, void *data)
{
    return each_of_api("topics", NULL, say, data) != 0;
}


/* --- names that are near ------------------------------------------------- */

/* The names of Lua's states end with them. */
typedef struct {
    lun_pool     *pool;
    lun_nearest  *near;
} trying;


static void
try_name(void *data, lun_str name)
{
    trying  *t = data;

    lun_nearest_try(t->near, lun_pool_str(t->pool, name));
}


void
lun_manual_api_nearest(lun_pool *pool, lun_nearest *near)
{
    each_of_api("names", NULL, try_name, &(trying) { pool, near });
}


/* Variables end with their generation, too. */
void
lun_manual_variables_nearest(lun_pool *pool, lun_nearest *near)
{
    size_t           i;
    gathering        g = { .where = 0 };
    const variable  *one;
    lun_generation  *gen = begin_generation();

    if (gen == NULL) {
        return;
    }

    lun_array_init(&g.all, pool, sizeof(variable), 256);
    gather_all(&g, gen);

    for (i = 0; i < g.all.count; i++) {
        one = lun_array_at(&g.all, i);
        lun_nearest_try(near, lun_pool_str(pool, one->v->name));
    }

    lun_tool_generation_end(gen);
}
