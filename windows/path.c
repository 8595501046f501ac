/*
 * path.c -- which of core/os/path.c's rules are this system's, and a folder's
 * native form.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/path.h"

#include "windows/win.h"

#include <stdlib.h>


const lun_path_rules  lun_path_native = LUN_PATH_WINDOWS;

static lun_native_path  kept;


/*
 * A folder's full path in the system's words, malloc'ed; NULL: it has none.
 * This is where a drive and the current folder come from.
 */
static wchar_t *
full_path(const char *path, size_t *len)
{
    DWORD     n, room;
    wchar_t  *text, *full = NULL;

    text = lun_wide_dup(path);
    room = text != NULL ? GetFullPathNameW(text, 0, NULL, NULL) : 0;

    if (room > 0) {
        full = malloc(room * sizeof(wchar_t));
    }

    n = full != NULL ? GetFullPathNameW(text, room, full, NULL) : 0;
    free(text);

    if (n == 0 || n >= room) {
        free(full);
        return NULL;
    }

    *len = n;
    return full;
}


/* Into `out`, malloc'ed; its length, 0: it has no such form. */
static size_t
verbatim_of(const char *path, uint16_t **out, size_t *root)
{
    size_t    n = 0, len;
    wchar_t  *full = full_path(path, &len);

    *out = NULL;

    if (full != NULL) {
        *out = malloc(LUN_NATIVE_PATH_ROOM(len) * sizeof(uint16_t));
    }

    if (*out != NULL) {
        n = lun_native_path_verbatim(*out, root, (uint16_t *) full, len);
    }

    free(full);
    return n;
}


static size_t
join(lun_str path, const lun_native_path *under, uint16_t **out)
{
    ptrdiff_t  n;

    *out = malloc((under->len + LUN_NATIVE_PATH_ROOM(path.len))
                  * sizeof(uint16_t));
    n = *out != NULL ? lun_native_path_join(*out, under, path) : 0;

    return n > 0 ? (size_t) n : 0;
}


void
lun_native_path_init(lun_native_path *native, lun_pool *pool, lun_str text,
    const lun_native_path *under)
{
    size_t     n;
    uint16_t  *out;
    lun_str    folder;

    *native = (lun_native_path) { .text = text };

    if (LUN_FULL_LOOKUP) {
        return;                    /* looks plain paths up, to be measured */
    }

    /* With a slash at its end the system takes no name for a device. */
    folder = lun_pool_fmt(pool, "%.*s/", LUN_S(text));

    if (lun_native_path_leads(under, folder)) {
        n = join(folder, under, &out);
        native->root = under->root;

    } else {
        n = verbatim_of(folder.data, &out, &native->root);
    }

    while (n > native->root && out[n - 1] == '\\') {
        n--;
    }

    if (n > 0) {
        native->wide = memcpy(lun_pool_alloc(pool, n * sizeof(uint16_t)), out,
                              n * sizeof(uint16_t));
        native->len = n;
    }

    free(out);
}


/* Threads may be at work with it: a process has one prefix, all its life. */
void
lun_native_path_keep(const lun_native_path *prefix)
{
    char      *text;
    uint16_t  *wide;

    if (prefix->wide == NULL || kept.wide != NULL) {
        return;
    }

    text = lun_malloc(prefix->text.len + 1);
    memcpy(text, prefix->text.data, prefix->text.len);
    wide = lun_malloc(prefix->len * sizeof(uint16_t));
    memcpy(wide, prefix->wide, prefix->len * sizeof(uint16_t));

    kept = *prefix;
    kept.text.data = text;
    kept.wide = wide;
}


const lun_native_path *
lun_wide_prefix_of(lun_str path)
{
    lun_path_verdict  v;

    if (!lun_native_path_leads(&kept, path)) {
        return NULL;
    }

    path.data += kept.text.len;
    path.len -= kept.text.len;
    v = lun_path_check(path, LUN_PATH_WINDOWS);

    return v == LUN_PATH_FINE || v == LUN_PATH_TILDE ? &kept : NULL;
}
