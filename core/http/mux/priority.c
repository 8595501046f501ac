/*
 * priority.c -- "u=2, i": a dictionary (RFC 9651), of which two keys count.
 *
 * Nobody is better off if a value with a mistake is refused: members are what
 * stands between commas outside of quotes, and each is read by itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/priority.h"


/* The end of what stands before `stop`, or of all. */
static const char *
find_outside(const char *p, const char *end, char stop)
{
    bool  quoted = false;

    for ( ; p < end && (quoted || *p != stop); p++) {
        if (*p == '"') {
            quoted = !quoted;

        } else if (quoted && *p == '\\' && p + 1 < end) {
            p++;
        }
    }

    return p;
}


/* "u=2", "i", "i=?0", without parameters. */
static void
take_member(lun_priority *p, lun_str m)
{
    if (m.len == 3 && m.data[0] == 'u' && m.data[1] == '='
        && m.data[2] >= '0' && m.data[2] <= '0' + LUN_URGENCY_LEAST)
    {
        p->urgency = (uint8_t) (m.data[2] - '0');
        p->has_urgency = 1;

    } else if (lun_str_eq(m, LUN_STR("i"))
               || lun_str_eq(m, LUN_STR("i=?1")))
    {
        p->incremental = 1;
        p->has_incremental = 1;

    } else if (lun_str_eq(m, LUN_STR("i=?0"))) {
        p->incremental = 0;
        p->has_incremental = 1;
    }
}


void
lun_priority_read(lun_priority *p, lun_str value)
{
    const char  *from, *to, *at = value.data, *end = at + value.len;

    while (at < end) {
        from = at;
        at = find_outside(from, end, ',');
        to = find_outside(from, at, ';');
        take_member(p, lun_str_trim(lun_str_of(from, (size_t) (to - from))));
        at++;
    }
}
