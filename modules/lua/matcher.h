/*
 * matcher.h -- finds a string in a stream that comes in pieces: the matcher of
 * receiveuntil.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_MATCHER_H
#define LUN_LUA_MATCHER_H

#include "base/str.h"

/* A compiled pattern, counted: the one who makes it has one reference. */
typedef struct lun_matcher  lun_matcher;

/* `pattern` is not empty; copied. */
lun_matcher *lun_matcher_new(lun_str pattern, bool inclusive);
void lun_matcher_get(lun_matcher *m);
void lun_matcher_put(lun_matcher *m);      /* NULL is fine */

size_t lun_matcher_len(const lun_matcher *m);
bool lun_matcher_inclusive(const lun_matcher *m);

/* After a match in pieces: the next answer is "it is over". */
bool lun_matcher_take_end(lun_matcher *m);
void lun_matcher_set_end(lun_matcher *m);

/* Where a run over the same bytes stands; zeroed at its start. */
typedef struct {
    size_t  seen;                  /* bytes looked at */
    size_t  state;                 /* of these, the last may begin a match */
} lun_match_run;

typedef enum {
    LUN_MATCH_MORE,                /* not yet: more bytes, please */
    LUN_MATCH_PIECE,               /* `piece` bytes are surely before it */
    LUN_MATCH_FOUND                /* `piece` bytes are before it */
} lun_match_verdict;

/*
 * Looks at data, which begins with the bytes that the run has seen already.
 * `size` > 0: stops as soon as that many bytes are surely not part of a match
 * (*piece may then be more than size).
 */
lun_match_verdict lun_matcher_feed(const lun_matcher *m, lun_match_run *run,
    lun_str data, size_t size, size_t *piece);

#endif
