/*
 * h1_response.h -- the status line of an HTTP/1 answer.  Pure, resumable and
 * without allocation, as h1_parse.h, whose header lines follow it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_H1_RESPONSE_H
#define LUN_FORMAT_H1_RESPONSE_H

#include "format/h1_parse.h"

typedef struct {
    unsigned     version;          /* 1000, 1001 */
    unsigned     status;           /* 100 ... 999 */
    lun_str      line;             /* "200 OK", "404" */
    size_t       size;             /* bytes that the line took, end included */
} lun_h1_status;

/*
 * DONE, MORE, or BAD: it is no status line (told as soon as the first byte
 * says so), and the answer may be HTTP/0.9's.  Any verdict but MORE leaves the
 * parser reset.
 */
lun_h1_verdict lun_h1_parse_status(lun_h1_parser *p, const char *data,
    size_t size, lun_h1_status *out);

#endif
