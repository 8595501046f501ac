/*
 * dir.c -- folders.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dir.h"

#include "windows/win.h"

#include <stdlib.h>


static bool
is_dots(const wchar_t *name)
{
    return wcscmp(name, L".") == 0 || wcscmp(name, L"..") == 0;
}


static lun_err
why_not(const wchar_t *path, lun_err err)
{
    DWORD  attributes;

    /* The root of an empty volume has not even dots. */
    if (err == ERROR_FILE_NOT_FOUND) {
        return 0;
    }

    attributes = GetFileAttributesW(path);

    return attributes != INVALID_FILE_ATTRIBUTES
           && !(attributes & FILE_ATTRIBUTE_DIRECTORY) ? ERROR_DIRECTORY : err;
}


lun_err
lun_dir_list(const char *path, lun_dir_fn *each, void *data)
{
    return lun_dir_list_under(NULL, path, each, data);
}


/*
 * FindExInfoBasic leaves short names out, which nobody needs and which cost a
 * look at each file.
 */
lun_err
lun_dir_list_under(const lun_native_path *native, const char *path,
    lun_dir_fn *each, void *data)
{
    char               name[3 * MAX_PATH + 1];
    bool               more;
    size_t             n;
    HANDLE             h;
    lun_err            err;
    lun_wide_path      w;
    WIN32_FIND_DATAW   found;

    err = lun_wide_path_under(&w, native, path, 2);

    if (err) {
        return err;
    }

    n = wcslen(w.text);

    while (n > 0 && (w.text[n - 1] == L'/' || w.text[n - 1] == L'\\')) {
        n--;
    }

    memcpy(w.text + n, L"\\*", 3 * sizeof(wchar_t));

    h = FindFirstFileExW(w.text, FindExInfoBasic, &found, FindExSearchNameMatch,
                         NULL, FIND_FIRST_EX_LARGE_FETCH);

    if (h == INVALID_HANDLE_VALUE) {
        w.text[n] = 0;
        err = why_not(w.text, (lun_err) GetLastError());
        lun_wide_end(&w);
        return err;
    }

    lun_wide_end(&w);

    more = true;

    while (more) {
        if (!is_dots(found.cFileName)) {
            name[lun_wide_to(name, found.cFileName,
                             wcslen(found.cFileName))] = 0;

            if (!each(data, name, (found.dwFileAttributes
                                   & FILE_ATTRIBUTE_DIRECTORY) != 0))
            {
                break;
            }
        }

        more = FindNextFileW(h, &found);

        if (!more && GetLastError() != ERROR_NO_MORE_FILES) {
            err = (lun_err) GetLastError();
        }
    }

    FindClose(h);
    return err;
}


lun_err
lun_dir_make(const char *path, unsigned access)
{
    lun_err        err;
    lun_wide_path  w;

    err = lun_wide_path_under(&w, NULL, path, 0);

    if (err) {
        return err;
    }

    if (!CreateDirectoryW(w.text, NULL)) {
        err = (lun_err) GetLastError();
    }

    lun_wide_end(&w);
    return err;
}


/* After "C:/", "//server/share/", or "/": what cannot be made. */
static char *
after_root(char *path)
{
    int    parts;
    char  *p;

    if (path[0] != 0 && path[1] == ':') {
        return path + 2 + (path[2] == '/');
    }

    if (path[0] == '/' && path[1] == '/') {
        for (p = path + 2, parts = 0; *p; p++) {
            if (*p == '/' && ++parts == 2) {
                return p + 1;
            }
        }

        return p;
    }

    return path + (path[0] == '/');
}


/* Also for what is there but not ours to make. */
static lun_err
make_one(const char *path, unsigned access)
{
    lun_err        err;
    lun_file_info  info;

    err = lun_dir_make(path, access);

    if (err && lun_file_stat(path, &info) == 0) {
        return info.is_dir ? 0 : ERROR_DIRECTORY;
    }

    return err;
}


lun_err
lun_dir_make_all(const char *path, unsigned access)
{
    char     *copy, *p;
    size_t    len;
    lun_err   err;

    len = strlen(path);
    copy = malloc(len + 1);

    if (copy == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    memcpy(copy, path, len + 1);

    for (p = copy; *p; p++) {
        if (*p == '\\') {
            *p = '/';
        }
    }

    err = make_one(copy, access);

    /* Most often it is the last one that is missing. */
    if (lun_err_kind_of(err) != LUN_ERR_NOT_FOUND) {
        free(copy);
        return err;
    }

    err = 0;

    for (p = after_root(copy); *p && err == 0; p++) {
        if (*p == '/' && p[-1] != '/') {
            *p = 0;
            err = make_one(copy, access);
            *p = '/';
        }
    }

    if (err == 0) {
        err = make_one(copy, access);
    }

    free(copy);
    return err;
}


lun_err
lun_dir_delete(const char *path)
{
    lun_err        err;
    lun_wide_path  w;

    err = lun_wide_path_under(&w, NULL, path, 0);

    if (err) {
        return err;
    }

    if (!RemoveDirectoryW(w.text)) {
        err = (lun_err) GetLastError();
    }

    lun_wide_end(&w);
    return err;
}


lun_err
lun_dir_current(char *path, size_t room)
{
    DWORD     n;
    lun_err   err;
    wchar_t  *w;

    n = GetCurrentDirectoryW(0, NULL);
    w = malloc(n * sizeof(wchar_t));

    if (w == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    n = GetCurrentDirectoryW(n, w);
    err = lun_wide_to_path(path, room, w, n);
    free(w);
    return err;
}


lun_err
lun_dir_free_space(const char *path, uint64_t *bytes)
{
    lun_err         err;
    lun_wide_path   w;
    ULARGE_INTEGER  n;

    err = lun_wide_path_under(&w, NULL, path, 0);

    if (err) {
        return err;
    }

    if (GetDiskFreeSpaceExW(w.text, &n, NULL, NULL)) {
        *bytes = n.QuadPart;

    } else {
        err = (lun_err) GetLastError();
    }

    lun_wide_end(&w);
    return err;
}


lun_err
lun_dir_temp(char *path, size_t room)
{
    DWORD    n;
    wchar_t  wide[MAX_PATH + 1];

    n = GetTempPathW(LUN_ARRAY_LEN(wide), wide);

    if (n == 0) {
        return (lun_err) GetLastError();
    }

    return n < LUN_ARRAY_LEN(wide) ? lun_wide_to_path(path, room, wide, n)
                                   : ERROR_FILENAME_EXCED_RANGE;
}
