/*
 * authority.c -- authorities that are trusted: this user's store "Root", which
 * asks the user before it takes one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/authority.h"

#include "windows/crypt32.h"


/*
 * The user's own store: Windows asks whether that is wanted, in a window of its
 * own.
 */
lun_err
lun_authority_install(const char *name, const void *der, size_t der_len,
    const char *pem, size_t pem_len, const char **where)
{
    BOOL        done;
    lun_err     err;
    HCERTSTORE  store;

    LUN_CRYPT32(open_store, CertOpenStore);
    LUN_CRYPT32(add_cert, CertAddEncodedCertificateToStore);
    LUN_CRYPT32(close_store, CertCloseStore);

    if (open_store == NULL || add_cert == NULL || close_store == NULL) {
        return (lun_err) GetLastError();
    }

    *where = "the certificate store of this user";
    store = open_store(CERT_STORE_PROV_SYSTEM_W, 0, 0,
                       CERT_SYSTEM_STORE_CURRENT_USER, L"Root");

    if (store == NULL) {
        return (lun_err) GetLastError();
    }

    done = add_cert(store, X509_ASN_ENCODING, der, (DWORD) der_len,
                    CERT_STORE_ADD_REPLACE_EXISTING, NULL);
    err = done ? 0 : (lun_err) GetLastError();
    (void) close_store(store, 0);

    return err;
}
