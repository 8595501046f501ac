/*
 * set_misc_text.c -- functions from text to text: quoting, codings, digests.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/set_misc/set_misc_priv.h"

#include "base/digest.h"


static lun_str
made(const char *start, const char *end)
{
    return lun_str_of(start, (size_t) (end - start));
}


/* --- quoting ------------------------------------------------------------- */

/* The letter behind the backslash; 0: the byte stays as it is. */
static char
sql_letter(char c)
{
    switch (c) {

    case '\0':
        return '0';

    case '\b':
        return 'b';

    case '\t':
        return 't';

    case '\n':
        return 'n';

    case '\r':
        return 'r';

    case 0x1a:
        return 'Z';

    case '\\':
    case '\'':
    case '"':
    case '$':
        return c;

    default:
        return 0;
    }
}


/* `octal`: bytes beyond ASCII as \\ooo. */
static char *
put_sql(char *p, lun_str in, bool octal)
{
    char           letter;
    size_t         i;
    unsigned char  c;

    *p++ = '\'';

    for (i = 0; i < in.len; i++) {
        c = (unsigned char) in.data[i];
        letter = sql_letter(in.data[i]);

        if (letter != 0) {
            *p++ = '\\';
            *p++ = letter;

        } else if (octal && c >= 0x80) {
            *p++ = '\\';
            *p++ = '\\';
            *p++ = (char) ('0' + (c >> 6));
            *p++ = (char) ('0' + (c >> 3 & 7));
            *p++ = (char) ('0' + (c & 7));

        } else {
            *p++ = in.data[i];
        }
    }

    *p++ = '\'';
    return p;
}


lun_rc
lun_misc_quote_sql(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    char  *start = lun_pool_text(pool, 2 * in.len + 2);

    *out = made(start, put_sql(start, in, false));
    return LUN_OK;
}


/* How many bytes of UTF-8 begin there; 0: none. */
static size_t
utf8_length(const char *p, const char *end)
{
    size_t         n, i;
    unsigned char  c = (unsigned char) *p;

    n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3
        : c >= 0xf0 && c < 0xf5 ? 4 : 0;

    if (n > (size_t) (end - p)) {
        return 0;
    }

    for (i = 1; i < n; i++) {
        if (((unsigned char) p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }

    return n;
}


static bool
is_utf8(lun_str s)
{
    size_t       n;
    const char  *p = s.data, *end = s.data + s.len;

    for ( ; p < end; p += n) {
        n = utf8_length(p, end);

        if (n == 0) {
            return false;
        }
    }

    return true;
}


lun_rc
lun_misc_quote_pgsql(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    char  *start, *p;

    if (in.len == 0) {
        *out = LUN_STR("''");
        return LUN_OK;
    }

    start = p = lun_pool_text(pool, 5 * in.len + 3);
    *p++ = 'E';

    *out = made(start, put_sql(p, in, !is_utf8(in)));
    return LUN_OK;
}


static char *
put_json(char *p, char c)
{
    const char         *at;
    static const char   bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

    if ((unsigned char) c >= 0x20 && c != '"' && c != '\\') {
        *p++ = c;
        return p;
    }

    *p++ = '\\';
    at = c != '\0' ? strchr(bytes, c) : NULL;

    if (at != NULL) {
        *p++ = letters[at - bytes];
        return p;
    }

    p = lun_copy_str(p, LUN_STR("u00"));
    return lun_hex(p, (unsigned char *) &c, 1);
}


lun_rc
lun_misc_quote_json(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    char    *start, *p;
    size_t   i;

    if (in.len == 0) {
        *out = LUN_STR("null");
        return LUN_OK;
    }

    start = p = lun_pool_text(pool, 6 * in.len + 2);
    *p++ = '"';

    for (i = 0; i < in.len; i++) {
        p = put_json(p, in.data[i]);
    }

    *p++ = '"';
    *out = made(start, p);
    return LUN_OK;
}


/* --- percents ------------------------------------------------------------ */

static int
hex_digit(char c)
{
    if (lun_is_digit(c)) {
        return c - '0';
    }

    c = lun_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


/*
 * Of "%zz" only the percent goes, of "%4z" all but what follows the z: so it
 * has always been.
 */
lun_rc
lun_misc_unescape_uri(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    int          high;
    char        *start, *d;
    const char  *p = in.data, *end = in.data + in.len;

    d = start = lun_pool_text(pool, in.len + 1);

    for ( ; p < end; p++) {
        if (*p == '+') {
            *d++ = ' ';
            continue;
        }

        if (*p != '%') {
            *d++ = *p;
            continue;
        }

        if (++p == end) {
            break;
        }

        high = hex_digit(*p);

        if (high < 0) {
            *d++ = *p;

        } else if (++p < end && hex_digit(*p) >= 0) {
            *d++ = (char) (high * 16 + hex_digit(*p));
        }
    }

    *out = made(start, d);
    return LUN_OK;
}


/* What a query's names and values can't hold, and '/'. */
static bool
is_escaped(char c)
{
    return (unsigned char) c <= ' ' || (unsigned char) c >= 0x7f
           || strchr("\"#%&+/:;<=>?[\\]^{}", c) != NULL;
}


lun_rc
lun_misc_escape_uri(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    char                *start, *d;
    size_t               i;
    unsigned char        c;
    static const char    digits[] = "0123456789ABCDEF";

    d = start = lun_pool_text(pool, 3 * in.len + 1);

    for (i = 0; i < in.len; i++) {
        c = (unsigned char) in.data[i];

        if (is_escaped(in.data[i])) {
            *d++ = '%';
            *d++ = digits[c >> 4];
            *d++ = digits[c & 15];

        } else {
            *d++ = in.data[i];
        }
    }

    *out = made(start, d);
    return LUN_OK;
}


/* --- base32 -------------------------------------------------------------- */

/* The location's; where nothing was said of it, what it is by default. */
static lun_str
alphabet_of(const lun_request *r, bool *padding)
{
    const lun_misc_conf  *conf = NULL;

    if (r != NULL) {
        conf = lun_http_conf(r, &lun_http_set_misc);
    }

    if (conf == NULL) {
        *padding = true;
        return LUN_STR("0123456789abcdefghijklmnopqrstuv");
    }

    *padding = conf->base32_padding;
    return conf->base32_alphabet;
}


lun_rc
lun_misc_encode_base32(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    bool      padding;
    char     *start, *d;
    size_t    i;
    lun_str   alphabet = alphabet_of(r, &padding);
    unsigned  bits = 0, held = 0;

    d = start = lun_pool_text(pool, (in.len + 4) / 5 * 8 + 1);

    for (i = 0; i < in.len; i++) {
        held = held << 8 | (unsigned char) in.data[i];

        for (bits += 8; bits >= 5; bits -= 5) {
            *d++ = alphabet.data[held >> (bits - 5) & 31];
        }
    }

    if (bits != 0) {
        *d++ = alphabet.data[held << (5 - bits) & 31];
    }

    while (padding && (d - start) % 8 != 0) {
        *d++ = '=';
    }

    *out = made(start, d);
    return LUN_OK;
}


/*
 * A text ends at its first '=', and is nothing if no text is encoded to so many
 * characters.  One of no alphabet stands for zero bits, as it always has, and
 * one that stands twice for its last place.
 */
lun_rc
lun_misc_decode_base32(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    bool                  padding;
    char                 *start, *d;
    size_t                i;
    lun_str               alphabet = alphabet_of(r, &padding);
    unsigned              bits = 0, held = 0;
    const char           *end = lun_str_chr(in, '=');
    unsigned char         places[256] = { 0 };
    static const uint8_t  never[8] = { 0, 1, 0, 1, 0, 0, 1, 0 };

    if (end != NULL) {
        in.len = (size_t) (end - in.data);
    }

    if (never[in.len % 8]) {
        *out = LUN_STR("");
        return LUN_OK;
    }

    for (i = 0; i < alphabet.len; i++) {
        places[(unsigned char) alphabet.data[i]] = (unsigned char) i;
    }

    d = start = lun_pool_text(pool, in.len + 1);

    for (i = 0; i < in.len; i++) {
        held = held << 5 | places[(unsigned char) in.data[i]];
        bits += 5;

        if (bits >= 8) {
            bits -= 8;
            *d++ = (char) (held >> bits);
        }
    }

    *out = made(start, d);
    return LUN_OK;
}


/* --- base64, hex, digests ------------------------------------------------ */

static lun_rc
encode_base64(lun_pool *pool, lun_str in, lun_str *out, bool url)
{
    char  *start = lun_pool_text(pool, lun_base64_len(in.len) + 1);

    *out = made(start, lun_base64_encode(start, in, url, !url));
    return LUN_OK;
}


lun_rc
lun_misc_encode_base64(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    return encode_base64(pool, in, out, false);
}


lun_rc
lun_misc_encode_base64url(lun_request *r, lun_pool *pool, lun_str in,
    lun_str *out)
{
    return encode_base64(pool, in, out, true);
}


static lun_rc
decode_base64(lun_pool *pool, lun_str in, lun_str *out, bool url)
{
    char    *start = lun_pool_text(pool, in.len / 4 * 3 + 3);
    size_t   len = 0;
    lun_rc   rc = lun_base64_decode(start, &len, in, url, false);

    *out = lun_str_of(start, len);
    return rc;
}


lun_rc
lun_misc_decode_base64(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    return decode_base64(pool, in, out, false);
}


lun_rc
lun_misc_decode_base64url(lun_request *r, lun_pool *pool, lun_str in,
    lun_str *out)
{
    return decode_base64(pool, in, out, true);
}


static lun_rc
put_hex(lun_pool *pool, const void *bytes, size_t n, lun_str *out)
{
    char  *start = lun_pool_text(pool, 2 * n + 1);

    *out = made(start, lun_hex(start, bytes, n));
    return LUN_OK;
}


lun_rc
lun_misc_encode_hex(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    return put_hex(pool, in.data, in.len, out);
}


lun_rc
lun_misc_decode_hex(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    int      high, low;
    char    *start, *d;
    size_t   i;

    if (in.len % 2 != 0) {
        return LUN_ERROR;
    }

    d = start = lun_pool_text(pool, in.len / 2 + 1);

    for (i = 0; i < in.len; i += 2) {
        high = hex_digit(in.data[i]);
        low = hex_digit(in.data[i + 1]);

        if (high < 0 || low < 0) {
            return LUN_ERROR;
        }

        *d++ = (char) (high * 16 + low);
    }

    *out = made(start, d);
    return LUN_OK;
}


lun_rc
lun_misc_md5(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    unsigned char  sum[LUN_MD5_SIZE];

    lun_md5(in, sum);
    return put_hex(pool, sum, sizeof(sum), out);
}


lun_rc
lun_misc_sha1(lun_request *r, lun_pool *pool, lun_str in, lun_str *out)
{
    unsigned char  sum[LUN_SHA1_SIZE];

    lun_sha1(in, sum);
    return put_hex(pool, sum, sizeof(sum), out);
}
