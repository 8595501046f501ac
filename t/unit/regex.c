/*
 * regex.c -- what regex.h promises of PCRE2.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/regex.c"

#include "tap.h"


static lun_regex *
make(lun_pool *pool, const char *pattern, unsigned flags)
{
    char    error[64];
    size_t  at;

    return lun_regex_new(pool, lun_str_z(pattern), flags, error,
                         sizeof(error), &at);
}


static void
errors(lun_pool *pool)
{
    char        error[64];
    size_t      at = 0;
    lun_regex  *re;

    re = lun_regex_new(pool, LUN_STR("ab(c"), 0, error, sizeof(error), &at);
    ok(re == NULL, "an open group does not compile");
    is_str(error, "missing closing parenthesis", "and says why");
    is_int((int64_t) at, 4, "and where");
}


static void
groups(lun_pool *pool, unsigned jit)
{
    int         group;
    int32_t     v[8];
    lun_str     name;
    lun_regex  *re = make(pool, "(a)|(?<second>b)(c)?", jit);

    is_int(lun_regex_groups(re), 3, "three groups");
    is_int(lun_regex_names(re), 1, "one of them has a name");

    name = lun_regex_name(re, 0, &group);
    is_mem(name.data, name.len, "second", 6, "its name");
    is_int(group, 2, "its number");

    is_int(lun_regex_match(re, LUN_STR("xxb"), 0, v, 4), 3,
           "the highest group that matched, plus one");
    ok(v[0] == 2 && v[1] == 3, "where the whole is");
    ok(v[2] == -1 && v[3] == -1, "a group without part");
    ok(v[4] == 2 && v[5] == 3, "a group with part");
    ok(v[6] == -1 && v[7] == -1, "one behind the highest");

    is_int(lun_regex_match(re, LUN_STR("xxb"), 0, v, 1), 3,
           "less room than groups");
    is_int(lun_regex_match(re, LUN_STR("bxx"), 1, v, 4),
           LUN_REGEX_NO_MATCH, "from a place behind the match");
    is_int(lun_regex_match(re, LUN_STR_NULL, 0, v, 4), LUN_REGEX_NO_MATCH,
           "nothing at all");
}


static void
flags(lun_pool *pool)
{
    int32_t     v[2];
    lun_regex  *re = make(pool, "^é.$", LUN_REGEX_UTF);

    is_int(lun_regex_match(re, LUN_STR("éä"), 0, v, 1), 1,
           "letters in UTF-8");
    is_int(lun_regex_match(re, LUN_STR("é\xff"), 0, v, 1), LUN_REGEX_FAILED,
           "what is no UTF-8 fails");
    ok(lun_regex_last_error() < -1, "with PCRE2's number");

    re = make(pool, "^é.$", LUN_REGEX_UTF | LUN_REGEX_JIT);
    is_int(lun_regex_match(re, LUN_STR("é\xff"), 0, v, 1), LUN_REGEX_FAILED,
           "with JIT too");

    re = make(pool, "AB", LUN_REGEX_CASELESS | LUN_REGEX_ANCHORED);
    is_int(lun_regex_match(re, LUN_STR("abx"), 0, v, 1), 1, "caseless");
    is_int(lun_regex_match(re, LUN_STR("xab"), 0, v, 1), LUN_REGEX_NO_MATCH,
           "anchored");
}


static void
limits(lun_pool *pool, unsigned jit)
{
    int         rc;
    int32_t     v[2];
    lun_str     s = LUN_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    lun_regex  *re = make(pool, "(a+)+$", jit);

    lun_regex_set_match_limit(100);
    rc = lun_regex_match(re, s, 0, v, 1);
    is_int(rc, LUN_REGEX_LIMIT, "a limit ends what takes for ever");

    lun_regex_set_match_limit(0);
    is_int(lun_regex_match(make(pool, "a+b", jit), s, 0, v, 1), 1,
           "without it matching goes on");
}


static void
dfa(lun_pool *pool)
{
    int32_t     v[2];
    lun_regex  *re = make(pool, "a|ab|abc", LUN_REGEX_DFA);

    is_int(lun_regex_match_dfa(re, LUN_STR("xabcd"), 0, v, 1), 1,
           "one pair, whatever matched");
    ok(v[0] == 1 && v[1] == 4, "the longest");
    is_int(lun_regex_match_dfa(re, LUN_STR("x"), 0, v, 1),
           LUN_REGEX_NO_MATCH, "or none");
}


int
main(void)
{
    lun_pool   *pool = lun_pool_new_sized(4096);
    lun_regex  *re;

    errors(pool);
    groups(pool, 0);
    groups(pool, LUN_REGEX_JIT);
    flags(pool);
    limits(pool, 0);
    limits(pool, LUN_REGEX_JIT);
    dfa(pool);

    re = make(NULL, "x", 0);
    lun_regex_free(re);

    lun_pool_free(pool);
    return done_testing();
}
