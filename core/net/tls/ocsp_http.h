/*
 * ocsp_http.h -- questions to a responder of OCSP and its answers, as HTTP/1.0
 * carries them.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OCSP_HTTP_H
#define LUN_OCSP_HTTP_H

#include "format/url.h"

/*
 * "http://host:port/path", the port filled in.  NULL: it is one; else what is
 * wrong.
 */
const char *lun_ocsp_url_parse(lun_str text, lun_url *url);

/* A GET of the question `der`: malloc'ed, the caller frees. */
lun_str lun_ocsp_http_request(const lun_url *url, lun_str der);

typedef enum {
    LUN_OCSP_HTTP_MORE,
    LUN_OCSP_HTTP_DONE,            /* *body is whole */
    LUN_OCSP_HTTP_BAD              /* *why, and maybe *what */
} lun_ocsp_http_verdict;

/* What of an answer was read. */
typedef struct {
    lun_str      body;             /* views into the bytes */
    const char  *why;              /* for the log */
    lun_str      what;             /* a value that is wrong; or "" */
} lun_ocsp_http;

/*
 * All bytes that have come so far; `ended`: there will be no more.  They are
 * looked at as a whole each time.
 */
lun_ocsp_http_verdict lun_ocsp_http_parse(lun_str bytes, bool ended,
    lun_ocsp_http *answer);

#endif
