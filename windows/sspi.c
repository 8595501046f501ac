/*
 * sspi.c -- SSPI: Negotiate, Kerberos and NTLM, as the account of the server.
 *
 * secur32.dll is loaded when the first client is asked.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sspi.h"

#include "windows/win.h"

#define SECURITY_WIN32
#include <security.h>
#include <stdio.h>

#include "base/fmt.h"
#include "base/pool.h"


enum { WHY = 256, NAME = 512, TOKEN = 65536, MOST_SID = 256 };

#ifndef ASC_REQ_ALLOW_MISSING_BINDINGS
#define ASC_REQ_ALLOW_MISSING_BINDINGS  0x10000000
#endif

#ifndef ASC_RET_NULL_SESSION
#define ASC_RET_NULL_SESSION  0x00100000
#endif

struct lun_sspi {
    CredHandle  cred;
    CtxtHandle  context;
    bool        has_cred, has_context;
    char        user[NAME];
    char        package[32];
    char        why[WHY];
    BYTE       *token;             /* TOKEN bytes; NULL until there was one */
};


static FARPROC
symbol(const char *name)
{
    HMODULE  library = LoadLibraryExW(L"secur32.dll", NULL,
                                      LOAD_LIBRARY_SEARCH_SYSTEM32);

    return library != NULL ? GetProcAddress(library, name) : NULL;
}


#define SSPI(its, name)  __typeof__(&name)  its = (void *) symbol(#name)


bool
lun_sspi_has_ntlm(void)
{
    return true;
}


lun_sspi *
lun_sspi_begin(void)
{
    return lun_calloc(sizeof(lun_sspi));
}


static lun_sspi_verdict
fail(lun_sspi *s, const char *what, SECURITY_STATUS status,
    lun_sspi_answer *answer, lun_sspi_verdict verdict)
{
    char     room[WHY / 2];
    lun_str  text = lun_err_text((lun_err) status, room, sizeof(room));

    (void) snprintf(s->why, sizeof(s->why), "%s failed (0x%08lx: %.*s)", what,
                    (unsigned long) status, LUN_S(text));
    answer->why = s->why;
    return verdict;
}


static SECURITY_STATUS
acquire(lun_sspi *s, const lun_sspi_server *server)
{
    TimeStamp        until;
    SECURITY_STATUS  status;
    const wchar_t   *package = server->bare_ntlm ? L"NTLM" : L"Negotiate";

    SSPI(acquire_cred, AcquireCredentialsHandleW);

    if (s->has_cred) {
        return SEC_E_OK;
    }

    if (acquire_cred == NULL) {
        return SEC_E_SECPKG_NOT_FOUND;
    }

    status = acquire_cred(NULL, (wchar_t *) (uintptr_t) package,
                          SECPKG_CRED_INBOUND, NULL, NULL, NULL, NULL,
                          &s->cred, &until);
    s->has_cred = status == SEC_E_OK;
    return status;
}


/* A channel as SSPI takes it: a header, and the text behind it. */
static SEC_CHANNEL_BINDINGS *
bindings_of(lun_str channel, DWORD *size)
{
    SEC_CHANNEL_BINDINGS  *b;

    *size = (DWORD) (sizeof(*b) + channel.len);
    b = lun_calloc(*size);
    b->cbApplicationDataLength = (unsigned long) channel.len;
    b->dwApplicationDataOffset = sizeof(*b);
    (void) lun_copy_str((char *) (b + 1), channel);
    return b;
}


static SECURITY_STATUS
accept_token(lun_sspi *s, const lun_sspi_server *server, lun_str token,
    SecBuffer *out, ULONG *flags)
{
    ULONG                  asked = ASC_REQ_CONNECTION;
    DWORD                  size = 0;
    TimeStamp              until;
    SecBuffer              in[2] = {
        { (ULONG) token.len, SECBUFFER_TOKEN,
          (void *) (uintptr_t) token.data }
    };
    SecBufferDesc          inputs = { SECBUFFER_VERSION, 1, in };
    SecBufferDesc          outputs = { SECBUFFER_VERSION, 1, out };
    SECURITY_STATUS        status;
    SEC_CHANNEL_BINDINGS  *bindings = NULL;

    SSPI(accept_context, AcceptSecurityContext);
    SSPI(complete, CompleteAuthToken);

    if (accept_context == NULL || complete == NULL) {
        return SEC_E_SECPKG_NOT_FOUND;
    }

    if (server->binding != LUN_SSPI_UNBOUND && server->channel.len != 0) {
        bindings = bindings_of(server->channel, &size);
        in[1] = (SecBuffer) { size, SECBUFFER_CHANNEL_BINDINGS, bindings };
        inputs.cBuffers = 2;

        if (server->binding == LUN_SSPI_MAY_BIND) {
            asked |= ASC_REQ_ALLOW_MISSING_BINDINGS;
        }
    }

    status = accept_context(&s->cred, s->has_context ? &s->context : NULL,
                            &inputs, asked, SECURITY_NATIVE_DREP, &s->context,
                            &outputs, flags, &until);
    lun_free(bindings);
    s->has_context = s->has_context || status == SEC_E_OK
                     || status == SEC_I_CONTINUE_NEEDED
                     || status == SEC_I_COMPLETE_NEEDED
                     || status == SEC_I_COMPLETE_AND_CONTINUE;

    if (status == SEC_I_COMPLETE_NEEDED
        || status == SEC_I_COMPLETE_AND_CONTINUE)
    {
        SECURITY_STATUS  done = complete(&s->context, &outputs);

        status = done != SEC_E_OK ? done
                 : status == SEC_I_COMPLETE_NEEDED ? SEC_E_OK
                                                   : SEC_I_CONTINUE_NEEDED;
    }

    return status;
}


/* What was agreed on; without a name: nobody knows. */
static void
find_package(lun_sspi *s)
{
    size_t                          n;
    SecPkgContext_NegotiationInfoW  info = { NULL };

    SSPI(query, QueryContextAttributesW);
    SSPI(free_buffer, FreeContextBuffer);

    if (query(&s->context, SECPKG_ATTR_NEGOTIATION_INFO, &info) != SEC_E_OK
        || info.PackageInfo == NULL)
    {
        return;
    }

    n = lun_min(wcslen(info.PackageInfo->Name), sizeof(s->package) / 4);
    s->package[lun_wide_to(s->package, info.PackageInfo->Name, n)] = '\0';
    (void) free_buffer(info.PackageInfo);
}


static lun_sspi_verdict
finish(lun_sspi *s, const lun_sspi_server *server, ULONG flags,
    lun_sspi_answer *answer)
{
    size_t                n;
    SECURITY_STATUS       status;
    SecPkgContext_NamesW  names = { NULL };

    SSPI(query, QueryContextAttributesW);
    SSPI(free_buffer, FreeContextBuffer);

    if (flags & ASC_RET_NULL_SESSION) {
        answer->why = "an anonymous client";
        return LUN_SSPI_REFUSED;
    }

    if (server->binding == LUN_SSPI_MUST_BIND && server->channel.len == 0) {
        answer->why = "there is no channel that the client could be bound to";
        return LUN_SSPI_REFUSED;
    }

    status = query(&s->context, SECPKG_ATTR_NAMES, &names);

    if (status != SEC_E_OK) {
        return fail(s, "QueryContextAttributes()", status, answer,
                    LUN_SSPI_REFUSED);
    }

    n = wcslen(names.sUserName);

    if (n == 0 || n > NAME / 4) {
        (void) free_buffer(names.sUserName);
        answer->why = "a name that is none";
        return LUN_SSPI_REFUSED;
    }

    s->user[lun_wide_to(s->user, names.sUserName, n)] = '\0';
    (void) free_buffer(names.sUserName);

    find_package(s);

    if (server->kerberos_only && strcmp(s->package, "Kerberos") != 0) {
        answer->why = "another mechanism than Kerberos";
        return LUN_SSPI_REFUSED;
    }

    answer->user = lun_str_z(s->user);
    answer->package = s->package[0] != '\0' ? s->package : "NTLM";
    return LUN_SSPI_DONE;
}


lun_sspi_verdict
lun_sspi_step(lun_sspi *s, const lun_sspi_server *server, lun_str token,
    lun_sspi_answer *answer)
{
    ULONG            flags = 0;
    SecBuffer        out;
    SECURITY_STATUS  status;

    *answer = (lun_sspi_answer) { .token = LUN_STR("") };
    status = acquire(s, server);

    if (status != SEC_E_OK) {
        return fail(s, "AcquireCredentialsHandle()", status, answer,
                    LUN_SSPI_BROKEN);
    }

    if (s->token == NULL) {
        s->token = lun_malloc(TOKEN);
    }

    out = (SecBuffer) { TOKEN, SECBUFFER_TOKEN, s->token };
    status = accept_token(s, server, token, &out, &flags);

    if (status == SEC_E_OK || status == SEC_I_CONTINUE_NEEDED) {
        answer->token = lun_str_of((const char *) s->token, out.cbBuffer);
    }

    return status == SEC_I_CONTINUE_NEEDED ? LUN_SSPI_MORE
           : status == SEC_E_OK ? finish(s, server, flags, answer)
           : fail(s, "AcceptSecurityContext()", status, answer,
                  LUN_SSPI_REFUSED);
}


/* By the token of the client, which has all of its groups. */
bool
lun_sspi_is_member(lun_sspi *s, const char *group)
{
    BYTE           sid[MOST_SID];
    BOOL           is = FALSE;
    DWORD          size = sizeof(sid), n = NAME;
    HANDLE         token = NULL;
    wchar_t        domain[NAME], *name = lun_wide_dup(group);
    SID_NAME_USE   use;

    SSPI(query_token, QuerySecurityContextToken);

    if (name != NULL && query_token != NULL
        && LookupAccountNameW(NULL, name, sid, &size, domain, &n, &use)
        && query_token(&s->context, &token) == SEC_E_OK)
    {
        is = CheckTokenMembership(token, sid, &is) && is;
        (void) CloseHandle(token);
    }

    lun_free(name);
    return is;
}


void
lun_sspi_end(lun_sspi *s)
{
    SSPI(delete_context, DeleteSecurityContext);
    SSPI(free_cred, FreeCredentialsHandle);

    if (s->has_context && delete_context != NULL) {
        (void) delete_context(&s->context);
    }

    if (s->has_cred && free_cred != NULL) {
        (void) free_cred(&s->cred);
    }

    lun_free(s->token);
    lun_free(s);
}
