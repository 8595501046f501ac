/*
 * uri.c -- any bytes as a path: what comes out is inside the root, contains
 * no dot segment and no NUL, and never grows; escaping can be undone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/uri.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_segments(const char *p, size_t n, const lun_uri_rules *rules)
{
    size_t  i, start = 1;

    LUN_CHECK(n != 0 && p[0] == '/' && memchr(p, '\0', n) == NULL);
    LUN_CHECK(!rules->backslash || memchr(p, '\\', n) == NULL);

    for (i = 1; i <= n; i++) {
        if (i < n && p[i] != '/') {
            continue;
        }

        LUN_CHECK(i - start != 1 || p[start] != '.');
        LUN_CHECK(i - start != 2 || p[start] != '.' || p[start + 1] != '.');
        LUN_CHECK(i != start || i == n || !rules->merge_slashes);
        start = i + 1;
    }
}


static void
check_path(lun_str s, const lun_uri_rules *rules)
{
    char    *dst = malloc(s.len + 1);
    size_t   n;

    if (lun_uri_normalise(s, rules, dst, &n) == LUN_OK) {
        LUN_CHECK(n <= s.len);
        check_segments(dst, n, rules);

        if (lun_uri_is_plain(s, rules)) {
            LUN_CHECK(lun_str_eq(s, lun_str_of(dst, n)));
        }

    } else {
        LUN_CHECK(!lun_uri_is_plain(s, rules));
    }

    free(dst);
}


static void
check_escape(lun_str s, lun_escape kind)
{
    size_t   n = lun_uri_escaped_len(s, kind);
    char    *dst = malloc(n + 1), *end;

    LUN_CHECK(lun_uri_escape(dst, s, kind) == dst + n);

    if (kind != LUN_ESCAPE_REDIRECT) {          /* which leaves '%' alone */
        end = lun_uri_unescape(dst, lun_str_of(dst, n), false);
        LUN_CHECK(lun_str_eq(s, lun_str_of(dst, (size_t) (end - dst))));
    }

    free(dst);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int            i;
    char          *copy;
    lun_str        s;
    lun_uri_rules  rules;

    copy = malloc(size + 1);                    /* exact, for ASan */
    copy = realloc(copy, size != 0 ? size : 1);
    memcpy(copy, data, size);
    s = lun_str_of(copy, size);

    for (i = 0; i < 4; i++) {
        rules.merge_slashes = i & 1;
        rules.backslash = i >> 1;
        check_path(s, &rules);
    }

    for (i = LUN_ESCAPE_URI; i <= LUN_ESCAPE_REDIRECT; i++) {
        check_escape(s, (lun_escape) i);
    }

    free(copy);
    return 0;
}
