/*
 * native_path.c -- absolute paths as Windows takes them without another look.
 *
 * Behind "\\?\" the system resolves nothing: "." and "..", slashes of either
 * kind or several, and what it would drop from names are dealt with here, on
 * text, so that a path means the same in either form.  (Devices aside: behind
 * "\\?\" a file may be called nul.)
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/native_path.h"

#include "base/check.h"
#include "os/utf16.h"


static const uint16_t  drive_prefix[] = { '\\', '\\', '?', '\\' };
static const uint16_t  unc_prefix[] = { '\\', '\\', '?', '\\', 'U', 'N', 'C' };


static inline bool
is_slash(uint32_t c)
{
    return c == '/' || c == '\\';
}


static inline bool
is_dropped(uint16_t c)
{
    return c == '.' || c == ' ';
}


/* The component at `at`, of n units in all. */
static size_t
component_len(const uint16_t *path, size_t at, size_t n)
{
    size_t  end = at;

    while (end < n && !is_slash(path[end])) {
        end++;
    }

    return end - at;
}


static size_t
skip_slashes(const uint16_t *path, size_t at, size_t n)
{
    while (at < n && is_slash(path[at])) {
        at++;
    }

    return at;
}


static bool
is_dots(const uint16_t *name, size_t len, size_t dots)
{
    return len == dots && name[0] == '.' && name[len - 1] == '.';
}


/* A folder's name, not "." or "..", without the one dot that does not count. */
static size_t
name_len(const uint16_t *name, size_t len)
{
    return len > 1 && name[len - 1] == '.' && name[len - 2] != '.' ? len - 1
                                                                   : len;
}


/* Without its last component; `root` units stay. */
static size_t
folder_up(const uint16_t *out, size_t len, size_t root)
{
    while (len > root && out[--len] != '\\') { /* void */ }

    return len;
}


/*
 * Puts components behind out[0 .. len - 1].  They may lie in `out` themselves,
 * from len + 1 on: for each there is a slash of its own, or that gap, so that
 * nothing is written over before it was read.
 */
static size_t
add_components(uint16_t *out, size_t len, size_t root, const uint16_t *path,
    size_t n)
{
    bool    slash = n > 0 && is_slash(path[n - 1]);
    size_t  at, size, keep;

    for (at = skip_slashes(path, 0, n); at < n;
         at = skip_slashes(path, at + size, n))
    {
        size = component_len(path, at, n);

        if (is_dots(path + at, size, 1)) {
            continue;
        }

        if (is_dots(path + at, size, 2)) {
            len = folder_up(out, len, root);
            continue;
        }

        keep = at + size < n ? name_len(path + at, size) : size;
        out[len++] = '\\';
        memmove(out + len, path + at, keep * sizeof(uint16_t));
        len += keep;
    }

    /* What nothing follows loses all of them: of "a/..." a slash is left. */
    while (!slash && len > root && is_dropped(out[len - 1])) {
        len--;
    }

    if (slash || len == root) {
        out[len++] = '\\';
    }

    return len;
}


/*
 * "\\srv\share": ".." does not lead to another share.  0: there is none, and a
 * machine alone is no folder.
 */
static size_t
add_share(uint16_t *out, size_t len, const uint16_t *path, size_t n,
    size_t *used)
{
    int     i;
    size_t  at = 0, size;

    for (i = 0; i < 2; i++) {
        at = skip_slashes(path, at, n);
        size = component_len(path, at, n);

        if (size == 0) {
            return 0;
        }

        out[len++] = '\\';
        memcpy(out + len, path + at, size * sizeof(uint16_t));
        len += size;
        at += size;
    }

    *used = at;
    return len;
}


static bool
has_drive(const uint16_t *path, size_t n)
{
    return n >= 3 && path[1] == ':' && is_slash(path[2])
           && ((path[0] >= 'a' && path[0] <= 'z')
               || (path[0] >= 'A' && path[0] <= 'Z'));
}


/* Not "\\?\..." and "\\.\...", the system's own name spaces. */
static bool
has_machine(const uint16_t *path, size_t n)
{
    return n >= 3 && is_slash(path[0]) && is_slash(path[1])
           && !is_slash(path[2]) && path[2] != '?' && path[2] != '.';
}


/*
 * With the prefix Windows takes a name as it is: no dots are resolved and no
 * device is found in it, so all that has to be done before.
 */
size_t
lun_native_path_verbatim(uint16_t *out, size_t *root, const uint16_t *path,
    size_t n)
{
    size_t  len, used;

    if (has_drive(path, n)) {
        len = LUN_ARRAY_LEN(drive_prefix);
        memcpy(out, drive_prefix, sizeof(drive_prefix));
        out[len++] = path[0];
        out[len++] = ':';
        used = 2;

    } else if (has_machine(path, n)) {
        memcpy(out, unc_prefix, sizeof(unc_prefix));
        len = add_share(out, LUN_ARRAY_LEN(unc_prefix), path, n, &used);

        if (len == 0) {
            return 0;
        }

    } else {
        return 0;
    }

    *root = len;
    return add_components(out, len, len, path + used, n - used);
}


bool
lun_native_path_leads(const lun_native_path *native, lun_str path)
{
    lun_str  text;

    if (native == NULL || native->wide == NULL) {
        return false;
    }

    text = native->text;

    if (!lun_str_starts(path, text)) {
        return false;
    }

    return path.len == text.len || is_slash((uint8_t) path.data[text.len])
           || (text.len > 0 && is_slash((uint8_t) text.data[text.len - 1]));
}


ptrdiff_t
lun_native_path_join(uint16_t *out, const lun_native_path *native,
    lun_str path)
{
    size_t     at = native->text.len, len = native->len;
    ptrdiff_t  n;

    LUN_CHECK(path.len >= at);
    n = lun_utf16_from(out + len + 1,
                       lun_str_of(path.data + at, path.len - at));

    if (n < 0) {
        return -1;
    }

    memcpy(out, native->wide, len * sizeof(uint16_t));

    return (ptrdiff_t) add_components(out, len, native->root, out + len + 1,
                                      (size_t) n);
}
