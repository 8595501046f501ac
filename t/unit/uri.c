/*
 * uri.c -- escaping, and what a path becomes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/uri.c"

#include "tap.h"


static lun_str
edge(const char *s, size_t len)
{
    return lun_str_of(tap_edge(s, len), len);
}


/* Every byte that a kind escapes, as nginx's tables have it. */
static void
tables(void)
{
    int      c, bad[5] = { 0 };
    size_t   k, n;
    char     b[4], text;
    static const char *const  printable[] = {
        " \"#%<>?\\^`{|}", " \"#%&+;<>?\\^`{|}",
        " \"#$%&+,/:;<=>?@[\\]^`{|}", " #%?", " \"<>\\^`{|}"
    };

    for (k = 0; k < 5; k++) {
        for (c = 0; c < 256; c++) {
            text = (char) c;
            n = (size_t) (lun_uri_escape(b, lun_str_of(&text, 1),
                                         (lun_escape) k) - b);
            bad[k] += n != lun_uri_escaped_len(lun_str_of(&text, 1),
                                               (lun_escape) k);
            bad[k] += (n == 3) != (c < 32 || c > 126
                                   || strchr(printable[k], c) != NULL);
        }
        is_int(bad[k], 0, "kind %d", (int) k);
    }

    n = (size_t) (lun_uri_escape(b, LUN_STR("\xaf"), LUN_ESCAPE_URI) - b);
    is_mem(b, n, "%AF", 3, "upper-case hex");
}


static void
unescaping(void)
{
    size_t   i;
    char     b[64];
    static const struct { const char *s, *plus, *plain; } rows[] = {
        { "a%20b+c", "a b c", "a b+c" }, { "%e4%BD%a0", "\xe4\xbd\xa0",
          "\xe4\xbd\xa0" },
        { "%", "%", "%" }, { "%a", "%a", "%a" }, { "%zz", "%zz", "%zz" },
        { "%%20", "% ", "% " }, { "%2%35", "%25", "%25" },
        { "hello%1world", "hello%1world", "hello%1world" },
        { "%2B+", "+ ", "++" }, { "", "", "" }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        lun_str  s = edge(rows[i].s, strlen(rows[i].s));

        *lun_uri_unescape(b, s, true) = '\0';
        is_str(b, rows[i].plus, "unescape, plus: %s", rows[i].s);
        *lun_uri_unescape(b, s, false) = '\0';
        is_str(b, rows[i].plain, "unescape: %s", rows[i].s);
    }

    strcpy(b, "%41%42");
    *lun_uri_unescape(b, lun_str_z(b), false) = '\0';
    is_str(b, "AB", "in place");
}


static const struct {
    const char  *s, *merged, *kept;
} paths[] = {
    { "/", "/", "/" },
    { "/a/b", "/a/b", "/a/b" },
    { "//", "/", "//" },
    { "/a//b///c", "/a/b/c", "/a//b///c" },
    { "/a/./b", "/a/b", "/a/b" },
    { "/a/../b", "/b", "/b" },
    { "/a/b/../../c", "/c", "/c" },
    { "/a/..", "/", "/" },
    { "/a/../", "/", "/" },
    { "/a/b/..", "/a/", "/a/" },
    { "/a/.", "/a/", "/a/" },
    { "/.", "/", "/" },
    { "/./", "/", "/" },
    { "/..", NULL, NULL },
    { "/../", NULL, NULL },
    { "/../a", NULL, NULL },
    { "/a/../..", NULL, NULL },
    { "/a/../../b", NULL, NULL },
    { "//..", NULL, "/" },
    { "//../a", NULL, "/a" },
    { "/a//../b", "/b", "/a/b" },
    { "/...", "/...", "/..." },
    { "/.../a", "/.../a", "/.../a" },
    { "/..a/b", "/..a/b", "/..a/b" },
    { "/a../b", "/a../b", "/a../b" },
    { "/.a/..b", "/.a/..b", "/.a/..b" },
    { "/foo/%2e%2e/", "/", "/" },
    { "/foo/%2E./bar", "/bar", "/bar" },
    { "/%2e%2e", NULL, NULL },
    { "/a%2fb", "/a/b", "/a/b" },
    { "/a%2F..%2fb", "/b", "/b" },
    { "/a%2f%2fb", "/a/b", "/a//b" },
    { "/%2f", "/", "//" },
    { "/a%20b", "/a b", "/a b" },
    { "/a%3Fb", "/a?b", "/a?b" },
    { "/a%23b", "/a#b", "/a#b" },
    { "/a%25b", "/a%b", "/a%b" },
    { "/%252e%252e/", "/%2e%2e/", "/%2e%2e/" },
    { "/a#b/../..", "/a", "/a" },
    { "/a/..#", "/", "/" },
    { "/a+b", "/a+b", "/a+b" },
    { "/%00", NULL, NULL },
    { "/a%", NULL, NULL },
    { "/a%2", NULL, NULL },
    { "/a%2#", NULL, NULL },
    { "/a%g0", NULL, NULL },
    { "/a%0g", NULL, NULL },
    { "", NULL, NULL },
    { "a", NULL, NULL },
    { "%2f", NULL, NULL },
    { "\\a", NULL, NULL },
    { "/a\\..\\b", "/a\\..\\b", "/a\\..\\b" },
    { "/\xff%80", "/\xff\x80", "/\xff\x80" }
};


static void
check_path(const char *s, size_t len, const char *want, lun_uri_rules rules)
{
    char    *dst;
    size_t   n = 0;
    lun_str  in = edge(s, len);
    char     room[64];

    memset(room, 'x', sizeof(room));
    dst = tap_edge(room, len);

    if (lun_uri_normalise(in, &rules, dst, &n) != LUN_OK) {
        ok(want == NULL, "\"%s\" is refused", s);
        ok(!lun_uri_is_plain(in, &rules), "and not plain");
        return;
    }

    is_mem(dst, n, want ? want : "(error)", want ? strlen(want) : 7,
           "\"%s\", merge %d, backslash %d", s, rules.merge_slashes,
           rules.backslash);
    ok(!lun_uri_is_plain(in, &rules) || (n == len && memcmp(s, dst, n) == 0),
       "plain means unchanged");

    ok(lun_uri_normalise(in, &rules, (char *) (uintptr_t) in.data, &n)
       == LUN_OK && memcmp(in.data, dst, n) == 0, "the same in place");
}


static void
normalising(void)
{
    size_t         i;
    lun_uri_rules  merge = { .merge_slashes = true };
    lun_uri_rules  keep = { .merge_slashes = false };
    lun_uri_rules  windows = { .merge_slashes = true, .backslash = true };

    for (i = 0; i < LUN_ARRAY_LEN(paths); i++) {
        check_path(paths[i].s, strlen(paths[i].s), paths[i].merged, merge);
        check_path(paths[i].s, strlen(paths[i].s), paths[i].kept, keep);
    }

    check_path("/a\0b", 4, NULL, merge);
    check_path("/a\\..\\b", 7, "/b", windows);
    check_path("/a\\..\\..\\b", 10, NULL, windows);
    check_path("/a%5c..%5Cb", 11, "/b", windows);
    check_path("\\a\\/b", 5, "/a/b", windows);
    check_path("/a\\", 3, "/a", windows);
    check_path("/a/b%5c", 7, "/a/b", windows);
    check_path("/a/\\", 4, "/a/", windows);
    check_path("/a/.\\", 5, "/a/", windows);
    check_path("/a/b/..\\", 8, "/a/", windows);
    check_path("/a\\\\b", 5, "/a/b",
               (lun_uri_rules) { .backslash = true });

    ok(lun_uri_is_plain(LUN_STR("/a/b.c/d..e"), &merge), "plain");
    ok(lun_uri_is_plain(LUN_STR("/a//b"), &keep), "plain without merging");
    ok(lun_uri_is_plain(LUN_STR("/a\\b"), &merge), "plain without backslash");
    ok(!lun_uri_is_plain(LUN_STR("/a/.b"), &merge), "a dot is looked at");
}


int
main(void)
{
    tables();
    unescaping();
    normalising();
    return done_testing();
}
