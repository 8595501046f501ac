/*
 * tls_pfx.c -- PKCS#12.
 *
 * Such a file has its certificates in any order, and often the root as well,
 * which no client wants: the chain is put in order by who has signed whom.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_pfx.h"

#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include "base/fmt.h"


enum { PASSWORD = 1024, MOST_CHAIN = 16 };

typedef STACK_OF(X509)  certs;


bool
lun_tls_is_pfx(lun_str name)
{
    enum { END = 4 };

    lun_str  end;

    if (name.len <= END) {
        return false;
    }

    end = lun_str_of(name.data + name.len - END, END);
    return lun_str_caseeq(end, LUN_STR(".pfx"))
           || lun_str_caseeq(end, LUN_STR(".p12"));
}


static X509 *
issuer_of(const certs *all, X509 *cert)
{
    int   i;
    X509 *other;

    for (i = 0; i < sk_X509_num(all); i++) {
        other = sk_X509_value(all, i);

        if (X509_check_issued(other, cert) == X509_V_OK) {
            return other;
        }
    }

    return NULL;
}


/* Two that have signed each other would go on for ever. */
certs *
lun_tls_chain(X509 *cert, const certs *all)
{
    certs  *chain = sk_X509_new_null();
    bool    whole = chain != NULL;

    while (whole && cert != NULL && sk_X509_num(chain) < MOST_CHAIN
           && (sk_X509_num(chain) == 0
               || X509_check_issued(cert, cert) != X509_V_OK))
    {
        whole = sk_X509_push(chain, cert) != 0;

        if (whole) {
            X509_up_ref(cert);
            cert = issuer_of(all, cert);
        }
    }

    if (!whole) {
        sk_X509_pop_free(chain, X509_free);
        return NULL;
    }

    return chain;
}


static bool
parse(PKCS12 *p12, const lun_array *passwords, EVP_PKEY **key, X509 **cert,
    certs **others)
{
    char            text[PASSWORD];
    size_t          i;
    bool            good = false;
    const lun_str  *password;

    for (i = 0; !good && passwords != NULL && i < passwords->count; i++) {
        password = lun_array_at(passwords, i);

        if (password->len < sizeof(text)) {
            *lun_copy_str(text, *password) = '\0';
            ERR_clear_error();
            good = PKCS12_parse(p12, text, key, cert, others) == 1;
        }
    }

    OPENSSL_cleanse(text, sizeof(text));

    /* No password, and an empty one, are two: it tries both. */
    if (!good) {
        ERR_clear_error();
        good = PKCS12_parse(p12, NULL, key, cert, others) == 1;
    }

    return good;
}


const char *
lun_tls_pfx_read(BIO *bio, const lun_array *passwords, certs **chain,
    EVP_PKEY **key)
{
    X509        *cert = NULL;
    certs       *others = NULL;
    PKCS12      *p12 = d2i_PKCS12_bio(bio, NULL);
    const char  *failed = NULL;

    *chain = NULL;
    *key = NULL;

    if (p12 == NULL) {
        return "d2i_PKCS12_bio() failed";
    }

    if (!parse(p12, passwords, key, &cert, &others)) {
        failed = "PKCS12_parse() failed";

    } else if (cert == NULL || *key == NULL) {
        failed = "it has no certificate with a key";

    } else {
        *chain = lun_tls_chain(cert, others);
        failed = *chain == NULL ? "sk_X509_push() failed" : NULL;
    }

    if (failed != NULL) {
        EVP_PKEY_free(*key);
        *key = NULL;
    }

    X509_free(cert);
    sk_X509_pop_free(others, X509_free);
    PKCS12_free(p12);
    return failed;
}
