/*
 * priority.c -- what a value says, and what it leaves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/mux/priority.c"

#include "tap.h"


/* The urgency, and 10 more for what is incremental; from "u=4". */
static unsigned
read_value(const char *text)
{
    size_t         len = strlen(text);
    lun_priority   p = { .urgency = 4, .has_urgency = 1 };

    lun_priority_read(&p, lun_str_of(tap_edge(text, len), len));
    return p.urgency + 10 * p.incremental + 100 * p.has_incremental;
}


int
main(void)
{
    static const struct {
        const char  *text;
        unsigned     says;
    } rows[] = {
        { "", 4 }, { "u=0", 0 }, { "u=7", 7 }, { "u=8", 4 }, { "u=-1", 4 },
        { "u=10", 4 }, { "u=2.5", 4 }, { "u", 4 }, { "u=", 4 },
        { "u=\"1\"", 4 }, { "U=1", 4 }, { "xu=1", 4 },
        { "i", 114 }, { "i=?1", 114 }, { "i=?0", 104 }, { "i=1", 4 },
        { "u=2,i", 112 }, { "i , u=2", 112 }, { " u=1 ", 1 },
        { "u=1,u=5", 5 }, { "i,i=?0", 104 }, { "u=1;x=2", 1 },
        { "i;a=\";\",u=2", 112 }, { "a=\"\\\",u=1\",u=2", 2 },
        { "a=\",u=1", 4 }, { "a=\"\\", 4 }, { ",,u=6,", 6 }, { ",", 4 }
    };
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        ok(read_value(rows[i].text) == rows[i].says, "\"%s\"", rows[i].text);
    }

    return done_testing();
}
