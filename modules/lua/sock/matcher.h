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

bool lun_matcher_inclusive(const lun_matcher *m);

/* After a match in pieces: the next answer is "it is over". */
bool lun_matcher_take_end(lun_matcher *m);
void lun_matcher_set_end(lun_matcher *m);

/*
 * One search: over bytes of `data`, which may grow between the calls.  What
 * an earlier search has taken because it may begin a match belongs to this
 * one, before `data`.
 */
typedef struct {
    size_t  before;                /* bytes of the pattern, taken earlier */
    size_t  seen;                  /* bytes of data looked at */
    size_t  state;                 /* of all these, the last that may match */
} lun_match_run;

void lun_matcher_begin(const lun_matcher *m, lun_match_run *run);

typedef enum {
    LUN_MATCH_MORE,                /* not yet: more bytes, please */
    LUN_MATCH_PIECE,
    LUN_MATCH_FOUND
} lun_match_verdict;

/*
 * `size` > 0: stops when that many bytes are surely not part of a match
 * (maybe a few more).  After PIECE, FOUND, or instead of going on (MORE),
 * lun_matcher_end() tells the result.
 */
lun_match_verdict lun_matcher_feed(const lun_matcher *m, lun_match_run *run,
    lun_str data, size_t size);

/*
 * Bytes before the match, or surely before it: *head of the pattern, then
 * *rest of data.  run->seen bytes of data are used up.  What may begin a match
 * stays in data after PIECE: it is whoever's who reads next.  After MORE it is
 * kept for the next search.
 */
void lun_matcher_end(lun_matcher *m, lun_match_run *run, lun_match_verdict v,
    size_t *head, size_t *rest);

/* The pattern. */
lun_str lun_matcher_text(const lun_matcher *m);

#endif
