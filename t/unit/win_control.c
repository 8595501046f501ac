/*
 * win_control.c -- who may tell a master a word; what is said of a failure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/control.c"
#include "../../windows/owner.c"

#include <aclapi.h>

#include "tap.h"


static bool
is_who(const ACCESS_ALLOWED_ACE *ace, const char *sid)
{
    BOOL  same;
    PSID  want;

    ConvertStringSidToSidA(sid, &want);
    same = EqualSid((PSID) &ace->SidStart, want);
    LocalFree(want);
    return same;
}


static void
three_are_let_in(void)
{
    static const char *const  who[] = {
        "S-1-5-18", "S-1-5-32-544", "S-1-5-80-1-2-3-4-5"
    };

    BOOL                   there, defaulted;
    PACL                   list;
    char                   sddl[256] = "";
    DWORD                  i;
    ACCESS_ALLOWED_ACE    *ace;
    PSECURITY_DESCRIPTOR   sd;

    access_text(sddl, sizeof(sddl), who[2]);
    ok(ConvertStringSecurityDescriptorToSecurityDescriptorA(sddl,
           SDDL_REVISION_1, &sd, NULL), "the system reads the list");
    ok(GetSecurityDescriptorDacl(sd, &there, &list, &defaulted) && there,
       "it has one");
    is_int(list->AceCount, LUN_ARRAY_LEN(who), "of three");

    for (i = 0; i < LUN_ARRAY_LEN(who); i++) {
        GetAce(list, i, (void **) &ace);
        ok(ace->Header.AceType == ACCESS_ALLOWED_ACE_TYPE
           && ace->Mask == GENERIC_ALL && is_who(ace, who[i]), "%s", who[i]);
    }

    LocalFree(sd);
}


static const struct {
    lun_err      err;
    const char  *text;
} reasons[] = {
    { ERROR_FILE_NOT_FOUND,
      "not running: there is no " LUN_PRODUCT " with process number 7" },
    { ERROR_ACCESS_DENIED,
      "access denied: run this as administrator, or as the account that "
      "started " LUN_PRODUCT },
    { ERROR_PIPE_BUSY, "process 7 gave no answer within 60000 ms" },
    { ERROR_TIMEOUT, "process 7 gave no answer within 60000 ms" },
    { ERROR_BROKEN_PIPE, "process 7 ended without an answer" },
    { ERROR_DISK_FULL,
      "control pipe of process 7 (112: No space left on device)" }
};


static void
failures_are_said_in_words(void)
{
    char    why[256];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(reasons); i++) {
        explain(why, sizeof(why), reasons[i].err, 7, 60000);
        is_str(why, reasons[i].text, "%d", reasons[i].err);
    }
}


int
main(void)
{
    three_are_let_in();
    failures_are_said_in_words();

    return done_testing();
}
