/*
 * path.c -- any bytes as a path: what the Windows rules let through is one
 * name, with none of the spellings that the system takes for another; what a
 * uri is brought to stays that; and in its native form a path is what the
 * rules have seen, wherever its configured part ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/uri.h"
#include "os/native_path.h"
#include "os/path.h"
#include "os/utf16.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_name(const char *p, size_t n)
{
    static const char *const  devices[] = { "con", "prn", "aux", "nul" };

    size_t   i;
    lun_str  name = lun_str_of(p, n);

    LUN_CHECK(n == 0 || (p[n - 1] != '.' && p[n - 1] != ' '));

    for (i = 0; i < LUN_ARRAY_LEN(devices); i++) {
        LUN_CHECK(!lun_str_caseeq(name, lun_str_z(devices[i])));
        LUN_CHECK(n < 4 || p[3] != '.'
                  || !lun_str_casestarts(name, lun_str_z(devices[i])));
    }
}


static void
check_fine(lun_str s)
{
    size_t  i, start = 0;

    LUN_CHECK(s.len < 2 || strchr("/\\", s.data[0]) == NULL
              || strchr("/\\", s.data[1]) == NULL);

    for (i = 0; i <= s.len; i++) {
        if (i == s.len || s.data[i] == '/' || s.data[i] == '\\') {
            check_name(s.data + start, i - start);
            start = i + 1;
            continue;
        }

        LUN_CHECK((unsigned char) s.data[i] >= 0x20);
        LUN_CHECK(strchr(":<>\"|?*\x7f", s.data[i]) == NULL);
    }
}


static void
check_doubt(lun_str s, lun_path_verdict v, bool strict)
{
    size_t  at = lun_path_check_from(s, 0, strict, LUN_PATH_WINDOWS);

    LUN_CHECK(at <= s.len);
    LUN_CHECK(at == 0 || at == s.len || s.data[at - 1] == '/'
              || s.data[at - 1] == '\\');
    LUN_CHECK(v != LUN_PATH_TILDE || at < s.len);
    LUN_CHECK(strict || v != LUN_PATH_FINE || at == s.len);
}


/* A uri has one spelling: there is nothing left to bring it to. */
static void
check_uri(lun_str s, lun_pool *pool)
{
    char           *room = lun_pool_text(pool, s.len + 1);
    size_t          i;
    lun_str         uri, again;
    lun_uri_rules   rules = { .merge_slashes = true, .backslash = true };

    if (lun_uri_normalise(s, &rules, room, &uri.len) != LUN_OK) {
        return;
    }

    uri.data = room;

    if (lun_path_of_uri(pool, &uri, LUN_PATH_WINDOWS) != LUN_OK) {
        LUN_CHECK(memmem(room, s.len, ":$", 2) != NULL);
        return;
    }

    LUN_CHECK(uri.len >= 1 && uri.len <= s.len && uri.data[0] == '/');
    LUN_CHECK(memchr(uri.data, '\\', uri.len) == NULL);
    LUN_CHECK(uri.len == 1 || strchr(". ", uri.data[uri.len - 1]) == NULL);

    for (i = 1; i + 1 < uri.len; i++) {
        LUN_CHECK(uri.data[i] != ':' || uri.data[i + 1] != '$');
        LUN_CHECK(uri.data[i] != '.' || uri.data[i + 1] != '/'
                  || uri.data[i - 1] == '.');
    }

    /* No folder up has come to be. */
    LUN_CHECK(memmem(uri.data, uri.len, "/../", 4) == NULL);

    again = uri;
    LUN_CHECK(lun_path_of_uri(pool, &again, LUN_PATH_WINDOWS) == LUN_OK
              && lun_str_eq(uri, again));
}


static uint16_t *
wide_room(size_t n)
{
    return lun_calloc(n * sizeof(uint16_t));
}


/* Components with one backslash before each, none of which the system drops
   or takes for another folder; a drive, and no other colon, at the start. */
static void
check_verbatim(const uint16_t *w, size_t n, size_t root, bool judged)
{
    size_t  i, start = root + 1;

    LUN_CHECK(n > root && w[root] == '\\');

    for (i = root + 1; i <= n; i++) {
        if (i < n && w[i] != '\\') {
            LUN_CHECK(w[i] != '/');
            LUN_CHECK(!judged || (w[i] >= 0x20 && w[i] != ':'));
            continue;
        }

        LUN_CHECK(i > start || i == n);
        LUN_CHECK(i - start != 1 || w[start] != '.');
        LUN_CHECK(i - start != 2 || w[start] != '.' || w[start + 1] != '.');
        LUN_CHECK(i == start || i < n || (w[i - 1] != '.' && w[i - 1] != ' '));
        start = i + 1;
    }
}


/* The folder before the slash at `cut`, as it would be configured. */
static lun_native_path
native_folder(lun_str path, size_t cut)
{
    uint16_t         *wide = wide_room(cut + 1), *out;
    ptrdiff_t         n = lun_utf16_from(wide, lun_str_of(path.data, cut));
    lun_native_path   f = { .text = lun_str_of(path.data, cut) };

    if (n >= 0) {
        out = wide_room(LUN_NATIVE_PATH_ROOM((size_t) n + 1));
        wide[n] = '/';
        f.len = lun_native_path_verbatim(out, &f.root, wide, (size_t) n + 1);
        f.wide = out;

        while (f.len > f.root && out[f.len - 1] == '\\') {
            f.len--;
        }
    }

    lun_free(wide);
    return f;
}


/* The folder first and the rest later make the same as all at once. */
static void
check_cut(lun_str path, size_t cut, const uint16_t *whole, size_t n)
{
    uint16_t         *out;
    ptrdiff_t         m;
    lun_native_path   f = native_folder(path, cut);

    if (f.len > 0) {
        LUN_CHECK(lun_native_path_leads(&f, path));
        out = wide_room(f.len + LUN_NATIVE_PATH_ROOM(path.len - cut));
        m = lun_native_path_join(out, &f, path);
        LUN_CHECK(m >= 0 && (size_t) m == n
                  && memcmp(out, whole, n * sizeof(uint16_t)) == 0);
        lun_free(out);
    }

    lun_free((void *) (uintptr_t) f.wide);
}


/* What was checked keeps each of its names. */
static void
check_names_kept(lun_str s, const uint16_t *w, size_t n)
{
    char    *back = lun_calloc(3 * n + 1);
    size_t   i, at = 0;

    n = lun_utf16_to(back, w, n);

    for (i = 0; i < s.len; i++) {
        if (s.data[i] != '/' && s.data[i] != '\\') {
            LUN_CHECK(at < n && back[at] == s.data[i]);
            at++;

        } else if (at == 0 || back[at - 1] != '\\') {
            LUN_CHECK(at < n && back[at] == '\\');
            at++;
        }
    }

    LUN_CHECK(at == n);
    lun_free(back);
}


static void
check_native(lun_str s, lun_path_verdict v)
{
    char       *path = lun_calloc(s.len + 3);
    bool        judged = v == LUN_PATH_FINE || v == LUN_PATH_TILDE;
    size_t      i, n, root;
    uint16_t   *wide = wide_room(s.len + 3), *out;
    ptrdiff_t   units;

    memcpy(path, "C:/", 3);
    memcpy(path + 3, s.data, s.len);
    units = lun_utf16_from(wide, lun_str_of(path, s.len + 3));
    LUN_CHECK(units >= 0 || !judged);

    if (units >= 0) {
        out = wide_room(LUN_NATIVE_PATH_ROOM((size_t) units));
        n = lun_native_path_verbatim(out, &root, wide, (size_t) units);
        check_verbatim(out, n, root, judged);

        for (i = 2; i < s.len + 3; i++) {
            if (path[i] == '/' || path[i] == '\\') {
                check_cut(lun_str_of(path, s.len + 3), i, out, n);
            }
        }

        if (judged) {
            check_names_kept(lun_str_of(path + 2, s.len + 1), out + root,
                             n - root);
        }

        lun_free(out);
    }

    lun_free(wide);
    lun_free(path);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char              *copy;
    size_t             from;
    lun_str            s;
    lun_pool          *pool = lun_pool_new_sized(1024);
    lun_path_verdict   v;

    copy = malloc(size + 1);                    /* exact, for ASan */
    copy = realloc(copy, size != 0 ? size : 1);
    memcpy(copy, data, size);
    s = lun_str_of(copy, size);

    v = lun_path_check(s, LUN_PATH_WINDOWS);

    if (v == LUN_PATH_FINE || v == LUN_PATH_TILDE) {
        check_fine(s);
    }

    check_doubt(s, v, false);
    check_doubt(s, v, true);

    for (from = 0; from <= size + 1; from++) {
        v = lun_path_check_part(s, from, LUN_PATH_WINDOWS);
        LUN_CHECK(v <= LUN_PATH_TILDE);
    }

    check_native(s, lun_path_check(s, LUN_PATH_WINDOWS));
    (void) lun_path_check(s, LUN_PATH_POSIX);
    check_uri(s, pool);
    lun_pool_free(pool);
    free(copy);
    return 0;
}
