/*
 * owner.c -- what is for this account alone: pipes, and files with secrets.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/win.h"

#include <sddl.h>

#include "base/fmt.h"


enum { SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };


/* SYSTEM, administrators, and the account that we run as; nobody inherited. */
static void
access_text(char *sddl, size_t room, const char *sid)
{
    *lun_fmt(sddl, sddl + room - 1, "D:P(A;;GA;;;SY)(A;;GA;;;BA)(A;;GA;;;%s)",
             sid) = 0;
}


/*
 * This user and administrators, nobody else: for pipes and sections by which
 * the server is told what to do.
 */
lun_err
lun_owner_access(SECURITY_ATTRIBUTES *sa)
{
    union {
        TOKEN_USER  user;
        char        room[256];
    } token;

    char    sddl[256];
    char   *sid;
    DWORD   n;
    HANDLE  handle;
    BOOL    fine;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &handle)) {
        return (lun_err) GetLastError();
    }

    fine = GetTokenInformation(handle, TokenUser, &token, sizeof(token), &n)
           && ConvertSidToStringSidA(token.user.User.Sid, &sid);
    CloseHandle(handle);

    if (!fine) {
        return (lun_err) GetLastError();
    }

    access_text(sddl, sizeof(sddl), sid);
    LocalFree(sid);

    sa->nLength = sizeof(*sa);
    sa->bInheritHandle = FALSE;

    return ConvertStringSecurityDescriptorToSecurityDescriptorA(sddl,
               SDDL_REVISION_1, &sa->lpSecurityDescriptor, NULL)
           ? 0 : (lun_err) GetLastError();
}


HANDLE
lun_owner_create(const wchar_t *path, DWORD access, DWORD disposition,
    DWORD attributes, bool secret)
{
    DWORD                err;
    HANDLE               h;
    SECURITY_ATTRIBUTES  sa;

    if (!secret) {
        return CreateFileW(path, access, SHARE_ALL, NULL, disposition,
                           attributes, NULL);
    }

    err = (DWORD) lun_owner_access(&sa);

    if (err != 0) {
        SetLastError(err);
        return INVALID_HANDLE_VALUE;
    }

    h = CreateFileW(path, access, SHARE_ALL, &sa, disposition, attributes,
                    NULL);
    err = GetLastError();
    LocalFree(sa.lpSecurityDescriptor);
    SetLastError(err);
    return h;
}
