/*
 * wide.c -- UTF-8 and UTF-16, and paths as the system's functions take them.
 *
 * The decoder refuses what is not canonical: two texts that would name one
 * file are two ways past a rule that was written for one of them.
 *
 * A path stays as it is while it is short, since the plain form follows the
 * user's expectations ("error_log nul").  A long one gets the prefix that
 * lifts the limit; the system then resolves nothing, so "." and ".." are
 * resolved here, on text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/win.h"

#include <stdlib.h>

#include "os/file.h"


/* Folders end at 248, so that an 8.3 name fits behind; files at 260. */
enum { SHORT_PATH = 247 };


/* One character; -1 if it is malformed.  *size: its bytes. */
static int32_t
decode(const unsigned char *p, size_t n, size_t *size)
{
    static const uint32_t  least[] = { 0, 0, 0x80, 0x800, 0x10000 };

    size_t    i, need;
    uint32_t  c;

    if (p[0] < 0x80) {
        *size = 1;
        return p[0];
    }

    if (p[0] >= 0xc2 && p[0] < 0xe0) {
        need = 2;
        c = p[0] & 0x1f;

    } else if (p[0] >= 0xe0 && p[0] < 0xf0) {
        need = 3;
        c = p[0] & 0x0f;

    } else if (p[0] >= 0xf0 && p[0] < 0xf5) {
        need = 4;
        c = p[0] & 0x07;

    } else {
        return -1;
    }

    if (n < need) {
        return -1;
    }

    for (i = 1; i < need; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return -1;
        }

        c = c << 6 | (p[i] & 0x3f);
    }

    if (c < least[need] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        return -1;
    }

    *size = need;
    return (int32_t) c;
}


ptrdiff_t
lun_wide_from(wchar_t *out, const char *text, size_t len)
{
    size_t                size;
    int32_t               c;
    wchar_t              *w;
    const unsigned char  *p, *end;

    w = out;
    p = (const unsigned char *) text;
    end = p + len;

    while (p < end) {
        c = decode(p, (size_t) (end - p), &size);

        if (c < 0) {
            return -1;
        }

        if (c < 0x10000) {
            *w++ = (wchar_t) c;

        } else {
            *w++ = (wchar_t) (0xd800 + ((c - 0x10000) >> 10));
            *w++ = (wchar_t) (0xdc00 + ((c - 0x10000) & 0x3ff));
        }

        p += size;
    }

    return w - out;
}


size_t
lun_wide_to(char *out, const wchar_t *text, size_t n)
{
    char      *p;
    size_t     i;
    uint32_t   c;

    p = out;

    for (i = 0; i < n; i++) {
        c = text[i];

        if (c >= 0xd800 && c < 0xe000) {
            if (c < 0xdc00 && i + 1 < n
                && text[i + 1] >= 0xdc00 && text[i + 1] < 0xe000)
            {
                c = 0x10000 + ((c - 0xd800) << 10)
                    + ((uint32_t) text[++i] - 0xdc00);
            } else {
                c = 0xfffd;
            }
        }

        if (c < 0x80) {
            *p++ = (char) c;
            continue;
        }

        if (c < 0x800) {
            *p++ = (char) (0xc0 | c >> 6);

        } else {
            if (c < 0x10000) {
                *p++ = (char) (0xe0 | c >> 12);
            } else {
                *p++ = (char) (0xf0 | c >> 18);
                *p++ = (char) (0x80 | (c >> 12 & 0x3f));
            }
            *p++ = (char) (0x80 | (c >> 6 & 0x3f));
        }

        *p++ = (char) (0x80 | (c & 0x3f));
    }

    return (size_t) (p - out);
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


static bool
is_letter(wchar_t c)
{
    return (c >= L'a' && c <= L'z') || (c >= L'A' && c <= L'Z');
}


size_t
lun_wide_verbatim(wchar_t *out, const wchar_t *path, size_t n)
{
    size_t    i, len, root, part;
    wchar_t  *w;

    if (n >= 3 && is_letter(path[0]) && path[1] == L':' && is_slash(path[2])) {
        memcpy(out, L"\\\\?\\", 4 * sizeof(wchar_t));
        out[4] = path[0];
        out[5] = L':';
        w = out + 6;
        i = 2;

    } else if (n >= 3 && is_slash(path[0]) && is_slash(path[1])
               && path[2] != L'?' && path[2] != L'.' && !is_slash(path[2]))
    {
        memcpy(out, L"\\\\?\\UNC", 7 * sizeof(wchar_t));
        w = out + 7;
        i = 1;

    } else {
        return 0;
    }

    root = (size_t) (w - out);

    while (i < n) {
        while (i < n && is_slash(path[i])) {
            i++;
        }

        part = i;

        while (i < n && !is_slash(path[i])) {
            i++;
        }

        len = i - part;

        if (len == 0 || (len == 1 && path[part] == L'.')) {
            continue;
        }

        if (len == 2 && path[part] == L'.' && path[part + 1] == L'.') {
            while ((size_t) (w - out) > root && *--w != L'\\') { /* up */ }
            continue;
        }

        *w++ = L'\\';
        memcpy(w, path + part, len * sizeof(wchar_t));
        w += len;
    }

    if (root == 6 && (size_t) (w - out) == root) {
        *w++ = L'\\';
    }

    return (size_t) (w - out);
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
    size_t    len;
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

    out = malloc((len + extra + 9) * sizeof(wchar_t));

    if (out == NULL) {
        if (full != w->text) {
            free(full);
        }
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    n = lun_wide_verbatim(out, full, len);

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
