/*
 * ffi_ocsp.c -- what an authority says of a certificate, for
 * lua/ngx/ocsp.lua.
 *
 * Asking it is Lua's: here are what to ask, where, and whether the answer is
 * good enough to be shown to clients.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/ffi_ssl.h"

/* First: it brings Windows's own names along, which the next ones drop. */
#include <openssl/ssl.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "net/tls/ocsp.h"
#include "net/tls/tls_ctx.h"
#include "os/clock.h"


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
    int      rc = LUN_FFI_NONE;
    char    *text = NULL;
    couple   two;
    lun_str  url;

    *why = read_couple(&two, der, len);

    if (two.cert != NULL) {
        text = lun_ocsp_responder(two.cert);
    }

    if (two.cert == NULL) {
        rc = LUN_FFI_ERROR;

    } else if (text != NULL) {
        url = lun_str_z(text);

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

    OPENSSL_free(text);
    free_couple(&two);
    return rc;
}


/* --- what to ask ---------------------------------------------------------- */

/* As above, but what does not fit is not there, and *size is what it needs. */
int
lun_ffi_ocsp_request(const char *der, size_t len, char *room, size_t *size,
    const char **why)
{
    int             rc = LUN_FFI_ERROR;
    couple          two;
    size_t          n = 0;
    unsigned char  *question = NULL;

    *why = read_couple(&two, der, len);

    if (*why == NULL) {
        question = lun_ocsp_question(two.cert, two.issuer, &n, why);
    }

    if (question != NULL && n > *size) {
        *why = "output buffer too small";
        rc = LUN_FFI_BUSY;

    } else if (question != NULL) {
        memcpy(room, question, n);
        rc = LUN_FFI_OK;
    }

    *size = n;
    OPENSSL_free(question);
    free_couple(&two);
    return rc;
}


/* --- the answer ----------------------------------------------------------- */

/*
 * LUN_FFI_OK, and until when it is good (s since the epoch; 0: it does not
 * say); or as much of what is wrong as there is room for.
 */
int
lun_ffi_ocsp_check(const char *answer, size_t answer_len, const char *der,
    size_t len, char *room, size_t *size, int64_t *next)
{
    char             text[LUN_OCSP_ERROR], *p;
    couple           two;
    int64_t          valid = INT64_MAX;
    lun_str          error;
    const char      *failed = read_couple(&two, der, len);
    lun_ocsp_status  status;

    if (failed != NULL) {
        error = lun_str_z(lun_ocsp_is_answer(lun_str_of(answer, answer_len))
                          ? failed : "d2i_OCSP_RESPONSE() failed");

    } else if (lun_ocsp_check(lun_str_of(answer, answer_len), two.cert,
                              two.issuer, LUN_OCSP_BY_ISSUER, lun_clock.sec,
                              &status, &valid, text, &error) == LUN_OK
               && status != LUN_OCSP_GOOD)
    {
        p = lun_fmt(text, text + sizeof(text), "certificate status \"%s\" in "
                    "the OCSP response", lun_ocsp_status_text(status));
        error = lun_str_of(text, (size_t) (p - text));
    }

    free_couple(&two);
    *next = valid != INT64_MAX ? valid : 0;
    *size = lun_min(error.len, *size);
    memcpy(room, error.data, *size);
    return error.len == 0 ? LUN_FFI_OK : LUN_FFI_ERROR;
}


/* --- showing it to a client ----------------------------------------------- */

/* What there is was set before; OpenSSL sends nothing where nobody says so. */
static int
on_status(SSL *ssl, void *data)
{
    const unsigned char  *answer;

    return SSL_get_tlsext_status_ocsp_resp(ssl, &answer) > 0
           ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}


/* LUN_FFI_NONE: the client has not asked for it. */
int
lun_ffi_ocsp_staple(const char *answer, size_t len, const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);
    int (*there)(SSL *ssl, void *data) = NULL;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    if (SSL_get_tlsext_status_type(ssl) != TLSEXT_STATUSTYPE_ocsp) {
        return LUN_FFI_NONE;
    }

    if (!lun_tls_staple(ssl, lun_str_of(answer, len))) {
        *why = "OPENSSL_malloc() failed";
        return LUN_FFI_ERROR;
    }

    (void) SSL_CTX_get_tlsext_status_cb(SSL_get_SSL_CTX(ssl), &there);

    /* The server's own, which looks for what was set here, may be there. */
    if (there == NULL) {
        SSL_CTX_set_tlsext_status_cb(SSL_get_SSL_CTX(ssl), on_status);
    }

    return LUN_FFI_OK;
}
