/*
 * utf16.c -- UTF-8 and UTF-16.
 *
 * What is not canonical is refused: two texts that would name one file are two
 * ways past a rule that was written for one of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/utf16.h"


static inline bool
is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}


size_t
lun_utf8_len(const char *text, size_t n)
{
    const unsigned char  *p = (const unsigned char *) text;
    unsigned char         c = p[0];

    if (c < 0x80) {
        return 1;
    }

    if (c < 0xc2 || c > 0xf4 || n < 2 || !is_tail(p[1])) {
        return 0;
    }

    if (c < 0xe0) {
        return 2;
    }

    /* e0 and f0 have shorter forms below, ed has the surrogates above. */
    if (n < 3 || !is_tail(p[2])
        || (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f))
    {
        return 0;
    }

    if (c < 0xf0) {
        return 3;
    }

    if (n < 4 || !is_tail(p[3])
        || (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f))
    {
        return 0;
    }

    return 4;
}


/* The character of a sequence that lun_utf8_len() has found good. */
static uint32_t
character(const char *text, size_t n)
{
    static const uint8_t  bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };

    size_t                i;
    const unsigned char  *p = (const unsigned char *) text;
    uint32_t              c = p[0] & bits[n];

    for (i = 1; i < n; i++) {
        c = c << 6 | (p[i] & 0x3f);
    }

    return c;
}


ptrdiff_t
lun_utf16_from(uint16_t *out, lun_str text)
{
    size_t       n;
    uint16_t    *w = out;
    uint32_t     c;
    const char  *p = text.data, *end = p + text.len;

    for ( /* void */ ; p < end; p += n) {
        n = lun_utf8_len(p, (size_t) (end - p));

        if (n == 0) {
            return -1;
        }

        c = character(p, n);

        if (c < 0x10000) {
            *w++ = (uint16_t) c;

        } else {
            *w++ = (uint16_t) (0xd800 + ((c - 0x10000) >> 10));
            *w++ = (uint16_t) (0xdc00 + ((c - 0x10000) & 0x3ff));
        }
    }

    return w - out;
}


static inline bool
is_low_surrogate(uint16_t c)
{
    return c >= 0xdc00 && c < 0xe000;
}


/*
 * A surrogate without its other half becomes U+FFFD: names of files may have
 * such, and are still to be shown.
 */
size_t
lun_utf16_to(char *out, const uint16_t *text, size_t n)
{
    char      *p = out;
    size_t     i;
    uint32_t   c;

    for (i = 0; i < n; i++) {
        c = text[i];

        if (c >= 0xd800 && c < 0xe000) {
            if (c < 0xdc00 && i + 1 < n && is_low_surrogate(text[i + 1])) {
                c = 0x10000 + ((c - 0xd800) << 10)
                    + ((uint32_t) text[++i] - 0xdc00);
            } else {
                c = 0xfffd;
            }
        }

        if (c < 0x80) {
            *p++ = (char) c;
            continue;
        }

        if (c < 0x800) {
            *p++ = (char) (0xc0 | c >> 6);

        } else {
            if (c < 0x10000) {
                *p++ = (char) (0xe0 | c >> 12);
            } else {
                *p++ = (char) (0xf0 | c >> 18);
                *p++ = (char) (0x80 | (c >> 12 & 0x3f));
            }
            *p++ = (char) (0x80 | (c >> 6 & 0x3f));
        }

        *p++ = (char) (0x80 | (c & 0x3f));
    }

    return (size_t) (p - out);
}
