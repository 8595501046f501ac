/*
 * grant.c -- what the account of a service may do with its folders.
 *
 * A virtual account exists as soon as its service does, without a password
 * and without rights.  Its SID is made of the service's name, so that it can
 * be written down without asking anybody.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/service/service_priv.h"

#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/fmt.h"
#include "os/dir.h"


void
lun_grant_sid(const wchar_t *service, wchar_t *sid)
{
    int             n;
    wchar_t        *upper;
    unsigned char   sum[20];
    uint32_t        part[5];

    n = (int) wcslen(service);
    upper = calloc((size_t) n + 1, sizeof(wchar_t));
    *sid = 0;

    if (upper == NULL) {
        return;
    }

    /* One to one, so that the length stays. */
    LCMapStringEx(LOCALE_NAME_INVARIANT, LCMAP_UPPERCASE, service, n, upper,
                  n, NULL, NULL, 0);
    lun_sha1(lun_str_of((const char *) upper, (size_t) n * sizeof(wchar_t)),
             sum);
    memcpy(part, sum, sizeof(part));
    free(upper);

    _snwprintf(sid, 80, L"S-1-5-80-%u-%u-%u-%u-%u", part[0], part[1], part[2],
               part[3], part[4]);
}


/* One entry for the service's own account, inherited by what is below. */
lun_err
lun_grant_list(const wchar_t *sid, lun_grant_right right, PACL old,
    PACL *list)
{
    PSID               who;
    lun_err            err;
    EXPLICIT_ACCESSW   entry;

    static const DWORD  rights[] = {
        [LUN_GRANT_READ]  = FILE_GENERIC_READ | FILE_GENERIC_EXECUTE,
        [LUN_GRANT_WRITE] = FILE_GENERIC_READ | FILE_GENERIC_EXECUTE
                            | FILE_GENERIC_WRITE | DELETE
    };

    if (!ConvertStringSidToSidW(sid, &who)) {
        return (lun_err) GetLastError();
    }

    memset(&entry, 0, sizeof(entry));
    entry.grfAccessMode = REVOKE_ACCESS;

    if (right != LUN_GRANT_NOTHING) {
        entry.grfAccessMode = GRANT_ACCESS;
        entry.grfAccessPermissions = rights[right];
    }

    entry.grfInheritance = SUB_CONTAINERS_AND_OBJECTS_INHERIT;
    entry.Trustee.TrusteeForm = TRUSTEE_IS_SID;
    entry.Trustee.TrusteeType = TRUSTEE_IS_USER;
    entry.Trustee.ptstrName = (wchar_t *) who;

    err = (lun_err) SetEntriesInAclW(1, &entry, old, list);
    LocalFree(who);
    return err;
}


/*
 * Whoever may write in an empty folder can make a junction of it.  We are an
 * administrator, so what is to be written is given only to what is a folder
 * itself, by the handle that was looked at.
 */
static lun_err
open_folder(const wchar_t *path, bool follow, HANDLE *folder)
{
    BY_HANDLE_FILE_INFORMATION  info;

    *folder = CreateFileW(path, READ_CONTROL | WRITE_DAC | FILE_READ_ATTRIBUTES,
                          FILE_SHARE_READ | FILE_SHARE_WRITE
                          | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                          FILE_FLAG_BACKUP_SEMANTICS
                          | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);

    if (*folder == INVALID_HANDLE_VALUE) {
        return (lun_err) GetLastError();
    }

    if (GetFileInformationByHandle(*folder, &info)
        && (follow
            || (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0))
    {
        return 0;
    }

    CloseHandle(*folder);
    return lun_err_of_kind(LUN_ERR_LINK);
}


/*
 * The folder is opened without following a link, and the handle is what is
 * changed: nobody can put another folder in its place.
 */
lun_err
lun_grant(const wchar_t *path, const wchar_t *service, lun_grant_right right)
{
    PACL                   old, list;
    HANDLE                 folder;
    lun_err                err;
    wchar_t                sid[80];
    PSECURITY_DESCRIPTOR   sd;

    err = open_folder(path, right != LUN_GRANT_WRITE, &folder);

    if (err) {
        return err;
    }

    err = (lun_err) GetSecurityInfo(folder, SE_FILE_OBJECT,
                                    DACL_SECURITY_INFORMATION, NULL, NULL,
                                    &old, NULL, &sd);
    if (err) {
        goto close;
    }

    lun_grant_sid(service, sid);
    err = lun_grant_list(sid, right, old, &list);

    if (err == 0) {
        err = (lun_err) SetSecurityInfo(folder, SE_FILE_OBJECT,
                                        DACL_SECURITY_INFORMATION, NULL, NULL,
                                        list, NULL);
        LocalFree(list);
    }

    LocalFree(sd);

close:

    CloseHandle(folder);
    return err;
}


/* --- the folders of a service --- */

static lun_err
grant_folder(const char *path, const wchar_t *service, lun_grant_right right)
{
    lun_err        err;
    lun_wide_path  w;

    if (right == LUN_GRANT_WRITE) {
        err = lun_dir_make_all(path, 0700);

        if (err != 0 && lun_err_kind_of(err) != LUN_ERR_EXISTS) {
            return err;
        }
    }

    err = lun_wide_path_of(&w, path, 0);

    if (err == 0) {
        err = lun_grant(w.text, service, right);
        lun_wide_end(&w);
    }

    return err;
}


void
lun_grant_folders(const char *prefix, const wchar_t *service, char *note,
    size_t room)
{
    char             path[4096], what[4200];
    size_t           i;
    lun_err          err;
    lun_grant_right  right;

    static const struct {
        const char       *folder;  /* NULL: this program's */
        lun_grant_right   right;
    } rows[] = {
        { NULL, LUN_GRANT_READ },
        { "", LUN_GRANT_READ },
        { "/logs", LUN_GRANT_WRITE },
        { "/client_body_temp", LUN_GRANT_WRITE },
        { "/proxy_temp", LUN_GRANT_WRITE },
        { "/fastcgi_temp", LUN_GRANT_WRITE },
        { "/uwsgi_temp", LUN_GRANT_WRITE },
        { "/scgi_temp", LUN_GRANT_WRITE }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        right = note != NULL ? rows[i].right : LUN_GRANT_NOTHING;
        err = 0;

        if (rows[i].folder == NULL) {
            err = lun_dir_program(path, sizeof(path));

        } else {
            *lun_fmt(path, path + sizeof(path) - 1, "%s%s", prefix,
                     rows[i].folder) = 0;
        }

        if (err == 0) {
            err = grant_folder(path, service, right);
        }

        if (note != NULL) {
            *lun_fmt(what, what + sizeof(what) - 1, "let its account %s "
                     "\"%s\"", right == LUN_GRANT_WRITE ? "write to" : "read",
                     path) = 0;
            lun_service_note(note, room, what, (DWORD) err);
        }
    }
}
