/*
 * wide.c -- texts in UTF-16, and paths as the system's functions take them.
 *
 * A path under a configured folder gets that folder's native form and, behind
 * it, what is left (os/native_path.h).  Any other stays as it is while it is
 * short, since the plain form follows the user's expectations ("error_log
 * nul"); a long one gets the prefix that lifts the limit.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/win.h"

#include <stdlib.h>

#include "os/file.h"
#include "os/utf16.h"


/* Folders end at 248, so that an 8.3 name fits behind; files at 260. */
enum { SHORT_PATH = 247 };


ptrdiff_t
lun_wide_from(wchar_t *out, const char *text, size_t len)
{
    return lun_utf16_from((uint16_t *) out, lun_str_of(text, len));
}


size_t
lun_wide_to(char *out, const wchar_t *text, size_t n)
{
    return lun_utf16_to(out, (const uint16_t *) text, n);
}


wchar_t *
lun_wide_dup(const char *text)
{
    size_t      len;
    wchar_t    *w;
    ptrdiff_t   n;

    len = strlen(text);
    w = malloc((len + 1) * sizeof(wchar_t));

    if (w == NULL) {
        return NULL;
    }

    n = lun_wide_from(w, text, len);

    if (n < 0) {
        free(w);
        return NULL;
    }

    w[n] = 0;
    return w;
}


char *
lun_wide_text(const wchar_t *text)
{
    char    *p;
    size_t   n;

    n = wcslen(text);
    p = malloc(3 * n + 1);

    if (p != NULL) {
        p[lun_wide_to(p, text, n)] = 0;
    }

    return p;
}


static bool
is_slash(wchar_t c)
{
    return c == L'/' || c == L'\\';
}


/* A long relative path, made absolute; malloc'ed. */
static wchar_t *
from_current(const wchar_t *path, size_t n, size_t *len)
{
    DWORD     size;
    wchar_t  *full;

    size = GetCurrentDirectoryW(0, NULL);
    full = malloc((size + n + 2) * sizeof(wchar_t));

    if (full == NULL) {
        return NULL;
    }

    size = GetCurrentDirectoryW(size + 1, full);
    full[size] = L'\\';
    memcpy(full + size + 1, path, n * sizeof(wchar_t));
    *len = size + 1 + n;
    return full;
}


/* Puts the lifting prefix before a long path, where it can be. */
static lun_err
lengthen(lun_wide_path *w, size_t n, size_t extra)
{
    size_t    len, root;
    bool      absolute;
    wchar_t  *full, *out;

    full = w->text;
    len = n;
    absolute = n > 1 && (full[1] == L':' || is_slash(full[0]));

    if (!absolute) {
        full = from_current(w->text, n, &len);

        if (full == NULL) {
            return ERROR_NOT_ENOUGH_MEMORY;
        }
    }

    out = malloc((LUN_NATIVE_PATH_ROOM(len) + extra) * sizeof(wchar_t));

    if (out == NULL) {
        if (full != w->text) {
            free(full);
        }
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    n = lun_native_path_verbatim((uint16_t *) out, &root,
                                 (const uint16_t *) full, len);

    if (full != w->text) {
        free(full);
    }

    if (n == 0) {
        free(out);                  /* its own prefix: take it as it is */
        return 0;
    }

    out[n] = 0;
    lun_wide_end(w);
    w->text = out;
    return 0;
}


/*
 * Longer than MAX_PATH it gets the prefix that switches that limit off, for
 * which the path has to be made absolute.
 */
lun_err
lun_wide_path_of(lun_wide_path *w, const char *path, size_t extra)
{
    size_t     len;
    lun_err    err;
    ptrdiff_t  n;

    len = strlen(path);
    w->text = w->room;

    if (len == 0) {
        return ERROR_PATH_NOT_FOUND;
    }

    if (len + extra + 1 > LUN_ARRAY_LEN(w->room)) {
        w->text = malloc((len + extra + 1) * sizeof(wchar_t));

        if (w->text == NULL) {
            return ERROR_NOT_ENOUGH_MEMORY;
        }
    }

    n = lun_wide_from(w->text, path, len);

    if (n < 0) {
        lun_wide_end(w);
        return ERROR_INVALID_NAME;
    }

    w->text[n] = 0;

    if ((size_t) n + extra <= SHORT_PATH) {
        return 0;
    }

    err = lengthen(w, (size_t) n, extra);

    if (err) {
        lun_wide_end(w);
    }

    return err;
}


/*
 * Below a folder whose wide form is known only the rest is converted: this is
 * each request's way to its file.
 */
lun_err
lun_wide_path_under(lun_wide_path *w, const lun_native_path *native,
    const char *path, size_t extra)
{
    size_t     room;
    lun_str    text = lun_str_z(path);
    ptrdiff_t  n;

    if (!lun_native_path_leads(native, text)) {
        native = lun_wide_prefix_of(text);
    }

    if (native == NULL) {
        return lun_wide_path_of(w, path, extra);
    }

    room = native->len + LUN_NATIVE_PATH_ROOM(text.len - native->text.len)
           + extra + 1;
    w->text = w->room;

    if (room > LUN_ARRAY_LEN(w->room)) {
        w->text = malloc(room * sizeof(wchar_t));

        if (w->text == NULL) {
            return ERROR_NOT_ENOUGH_MEMORY;
        }
    }

    n = lun_native_path_join((uint16_t *) w->text, native, text);

    if (n < 0) {
        lun_wide_end(w);
        return ERROR_INVALID_NAME;
    }

    w->text[n] = 0;
    return 0;
}


void
lun_wide_end(lun_wide_path *w)
{
    DWORD  err;

    if (w->text != w->room) {
        err = GetLastError();
        free(w->text);
        w->text = w->room;
        SetLastError(err);
    }
}


lun_err
lun_wide_to_path(char *path, size_t room, const wchar_t *text, size_t n)
{
    char    *out;
    size_t   i, len;

    if (n > 4 && wcsncmp(text, L"\\\\?\\", 4) == 0 && text[5] == L':') {
        text += 4;
        n -= 4;
    }

    out = malloc(3 * n + 1);

    if (out == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    len = lun_wide_to(out, text, n);

    for (i = 0; i < len; i++) {
        if (out[i] == '\\') {
            out[i] = '/';
        }
    }

    while (len > 1 && out[len - 1] == '/') {
        len--;
    }

    if (len >= room) {
        free(out);
        return ERROR_FILENAME_EXCED_RANGE;
    }

    memcpy(path, out, len);
    path[len] = 0;
    free(out);
    return 0;
}


wchar_t *
lun_wide_program(size_t *len)
{
    DWORD     n, room;
    wchar_t  *path, *grown;

    path = NULL;

    /* A cut name fills the room whole: ask again with more. */
    for (room = MAX_PATH; ; room *= 2) {
        grown = realloc(path, room * sizeof(wchar_t));

        if (grown == NULL) {
            free(path);
            return NULL;
        }

        path = grown;
        n = GetModuleFileNameW(NULL, path, room);

        if (n < room) {
            *len = n;
            return path;
        }
    }
}
