/*
 * regex.h -- regular expressions: PCRE2 with JIT.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_REGEX_H
#define LUN_REGEX_H

#include "base/pool.h"

typedef struct lun_regex  lun_regex;

enum {
    LUN_REGEX_CASELESS  = 0x0001,
    LUN_REGEX_ANCHORED  = 0x0002,
    LUN_REGEX_MULTILINE = 0x0004,
    LUN_REGEX_DOTALL    = 0x0008,
    LUN_REGEX_EXTENDED  = 0x0010,
    LUN_REGEX_UTF       = 0x0020,
    LUN_REGEX_NO_UTF_CHECK = 0x0040,
    LUN_REGEX_DUPNAMES  = 0x0080,
    LUN_REGEX_JAVASCRIPT = 0x0100,
    LUN_REGEX_DFA       = 0x0200,  /* match by lun_regex_match_dfa */
    LUN_REGEX_JIT       = 0x0400,
    LUN_REGEX_UTF_PARTS = 0x0800,  /* UTF-8; subjects may be none in parts */
    LUN_REGEX_SCRIPT    = 0x1000   /* a script's: its stack is the smaller */
};

/*
 * Compiles.  NULL: why is in `error` ("missing closing parenthesis"), *at is
 * the offset.  Freed at the end of the pool, or (pool NULL) by _free.
 */
lun_regex *lun_regex_new(lun_pool *pool, lun_str pattern, unsigned flags,
    char *error, size_t room, size_t *at);
void lun_regex_free(lun_regex *re);

enum { LUN_REGEX_NO_MATCH = -1, LUN_REGEX_LIMIT = -2, LUN_REGEX_FAILED = -3 };

/*
 * Matches from byte `from`.  ovector gets pairs of offsets, room for `pairs`
 * of them (-1, -1 for groups that took no part).  Returns the number of the
 * highest group that matched plus one, or a negative code from above.
 */
int lun_regex_match(const lun_regex *re, lun_str subject, size_t from,
    int32_t *ovector, int pairs);
int lun_regex_match_dfa(const lun_regex *re, lun_str subject, size_t from,
    int32_t *ovector, int pairs);

int lun_regex_groups(const lun_regex *re);     /* without the whole match */
bool lun_regex_is_jit(const lun_regex *re);    /* it is machine code */

/* Named groups: count, then the i-th: its name and number. */
int lun_regex_names(const lun_regex *re);
lun_str lun_regex_name(const lun_regex *re, int i, int *group);

/* 0: PCRE2's own default. */
void lun_regex_set_match_limit(uint32_t limit);

/*
 * How far the stack of JIT-compiled matches of LUN_REGEX_SCRIPT may grow,
 * instead of PCRE2's own 32 KB.  Others have 1 MB.
 */
void lun_regex_set_script_stack(size_t size);

/* "10.42 2022-12-11": PCRE2's own words. */
const char *lun_regex_version(void);

/* PCRE2's number of the last failure here, for the log. */
int lun_regex_last_error(void);

#endif
