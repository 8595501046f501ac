/*
 * problems.c -- see problems.h.  A name is near another if few letters make
 * the difference: one for each four, swapped neighbours counting as one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/problems.h"

#include "config/schema_priv.h"


enum { LONG_NAME = 64, SUGGESTIONS = 3 };

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

/* Suggestions while they are looked for. */
typedef struct {
    lun_str  name;
    size_t   distance;
} candidate;


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


/* --- names that are near ------------------------------------------------- */

/* Letters to change, add, drop or swap; `most` + 1 if there are more. */
static size_t
distance(lun_str a, lun_str b, size_t most)
{
    size_t  i, j, n, least;
    size_t  rows[3][LONG_NAME + 1], *before, *above, *now;

    if (a.len > LONG_NAME || b.len > LONG_NAME
        || lun_max(a.len, b.len) - lun_min(a.len, b.len) > most)
    {
        return most + 1;
    }

    for (j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }

    for (i = 1; i <= a.len; i++) {
        now = rows[i % 3];
        above = rows[(i + 2) % 3];
        before = rows[(i + 1) % 3];
        least = now[0] = i;

        for (j = 1; j <= b.len; j++) {
            n = above[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            n = lun_min(n, lun_min(above[j], now[j - 1]) + 1);

            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2]
                && a.data[i - 2] == b.data[j - 1])
            {
                n = lun_min(n, before[j - 2] + 1);
            }

            now[j] = n;
            least = lun_min(least, n);
        }

        if (least > most) {
            return most + 1;
        }
    }

    return lun_min(rows[a.len % 3][b.len], most + 1);
}


/* By distance, then by name: a hash has no order. */
static bool
comes_first(const candidate *a, const candidate *b)
{
    return a->distance != b->distance ? a->distance < b->distance
                                      : lun_str_cmp(a->name, b->name) < 0;
}


size_t
lun_problems_nearest(lun_pool *pool, const lun_schema *s, lun_str name,
    lun_str *near, size_t room)
{
    size_t                i, count = 0, most = lun_max(name.len / 4, 1);
    candidate            *best, new, swap;
    const lun_hash_slot  *slot;

    best = lun_pool_new_n(pool, candidate, room + 1);

    for (slot = NULL; (slot = lun_hash_next(&s->names, slot)) != NULL; ) {
        new = (candidate) { slot->key, distance(name, slot->key, most) };

        if (new.distance > most) {
            continue;
        }

        for (i = 0; i < count; i++) {
            if (comes_first(&new, &best[i])) {
                swap = best[i];
                best[i] = new;
                new = swap;
            }
        }

        if (count < room) {
            best[count++] = new;
        }
    }

    for (i = 0; i < count; i++) {
        near[i] = best[i].name;
    }

    return count;
}


/* --- unknown directives -------------------------------------------------- */

static void
suggest(lun_conf *cf)
{
    size_t   i, count;
    lun_str  near[SUGGESTIONS], text = LUN_STR("");

    count = lun_problems_nearest(cf->temp, cf->schema, cf->args[0], near,
                                 SUGGESTIONS);

    for (i = 0; i < count; i++) {
        text = lun_pool_fmt(cf->temp, "%.*s%s\"%.*s\"", LUN_S(text),
                            i == 0 ? "" : " or ", LUN_S(near[i]));
    }

    if (count != 0) {
        lun_conf_warn(cf, "did you mean %.*s?", LUN_S(text));
    }
}


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
        width = lun_max(width, lun_min(u->name.len, (size_t) LONG_NAME));
    }

    say(data, lun_pool_fmt(pool, "not supported, of this configuration:"));

    for (i = 0; i < list->count; i++) {
        u = lun_array_at(list, i);
        say(data, lun_pool_fmt(pool, "  %-*.*s %4zu x, first in %.*s:%u",
                               (int) width, LUN_S(u->name), u->count,
                               LUN_S(u->file), u->line));
    }
}
