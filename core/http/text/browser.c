/*
 * browser.c -- what a User-Agent says, as nginx reads it: case counts, and
 * half of the browsers call themselves by another's name as well.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/text/browser.h"


static bool
says(lun_str agent, lun_str word)
{
    return lun_str_find(agent, word) != NULL;
}

#define SAYS(agent, word)  says((agent), LUN_STR(word))


/* What follows "MSIE "; data NULL: it does not say that, or no more. */
static lun_str
msie_version(lun_str agent)
{
    size_t       len;
    const char  *p = lun_str_find(agent, LUN_STR("MSIE "));

    if (p == NULL) {
        return LUN_STR_NULL;
    }

    p += sizeof("MSIE ") - 1;
    len = (size_t) (agent.data + agent.len - p);

    return len > sizeof("6.") - 1 ? lun_str_of(p, len) : LUN_STR_NULL;
}


static bool
is_msie6(lun_str version)
{
    if (version.data[1] != '.') {
        return false;
    }

    switch (version.data[0]) {

    case '4':
    case '5':
        return true;

    case '6':
        return !SAYS(version, "SV1");

    default:
        return false;
    }
}


lun_browser
lun_browser_of(lun_str agent)
{
    lun_str  version = msie_version(agent);

    if (SAYS(agent, "Opera")) {
        return LUN_BROWSER_OTHER;
    }

    if (version.data != NULL) {
        return is_msie6(version) ? LUN_BROWSER_MSIE6 : LUN_BROWSER_OTHER;
    }

    return SAYS(agent, "Safari/") && SAYS(agent, "Mac OS X")
           && !SAYS(agent, "Gecko/") && !SAYS(agent, "Chrome/")
           ? LUN_BROWSER_SAFARI : LUN_BROWSER_OTHER;
}


bool
lun_browser_is_msie(lun_str agent)
{
    return msie_version(agent).data != NULL && !SAYS(agent, "Opera");
}


bool
lun_browser_is_friendly(lun_str agent)
{
    return lun_browser_is_msie(agent)
           || (SAYS(agent, "Chrome/") && !SAYS(agent, "Opera"));
}
