/*
 * matcher.c -- Knuth, Morris and Pratt's search, one byte at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/matcher.h"

#include "base/pool.h"


struct lun_matcher {
    unsigned   references;
    bool       inclusive;
    bool       ended;
    size_t     pending;            /* taken, because it may begin a match */
    size_t     len;
    char      *pattern;            /* behind `back`, in the same memory */
    uint32_t   back[];             /* longest border of the first i + 1 bytes */
};


lun_matcher *
lun_matcher_new(lun_str pattern, bool inclusive)
{
    size_t      i, n;
    lun_matcher  *m;

    m = lun_calloc(sizeof(lun_matcher) + pattern.len * (sizeof(uint32_t) + 1));
    m->references = 1;
    m->inclusive = inclusive;
    m->len = pattern.len;
    m->pattern = (char *) (m->back + pattern.len);
    memcpy(m->pattern, pattern.data, pattern.len);

    for (i = 1, n = 0; i < m->len; i++) {
        while (n > 0 && m->pattern[i] != m->pattern[n]) {
            n = m->back[n - 1];
        }

        n += m->pattern[i] == m->pattern[n];
        m->back[i] = (uint32_t) n;
    }

    return m;
}


void
lun_matcher_get(lun_matcher *m)
{
    m->references++;
}


void
lun_matcher_put(lun_matcher *m)
{
    if (m != NULL && --m->references == 0) {
        lun_free(m);
    }
}


lun_str
lun_matcher_text(const lun_matcher *m)
{
    return lun_str_of(m->pattern, m->len);
}


bool
lun_matcher_inclusive(const lun_matcher *m)
{
    return m->inclusive;
}


bool
lun_matcher_take_end(lun_matcher *m)
{
    bool  ended = m->ended;

    m->ended = false;
    return ended;
}


void
lun_matcher_set_end(lun_matcher *m)
{
    m->ended = true;
}


void
lun_matcher_begin(const lun_matcher *m, lun_match_run *run)
{
    *run = (lun_match_run) { .before = m->pending, .state = m->pending };
}


/* A byte that ends a false match and begins none may be left to the next. */
lun_match_verdict
lun_matcher_feed(const lun_matcher *m, lun_match_run *run, lun_str data,
    size_t size)
{
    char    c;
    size_t  sure;

    for ( ; run->seen < data.len; run->seen++) {
        c = data.data[run->seen];

        while (run->state > 0 && c != m->pattern[run->state]) {
            run->state = m->back[run->state - 1];
        }

        sure = run->before + run->seen - run->state;

        if (c == m->pattern[run->state]) {
            run->state++;

        } else if (size != 0 && sure >= size) {
            return LUN_MATCH_PIECE;

        } else {
            sure++;
        }

        if (run->state == m->len) {
            run->seen++;
            return LUN_MATCH_FOUND;
        }

        if (size != 0 && sure >= size) {
            run->seen++;
            return LUN_MATCH_PIECE;
        }
    }

    return LUN_MATCH_MORE;
}


void
lun_matcher_end(lun_matcher *m, lun_match_run *run, lun_match_verdict v,
    size_t *head, size_t *rest)
{
    size_t  sure = run->before + run->seen - run->state;

    *head = lun_min(run->before, sure);
    *rest = sure - *head;

    if (v == LUN_MATCH_PIECE && run->state <= run->seen) {
        run->seen -= run->state;
        run->state = 0;
    }

    m->pending = v == LUN_MATCH_FOUND ? 0 : run->state;
}
