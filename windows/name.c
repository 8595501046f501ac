/*
 * name.c -- what a file is really called.
 *
 * Asked of the open handle, so that nothing can change between the question
 * and the use.  Three ways, by what the system has: the normalised name
 * (Windows 10), the final path, and the long form of the path itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/file.h"

#include "windows/win.h"

#include <stdlib.h>


enum { FIRST_ROOM = 512, LAST_ROOM = 32768 };

/* The compiler's headers lack it. */
static const FILE_INFO_BY_HANDLE_CLASS  normalized_name_info = 24;


static bool
is_slash(wchar_t c)
{
    return c == L'/' || c == L'\\';
}


/* Into `name`; its length, 0: unknown.  `size`: of both, in units. */
static size_t
normalized_name(HANDLE h, wchar_t *name, size_t size)
{
    size_t           n;
    FILE_NAME_INFO  *info;

    n = sizeof(*info) + size * sizeof(wchar_t);
    info = malloc(n);

    if (info == NULL
        || !GetFileInformationByHandleEx(h, normalized_name_info, info,
                                         (DWORD) n))
    {
        free(info);
        return 0;
    }

    n = lun_min(info->FileNameLength / sizeof(wchar_t), size);
    memcpy(name, info->FileName, n * sizeof(wchar_t));
    free(info);
    return n;
}


static size_t
own_name(HANDLE h, const wchar_t *path, wchar_t *name, size_t size)
{
    size_t  n;

    n = normalized_name(h, name, size);

    if (n == 0) {
        n = GetFinalPathNameByHandleW(h, name, (DWORD) size, VOLUME_NAME_NONE);
    }

    if (n == 0) {
        n = GetLongPathNameW(path, name, (DWORD) size);
    }

    return n < size ? n : 0;
}


/* Slashes at an end, and several in a row, mean one. */
static size_t
take_slashes(const wchar_t *s, size_t n)
{
    while (n > 0 && is_slash(s[n - 1])) {
        n--;
    }

    return n;
}


static size_t
take_name(const wchar_t *s, size_t n)
{
    while (n > 0 && !is_slash(s[n - 1])) {
        n--;
    }

    return n;
}


/* Component by component from the end, until `part` has none left. */
static bool
ends_as(const wchar_t *name, size_t n, const wchar_t *part, size_t m)
{
    size_t  a, b;

    for ( ;; ) {
        m = take_slashes(part, m);
        n = take_slashes(name, n);

        if (m == 0) {
            return true;
        }

        a = take_name(name, n);
        b = take_name(part, m);

        if (n - a != m - b
            || CompareStringOrdinal(name + a, (int) (n - a), part + b,
                                    (int) (m - b), TRUE) != CSTR_EQUAL)
        {
            return false;
        }

        n = a;
        m = b;
    }
}


/*
 * The name that the system has for it, compared without case: a link on the way
 * shows as another one.
 */
bool
lun_file_is_named(lun_fd fd, const char *path, size_t from)
{
    bool            same;
    size_t          n, size;
    wchar_t        *part, *name;
    lun_wide_path   w;

    if (lun_wide_path_of(&w, path, 0) != 0) {
        return false;
    }

    part = lun_wide_dup(path + from);
    same = false;

    for (size = FIRST_ROOM; size <= LAST_ROOM; size *= 8) {
        name = malloc(size * sizeof(wchar_t));

        if (name == NULL) {
            break;
        }

        n = own_name((HANDLE) fd, w.text, name, size);
        same = n > 0 && part != NULL && ends_as(name, n, part, wcslen(part));
        free(name);

        if (n > 0) {
            break;
        }
    }

    free(part);
    lun_wide_end(&w);
    return same;
}


bool
lun_file_on_disk(lun_fd fd)
{
    return GetFileType((HANDLE) fd) == FILE_TYPE_DISK;
}


/* The long form of `path` in UTF-8; false: it does not exist. */
static bool
long_form(const char *path, char *out, size_t room)
{
    bool            done;
    DWORD           n;
    wchar_t        *name;
    lun_wide_path   w;

    if (lun_wide_path_of(&w, path, 0) != 0) {
        return false;
    }

    done = false;
    name = malloc(LAST_ROOM * sizeof(wchar_t));

    if (name != NULL) {
        n = GetLongPathNameW(w.text, name, LAST_ROOM);
        done = n > 0 && n < LAST_ROOM
               && lun_wide_to_path(out, room, name, n) == 0;
        free(name);
    }

    lun_wide_end(&w);
    return done;
}


lun_err
lun_file_real_path(const char *path, char *out, size_t room)
{
    size_t  len = strlen(path);

    if (len >= room) {
        return ERROR_FILENAME_EXCED_RANGE;
    }

    memcpy(out, path, len + 1);
    return 0;
}


/*
 * "PROGRA~1" would be another path than the one in a configuration or a log:
 * short names are written out, once.
 */
lun_err
lun_file_long_name(const char *path, char *out, size_t room)
{
    char    last;
    size_t  len, n;

    len = strlen(path);

    if (len == 0 || len + 1 >= room) {
        return ERROR_FILENAME_EXCED_RANGE;
    }

    if (strchr(path, '~') == NULL || !long_form(path, out, room)) {
        memcpy(out, path, len + 1);
        return 0;
    }

    last = path[len - 1];
    n = strlen(out);

    if ((last == '/' || last == '\\') && n > 0 && out[n - 1] != '/') {
        if (n + 1 >= room) {
            return ERROR_FILENAME_EXCED_RANGE;
        }

        out[n] = '/';
        out[n + 1] = 0;
    }

    return 0;
}
