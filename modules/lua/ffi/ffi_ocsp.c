/*
 * ffi_ocsp.c -- what an authority says of a certificate, for
 * lua/ngx/ocsp.lua.
 *
 * Asking it is Lua's: here are what to ask, where, and whether the answer is
 * good enough to be shown to clients.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi_ssl.h"

/* First: it brings Windows's own names along, which the next ones drop. */
#include <openssl/ssl.h>

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/x509v3.h>


enum {
    SKEW  = 300,                   /* s that clocks may differ */
    WORDS = 256
};

typedef struct {
    X509  *cert;
    X509  *issuer;
} couple;


/* The first two of a chain; NULL: both are there. */
static const char *
read_couple(couple *two, const char *der, size_t len)
{
    BIO         *bio = len <= INT32_MAX ? BIO_new_mem_buf(der, (int) len)
                                        : NULL;
    const char  *failed = NULL;

    *two = (couple) { 0 };

    if (bio == NULL) {
        return "BIO_new_mem_buf() failed";
    }

    two->cert = d2i_X509_bio(bio, NULL);

    if (two->cert == NULL) {
        failed = "d2i_X509_bio() failed";

    } else if (BIO_eof(bio)) {
        failed = "no issuer certificate in chain";

    } else {
        two->issuer = d2i_X509_bio(bio, NULL);
        failed = two->issuer == NULL ? "d2i_X509_bio() failed" : NULL;
    }

    BIO_free(bio);
    return failed;
}


static void
free_couple(couple *two)
{
    X509_free(two->cert);
    X509_free(two->issuer);
    ERR_clear_error();
}


/* --- whom to ask ---------------------------------------------------------- */

/*
 * *size is that of the room, and then of what stands there; LUN_FFI_BUSY: of
 * what did not fit, and was cut.
 */
int
lun_ffi_ocsp_responder(const char *der, size_t len, char *room, size_t *size,
    const char **why)
{
    int                        rc = LUN_FFI_NONE;
    couple                     two;
    lun_str                    url = LUN_STR_NULL;
    STACK_OF(OPENSSL_STRING)  *urls = NULL;

    *why = read_couple(&two, der, len);

    if (two.cert != NULL) {
        urls = X509_get1_ocsp(two.cert);
    }

    if (urls != NULL && sk_OPENSSL_STRING_num(urls) > 0) {
        url = lun_str_z(sk_OPENSSL_STRING_value(urls, 0));
    }

    if (two.cert == NULL) {
        rc = LUN_FFI_ERROR;

    } else if (url.data != NULL) {
        if (*why == NULL
            && X509_check_issued(two.issuer, two.cert) != X509_V_OK)
        {
            *why = "issuer certificate not next to leaf";
        }

        rc = *why != NULL ? LUN_FFI_ERROR
             : url.len > *size ? LUN_FFI_BUSY : LUN_FFI_OK;
        *size = lun_min(url.len, *size);
        memcpy(room, url.data, *size);
    }

    X509_email_free(urls);
    free_couple(&two);
    return rc;
}


/* --- what to ask ---------------------------------------------------------- */

static const char *
ask_about(OCSP_REQUEST *request, const couple *two)
{
    OCSP_CERTID  *id;

    if (request == NULL) {
        return "OCSP_REQUEST_new() failed";
    }

    id = OCSP_cert_to_id(NULL, two->cert, two->issuer);

    if (id == NULL) {
        return "OCSP_cert_to_id() failed";
    }

    if (OCSP_request_add0_id(request, id) == NULL) {
        OCSP_CERTID_free(id);
        return "OCSP_request_add0_id() failed";
    }

    return NULL;
}


/* As above, but what does not fit is not there, and *size is what it needs. */
int
lun_ffi_ocsp_request(const char *der, size_t len, char *room, size_t *size,
    const char **why)
{
    int             n, rc = LUN_FFI_ERROR;
    couple          two;
    OCSP_REQUEST   *request = NULL;
    unsigned char  *p = (unsigned char *) room;

    *why = read_couple(&two, der, len);

    if (*why == NULL) {
        request = OCSP_REQUEST_new();
        *why = ask_about(request, &two);
    }

    if (*why == NULL) {
        n = i2d_OCSP_REQUEST(request, NULL);

        if (n <= 0) {
            *why = "i2d_OCSP_REQUEST() failed";

        } else if ((size_t) n > *size) {
            *why = "output buffer too small";
            *size = (size_t) n;
            rc = LUN_FFI_BUSY;

        } else {
            *size = (size_t) i2d_OCSP_REQUEST(request, &p);
            rc = LUN_FFI_OK;
        }
    }

    OCSP_REQUEST_free(request);
    free_couple(&two);
    return rc;
}


/* --- the answer ----------------------------------------------------------- */

/* What is wrong with what it says of the certificate goes to p. */
static char *
check_status(OCSP_BASICRESP *basic, const couple *two, char *p,
    const char *end)
{
    int                    status;
    OCSP_CERTID           *id = OCSP_cert_to_id(NULL, two->cert, two->issuer);
    ASN1_GENERALIZEDTIME  *since, *until;

    if (id == NULL) {
        return lun_fmt(p, end, "OCSP_cert_to_id() failed");
    }

    if (OCSP_resp_find_status(basic, id, &status, NULL, NULL, &since, &until)
        != 1)
    {
        p = lun_fmt(p, end, "certificate status not found in the OCSP "
                    "response");

    } else if (status != V_OCSP_CERTSTATUS_GOOD) {
        p = lun_fmt(p, end, "certificate status \"%s\" in the OCSP response",
                    OCSP_cert_status_str(status));

    } else if (OCSP_check_validity(since, until, SKEW, -1) != 1) {
        p = lun_fmt(p, end, "OCSP_check_validity() failed");
    }

    OCSP_CERTID_free(id);
    return p;
}


/* The issuer itself has signed it, or somebody whom it has charged with it. */
static bool
is_signed(OCSP_BASICRESP *basic, const couple *two)
{
    bool             good;
    X509_STORE      *store = X509_STORE_new();
    STACK_OF(X509)  *issuers = sk_X509_new_null();

    good = store != NULL && issuers != NULL
           && X509_STORE_add_cert(store, two->issuer) == 1
           && X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN) == 1
           && sk_X509_push(issuers, two->issuer) != 0
           && OCSP_basic_verify(basic, issuers, store, OCSP_TRUSTOTHER) == 1;
    sk_X509_free(issuers);
    X509_STORE_free(store);
    return good;
}


static char *
check(OCSP_RESPONSE *response, const couple *two, char *p, const char *end)
{
    int              status = OCSP_response_status(response);
    OCSP_BASICRESP  *basic;

    if (status != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
        return lun_fmt(p, end, "OCSP response not successful (%d: %s)",
                       status, OCSP_response_status_str(status));
    }

    basic = OCSP_response_get1_basic(response);

    if (basic == NULL) {
        return lun_fmt(p, end, "OCSP_response_get1_basic() failed");
    }

    p = is_signed(basic, two) ? check_status(basic, two, p, end)
                              : lun_fmt(p, end, "OCSP_basic_verify() failed");
    OCSP_BASICRESP_free(basic);
    return p;
}


/* LUN_FFI_OK, or as much of what is wrong as there is room for. */
int
lun_ffi_ocsp_check(const char *answer, size_t answer_len, const char *der,
    size_t len, char *room, size_t *size)
{
    char                  text[WORDS], *p = text;
    couple                two;
    const char           *failed = read_couple(&two, der, len);
    OCSP_RESPONSE        *response;
    const unsigned char  *bytes = (const unsigned char *) answer;

    response = answer_len <= INT32_MAX
               ? d2i_OCSP_RESPONSE(NULL, &bytes, (int) answer_len) : NULL;

    if (response == NULL) {
        failed = "d2i_OCSP_RESPONSE() failed";
    }

    p = failed != NULL ? lun_fmt(p, text + WORDS, "%s", failed)
                       : check(response, &two, p, text + WORDS);
    OCSP_RESPONSE_free(response);
    free_couple(&two);

    *size = lun_min((size_t) (p - text), *size);
    memcpy(room, text, *size);
    return p == text ? LUN_FFI_OK : LUN_FFI_ERROR;
}


/* --- showing it to a client ----------------------------------------------- */

/* What there is was set before; OpenSSL sends nothing where nobody says so. */
static int
on_status(SSL *ssl, void *data)
{
    const unsigned char  *answer;

    (void) data;
    return SSL_get_tlsext_status_ocsp_resp(ssl, &answer) > 0
           ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}


/* LUN_FFI_NONE: the client has not asked for it. */
int
lun_ffi_ocsp_staple(const char *answer, size_t len, const char **why)
{
    SSL   *ssl = lun_ffi_ssl_of(why);
    void  *copy;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    if (SSL_get_tlsext_status_type(ssl) != TLSEXT_STATUSTYPE_ocsp) {
        return LUN_FFI_NONE;
    }

    copy = len <= INT32_MAX ? OPENSSL_memdup(answer, len) : NULL;

    if (copy == NULL) {
        *why = "OPENSSL_malloc() failed";
        return LUN_FFI_ERROR;
    }

    SSL_CTX_set_tlsext_status_cb(SSL_get_SSL_CTX(ssl), on_status);
    SSL_set_tlsext_status_ocsp_resp(ssl, copy, (int) len);
    return LUN_FFI_OK;
}
