/*
 * certstore.c -- certificates of the system's stores, and their keys in CNG:
 * a key provider (software, a TPM, a card) signs, and shows none of it.
 *
 * Errors of CNG are HRESULTs, which FormatMessage() knows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/certstore.h"

#include "windows/crypt32.h"

#include <ncrypt.h>

#include "base/pool.h"
#include "os/utf16.h"


enum { STORE_NAME = 128 };

struct lun_certstore_entry {
    PCCERT_CONTEXT  cert;
};

typedef struct {
    NCRYPT_KEY_HANDLE  handle;
    bool               is_ours;    /* to be freed */
    PCCERT_CONTEXT     cert;       /* which has it, if it is not ours */
} key_of_cert;


static FARPROC
ncrypt_symbol(const char *name)
{
    HMODULE  library = LoadLibraryExW(L"ncrypt.dll", NULL,
                                      LOAD_LIBRARY_SEARCH_SYSTEM32);

    return library != NULL ? GetProcAddress(library, name) : NULL;
}


#define NCRYPT(its, name)                                                     \
    __typeof__(&name)  its = (void *) ncrypt_symbol(#name)


lun_err
lun_certstore_each(bool machine, const char *store, lun_certstore_fn *take,
    void *data)
{
    bool                 more = true;
    wchar_t              name[STORE_NAME + 1];
    HCERTSTORE           opened;
    ptrdiff_t            n;
    lun_certstore_entry  e = { NULL };

    LUN_CRYPT32(open_store, CertOpenStore);
    LUN_CRYPT32(next_cert, CertEnumCertificatesInStore);
    LUN_CRYPT32(free_cert, CertFreeCertificateContext);
    LUN_CRYPT32(close_store, CertCloseStore);

    if (open_store == NULL || next_cert == NULL || free_cert == NULL
        || close_store == NULL)
    {
        return (lun_err) GetLastError();
    }

    n = strlen(store) < STORE_NAME ? lun_wide_from(name, store, strlen(store))
                                   : -1;

    if (n < 0) {
        return ERROR_INVALID_NAME;
    }

    name[n] = L'\0';
    opened = open_store(CERT_STORE_PROV_SYSTEM_W, 0, 0,
                        CERT_STORE_OPEN_EXISTING_FLAG
                        | CERT_STORE_READONLY_FLAG
                        | (machine ? CERT_SYSTEM_STORE_LOCAL_MACHINE
                                   : CERT_SYSTEM_STORE_CURRENT_USER), name);

    if (opened == NULL) {
        return (lun_err) GetLastError();
    }

    /* Each call ends the one before. */
    while (more && (e.cert = next_cert(opened, e.cert)) != NULL) {
        more = !(e.cert->dwCertEncodingType & X509_ASN_ENCODING)
               || take(data, lun_str_of((const char *) e.cert->pbCertEncoded,
                                        e.cert->cbCertEncoded), &e);
    }

    if (e.cert != NULL) {
        (void) free_cert(e.cert);
    }

    (void) close_store(opened, 0);
    return 0;
}


void *
lun_certstore_open_key(const lun_certstore_entry *e, lun_err *err)
{
    BOOL          is_ours = FALSE;
    DWORD         kind = 0;
    key_of_cert  *key;

    HCRYPTPROV_OR_NCRYPT_KEY_HANDLE  handle = 0;

    LUN_CRYPT32(acquire, CryptAcquireCertificatePrivateKey);
    LUN_CRYPT32(dup_cert, CertDuplicateCertificateContext);

    /* Silently: a service has nobody whom it could ask for a number. */
    if (acquire == NULL || dup_cert == NULL
        || !acquire(e->cert, CRYPT_ACQUIRE_ONLY_NCRYPT_KEY_FLAG
                             | CRYPT_ACQUIRE_SILENT_FLAG, NULL, &handle,
                    &kind, &is_ours))
    {
        *err = (lun_err) GetLastError();
        return NULL;
    }

    if (kind != CERT_NCRYPT_KEY_SPEC) {
        *err = ERROR_NOT_SUPPORTED;
        return NULL;
    }

    key = lun_malloc(sizeof(key_of_cert));
    key->handle = (NCRYPT_KEY_HANDLE) handle;
    key->is_ours = is_ours;
    key->cert = dup_cert(e->cert);
    return key;
}


void
lun_certstore_close_key(void *data)
{
    key_of_cert  *key = data;

    LUN_CRYPT32(free_cert, CertFreeCertificateContext);
    NCRYPT(free_object, NCryptFreeObject);

    if (key->is_ours && free_object != NULL) {
        (void) free_object(key->handle);
    }

    if (free_cert != NULL) {
        (void) free_cert(key->cert);
    }

    lun_free(key);
}


/* CNG's name of a digest; NULL: none, as for MD5 with SHA-1. */
static const wchar_t *
digest_name(const char *name)
{
    size_t  i;

    static const struct {
        const char     *name;
        const wchar_t  *its;
    } all[] = {
        { "SHA256", BCRYPT_SHA256_ALGORITHM },
        { "SHA2-256", BCRYPT_SHA256_ALGORITHM },
        { "SHA384", BCRYPT_SHA384_ALGORITHM },
        { "SHA2-384", BCRYPT_SHA384_ALGORITHM },
        { "SHA512", BCRYPT_SHA512_ALGORITHM },
        { "SHA2-512", BCRYPT_SHA512_ALGORITHM },
        { "SHA1", BCRYPT_SHA1_ALGORITHM }
    };

    for (i = 0; name != NULL && i < LUN_ARRAY_LEN(all); i++) {
        if (_stricmp(all[i].name, name) == 0) {
            return all[i].its;
        }
    }

    return NULL;
}


lun_err
lun_certstore_sign(void *data, const lun_signing *how, lun_str digest,
    uint8_t *out, size_t room, size_t *size)
{
    void               *padding = NULL;
    DWORD               n = 0, flags = 0;
    key_of_cert        *key = data;
    SECURITY_STATUS     status;
    const wchar_t      *name = digest_name(how->digest);
    BCRYPT_PSS_PADDING_INFO    pss = { name, (ULONG) how->salt };
    BCRYPT_PKCS1_PADDING_INFO  pkcs1 = { name };

    NCRYPT(sign, NCryptSignHash);

    if (sign == NULL || (name == NULL && how->digest != NULL)) {
        return sign == NULL ? (lun_err) GetLastError() : ERROR_NOT_SUPPORTED;
    }

    if (how->kind == LUN_SIGN_PSS) {
        padding = &pss;
        flags = BCRYPT_PAD_PSS;

    } else if (how->kind == LUN_SIGN_PKCS1) {
        padding = &pkcs1;
        flags = BCRYPT_PAD_PKCS1;
    }

    status = sign(key->handle, padding, (PBYTE) (uintptr_t) digest.data,
                  (DWORD) digest.len, out, (DWORD) room, &n,
                  flags | NCRYPT_SILENT_FLAG);
    *size = n;
    return (lun_err) status;
}
