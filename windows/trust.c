/*
 * trust.c -- the system's store of root certificates: the machine's, and what
 * the account that the server runs as has added.
 *
 * A machine fetches most of the authorities that it would trust when a program
 * of the system first asks for one: what has never been asked for is not here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/trust.h"

#include "windows/crypt32.h"


lun_err
lun_trust_each(lun_trust_fn *take, void *data)
{
    HCERTSTORE      store;
    PCCERT_CONTEXT  cert = NULL;

    LUN_CRYPT32(open_store, CertOpenSystemStoreW);
    LUN_CRYPT32(next_cert, CertEnumCertificatesInStore);
    LUN_CRYPT32(close_store, CertCloseStore);

    if (open_store == NULL || next_cert == NULL || close_store == NULL) {
        return (lun_err) GetLastError();
    }

    store = open_store(0, L"ROOT");

    if (store == NULL) {
        return (lun_err) GetLastError();
    }

    /* Each call ends the one before. */
    while ((cert = next_cert(store, cert)) != NULL) {
        if (cert->dwCertEncodingType & X509_ASN_ENCODING) {
            take(data, lun_str_of((const char *) cert->pbCertEncoded,
                                  cert->cbCertEncoded));
        }
    }

    (void) close_store(store, 0);
    return 0;
}
