/*
 * help.c -- see help.h.  Everything is read from the tables that read the
 * configuration, so it cannot be out of date.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/problems.h"
#include "run/generation.h"
#include "run/main_conf.h"
#include "run/version.h"
#include "session/levels.h"


enum { LINE = 78, NEAR = 3 };

static const struct {
    uint32_t     where;
    const char  *name;
} places[] = {
    { LUN_MAIN, "main" },
    { LUN_EVENTS, "events" },
    { LUN_HTTP, "http" },
    { LUN_SERVER, "server" },
    { LUN_SERVER_IF, "if in server" },
    { LUN_LOCATION, "location" },
    { LUN_LOCATION_IF, "if in location" },
    { LUN_LIMIT_EXCEPT, "limit_except" },
    { LUN_UPSTREAM, "upstream" },
    { LUN_STREAM, "stream" },
    { LUN_STREAM_SERVER, "server of stream" },
    { LUN_STREAM_UPSTREAM, "upstream of stream" }
};

/* Where a row's lines go. */
typedef struct {
    lun_pool          *pool;
    lun_help_line_fn  *say;
    void              *data;
    unsigned           count;
} teller;


static lun_str
syntax_of(lun_pool *pool, const lun_directive *d)
{
    size_t       i;
    lun_str      text = lun_str_z(d->name);
    const char  *end = d->raw ? " { Lua }" : d->block ? " { ... }" : ";";
    size_t       least = d->args == LUN_ARGS_ANY ? 0 : d->args;

    /* A flag's setter is the one that says what its word may be. */
    if (d->set == lun_set_flag) {
        return lun_pool_fmt(pool, "%s on | off;", d->name);
    }

    for (i = 1; i <= least; i++) {
        text = lun_pool_fmt(pool, "%.*s VALUE", LUN_S(text));
    }

    if (d->args == LUN_ARGS_ANY || d->args_max == LUN_ARGS_ANY) {
        text = lun_pool_fmt(pool, "%.*s [VALUE ...]", LUN_S(text));

    } else {
        for (i = least + 1; i <= d->args_max; i++) {
            text = lun_pool_fmt(pool, "%.*s [VALUE]", LUN_S(text));
        }
    }

    return lun_pool_fmt(pool, "%.*s%s", LUN_S(text), end);
}


static lun_str
context_of(lun_pool *pool, const lun_directive *d)
{
    size_t   i;
    lun_str  text = LUN_STR("");

    for (i = 0; i < LUN_ARRAY_LEN(places); i++) {
        if (d->where & places[i].where) {
            text = lun_pool_fmt(pool, "%.*s%s%s", LUN_S(text),
                                text.len != 0 ? ", " : "", places[i].name);
        }
    }

    return text;
}


static void
tell_row(void *data, const lun_directive *d, const char *part)
{
    teller    *t = data;
    lun_pool  *pool = t->pool;

    if (t->count++ != 0) {
        t->say(t->data, LUN_STR(""));
    }

    t->say(t->data, lun_pool_fmt(pool, "Syntax:  %.*s",
                                 LUN_S(syntax_of(pool, d))));

    if (d->fallback != NULL) {
        t->say(t->data, lun_pool_fmt(pool, "Default: %s %s;", d->name,
                                     d->fallback));
    }

    t->say(t->data, lun_pool_fmt(pool, "Context: %.*s",
                                 LUN_S(context_of(pool, d))));
    t->say(t->data, lun_pool_fmt(pool, "Module:  %s%s", part, d->repeats
                                 ? "; may be given several times" : ""));

    if (d->set == lun_set_ignored || d->set == lun_set_no_effect) {
        t->say(t->data, LUN_STR("It is read, and has no effect."));
    }

    if (d->help != NULL) {
        t->say(t->data, LUN_STR(""));
        t->say(t->data, lun_str_z(d->help));
    }
}


lun_rc
lun_help_tell(lun_pool *pool, const lun_schema *s, lun_str name,
    lun_help_line_fn *say, void *data)
{
    size_t   i, n;
    teller   t = { pool, say, data, 0 };
    lun_str  near[NEAR];

    lun_schema_rows(s, name, tell_row, &t);

    if (t.count != 0) {
        return LUN_OK;
    }

    say(data, lun_pool_fmt(pool, "there is no directive \"%.*s\"",
                           LUN_S(name)));
    n = lun_problems_nearest(pool, s, name, near, NEAR);

    for (i = 0; i < n; i++) {
        say(data, lun_pool_fmt(pool, "did you mean \"%.*s\"?",
                               LUN_S(near[i])));
    }

    return LUN_ERROR;
}


static int
by_name(const void *a, const void *b)
{
    const lun_str  *x = a, *y = b;

    return lun_str_cmp(*x, *y);
}


static void
gather_name(void *data, lun_str name)
{
    *(lun_str *) lun_array_push(data) = name;
}


void
lun_help_list(lun_pool *pool, const lun_schema *s, lun_help_line_fn *say,
    void *data)
{
    size_t          i;
    lun_str         line = LUN_STR("");
    lun_array       names;
    const lun_str  *name;

    lun_array_init(&names, pool, sizeof(lun_str), 512);
    lun_schema_names(s, gather_name, &names);
    qsort(names.items, names.count, sizeof(lun_str), by_name);

    for (i = 0; i < names.count; i++) {
        name = lun_array_at(&names, i);

        if (line.len != 0 && line.len + 1 + name->len > LINE) {
            say(data, line);
            line.len = 0;
        }

        line = lun_pool_fmt(pool, "%.*s%s%.*s", LUN_S(line),
                            line.len != 0 ? " " : "", LUN_S(*name));
    }

    if (line.len != 0) {
        say(data, line);
    }
}


/* --- all of it, as a page ------------------------------------------------ */

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

    say(data, lun_pool_fmt(pool, "    %.*s", LUN_S(syntax_of(pool, d))));

    if (d->fallback != NULL) {
        say(data, lun_pool_fmt(pool, "    %s %s;    # unless said otherwise",
                               d->name, d->fallback));
    }

    say(data, LUN_STR(""));
    say(data, lun_pool_fmt(pool, "In: %.*s.%s",
                           LUN_S(context_of(pool, d)),
                           d->repeats ? " May be given several times." : ""));
    say(data, LUN_STR(""));
}


/* Two rows of one name in one module are one entry. */
void
lun_help_manual(lun_pool *pool, const lun_schema *s, lun_help_line_fn *say,
    void *data)
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
    say(data, LUN_STR("the same of one. Written by `make manual`."));
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


static void
print_line(void *data, lun_str line)
{
    printf("%.*s\n", LUN_S(line));
}


int
lun_help_main(int argc, char **argv)
{
    int          i, status = 0;
    lun_pool    *pool = lun_pool_new_sized(16384);
    lun_schema  *schema = lun_schema_new(pool);

    lun_main_register(schema);
    lun_generation_floors()->add_parts(schema);

    if (argc == 0) {
        lun_version_say_help();
        printf("Directives (help NAME tells more):\n\n");
        lun_help_list(pool, schema, print_line, NULL);
    }

    if (argc == 1 && strcmp(argv[0], "--manual") == 0) {
        lun_help_manual(pool, schema, print_line, NULL);
        argc = 0;
    }

    for (i = 0; i < argc; i++) {
        if (i != 0) {
            printf("\n");
        }

        if (lun_help_tell(pool, schema, lun_str_z(argv[i]), print_line, NULL)
            != LUN_OK)
        {
            status = 1;
        }
    }

    fflush(stdout);
    lun_pool_free(pool);
    return status;
}
