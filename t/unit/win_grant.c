/*
 * win_grant.c -- the SID that Windows makes of a service's name, and the list
 * of who may do what with a folder.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/service/grant.c"

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


/* The list as text, without its head; `list` may be NULL. */
static void
is_list(PACL list, const char *want, const char *what)
{
    char                  *text = NULL;
    const char            *got;
    SECURITY_DESCRIPTOR    sd;

    InitializeSecurityDescriptor(&sd, SECURITY_DESCRIPTOR_REVISION);
    SetSecurityDescriptorDacl(&sd, TRUE, list, FALSE);
    ConvertSecurityDescriptorToStringSecurityDescriptorA(&sd, SDDL_REVISION_1,
        DACL_SECURITY_INFORMATION, &text, NULL);

    got = text != NULL ? strchr(text, '(') : NULL;
    is_str(got != NULL ? got : "", want, "%s", what);
    LocalFree(text);
}


static void
a_list_gets_one_line_and_loses_it(void)
{
    PACL                  old, read, both, none;
    BOOL                  there, defaulted;
    PSECURITY_DESCRIPTOR  sd;

    static const wchar_t  sid[] = L"S-1-5-80-1-2-3-4-5";

    ConvertStringSecurityDescriptorToSecurityDescriptorA("D:(A;OICI;FA;;;BA)",
        SDDL_REVISION_1, &sd, NULL);
    GetSecurityDescriptorDacl(sd, &there, &old, &defaulted);

    is_int(lun_grant_list(sid, LUN_GRANT_READ, old, &read), 0, "to read");
    is_int(read->AceCount, 2, "one more");
    is_int(lun_grant_list(sid, LUN_GRANT_WRITE, read, &both), 0, "to write");
    is_int(lun_grant_list(sid, LUN_GRANT_NOTHING, both, &none), 0, "neither");
    is_list(none, "(A;OICI;FA;;;BA)", "as it was before");

    LocalFree(none);
    LocalFree(both);
    LocalFree(read);
    LocalFree(sd);

    is_int(lun_grant_list(sid, LUN_GRANT_READ, NULL, &read), 0, "alone");
    is_list(read, "(A;OICI;0x1200a9;;;S-1-5-80-1-2-3-4-5)", "reads and runs");
    LocalFree(read);
}


int
main(void)
{
    static const char  trusted[] = "S-1-5-80-956008885-3418522649-1831038044-"
                                   "1853292631-2271478464";

    is_sid(L"TrustedInstaller", trusted);
    is_sid(L"trustedinstaller", trusted);
    a_list_gets_one_line_and_loses_it();

    return done_testing();
}
