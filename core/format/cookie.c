/*
 * cookie.c -- a client's Cookie field: "name = value" among what ; separates.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/cookie.h"

#include <string.h>


static const char *
skip_spaces(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }

    return p;
}


/* As nginx looks for them: without case, and the first that has the name. */
bool
lun_cookie_find(lun_str text, lun_str name, lun_str *value)
{
    const char  *p = text.data, *end = p + text.len, *stop;

    for ( ;; ) {
        p = skip_spaces(p, end);

        if (lun_str_casestarts(lun_str_of(p, (size_t) (end - p)), name)) {
            p = skip_spaces(p + name.len, end);

            if (p < end && *p == '=') {
                p = skip_spaces(p + 1, end);
                stop = memchr(p, ';', (size_t) (end - p));
                *value = lun_str_of(p, (size_t) ((stop != NULL ? stop : end)
                                                 - p));
                return true;
            }
        }

        p = memchr(p, ';', (size_t) (end - p));

        if (p == NULL) {
            return false;
        }

        p++;
    }
}
