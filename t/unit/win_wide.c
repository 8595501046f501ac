/*
 * win_wide.c -- UTF-8 and UTF-16, and the long form of paths.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/wide.c"

#include "tap.h"


static const struct {
    const char     *name;
    const char     *text;
    const wchar_t  *wide;          /* NULL: malformed */
} texts[] = {
    { "plain", "index.html", L"index.html" },
    { "two bytes", "\xc3\xa9", L"\u00e9" },
    { "three bytes", "\xe2\x82\xac", L"\u20ac" },
    { "four bytes", "\xf0\x9f\x8c\x99", L"\xd83c\xdf19" },
    { "the last character", "\xf4\x8f\xbf\xbf", L"\xdbff\xdfff" },
    { "overlong, two bytes", "\xc0\xaf", NULL },
    { "overlong, three bytes", "\xe0\x80\xaf", NULL },
    { "overlong, four bytes", "\xf0\x80\x80\xaf", NULL },
    { "a surrogate", "\xed\xa0\x80", NULL },
    { "past the last character", "\xf4\x90\x80\x80", NULL },
    { "a continuation alone", "\x80", NULL },
    { "a bad continuation", "\xc3\xe9", NULL },
    { "cut after one byte", "\xe2", NULL },
    { "cut after two bytes", "\xe2\x82", NULL },
    { "0xff", "\xff", NULL }
};


static void
utf8_is_taken_strictly(void)
{
    size_t      i, len;
    wchar_t     wide[32];
    ptrdiff_t   n;

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        len = strlen(texts[i].text);
        n = lun_wide_from(wide, tap_edge(texts[i].text, len), len);

        if (texts[i].wide == NULL) {
            is_int(n, -1, "%s is malformed", texts[i].name);
            continue;
        }

        is_mem(wide, (size_t) n * sizeof(wchar_t), texts[i].wide,
               wcslen(texts[i].wide) * sizeof(wchar_t), "%s", texts[i].name);
    }
}


static void
utf16_comes_back(void)
{
    char    text[32];
    size_t  i, n;

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        if (texts[i].wide != NULL) {
            n = lun_wide_to(text, texts[i].wide, wcslen(texts[i].wide));
            is_mem(text, n, texts[i].text, strlen(texts[i].text),
                   "%s comes back", texts[i].name);
        }
    }

    n = lun_wide_to(text, L"a\xd800z", 3);
    is_mem(text, n, "a\xef\xbf\xbdz", 5, "a lone high surrogate");
    n = lun_wide_to(text, L"\xdc00", 1);
    is_mem(text, n, "\xef\xbf\xbd", 3, "a lone low surrogate");
    n = lun_wide_to(text, L"\xd83c", 1);
    is_mem(text, n, "\xef\xbf\xbd", 3, "a high surrogate at the end");
}


static const struct {
    const wchar_t  *path;
    const wchar_t  *full;          /* "": has no long form */
} paths[] = {
    { L"C:/a/b", L"\\\\?\\C:\\a\\b" },
    { L"C:\\a\\b", L"\\\\?\\C:\\a\\b" },
    { L"c:/a//b/", L"\\\\?\\c:\\a\\b" },
    { L"C:/", L"\\\\?\\C:\\" },
    { L"C:/a/./b", L"\\\\?\\C:\\a\\b" },
    { L"C:/a/../b", L"\\\\?\\C:\\b" },
    { L"C:/../../b", L"\\\\?\\C:\\b" },
    { L"C:/a/..", L"\\\\?\\C:\\" },
    { L"C:/a/...", L"\\\\?\\C:\\a\\..." },
    { L"//srv/share/x", L"\\\\?\\UNC\\srv\\share\\x" },
    { L"\\\\srv\\share\\..\\x", L"\\\\?\\UNC\\srv\\x" },
    { L"\\\\?\\C:\\x", L"" },
    { L"\\\\.\\pipe\\x", L"" },
    { L"a/b", L"" },
    { L"/a/b", L"" },
    { L"C:a", L"" },
    { L"1:/a", L"" }
};


static void
long_paths_get_their_prefix(void)
{
    size_t   i, n;
    wchar_t  out[64];

    for (i = 0; i < LUN_ARRAY_LEN(paths); i++) {
        n = lun_wide_verbatim(out, paths[i].path, wcslen(paths[i].path));
        is_mem(out, n * sizeof(wchar_t), paths[i].full,
               wcslen(paths[i].full) * sizeof(wchar_t), "%ls", paths[i].path);
    }
}


static void
only_long_paths_do(void)
{
    char           path[600];
    size_t         i;
    lun_wide_path  w;

    is_int(lun_wide_path_of(&w, "C:/short", 2), 0, "a short path");
    ok(wcscmp(w.text, L"C:/short") == 0, "stays as it is");
    lun_wide_end(&w);

    strcpy(path, "C:/");
    for (i = 3; i < sizeof(path) - 1; i++) {
        path[i] = i % 8 ? 'x' : '/';
    }
    path[i] = 0;

    is_int(lun_wide_path_of(&w, path, 2), 0, "a long path");
    ok(wcsncmp(w.text, L"\\\\?\\C:\\xxxx", 11) == 0, "has the prefix");
    lun_wide_end(&w);

    is_int(lun_wide_path_of(&w, path + 3, 0), 0, "a long relative path");
    ok(wcsncmp(w.text, L"\\\\?\\", 4) == 0, "is made absolute");
    lun_wide_end(&w);

    is_int(lun_wide_path_of(&w, "C:/\xc3", 0), ERROR_INVALID_NAME,
           "no UTF-8, no path");
    is_int(lun_wide_path_of(&w, "", 0), ERROR_PATH_NOT_FOUND, "an empty path");
}


static void
paths_come_back_with_slashes(void)
{
    char  path[16];

    is_int(lun_wide_to_path(path, sizeof(path), L"C:\\a\\b\\", 7), 0, "fits");
    is_str(path, "C:/a/b", "slashes, and none at the end");
    is_int(lun_wide_to_path(path, sizeof(path), L"C:\\", 3), 0, "a root");
    is_str(path, "C:", "without its slash");
    is_int(lun_wide_to_path(path, sizeof(path), L"\\\\?\\C:\\x", 8), 0,
           "a long form");
    is_str(path, "C:/x", "without its prefix");
    is_int(lun_wide_to_path(path, 4, L"C:\\a", 4), ERROR_FILENAME_EXCED_RANGE,
           "the zero byte needs room too");
}


int
main(void)
{
    utf8_is_taken_strictly();
    utf16_comes_back();
    long_paths_get_their_prefix();
    only_long_paths_do();
    paths_come_back_with_slashes();

    return done_testing();
}
