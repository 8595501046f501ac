/*
 * win_grant.c -- the SID that Windows makes of a service's name.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/grant.c"

#include "tap.h"


static void
is_sid(const wchar_t *name, const char *want)
{
    char     text[256];
    wchar_t  sid[80];

    lun_grant_sid(name, sid);
    text[lun_wide_to(text, sid, wcslen(sid))] = 0;
    is_str(text, want, "%ls", name);
}


int
main(void)
{
    static const char  trusted[] = "S-1-5-80-956008885-3418522649-1831038044-"
                                   "1853292631-2271478464";

    is_sid(L"TrustedInstaller", trusted);
    is_sid(L"trustedinstaller", trusted);

    return done_testing();
}
