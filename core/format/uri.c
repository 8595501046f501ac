/*
 * uri.c -- percent-encoding and path normalisation.
 *
 * Which byte is special is one table with a bit per kind.  The normaliser is
 * one pass that writes decoded bytes and looks at a segment when its slash
 * (or the end) has come: by then "%2e%2E" and ".." are the same two bytes,
 * and no spelling of a dot or a slash can slip through.  It never writes
 * more than it has read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/uri.h"


/* What must be escaped, by kind; A: everywhere. */
enum {
    U = 1 << LUN_ESCAPE_URI,
    Q = 1 << LUN_ESCAPE_ARGS,
    C = 1 << LUN_ESCAPE_COMPONENT,
    L = 1 << LUN_ESCAPE_LUA_URI,
    R = 1 << LUN_ESCAPE_REDIRECT,
    A = U | Q | C | L | R,
    B = U | Q | C | R,             /* no URI may hold it; Lua leaves it */
    H = U | Q | C | L              /* has a meaning in a URI: # % ? */
};

static const uint8_t  special[256] = {
    [0x00 ... 0x1f] = A,
    [' '] = A,
    ['"'] = B, ['<'] = B, ['>'] = B, ['\\'] = B, ['^'] = B, ['`'] = B,
    ['{'] = B, ['|'] = B, ['}'] = B,
    ['#'] = H, ['%'] = H, ['?'] = H,
    ['&'] = Q | C, ['+'] = Q | C, [';'] = Q | C,
    ['$'] = C, [','] = C, ['/'] = C, [':'] = C, ['='] = C, ['@'] = C,
    ['['] = C, [']'] = C,
    [0x7f ... 0xff] = A
};

/* The value of a hex digit plus one; 0: it is none. */
static const uint8_t  hex_digit[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,
    ['5'] = 6,  ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10,
    ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16
};


size_t
lun_uri_escaped_len(lun_str s, lun_escape kind)
{
    size_t  i, n = s.len;

    for (i = 0; i < s.len; i++) {
        if (special[(unsigned char) s.data[i]] & 1 << kind) {
            n += 2;
        }
    }

    return n;
}


char *
lun_uri_escape(char *dst, lun_str s, lun_escape kind)
{
    size_t             i;
    unsigned char      c;
    static const char  digits[] = "0123456789ABCDEF";

    for (i = 0; i < s.len; i++) {
        c = (unsigned char) s.data[i];

        if (special[c] & 1 << kind) {
            *dst++ = '%';
            *dst++ = digits[c >> 4];
            *dst++ = digits[c & 15];

        } else {
            *dst++ = (char) c;
        }
    }

    return dst;
}


/* The byte that the escape at p ("%XX") stands for, or -1. */
static inline int
decode(const char *p, const char *end)
{
    int  high, low;

    if (end - p < 3) {
        return -1;
    }

    high = hex_digit[(unsigned char) p[1]];
    low = hex_digit[(unsigned char) p[2]];

    return high != 0 && low != 0 ? (high - 1) << 4 | (low - 1) : -1;
}


/* A percent sign without two digits stays as it is: nothing is refused here. */
char *
lun_uri_unescape(char *dst, lun_str s, bool plus)
{
    int          c;
    const char  *p, *end;

    p = s.data;
    end = p + s.len;

    while (p < end) {
        c = (unsigned char) *p;

        if (c == '%') {
            c = decode(p, end);

            if (c < 0) {
                c = '%';

            } else {
                p += 2;
            }

        } else if (c == '+' && plus) {
            c = ' ';
        }

        *dst++ = (char) c;
        p++;
    }

    return dst;
}


/*
 * A segment has ended: it is what was written from `segment` to `u`.  Takes
 * dots back; the result is where the next segment starts, or NULL when ".."
 * would leave the root.  dst[0] is a slash, so the walk back always ends.
 */
static char *
resolve_dots(const char *dst, char *segment, char *u)
{
    if (u - segment == 1 && segment[0] == '.') {
        return segment;
    }

    if (u - segment != 2 || segment[0] != '.' || segment[1] != '.') {
        return u;
    }

    if (segment == dst + 1) {
        return NULL;
    }

    for (u = segment - 1; u[-1] != '/'; u--) { /* void */ }

    return u;
}


lun_rc
lun_uri_normalise(lun_str s, const lun_uri_rules *rules, char *dst, size_t *len)
{
    int          c;
    char        *u, *segment;
    ptrdiff_t    n;
    const char  *p, *end;

    if (s.len == 0 || (s.data[0] != '/'
                       && !(s.data[0] == '\\' && rules->backslash)))
    {
        return LUN_ERROR;
    }

    p = s.data + 1;
    end = s.data + s.len;
    u = dst;
    *u++ = '/';
    segment = u;

    for ( /* void */ ; p < end && *p != '#'; p++) {
        c = (unsigned char) *p;

        if (c == '%') {
            c = decode(p, end);
            p += 2;
        }

        if (c <= 0) {
            return LUN_ERROR;
        }

        if (c != '/' && !(c == '\\' && rules->backslash)) {
            *u++ = (char) c;
            continue;
        }

        if (u == segment) {                     /* an empty segment */
            if (!rules->merge_slashes && c == '/') {
                *u++ = '/';
                segment = u;
            }

            continue;
        }

        n = u - segment;
        u = resolve_dots(dst, segment, u);

        if (u == NULL) {
            return LUN_ERROR;
        }

        if (u - segment == n) {                 /* not dots: it stays */
            if (c == '\\' && p + 1 == end) {
                break;
            }

            *u++ = '/';
        }

        segment = u;
    }

    u = resolve_dots(dst, segment, u);

    if (u == NULL) {
        return LUN_ERROR;
    }

    *len = (size_t) (u - dst);
    return LUN_OK;
}


/*
 * Almost every path needs no work at all; only those that are not plain go
 * through the whole machine.
 */
bool
lun_uri_is_plain(lun_str s, const lun_uri_rules *rules)
{
    char         before, c;
    const char  *p, *end;

    if (s.len == 0 || s.data[0] != '/') {
        return false;
    }

    before = '/';
    end = s.data + s.len;

    for (p = s.data + 1; p < end; p++) {
        c = *p;

        switch (c) {

        case '%':
        case '#':
        case '\0':
            return false;

        case '.':
            if (before == '/') {
                return false;
            }
            break;

        case '/':
            if (before == '/' && rules->merge_slashes) {
                return false;
            }
            break;

        case '\\':
            if (rules->backslash) {
                return false;
            }
            break;
        }

        before = c;
    }

    return true;
}
