/*
 * h1_response.c -- "HTTP/1.1 200 OK" CR LF, or a bare LF.
 *
 * Servers say much behind the number, or nothing: only what could be read in
 * two ways is refused.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/h1_response.h"


static const char  prefix[] = "HTTP/";
enum { PREFIX = sizeof(prefix) - 1 };


/* Digits, no more than `most` of them, make *n. */
static const char *
take_digits(const char *p, const char *end, size_t most, unsigned *n)
{
    const char  *from = p;

    for (*n = 0; p != end && lun_is_digit(*p); p++) {
        if ((size_t) (p - from) == most) {
            return NULL;
        }

        *n = *n * 10 + (unsigned) (*p - '0');
    }

    return p != from ? p : NULL;
}


/* "1.1": later minor versions are taken for 1.1's like. */
static const char *
take_version(const char *p, const char *end, unsigned *version)
{
    unsigned  major, minor;

    p = take_digits(p, end, 1, &major);

    if (p == NULL || major != 1 || p == end || *p++ != '.') {
        return NULL;
    }

    p = take_digits(p, end, 2, &minor);
    *version = 1000 + minor;

    return p;
}


static lun_h1_verdict
parse_whole(const char *p, const char *end, lun_h1_status *out)
{
    const char  *number;

    p = take_version(p + PREFIX, end, &out->version);

    if (p == NULL || p == end || *p != ' ') {
        return LUN_H1_BAD;
    }

    while (p != end && *p == ' ') {
        p++;
    }

    number = p;
    p = take_digits(p, end, 3, &out->status);

    if (p == NULL || p - number != 3 || out->status < 100) {
        return LUN_H1_BAD;
    }

    /* "403.1 Forbidden" is said by some. */
    if (p != end && *p != ' ' && *p != '.') {
        return LUN_H1_BAD;
    }

    out->line = lun_str_of(number, (size_t) (end - number));

    return memchr(number, '\0', out->line.len) == NULL
           && memchr(number, '\r', out->line.len) == NULL ? LUN_H1_DONE
                                                          : LUN_H1_BAD;
}


lun_h1_verdict
lun_h1_parse_status(lun_h1_parser *p, const char *data, size_t size,
    lun_h1_status *out)
{
    const char      *end;
    lun_h1_verdict   rc = LUN_H1_BAD;

    if (size != 0 && memcmp(data, prefix, lun_min(size, (size_t) PREFIX)) != 0)
    {
        goto done;
    }

    end = size > p->at ? memchr(data + p->at, '\n', size - p->at) : NULL;

    if (end == NULL) {
        p->at = size;
        return LUN_H1_MORE;
    }

    /* It is behind the prefix, which has none. */
    out->size = (size_t) (end - data) + 1;

    if (end[-1] == '\r') {
        end--;
    }

    rc = parse_whole(data, end, out);

done:

    lun_h1_parser_reset(p);
    return rc;
}
