/*
 * h1_parse.c -- any bytes as a request head: parsed whole and byte by byte
 * the verdicts and results must be the same, and views must lie within.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/host.h"
#include "format/h1_parse.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_view(lun_str s, const char *from, size_t size)
{
    LUN_CHECK(s.data == NULL || (s.data >= from && s.len <= size
              && s.data + s.len <= from + size));
}


/* Each prefix in memory of its own, so that ASan sees its end. */
static lun_h1_verdict
trickle(bool head, const char *text, size_t size, size_t *took)
{
    char            *copy;
    size_t           n;
    lun_h1_line      line;
    lun_h1_header    header;
    lun_h1_parser    p;
    lun_h1_verdict   rc = LUN_H1_MORE;

    lun_h1_parser_reset(&p);

    for (n = 0; n <= size && rc == LUN_H1_MORE; n++) {
        copy = malloc(n != 0 ? n : 1);
        memcpy(copy, text, n);
        rc = head ? lun_h1_parse_header(&p, copy, n, &header)
                  : lun_h1_parse_line(&p, copy, n, &line);
        free(copy);
    }

    *took = n - 1;
    return rc;
}


static size_t
check_line(const char *text, size_t size)
{
    size_t          took;
    lun_h1_line     line;
    lun_h1_parser   p;
    lun_h1_verdict  rc;

    lun_h1_parser_reset(&p);
    rc = lun_h1_parse_line(&p, text, size, &line);
    LUN_CHECK(rc == trickle(false, text, size, &took));

    if (rc != LUN_H1_DONE) {
        return 0;
    }

    LUN_CHECK(took == line.size && text[took - 1] == '\n');
    LUN_CHECK(line.method.len != 0 && line.path.len != 0);
    LUN_CHECK(line.path.data[0] == '/' && line.target.len != 0);
    LUN_CHECK(line.line.len < line.size);
    check_view(line.line, text, size);
    check_view(line.method, line.line.data, line.line.len);
    check_view(line.target, line.line.data, line.line.len);
    check_view(line.path, line.line.data, line.line.len);
    check_view(line.query, line.line.data, line.line.len);
    check_view(line.scheme, line.line.data, line.line.len);
    check_view(line.host, line.line.data, line.line.len);

    return took;
}


static size_t
check_header(const char *text, size_t size)
{
    char            *dst;
    size_t           took;
    lun_str          name;
    uint16_t         port;
    lun_h1_header    h;
    lun_h1_parser    p;
    lun_h1_verdict   rc;

    lun_h1_parser_reset(&p);
    rc = lun_h1_parse_header(&p, text, size, &h);
    LUN_CHECK(rc == trickle(true, text, size, &took));

    if (rc != LUN_H1_DONE) {
        return 0;
    }

    LUN_CHECK(took == h.size && text[took - 1] == '\n' && h.name.len != 0);
    LUN_CHECK(h.name.data == text && text[h.name.len] == ':');
    check_view(h.value, text, took);
    LUN_CHECK(memchr(h.value.data, '\r', h.value.len) == NULL);
    LUN_CHECK(memchr(h.value.data, '\0', h.value.len) == NULL);

    dst = malloc(h.value.len + 1);
    if (lun_host_parse(h.value, dst, &name, &port) == LUN_OK) {
        LUN_CHECK(name.len != 0 && name.len <= h.value.len);
        LUN_CHECK(memchr(name.data, '/', name.len) == NULL);
    }
    free(dst);

    return took;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char    *copy;
    size_t   at, n;

    if (size > 512) {                           /* trickling is quadratic */
        return 0;
    }

    copy = malloc(size != 0 ? size : 1);
    memcpy(copy, data, size);

    at = check_line(copy, size);

    while ((n = check_header(copy + at, size - at)) != 0) {
        at += n;
    }

    free(copy);
    return 0;
}
