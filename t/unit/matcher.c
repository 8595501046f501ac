/*
 * matcher.c -- patterns in streams that come byte by byte.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/sock/matcher.c"

#include "tap.h"


/*
 * Reads `input` as receiveuntil does, `step` bytes arriving at a time; pieces
 * are joined with '|', the match shown as '!', and at the end '.' and what is
 * surely not part of a match.
 */
static void
read_all(const char *pattern, const char *input, size_t size, size_t step,
    char *out)
{
    size_t               head, rest, len = strlen(input), pos = 0, have = 0;
    lun_matcher         *m = lun_matcher_new(lun_str_z(pattern), false);
    lun_match_run        run;
    lun_match_verdict    v;

    *out = '\0';
    lun_matcher_begin(m, &run);

    for ( ;; ) {
        v = lun_matcher_feed(m, &run,
                lun_str_of(tap_edge(input + pos, have - pos), have - pos),
                size);

        if (v == LUN_MATCH_MORE && have < len) {
            have = lun_min(have + step, len);
            continue;
        }

        strcat(out, v == LUN_MATCH_MORE ? "." : "");
        lun_matcher_end(m, &run, v, &head, &rest);
        strncat(out, pattern, head);
        strncat(out, input + pos, rest);
        strcat(out, v == LUN_MATCH_FOUND ? "!" : "");
        strcat(out, v == LUN_MATCH_PIECE ? "|" : "");

        if (v == LUN_MATCH_MORE) {
            break;
        }

        pos += run.seen;
        lun_matcher_begin(m, &run);
    }

    lun_matcher_put(m);
}


static const struct {
    const char  *pattern, *input;
    size_t       size;
    const char  *want;
} cases[] = {
    { "--abc", "hello, world ------abc", 0, "hello, world ----!." },
    { "--abc", "no such thing --ab", 0, ".no such thing " },
    { "aa", "abcabcaad", 0, "abcabc!.d" },
    { "aaa", "baaaaef", 0, "b!.aef" },
    { "aaaaad", "baaaaaaaaeaaaaaaadf", 0, "baaaaaaaaeaa!.f" },
    { "abcabd", "abcabcabd", 0, "abc!." },
    { "abcabdabcabe", "abcabdabcabdabcabe", 0, "abcabd!." },
    { "abcabdabcabe", "abcabdabcabcabdabcabe", 0, "abcabdabc!." },
    { "abcabdabcabe", "ababcabdabcabe", 0, "ab!." },
    { "x", "axbx", 0, "a!b!." },
    { "x", "x", 0, "!." },
    { "--", "hello--", 2, "he|ll|o!." },
    { "--", "hell--", 2, "he|ll|!." },
    { "--abc", "----abc-", 2, "--|!." },
    { "ab1ab2", "ab1ab1", 2, "ab1|." },
    { "--abc", "rest--abX--abc", 2, "re|st|--ab|X!." },
    { "--abc", "----a", 0, ".--" },
    { "--abc", "----a", 2, "--|." },
    { "/;--b", "one/;two/;--b/;", 4, "one/;|two!." },
};


int
main(void)
{
    char    out[256];
    size_t  i, step;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        for (step = 1; step <= 4; step += 3) {
            read_all(cases[i].pattern, cases[i].input, cases[i].size, step,
                     out);
            is_str(out, cases[i].want, "%s in %s, %u at a time",
                   cases[i].pattern, cases[i].input, (unsigned) step);
        }
    }

    return done_testing();
}
