/*
 * h1_response.c -- any bytes as the head of an answer: parsed whole and byte
 * by byte the verdicts must be the same, and views must lie within.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/h1_response.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* Each prefix in memory of its own, so that ASan sees its end. */
static lun_h1_verdict
trickle(const char *text, size_t size, lun_h1_status *out)
{
    char            *copy;
    size_t           n;
    lun_h1_parser    p;
    lun_h1_verdict   rc = LUN_H1_MORE;

    lun_h1_parser_reset(&p);

    for (n = 0; n <= size && rc == LUN_H1_MORE; n++) {
        copy = malloc(n != 0 ? n : 1);
        memcpy(copy, text, n);
        rc = lun_h1_parse_status(&p, copy, n, out);
        free(copy);
    }

    return rc;
}


static void
headers(const char *text, size_t size)
{
    lun_h1_header  h;
    lun_h1_parser  p;

    lun_h1_parser_reset(&p);

    while (lun_h1_parse_header(&p, text, size, &h) == LUN_H1_DONE) {
        LUN_CHECK(h.size <= size && h.name.data == text);
        text += h.size;
        size -= h.size;
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char            *copy;
    lun_h1_parser    p;
    lun_h1_status    s, slow;
    lun_h1_verdict   rc;

    if (size > 512) {                           /* trickling is quadratic */
        return 0;
    }

    copy = malloc(size != 0 ? size : 1);
    memcpy(copy, data, size);

    lun_h1_parser_reset(&p);
    rc = lun_h1_parse_status(&p, copy, size, &s);
    LUN_CHECK(rc == trickle(copy, size, &slow));

    if (rc == LUN_H1_DONE) {
        LUN_CHECK(s.size <= size && copy[s.size - 1] == '\n');
        LUN_CHECK(s.size == slow.size && s.status == slow.status);
        LUN_CHECK(s.status >= 100 && s.status <= 999);
        LUN_CHECK(s.line.data >= copy && s.line.len < s.size);
        headers(copy + s.size, size - s.size);
    }

    free(copy);
    return 0;
}
