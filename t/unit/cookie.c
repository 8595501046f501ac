/*
 * cookie.c -- the value of one cookie among others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/cookie.c"

#include "tap.h"


static const struct {
    const char  *text, *name, *value;
} cases[] = {
    { "a=b", "a", "b" },
    { "a=b; c=d", "c", "d" },
    { "a=b;c=d", "c", "d" },
    { "a=b;  \tc = d ;e=f", "c", "d " },
    { "A=b", "a", "b" },
    { "a=1; a=2", "a", "1" },
    { "a=", "a", "" },
    { "a=b=c", "a", "b=c" },
    { "a=\"b c\"", "a", "\"b c\"" },
    { "aa=b; a=c", "a", "c" },
    { "ba=b; a=c", "a", "c" },
    { "a; a=c", "a", "c" },
    { "x=a=1; a=c", "a", "c" },
    { "aa=b", "a", NULL },
    { "ba=b", "a", NULL },
    { "a", "a", NULL },
    { "a ", "a", NULL },
    { ";;;", "a", NULL },
    { " ", "a", NULL },
    { "", "a", NULL },
};


int
main(void)
{
    bool     found;
    size_t   i;
    lun_str  value;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        found = lun_cookie_find(lun_str_of(tap_edge(cases[i].text,
                                                    strlen(cases[i].text)),
                                           strlen(cases[i].text)),
                                lun_str_z(cases[i].name), &value);

        ok(found == (cases[i].value != NULL)
           && (!found || lun_str_eq(value, lun_str_z(cases[i].value))),
           "%s of \"%s\"", cases[i].name, cases[i].text);
    }

    return done_testing();
}
