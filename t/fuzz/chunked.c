/*
 * chunked.c -- any bytes as a chunked body: in one piece and byte by byte the
 * verdict, the bytes and the end are the same, and `least` never promises
 * more than a body turns out to have.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/chunked.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    lun_chunked_verdict   rc;
    char                 *body;
    size_t                body_len;
    size_t                used;
} result;


static result
decode(const char *text, size_t size, size_t piece)
{
    lun_str       data;
    const char   *p = text, *end = text;
    lun_chunked   c;
    result        r = { .rc = LUN_CHUNKED_MORE };

    r.body = malloc(size + 1);
    lun_chunked_init(&c);

    while (r.rc == LUN_CHUNKED_DATA
           || (r.rc == LUN_CHUNKED_MORE && end < text + size))
    {
        if (r.rc == LUN_CHUNKED_MORE) {
            LUN_CHECK(p == end);
            end += lun_min(piece, (size_t) (text + size - end));
        }

        r.rc = lun_chunked_next(&c, &p, end, &data);
        LUN_CHECK(p <= end);

        if (r.rc == LUN_CHUNKED_DATA) {
            LUN_CHECK(data.len != 0 && data.data + data.len == p);
            memcpy(r.body + r.body_len, data.data, data.len);
            r.body_len += data.len;
        }
    }

    r.used = (size_t) (p - text);
    return r;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char    *copy = malloc(size != 0 ? size : 1);
    result   a, b;

    memcpy(copy, data, size);

    a = decode(copy, size, size);
    b = decode(copy, size, 1);

    LUN_CHECK(a.rc == b.rc && a.body_len == b.body_len && a.used == b.used);
    LUN_CHECK(memcmp(a.body, b.body, a.body_len) == 0);

    free(a.body);
    free(b.body);
    free(copy);

    return 0;
}
