/*
 * problems.c -- see problems.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/problems.h"

#include "config/schema_priv.h"


enum { WIDEST = 64 };              /* of the table's names */

/* A directive that nobody knows, and where it stands first. */
typedef struct {
    lun_str   name;
    size_t    count;
    lun_str   file;
    unsigned  line;
} unknown_name;

struct lun_problems {
    size_t     count;
    lun_array  unknown;            /* of unknown_name */
};


static lun_problems *
problems_of(lun_conf *cf)
{
    if (cf->problems == NULL) {
        cf->problems = lun_pool_new(cf->temp, lun_problems);
        lun_array_init(&cf->problems->unknown, cf->temp, sizeof(unknown_name),
                       4);
    }

    return cf->problems;
}


void
lun_problems_add(lun_conf *cf)
{
    problems_of(cf)->count++;
}


size_t
lun_problems_count(const lun_conf *cf)
{
    return cf->problems != NULL ? cf->problems->count : 0;
}


bool
lun_problem_is_lua(lun_str name)
{
    return lun_str_ends(name, LUN_STR("_by_lua_block"));
}


void
lun_problems_nearest(const lun_schema *s, lun_nearest *near)
{
    const lun_hash_slot  *slot;

    for (slot = NULL; (slot = lun_hash_next(&s->names, slot)) != NULL; ) {
        lun_nearest_try(near, slot->key);
    }
}


/* --- unknown directives -------------------------------------------------- */

/* What nginx had once, and what it has instead. */
static const struct {
    lun_str      name;
    const char  *now;
} gone[] = {
    { LUN_STR_INIT("ssl"), "listen ... ssl" },
    { LUN_STR_INIT("limit_zone"), "limit_conn_zone" },
    { LUN_STR_INIT("satisfy_any"), "satisfy any" },
    { LUN_STR_INIT("open_file_cache_retest"), "open_file_cache_valid" },
    { LUN_STR_INIT("optimize_server_names"), "server_name_in_redirect" },
};


static void
suggest(lun_conf *cf)
{
    size_t       i;
    lun_str      text;
    lun_nearest  near;

    for (i = 0; i < LUN_ARRAY_LEN(gone); i++) {
        if (lun_str_eq(cf->args[0], gone[i].name)) {
            lun_conf_warn(cf, "\"%.*s\" is no directive any more, use \"%s\"",
                          LUN_S(cf->args[0]), gone[i].now);
            return;
        }
    }

    lun_nearest_init(&near, cf->args[0]);
    lun_problems_nearest(cf->schema, &near);
    text = lun_nearest_text(&near, cf->temp, "");

    if (text.len != 0) {
        lun_conf_warn(cf, "%.*s", LUN_S(text));
    }
}


/*
 * Only where reading goes on after an error; a name that a configuration has a
 * hundred times is one line.
 */
void
lun_problem_unknown(lun_conf *cf)
{
    size_t         i;
    lun_problems  *p = problems_of(cf);
    unknown_name  *u;

    if (!cf->read_on) {
        return;
    }

    for (i = 0; i < p->unknown.count; i++) {
        u = lun_array_at(&p->unknown, i);

        if (lun_str_eq(u->name, cf->args[0])) {
            u->count++;
            return;
        }
    }

    u = lun_array_push(&p->unknown);
    u->name = cf->args[0];
    u->count = 1;
    u->file = cf->file;
    u->line = cf->line;

    suggest(cf);
}


void
lun_problems_table(const lun_conf *cf, lun_problems_line_fn *say, void *data)
{
    size_t               i, width = 0;
    lun_pool            *pool = cf->temp;
    const lun_array     *list;
    const unknown_name  *u;

    if (cf->problems == NULL || cf->problems->unknown.count == 0) {
        return;
    }

    list = &cf->problems->unknown;

    for (i = 0; i < list->count; i++) {
        u = lun_array_at(list, i);
        width = lun_max(width, lun_min(u->name.len, (size_t) WIDEST));
    }

    say(data, lun_pool_fmt(pool, "not supported, of this configuration:"));

    for (i = 0; i < list->count; i++) {
        u = lun_array_at(list, i);
        say(data, lun_pool_fmt(pool, "  %-*.*s %4zu x, first in %.*s:%u",
                               (int) width, LUN_S(u->name), u->count,
                               LUN_S(u->file), u->line));
    }
}
