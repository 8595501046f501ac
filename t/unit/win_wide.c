/*
 * win_wide.c -- paths as the system takes them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/wide.c"

#include "tap.h"


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
    only_long_paths_do();
    paths_come_back_with_slashes();

    return done_testing();
}
