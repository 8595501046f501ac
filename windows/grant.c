/*
 * grant.c -- what the account of a service may do with its folders.
 *
 * A virtual account exists as soon as its service does, without a password
 * and without rights.  Its SID is made of the service's name, so that it can
 * be written down without asking anybody.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/service_priv.h"

#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"


void
lun_grant_sid(const wchar_t *service, wchar_t *sid)
{
    size_t          n;
    wchar_t        *upper;
    unsigned char   sum[20];
    uint32_t        part[5];

    n = wcslen(service);
    upper = calloc(n + 1, sizeof(wchar_t));
    *sid = 0;

    if (upper == NULL) {
        return;
    }

    memcpy(upper, service, n * sizeof(wchar_t));
    CharUpperW(upper);
    lun_sha1(lun_str_of((const char *) upper, n * sizeof(wchar_t)), sum);
    memcpy(part, sum, sizeof(part));
    free(upper);

    _snwprintf(sid, 80, L"S-1-5-80-%u-%u-%u-%u-%u", part[0], part[1], part[2],
               part[3], part[4]);
}


lun_err
lun_grant(const wchar_t *path, const wchar_t *service, bool write)
{
    PSID                   who;
    PACL                   old, acl;
    lun_err                err;
    wchar_t                sid[80];
    EXPLICIT_ACCESSW       more;
    PSECURITY_DESCRIPTOR   sd;

    lun_grant_sid(service, sid);

    if (!ConvertStringSidToSidW(sid, &who)) {
        return (lun_err) GetLastError();
    }

    err = (lun_err) GetNamedSecurityInfoW((wchar_t *) path, SE_FILE_OBJECT,
                                          DACL_SECURITY_INFORMATION, NULL,
                                          NULL, &old, NULL, &sd);
    if (err) {
        LocalFree(who);
        return err;
    }

    memset(&more, 0, sizeof(more));
    more.grfAccessPermissions = GENERIC_READ | GENERIC_EXECUTE
                                | (write ? GENERIC_WRITE | DELETE : 0);
    more.grfAccessMode = GRANT_ACCESS;
    more.grfInheritance = SUB_CONTAINERS_AND_OBJECTS_INHERIT;
    more.Trustee.TrusteeForm = TRUSTEE_IS_SID;
    more.Trustee.TrusteeType = TRUSTEE_IS_USER;
    more.Trustee.ptstrName = (wchar_t *) who;

    err = (lun_err) SetEntriesInAclW(1, &more, old, &acl);

    if (err == 0) {
        err = (lun_err) SetNamedSecurityInfoW((wchar_t *) path, SE_FILE_OBJECT,
                                              DACL_SECURITY_INFORMATION, NULL,
                                              NULL, acl, NULL);
        LocalFree(acl);
    }

    LocalFree(sd);
    LocalFree(who);
    return err;
}
