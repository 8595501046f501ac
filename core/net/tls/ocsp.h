/*
 * ocsp.h -- what an authority says of a certificate, RFC 6960: what to ask,
 * whom, and whether the answer is good.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OCSP_H
#define LUN_OCSP_H

#include <openssl/types.h>

#include "base/str.h"

/* How an answer may be signed. */
typedef enum {
    LUN_OCSP_BY_ISSUER,            /* by the issuer, or whom it has charged */
    LUN_OCSP_BY_ANYBODY            /* it is others who check that */
} lun_ocsp_signer;

typedef enum {
    LUN_OCSP_GOOD,
    LUN_OCSP_REVOKED,
    LUN_OCSP_UNKNOWN               /* the authority does not know it */
} lun_ocsp_status;

enum { LUN_OCSP_ERROR = 256 };     /* bytes of words about an answer */

/*
 * The URL that a certificate names, the caller's to free by OPENSSL_free();
 * NULL: it names none.
 */
char *lun_ocsp_responder(const X509 *cert);

/*
 * The question in DER: *size bytes, the caller's to free by OPENSSL_free().
 * NULL: *why.
 */
unsigned char *lun_ocsp_question(const X509 *cert, const X509 *issuer,
    size_t *size, const char **why);

/*
 * An answer, in DER.  OK: it is signed and of today, *status is what it says
 * of the certificate, and it is good until *valid (s since the epoch;
 * INT64_MAX: it does not say).  ERROR: what is wrong is in *error, a view
 * into `room`.
 */
lun_rc lun_ocsp_check(lun_str answer, const X509 *cert, X509 *issuer,
    lun_ocsp_signer by, int64_t now, lun_ocsp_status *status, int64_t *valid,
    char room[LUN_OCSP_ERROR], lun_str *error);

/* Whether it is an answer at all, whatever it says. */
bool lun_ocsp_is_answer(lun_str answer);

/* "good", "revoked", "unknown". */
const char *lun_ocsp_status_text(lun_ocsp_status status);

#endif
