/*
 * matcher.c -- Knuth, Morris and Pratt's search, one byte at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/matcher.h"

#include "base/pool.h"


struct lun_matcher {
    unsigned   references;
    bool       inclusive;
    bool       ended;
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


size_t
lun_matcher_len(const lun_matcher *m)
{
    return m->len;
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


lun_match_verdict
lun_matcher_feed(const lun_matcher *m, lun_match_run *run, lun_str data,
    size_t size, size_t *piece)
{
    char    c;
    size_t  state = run->state, at;

    for (at = run->seen; at < data.len; at++) {
        c = data.data[at];

        while (state > 0 && c != m->pattern[state]) {
            state = m->back[state - 1];
        }

        state += c == m->pattern[state];

        if (state == m->len) {
            *piece = at + 1 - state;
            return LUN_MATCH_FOUND;
        }

        if (size != 0 && at + 1 - state >= size) {
            *piece = at + 1 - state;
            return LUN_MATCH_PIECE;
        }
    }

    run->seen = at;
    run->state = state;
    return LUN_MATCH_MORE;
}
