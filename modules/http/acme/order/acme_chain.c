/*
 * acme_chain.c -- what an authority gives in the end: a chain of certificates,
 * looked at before it is used.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_chain.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "modules/http/acme/order/acme_jws.h"
#include "net/tls/cert_maker.h"
#include "net/tls/key_pair.h"


enum { CHAIN_MOST = 10 };          /* certificates */


/*
 * An issuer is not believed either: key, names and form are checked before
 * anything in use is replaced.
 */
const char *
lun_acme_chain_fault(lun_pool *pool, lun_str pem, lun_str key_pem,
    const lun_str *names, size_t count, lun_str *top)
{
    int          n = 0;
    BIO         *bio = lun_pem_open(pem);
    char         name[256];
    X509        *cert;
    EVP_PKEY    *key = lun_key_read(key_pem);
    const char  *why = NULL;

    *top = LUN_STR_NULL;
    ERR_clear_error();

    while (bio != NULL && why == NULL
           && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL)
    {
        if (n == 0 && (key == NULL || X509_check_private_key(cert, key) != 1))
        {
            why = "the certificate is for another key";

        } else if (n == 0 && !lun_cert_has_names(cert, names, count)) {
            why = "the certificate is for other names";

        } else if (++n > CHAIN_MOST) {
            why = "the chain has too many certificates";
        }

        if (X509_NAME_get_text_by_NID(X509_get_issuer_name(cert),
                                      NID_commonName, name, sizeof(name)) > 0)
        {
            *top = lun_pool_str(pool, lun_str_z(name));
        }

        X509_free(cert);
    }

    if (n == 0 && why == NULL) {
        why = "this is no certificate";

    } else if (why == NULL
               && ERR_GET_REASON(ERR_peek_last_error())
                  != PEM_R_NO_START_LINE)
    {
        why = "the chain ends with something else";
    }

    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return why;
}


lun_str
lun_acme_certificate_id(lun_pool *pool, lun_str pem)
{
    int                       len;
    X509                     *cert = lun_cert_read(pem);
    lun_str                   id = LUN_STR_NULL;
    unsigned char            *der = NULL;
    const ASN1_OCTET_STRING  *authority;

    authority = cert != NULL ? X509_get0_authority_key_id(cert) : NULL;
    len = authority != NULL
          ? i2d_ASN1_INTEGER(X509_get0_serialNumber(cert), &der) : 0;

    /* The number's content: behind its tag and one byte of its length. */
    if (len > 2 && len < 128) {
        id = lun_pool_fmt(pool, "%.*s.%.*s",
            LUN_S(lun_acme_base64(pool, lun_str_of(
                (const char *) ASN1_STRING_get0_data(authority),
                (size_t) ASN1_STRING_length(authority)))),
            LUN_S(lun_acme_base64(pool, lun_str_of((char *) der + 2,
                                                   (size_t) len - 2))));
    }

    OPENSSL_free(der);
    X509_free(cert);
    ERR_clear_error();
    return id;
}
