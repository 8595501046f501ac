/*
 * lookup.c -- the full look-up of a name, which we do not need.
 *
 * `make windows FULL_LOOKUP=1` builds a server that asks the system for the
 * long form of every path before it uses it, as other servers do to catch
 * 8.3 names: a question for each folder on the way.  bench/windows measures
 * the difference.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/win.h"

#include <stdlib.h>


bool
lun_wide_is_long(const wchar_t *path)
{
    bool      same;
    DWORD     n;
    wchar_t  *name;

    n = GetLongPathNameW(path, NULL, 0);
    name = n ? malloc(n * sizeof(wchar_t)) : NULL;

    if (name == NULL) {
        return false;
    }

    same = GetLongPathNameW(path, name, n) != 0 && _wcsicmp(path, name) == 0;
    free(name);
    return same;
}
