/*
 * machine_files.c -- how this Windows names files: what os/path.h and name.c
 * take for granted, asked of the system itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/machine/machine_priv.h"

#include "windows/win.h"

#include <aclapi.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "os/file.h"

enum { NORMALIZED_NAME_INFO = 24, FILE_ID_INFO_CLASS = 18 };


static bool
make_file(const char *folder, const char *name)
{
    char    path[1024] = "";
    lun_fd  fd;

    *lun_fmt(path, path + sizeof(path) - 1, "%s/%s", folder, name) = '\0';

    if (lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE, 0644, &fd) != 0)
    {
        return false;
    }

    lun_file_close(fd);
    return true;
}


static void
drop_file(const char *folder, const char *name)
{
    char  path[1024] = "";

    *lun_fmt(path, path + sizeof(path) - 1, "%s/%s", folder, name) = '\0';
    (void) lun_file_delete(path);
}


/* As any program opens it: without the prefix that takes names as they are. */
static HANDLE
open_plainly(const char *folder, const char *name)
{
    char      path[1024] = "";
    HANDLE    h;
    wchar_t  *wide;

    *lun_fmt(path, path + sizeof(path) - 1, "%s/%s", folder, name) = '\0';
    wide = lun_wide_dup(path);

    if (wide == NULL) {
        return INVALID_HANDLE_VALUE;
    }

    h = CreateFileW(wide, FILE_READ_ATTRIBUTES, FILE_SHARE_READ
                    | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, 0, NULL);
    free(wide);
    return h;
}


/*
 * All but the capitals are why a request's path is checked: each would serve a
 * file past the location that protects it.
 */
void
lun_machine_other_names(const char *folder, lun_machine_finding *f)
{
    static const struct {
        const char  *name;
        const char  *what;
    } others[] = {
        { "plain.txt.", "a dot behind" },
        { "plain.txt ", "a blank behind" },
        { "plain.txt::$DATA", "a stream" },
        { "PLAIN.TXT", "capitals" }
    };

    char    list[128];
    char   *p = list;
    size_t  i;
    HANDLE  h;

    if (!make_file(folder, "plain.txt")) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL, "no file");
        return;
    }

    for (i = 0; i < LUN_ARRAY_LEN(others); i++) {
        h = open_plainly(folder, others[i].name);

        if (h != INVALID_HANDLE_VALUE) {
            CloseHandle(h);
            p = lun_fmt(p, list + sizeof(list) - 1, "%s%s",
                        p == list ? "" : ", ", others[i].what);
        }
    }

    *p = '\0';
    drop_file(folder, "plain.txt");
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "a file is found with %s, too;"
                    " requests may have none of that but capitals",
                    p == list ? "no other" : list);
}


/* What a path becomes when it is none: "\\.\NUL". */
static bool
is_device(const wchar_t *full)
{
    return wcsncmp(full, L"\\\\.\\", 4) == 0;
}


void
lun_machine_devices(const char *folder, lun_machine_finding *f)
{
    static const struct {
        const wchar_t  *path;
        const char     *name;
    } paths[] = {
        { L"C:\\x\\nul", " nul" },
        { L"C:\\x\\nul.txt", " nul.txt" },
        { L"C:\\x\\com1", " com1" },
        { L"C:\\x\\com\xb9", " com\xc2\xb9" },
        { L"C:\\x\\conin$", " conin$" }
    };

    char     list[64];
    char    *p = list;
    DWORD    n;
    size_t   i;
    wchar_t  full[64];

    for (i = 0; i < LUN_ARRAY_LEN(paths); i++) {
        n = GetFullPathNameW(paths[i].path, 64, full, NULL);

        if (n > 0 && n < 64 && is_device(full)) {
            p = lun_fmt(p, list + sizeof(list) - 1, "%s", paths[i].name);
        }
    }

    *p = '\0';
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "in any folder:%s; requests for"
                    " all of their kind are refused",
                    p == list ? " none" : list);
}


/* A request's name with a "~" is compared with what the open file is called. */
void
lun_machine_own_names(const char *folder, lun_machine_finding *f)
{
    bool     path, normalized, id;
    HANDLE   h;
    uint8_t  room[2048];

    h = make_file(folder, "a longer name.text")
        ? open_plainly(folder, "a longer name.text") : INVALID_HANDLE_VALUE;

    if (h == INVALID_HANDLE_VALUE) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL, "no file");
        return;
    }

    path = GetFinalPathNameByHandleW(h, (wchar_t *) room, 1000, 0) != 0;
    normalized = GetFileInformationByHandleEx(
        h, (FILE_INFO_BY_HANDLE_CLASS) NORMALIZED_NAME_INFO, room,
        sizeof(room));
    id = GetFileInformationByHandleEx(
        h, (FILE_INFO_BY_HANDLE_CLASS) FILE_ID_INFO_CLASS, room,
        sizeof(room));
    CloseHandle(h);
    drop_file(folder, "a longer name.text");

    lun_machine_say(f, path || normalized ? LUN_MACHINE_GOOD : LUN_MACHINE_BAD,
                    path || normalized ? NULL
                    : "requests for names with ~ cannot be told apart",
                    "an open file tells%s%s%s",
                    path ? " its path," : "",
                    normalized ? " its name," : "",
                    id ? " a number of 128 bits" : " no number of 128 bits");
}


/* --- who may change it --------------------------------------------------- */

static bool
lets_write(DWORD mask)
{
    return (mask & (FILE_WRITE_DATA | FILE_APPEND_DATA | WRITE_DAC
                    | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL)) != 0;
}


/* Those that everybody who works on this machine belongs to. */
static bool
is_everybody(PSID sid)
{
    return IsWellKnownSid(sid, WinWorldSid)
           || IsWellKnownSid(sid, WinAuthenticatedUserSid)
           || IsWellKnownSid(sid, WinBuiltinUsersSid);
}


static bool
is_open_to_all(PACL acl)
{
    DWORD                      i;
    ACL_SIZE_INFORMATION       size;
    const ACE_HEADER          *head;
    const ACCESS_ALLOWED_ACE  *ace;

    if (acl == NULL) {
        return true;                        /* no list: everything */
    }

    if (!GetAclInformation(acl, &size, sizeof(size), AclSizeInformation)) {
        return false;
    }

    for (i = 0; i < size.AceCount; i++) {
        if (!GetAce(acl, i, (void **) &head)
            || head->AceType != ACCESS_ALLOWED_ACE_TYPE)
        {
            continue;
        }

        ace = (const ACCESS_ALLOWED_ACE *) head;

        if (lets_write(ace->Mask) && is_everybody((PSID) &ace->SidStart)) {
            return true;
        }
    }

    return false;
}


/* The scratch folder has what the logs' folder hands down. */
void
lun_machine_rights(const char *folder, lun_machine_finding *f)
{
    bool                  open;
    PACL                  acl = NULL;
    DWORD                 rc;
    wchar_t              *wide = lun_wide_dup(folder);
    PSECURITY_DESCRIPTOR  sd = NULL;

    if (wide == NULL) {
        return;
    }

    rc = GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION,
                               NULL, NULL, &acl, NULL, &sd);
    free(wide);

    if (rc != 0) {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "unknown: %lu", rc);
        return;
    }

    open = is_open_to_all(acl);
    LocalFree(sd);

    if (open) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "icacls FOLDER /inheritance:r"
                        " /grant SYSTEM:(OI)(CI)F Administrators:(OI)(CI)F,"
                        " and who serves",
                        "every user of this machine may write to the server's"
                        " folder");
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                        "not every user may write to the server's folder");
    }
}
