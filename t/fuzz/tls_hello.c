/*
 * tls_hello.c -- any bytes as what a TLS client says first: what is named
 * lies within them, and once a verdict is there, more bytes do not change it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/tls_hello.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static bool
lies_in(lun_str s, const char *from, size_t size)
{
    return s.len == 0 || (s.data >= from && s.data + s.len <= from + size);
}


/* The first n bytes, in memory that ends with them. */
static lun_tls_hello_verdict
parse(const uint8_t *data, size_t n, lun_tls_hello *hello)
{
    char                  *copy = malloc(n + 1), *room = malloc(n + 1);
    lun_tls_hello_verdict  rc;

    copy = realloc(copy, n != 0 ? n : 1);
    room = realloc(room, n != 0 ? n : 1);
    memcpy(copy, data, n);
    rc = lun_tls_hello_parse(copy, n, room, hello);

    LUN_CHECK(lies_in(hello->server_name, copy, n)
              || lies_in(hello->server_name, room, n));
    LUN_CHECK(lies_in(hello->alpn, copy, n)
              || lies_in(hello->alpn, room, n));

    free(copy);
    free(room);
    return rc;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t                 n;
    lun_tls_hello          hello, whole;
    lun_tls_hello_verdict  rc = LUN_TLS_HELLO_MORE, last;

    last = parse(data, size, &whole);

    for (n = 0; n <= size && rc == LUN_TLS_HELLO_MORE; n++) {
        rc = parse(data, n, &hello);
    }

    LUN_CHECK(rc == last);
    LUN_CHECK(hello.version == whole.version
              && hello.server_name.len == whole.server_name.len
              && hello.alpn.len == whole.alpn.len);
    return 0;
}
