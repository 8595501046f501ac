/*
 * machine_windows.c -- what rows of `lunette check` conclude from what Windows
 * says: which names are devices, whose rights are everybody's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/machine/machine_files.c"
#include "../../windows/machine/machine_net.c"
#include "tap.h"


static void
test_devices(void)
{
    ok(is_device(L"\\\\.\\NUL"), "a device");
    ok(!is_device(L"C:\\x\\nul.txt"), "a file, as newer ones have it");
    ok(!is_device(L"\\\\server\\share"), "a share");
}


static void
test_masks(void)
{
    ok(lets_write(GENERIC_ALL) && lets_write(FILE_WRITE_DATA)
       && lets_write(WRITE_DAC), "rights that change something");
    ok(!lets_write(FILE_GENERIC_READ | FILE_GENERIC_EXECUTE), "to read");
}


/* A list with one entry; memory of the test's own. */
static PACL
list_of(WELL_KNOWN_SID_TYPE who, DWORD mask)
{
    static DWORD  room[2][64], sid[64];
    static int    turn;

    DWORD  size = sizeof(sid);
    PACL   acl = (PACL) room[turn ^= 1];

    ok(CreateWellKnownSid(who, NULL, sid, &size)
       && InitializeAcl(acl, sizeof(room[0]), ACL_REVISION)
       && AddAccessAllowedAce(acl, ACL_REVISION, mask, sid), "a list");
    return acl;
}


static void
test_lists(void)
{
    ok(is_open_to_all(NULL), "no list: everything");
    ok(is_open_to_all(list_of(WinWorldSid, GENERIC_ALL)), "everyone, all");
    ok(is_open_to_all(list_of(WinBuiltinUsersSid, FILE_APPEND_DATA)),
       "users, to add");
    ok(!is_open_to_all(list_of(WinBuiltinUsersSid, FILE_GENERIC_READ)),
       "users, to read");
    ok(!is_open_to_all(list_of(WinBuiltinAdministratorsSid, GENERIC_ALL)),
       "administrators");
}


int
main(void)
{
    lun_sock_init();
    test_devices();
    test_masks();
    test_lists();
    ok(is_direct(XP1_IFS_HANDLES | XP1_CONNECTIONLESS) && !is_direct(0),
       "a provider whose sockets are handles");
    return done_testing();
}
