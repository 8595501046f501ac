/*
 * ocsp.c -- what an authority says of a certificate.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/ocsp.h"

/* First: it brings Windows's own names along, which the next ones drop. */
#include <openssl/ssl.h>

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/x509v3.h>

#include "base/fmt.h"


enum { SKEW = 300, DAY = 86400 };  /* s that clocks may differ; of a day */


/* --- the question --------------------------------------------------------- */

char *
lun_ocsp_responder(const X509 *cert)
{
    char                      *url = NULL;
    STACK_OF(OPENSSL_STRING)  *urls;

    urls = X509_get1_ocsp((X509 *) (uintptr_t) cert);

    if (urls != NULL && sk_OPENSSL_STRING_num(urls) > 0) {
        url = OPENSSL_strdup(sk_OPENSSL_STRING_value(urls, 0));
    }

    X509_email_free(urls);
    return url;
}


static const char *
ask_about(OCSP_REQUEST *request, const X509 *cert, const X509 *issuer)
{
    OCSP_CERTID  *id;

    if (request == NULL) {
        return "OCSP_REQUEST_new() failed";
    }

    id = OCSP_cert_to_id(NULL, cert, issuer);

    if (id == NULL) {
        return "OCSP_cert_to_id() failed";
    }

    if (OCSP_request_add0_id(request, id) == NULL) {
        OCSP_CERTID_free(id);
        return "OCSP_request_add0_id() failed";
    }

    return NULL;
}


unsigned char *
lun_ocsp_question(const X509 *cert, const X509 *issuer, size_t *size,
    const char **why)
{
    int             n = 0;
    OCSP_REQUEST   *request = OCSP_REQUEST_new();
    unsigned char  *der = NULL;

    *why = ask_about(request, cert, issuer);

    if (*why == NULL) {
        n = i2d_OCSP_REQUEST(request, &der);
        *why = n <= 0 ? "i2d_OCSP_REQUEST() failed" : NULL;
    }

    OCSP_REQUEST_free(request);
    ERR_clear_error();
    *size = n > 0 ? (size_t) n : 0;
    return n > 0 ? der : NULL;
}


/* --- the answer ----------------------------------------------------------- */

/* Words for what is wrong; an empty text: nothing. */
typedef struct {
    char  *start, *p, *end;
} words;


static int64_t
time_of(const ASN1_GENERALIZEDTIME *until, int64_t now)
{
    int  days, seconds;

    if (until == NULL || ASN1_TIME_diff(&days, &seconds, NULL, until) != 1) {
        return INT64_MAX;
    }

    return now + (int64_t) days * DAY + seconds;
}


/* What it says of the certificate. */
static void
find_status(OCSP_BASICRESP *basic, const X509 *cert, const X509 *issuer,
    int64_t now, lun_ocsp_status *status, int64_t *valid, words *w)
{
    int                    said;
    OCSP_CERTID           *id = OCSP_cert_to_id(NULL, cert, issuer);
    ASN1_GENERALIZEDTIME  *since, *until;

    if (id == NULL) {
        w->p = lun_fmt(w->p, w->end, "OCSP_cert_to_id() failed");
        return;
    }

    if (OCSP_resp_find_status(basic, id, &said, NULL, NULL, &since, &until)
        != 1)
    {
        w->p = lun_fmt(w->p, w->end, "certificate status not found in the "
                       "OCSP response");

    } else if (OCSP_check_validity(since, until, SKEW, -1) != 1) {
        w->p = lun_fmt(w->p, w->end, "OCSP_check_validity() failed");

    } else {
        *status = said == V_OCSP_CERTSTATUS_GOOD ? LUN_OCSP_GOOD
                  : said == V_OCSP_CERTSTATUS_REVOKED ? LUN_OCSP_REVOKED
                                                      : LUN_OCSP_UNKNOWN;
        *valid = time_of(until, now);
    }

    OCSP_CERTID_free(id);
}


/* No other certificate of the chain may vouch, not even one above. */
static bool
is_signed(OCSP_BASICRESP *basic, X509 *issuer, lun_ocsp_signer by)
{
    bool             good;
    X509_STORE      *store = X509_STORE_new();
    STACK_OF(X509)  *issuers = sk_X509_new_null();

    good = store != NULL && issuers != NULL
           && X509_STORE_add_cert(store, issuer) == 1
           && X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN) == 1
           && sk_X509_push(issuers, issuer) != 0
           && OCSP_basic_verify(basic, issuers, store,
                                by == LUN_OCSP_BY_ISSUER ? OCSP_TRUSTOTHER
                                                         : OCSP_NOVERIFY) == 1;
    sk_X509_free(issuers);
    X509_STORE_free(store);
    return good;
}


static OCSP_RESPONSE *
read_answer(lun_str answer)
{
    const unsigned char  *bytes = (const unsigned char *) answer.data;

    ERR_clear_error();
    return answer.len <= INT32_MAX
           ? d2i_OCSP_RESPONSE(NULL, &bytes, (int) answer.len) : NULL;
}


bool
lun_ocsp_is_answer(lun_str answer)
{
    OCSP_RESPONSE  *response = read_answer(answer);

    OCSP_RESPONSE_free(response);
    return response != NULL;
}


static OCSP_BASICRESP *
open_answer(OCSP_RESPONSE *response, words *w)
{
    int              status = OCSP_response_status(response);
    OCSP_BASICRESP  *basic;

    if (status != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
        w->p = lun_fmt(w->p, w->end, "OCSP response not successful (%d: %s)",
                       status, OCSP_response_status_str(status));
        return NULL;
    }

    basic = OCSP_response_get1_basic(response);

    if (basic == NULL) {
        w->p = lun_fmt(w->p, w->end, "OCSP_response_get1_basic() failed");
    }

    return basic;
}


/*
 * Signed by whom, is asked before what it says: an answer that is not the
 * authority's is nobody's.
 */
lun_rc
lun_ocsp_check(lun_str answer, const X509 *cert, X509 *issuer,
    lun_ocsp_signer by, int64_t now, lun_ocsp_status *status, int64_t *valid,
    char room[LUN_OCSP_ERROR], lun_str *error)
{
    words                 w = { room, room, room + LUN_OCSP_ERROR };
    OCSP_RESPONSE        *response = read_answer(answer);
    OCSP_BASICRESP       *basic = NULL;

    *status = LUN_OCSP_UNKNOWN;
    *valid = 0;

    if (response == NULL) {
        w.p = lun_fmt(w.p, w.end, "d2i_OCSP_RESPONSE() failed");

    } else {
        basic = open_answer(response, &w);
    }

    if (basic != NULL && !is_signed(basic, issuer, by)) {
        w.p = lun_fmt(w.p, w.end, "OCSP_basic_verify() failed");

    } else if (basic != NULL) {
        find_status(basic, cert, issuer, now, status, valid, &w);
    }

    OCSP_BASICRESP_free(basic);
    OCSP_RESPONSE_free(response);
    ERR_clear_error();
    *error = lun_str_of(room, (size_t) (w.p - w.start));
    return w.p == w.start ? LUN_OK : LUN_ERROR;
}


const char *
lun_ocsp_status_text(lun_ocsp_status status)
{
    static const char *const  texts[] = { "good", "revoked", "unknown" };

    return texts[status];
}
