/*
 * nearest.c -- see nearest.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/nearest.h"


enum { LONG_NAME = 64 };


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


/* By distance, then by name: who asks may have no order. */
static bool
comes_first(const lun_nearest *n, size_t i, lun_str name, size_t far)
{
    return far != n->distances[i] ? far < n->distances[i]
                                  : lun_str_cmp(name, n->names[i]) < 0;
}


void
lun_nearest_init(lun_nearest *n, lun_str wanted)
{
    *n = (lun_nearest) { .wanted = wanted };
}


void
lun_nearest_try(lun_nearest *n, lun_str name)
{
    size_t  i, at, most = lun_max(n->wanted.len / 4, 1);
    size_t  far = distance(n->wanted, name, most);

    if (far > most) {
        return;
    }

    for (i = 0; i < n->count; i++) {
        if (lun_str_eq(n->names[i], name)) {
            return;
        }
    }

    for (at = 0; at < n->count && !comes_first(n, at, name, far); at++) {
        /* those before it */
    }

    if (at == LUN_NEAREST_MOST) {
        return;
    }

    n->count = lun_min(n->count + 1, LUN_NEAREST_MOST);

    for (i = n->count - 1; i > at; i--) {
        n->names[i] = n->names[i - 1];
        n->distances[i] = n->distances[i - 1];
    }

    n->names[at] = name;
    n->distances[at] = far;
}


lun_str
lun_nearest_text(const lun_nearest *n, lun_pool *pool, const char *sign)
{
    size_t   i;
    lun_str  text = LUN_STR("");

    for (i = 0; i < n->count; i++) {
        text = lun_pool_fmt(pool, "%.*s%s\"%s%.*s\"", LUN_S(text),
                            i == 0 ? "did you mean " : " or ", sign,
                            LUN_S(n->names[i]));
    }

    return n->count != 0 ? lun_pool_fmt(pool, "%.*s?", LUN_S(text)) : text;
}
