/*
 * utf8.c -- texts of anybody as UTF-8, and as strings in JSON.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/utf8.h"

#include "base/fmt.h"


size_t
lun_utf8_size(const char *text, size_t left)
{
    const unsigned char  *p = (const unsigned char *) text;
    size_t                i, n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2
                                 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

    if (n > left) {
        return 0;
    }

    for (i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }

    if ((n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0)
                    || (p[0] == 0xed && p[1] > 0x9f)))
        || (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90)
                       || (p[0] == 0xf4 && p[1] > 0x8f))))
    {
        return 0;                  /* too long, a surrogate, too large */
    }

    return n;
}


/* How many bytes in front are ASCII, about: most texts are. */
static size_t
skip_ascii(lun_str s)
{
    size_t    i = 0;
    uint64_t  eight;

    for ( ; s.len - i >= 8; i += 8) {
        memcpy(&eight, s.data + i, 8);

        if (eight & 0x8080808080808080) {
            break;
        }
    }

    while (i < s.len && (s.data[i] & 0x80) == 0) {
        i++;
    }

    return i;
}


size_t
lun_utf8_clean_len(lun_str s)
{
    size_t  i, n, len = skip_ascii(s);

    for (i = len; i < s.len; i += lun_max(n, (size_t) 1)) {
        n = lun_utf8_size(s.data + i, s.len - i);
        len += n != 0 ? n : 3;
    }

    return len;
}


char *
lun_utf8_clean(char *p, lun_str s)
{
    size_t  n, i = skip_ascii(s);

    p = lun_copy_str(p, lun_str_of(s.data, i));

    for ( ; i < s.len; i += lun_max(n, (size_t) 1)) {
        n = lun_utf8_size(s.data + i, s.len - i);
        p = n != 0 ? lun_copy(p, s.data + i, n)
                   : lun_copy(p, "\xef\xbf\xbd", 3);
    }

    return p;
}


/* One character of n bytes, or a byte that is none; up to LUN_UTF8_JSON. */
static char *
put_character(char *p, const char *text, size_t n)
{
    static const char    letters[] = "btn?fr";
    const unsigned char  c = (unsigned char) *text;

    if (n == 0) {
        return lun_copy(p, "\\ufffd", 6);
    }

    if (c == '"' || c == '\\') {
        *p++ = '\\';
        *p++ = *text;
        return p;
    }

    if (c >= '\b' && c <= '\r' && c != '\v') {
        *p++ = '\\';
        *p++ = letters[c - '\b'];
        return p;
    }

    if (c < 0x20 || c == 0x7f) {
        return lun_fmt(p, p + LUN_UTF8_JSON, "\\u%04x", c);
    }

    return lun_copy(p, text, n);
}


/*
 * Cut between two characters and never within one, whose escape would be half a
 * character to a reader.
 */
char *
lun_utf8_json(char *p, const char *end, lun_str s)
{
    char    one[LUN_UTF8_JSON], *last;
    size_t  i, n;

    for (i = 0; i < s.len; i += lun_max(n, (size_t) 1)) {
        n = lun_utf8_size(s.data + i, s.len - i);

        if (end - p >= LUN_UTF8_JSON) {
            p = put_character(p, s.data + i, n);
            continue;
        }

        last = put_character(one, s.data + i, n);

        if (last - one > end - p) {
            break;
        }

        p = lun_copy(p, one, (size_t) (last - one));
    }

    return p;
}
