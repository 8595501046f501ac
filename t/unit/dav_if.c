/*
 * dav_if.c -- the If field and the Timeout field of WebDAV.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/dav/dav_if.c"
#include "base/fmt.h"
#include "tap.h"


/* A token or etag that begins with 't' holds.  want: 1, 0, or -1: malformed. */
static const struct {
    const char  *text;
    int          want;
} fields[] = {
    { "(<t>)", 1 }, { "(<f>)", 0 }, { "([\"x\"])", 0 }, { "([t])", 1 },
    { "(Not <t>)", 0 }, { "(not<f>)", 1 }, { "(<t> <f>)", 0 },
    { "(<t>) (<f>)", 1 }, { "(<f>) (<t>)", 1 }, { "(<f>)(<f>)", 0 },
    { "(<t> Not <f> [t])", 1 }, { " ( <t> )\t", 1 },
    { "<http://a/b> (<t>)", 1 }, { "<http://a/b> (<f>) <c> (<t>)", 1 },
    { "<a> (<f>) (<t> <f>)", 0 },
    { "", -1 }, { "()", -1 }, { "(", -1 }, { "(<t>", -1 }, { "(<t)", -1 },
    { "(<>)", -1 }, { "([])", -1 }, { "(t)", -1 }, { "<a>", -1 },
    { "<a> <b> (<t>)", -1 }, { "(<t>) <a> (<t>)", -1 }, { "(Not)", -1 },
    { "(Not Not <t>)", -1 }, { "x", -1 }, { "(<t>) x", -1 },
    { "<a> (<t>) <b>", -1 },
};

static const struct {
    const char  *text;
    int64_t      want;
} timeouts[] = {
    { "", 60 }, { "Infinite", 60 }, { "Second-5", 5 }, { "second-5", 5 },
    { "Second-61", 60 }, { "Second-0", 1 }, { "Second-", 60 },
    { "Second--5", 60 }, { "Second-x, Second-7", 7 }, { "Second-5x", 60 },
    { "Second-99999999999999999999", 60 }, { "x , Infinite", 60 },
    { ",,", 60 }, { "Second-4100000000, Second-9", 60 },
};


static bool
begins_with_t(void *data, const lun_dav_condition *c)
{
    return c->value.data[0] == 't';
}


static lun_str
edge(const char *text)
{
    size_t  len = strlen(text);

    return lun_str_of(tap_edge(text, len), len);
}


static void
counted(void)
{
    char        text[1024], *p = text;
    size_t      i;
    lun_dav_if  f;

    for (i = 0; i < LUN_DAV_CONDITIONS; i++) {
        p = lun_copy_str(p, LUN_STR("(<t>)"));
    }

    is_int(lun_dav_if_read(&f, lun_str_of(text, (size_t) (p - text))), LUN_OK,
           "so many conditions");
    p = lun_copy_str(p, LUN_STR("(<t>)"));
    is_int(lun_dav_if_read(&f, lun_str_of(text, (size_t) (p - text))),
           LUN_ERROR, "and no more");
    is_int(lun_dav_if_read(&f, edge("<a> (<t> [\"e\"]) (Not <x>)")), LUN_OK,
           "whose they are");
    ok(f.count == 3 && lun_str_eq(f.all[2].tag, LUN_STR("a"))
       && f.all[1].is_etag && f.all[2].negated && f.all[1].list == 0
       && f.all[2].list == 1, "and what they say");
}


int
main(void)
{
    size_t      i;
    lun_dav_if  f;

    for (i = 0; i < LUN_ARRAY_LEN(fields); i++) {
        if (lun_dav_if_read(&f, edge(fields[i].text)) != LUN_OK) {
            is_int(-1, fields[i].want, "%s", fields[i].text);

        } else {
            is_int(lun_dav_if_holds(&f, begins_with_t, NULL), fields[i].want,
                   "%s", fields[i].text);
        }
    }

    for (i = 0; i < LUN_ARRAY_LEN(timeouts); i++) {
        is_int(lun_dav_timeout(edge(timeouts[i].text), 60), timeouts[i].want,
               "%s", timeouts[i].text);
    }

    counted();
    return done_testing();
}
