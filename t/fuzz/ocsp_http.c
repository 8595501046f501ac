/*
 * ocsp_http.c -- any bytes as an answer of a responder of OCSP, and as its
 * url: what is found lies within them, and an answer that is whole stays so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "base/pool.h"
#include "net/tls/ocsp_http.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static bool
lies_in(lun_str s, const char *from, size_t size)
{
    return s.len == 0 || (s.data >= from && s.data + s.len <= from + size);
}


/* The first n bytes, in memory that ends with them. */
static lun_ocsp_http_verdict
parse(const uint8_t *data, size_t n, bool ended)
{
    char                  *copy = malloc(n != 0 ? n : 1);
    lun_ocsp_http          answer;
    lun_ocsp_http_verdict  v;

    memcpy(copy, data, n);
    v = lun_ocsp_http_parse(lun_str_of(copy, n), ended, &answer);
    LUN_CHECK(lies_in(answer.body, copy, n) && lies_in(answer.what, copy, n));
    LUN_CHECK(!ended || v != LUN_OCSP_HTTP_MORE);
    free(copy);
    return v;
}


static void
parse_url(const uint8_t *data, size_t n)
{
    char          *copy = malloc(n != 0 ? n : 1);
    lun_str        text;
    lun_url        url;

    memcpy(copy, data, n);

    if (lun_ocsp_url_parse(lun_str_of(copy, n), &url) == NULL) {
        LUN_CHECK(lies_in(url.host, copy, n) && url.host.len != 0
                  && lies_in(url.authority, copy, n)
                  && lies_in(url.uri, copy, n) && url.port != 0);
        text = lun_ocsp_http_request(&url, LUN_STR("question"));
        LUN_CHECK(lun_str_ends(text, LUN_STR("close\r\n\r\n")));
        lun_free((char *) (uintptr_t) text.data);
    }

    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t                 n;
    lun_ocsp_http_verdict  v = LUN_OCSP_HTTP_MORE;

    parse_url(data, size);
    (void) parse(data, size, true);

    for (n = 0; n <= size && v == LUN_OCSP_HTTP_MORE; n++) {
        v = parse(data, n, false);
    }

    LUN_CHECK(parse(data, size, false) == v);
    return 0;
}
