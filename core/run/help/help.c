/*
 * help.c -- see help.h.  Everything is read from the tables that read the
 * configuration, so it cannot be out of date.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/help/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/problems.h"
#include "config/slots.h"
#include "run/generation.h"
#include "run/help/commands.h"
#include "run/help/manual.h"
#include "run/main_conf.h"
#include "run/version.h"
#include "session/levels.h"


enum { LINE = 78 };

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
    { LUN_ACME_ISSUER, "acme_issuer" },
    { LUN_STORE, "store" },
    { LUN_OTEL_EXPORTER, "otel_exporter" },
    { LUN_STREAM, "stream" },
    { LUN_STREAM_SERVER, "server of stream" },
    { LUN_STREAM_UPSTREAM, "upstream of stream" }
};

/* What a value is, where the setter that reads it says so. */
static const struct {
    lun_set_fn  *set;
    const char  *name;
} kinds[] = {
    { lun_set_num, "NUMBER" },
    { lun_set_size, "SIZE" },
    { lun_set_off, "SIZE" },
    { lun_set_msec, "TIME" },
    { lun_set_sec, "TIME" },
    { lun_set_path, "PATH" },
    { lun_set_bufs, "NUMBER SIZE" }
};

/* Where a row's lines go. */
typedef struct {
    lun_pool          *pool;
    lun_help_line_fn  *say;
    void              *data;
    unsigned           count;
} teller;


/* "on | off | always", of an enum's table. */
static lun_str
words_of(lun_pool *pool, const lun_enum *word)
{
    lun_str  text = LUN_STR("");

    for ( ; word->name != NULL; word++) {
        text = lun_pool_fmt(pool, "%.*s%s%s", LUN_S(text),
                            text.len != 0 ? " | " : "", word->name);
    }

    return text;
}


/* NULL: it reads something else. */
static const char *
kind_of(lun_set_fn *set)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(kinds); i++) {
        if (set == kinds[i].set) {
            return kinds[i].name;
        }
    }

    return NULL;
}


/*
 * The values of a row whose setter is one of config's own; NULL: of another.
 * Of one that has no effect: what it would read, or "..." for anything.
 */
static lun_str
values_of(lun_pool *pool, const lun_directive *d)
{
    const char           *kind;
    const lun_no_effect  *none = d->data;

    if (d->set == lun_set_ignored || d->set == lun_set_no_effect) {
        kind = none != NULL ? kind_of(none->read) : NULL;
        return none != NULL && none->read == lun_set_flag
               ? LUN_STR("on | off") : lun_str_z(kind != NULL ? kind : "...");
    }

    if (d->set == lun_set_flag) {
        return LUN_STR("on | off");
    }

    if (d->set == lun_set_enum) {
        return words_of(pool, d->data);
    }

    if (d->set == lun_set_bits) {
        return lun_pool_fmt(pool, "%.*s ...",
                            LUN_S(words_of(pool, d->data)));
    }

    return kind_of(d->set) != NULL ? lun_str_z(kind_of(d->set)) : LUN_STR_NULL;
}


/*
 * A row that does not say how its arguments are written gets as many VALUEs as
 * it takes.
 */
lun_str
lun_help_syntax(lun_pool *pool, const lun_directive *d)
{
    size_t       i;
    lun_str      text = lun_str_z(d->name);
    const char  *end = d->raw ? " { Lua }" : d->block ? " { ... }" : ";";
    size_t       least = d->args == LUN_ARGS_ANY ? 0 : d->args;
    lun_str      values = d->values == NULL ? values_of(pool, d)
                                            : lun_str_z(d->values);

    if (values.data != NULL) {
        return lun_pool_fmt(pool, "%s%s%.*s%s", d->name,
                            values.len != 0 ? " " : "", LUN_S(values), end);
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


lun_str
lun_help_context(lun_pool *pool, const lun_directive *d)
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
                                 LUN_S(lun_help_syntax(pool, d))));

    if (d->fallback != NULL) {
        t->say(t->data, lun_pool_fmt(pool, "Default: %s %s;", d->name,
                                     d->fallback));
    }

    t->say(t->data, lun_pool_fmt(pool, "Context: %.*s",
                                 LUN_S(lun_help_context(pool, d))));
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
    teller  t = { pool, say, data, 0 };

    lun_schema_rows(s, name, tell_row, &t);
    return t.count != 0 ? LUN_OK : LUN_ERROR;
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


static void
print_line(void *data, lun_str line)
{
    printf("%.*s\n", LUN_S(line));
}


/* The words that are a page; -1: that is none. */
static int
print_page(lun_pool *pool, const lun_schema *schema, int argc, char **argv)
{
    const char  *page = argv[0];

    if (strcmp(page, "--manual") == 0) {
        lun_manual_directives(pool, schema, print_line, NULL);
        return 0;
    }

    if (strcmp(page, "--variables") == 0) {
        return !lun_manual_variables(pool, LUN_STR_NULL, print_line, NULL);
    }

    if (strcmp(page, "--api") == 0) {
        return !lun_manual_api(NULL, print_line, NULL);
    }

    if (strcmp(page, "--topics") == 0) {
        return !lun_manual_topics(print_line, NULL);
    }

    if (strcmp(page, "--commands") == 0) {
        lun_commands_manual(pool, print_line, NULL);
        return 0;
    }

    if (strcmp(page, "--completion") == 0 && argc == 2) {
        return !lun_commands_completion(argv[1], pool, print_line, NULL);
    }

    return -1;
}


/* A directive, "$variable", function, module, or the words of a topic. */
static bool
print_name(lun_pool *pool, const lun_schema *schema, const char *name)
{
    if (name[0] == '$') {
        return lun_manual_variables(pool, lun_str_z(name + 1), print_line,
                                    NULL);
    }

    return lun_help_tell(pool, schema, lun_str_z(name), print_line, NULL)
           == LUN_OK || lun_manual_api(name, print_line, NULL);
}


/* There is nothing of that name: what may be meant. */
static void
print_unknown(lun_pool *pool, const lun_schema *schema, const char *name)
{
    bool         variable = name[0] == '$';
    lun_nearest  near;

    printf("nothing is known of \"%s\"\n", name);
    lun_nearest_init(&near, lun_str_z(name + variable));

    if (variable) {
        lun_manual_variables_nearest(pool, &near);
    } else {
        lun_problems_nearest(schema, &near);
        lun_manual_api_nearest(pool, &near);
    }

    if (near.count != 0) {
        print_line(NULL, lun_nearest_text(&near, pool, variable ? "$" : ""));
    }
}


static int
print_names(lun_pool *pool, const lun_schema *schema, int argc, char **argv)
{
    int  i, status = 0;

    for (i = 0; i < argc; i++) {
        if (i != 0) {
            printf("\n");
        }

        if (!print_name(pool, schema, argv[i])) {
            print_unknown(pool, schema, argv[i]);
            status = 1;
        }
    }

    return status;
}


static void
ignore_line(void *data, lun_str line)
{
    /* whether there is one */
}


/* "rate limit", as two words: neither is the name of something. */
static bool
print_topic(lun_pool *pool, const lun_schema *schema, int argc, char **argv)
{
    int      i;
    lun_str  words = lun_str_z(argv[0]);

    if (argc == 1) {
        return false;
    }

    for (i = 0; i < argc; i++) {
        if (strpbrk(argv[i], "$._-") != NULL) {
            return false;
        }
    }

    for (i = 1; i < argc; i++) {
        words = lun_pool_fmt(pool, "%.*s %s", LUN_S(words), argv[i]);
    }

    for (i = 0; i < argc; i++) {
        if (lun_help_tell(pool, schema, lun_str_z(argv[i]), ignore_line, NULL)
            == LUN_ERROR)
        {
            return lun_manual_api(words.data, print_line, NULL);
        }
    }

    return false;
}


/*
 * A directive, else a topic, else what looks like it: the first that knows the
 * word answers.
 */
int
lun_help_main(int argc, char **argv)
{
    int          status = -1;
    lun_pool    *pool = lun_pool_new_sized(16384);
    lun_schema  *schema = lun_schema_new(pool);

    lun_main_register(schema);
    lun_generation_floors()->add_parts(schema);

    if (argc == 0) {
        lun_commands_usage();
        printf("Directives (help NAME tells more):\n\n");
        lun_help_list(pool, schema, print_line, NULL);
        status = 0;

    } else {
        status = print_page(pool, schema, argc, argv);
    }

    if (status == -1 && print_topic(pool, schema, argc, argv)) {
        status = 0;
    }

    if (status == -1) {
        status = print_names(pool, schema, argc, argv);
    }

    fflush(stdout);
    lun_pool_free(pool);
    return status;
}
