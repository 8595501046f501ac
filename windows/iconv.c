/*
 * iconv.c -- MultiByteToWideChar() and back, one character at a time.
 *
 * The system's functions take texts that are whole and say nothing of where
 * one went wrong, so each character is measured first.  UTF-8 and UTF-16 need
 * no code page.  Encodings with states (ISO-2022, UTF-7) are not here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/iconv.h"

#include "base/check.h"
#include "os/utf16.h"
#include "windows/win.h"

enum {
    UTF16 = 1200, UTF16_BE = 1201, UTF8 = 65001, GB18030 = 54936,
    STATEFUL = 50000,              /* from here on, but for the two above */
    NAME_SIZE = 32, CHARACTER = 8
};

struct lun_iconv {
    unsigned  to, from;
};

static const struct {
    const char  *name;             /* its letters and digits, in small */
    unsigned     page;
} names[] = {
    { "utf8", UTF8 }, { "utf16le", UTF16 }, { "ucs2le", UTF16 },
    { "utf16be", UTF16_BE }, { "ucs2be", UTF16_BE },
    { "ascii", 20127 }, { "usascii", 20127 }, { "latin1", 28591 },
    { "latin2", 28592 }, { "latin5", 28599 }, { "latin9", 28605 },
    { "koi8r", 20866 }, { "koi8u", 21866 },
    { "gbk", 936 }, { "gb2312", 936 }, { "euccn", 936 },
    { "gb18030", GB18030 }, { "big5", 950 }, { "big5hkscs", 951 },
    { "shiftjis", 932 }, { "sjis", 932 }, { "windows31j", 932 },
    { "eucjp", 20932 }, { "euckr", 949 }, { "uhc", 949 }, { "johab", 1361 },
};

/* Numbers behind these are a code page, less the number here. */
static const struct {
    const char  *prefix;
    unsigned     base;
} families[] = { { "iso8859", 28590 }, { "windows", 0 }, { "cp", 0 } };


/* --- names --------------------------------------------------------------- */

/* "Shift_JIS//TRANSLIT" is "shiftjis" here. */
static lun_str
plain_name(char *room, lun_str name)
{
    char    c;
    size_t  i, n = 0;

    for (i = 0; i < name.len && name.data[i] != '/'; i++) {
        c = lun_lower(name.data[i]);

        if (lun_is_digit(c) || (c >= 'a' && c <= 'z')) {
            if (n == NAME_SIZE) {
                return LUN_STR("");
            }

            room[n++] = c;
        }
    }

    return lun_str_of(room, n);
}


/*
 * A table of names, then families whose number says which ("cp1252",
 * "iso-8859-2").
 */
static unsigned
page_of(lun_str name)
{
    char      room[NAME_SIZE];
    size_t    i, len;
    lun_str   plain = plain_name(room, name), rest;
    uint64_t  n;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_eq(plain, lun_str_of(names[i].name,
                                          strlen(names[i].name)))) {
            return names[i].page;
        }
    }

    for (i = 0; i < LUN_ARRAY_LEN(families); i++) {
        len = strlen(families[i].prefix);

        if (plain.len <= len
            || memcmp(plain.data, families[i].prefix, len) != 0)
        {
            continue;
        }

        rest = lun_str_of(plain.data + len, plain.len - len);

        if (lun_str_to_u64(rest, &n) == LUN_OK && n < STATEFUL) {
            return families[i].base + (unsigned) n;
        }
    }

    return 0;
}


/* The code page of a name; 0: there is none here. */
static unsigned
known_page_of(lun_str name)
{
    unsigned  page = page_of(name);

    return page == UTF8 || page == UTF16 || page == UTF16_BE
           || (page != 0 && (page < STATEFUL || page == GB18030)
               && IsValidCodePage(page)) ? page : 0;
}


lun_iconv *
lun_iconv_open(lun_str to, lun_str from)
{
    unsigned    pages[2] = { known_page_of(to), known_page_of(from) };
    lun_iconv  *c;

    if (pages[0] == 0 || pages[1] == 0) {
        return NULL;
    }

    c = lun_calloc(sizeof(lun_iconv));
    c->to = pages[0];
    c->from = pages[1];
    return c;
}


void
lun_iconv_close(lun_iconv *c)
{
    free(c);
}


/* --- a character comes --------------------------------------------------- */

/* How many bytes it has, by those that there are; 0: more are needed. */
static size_t
utf8_size(const uint8_t *p, size_t n)
{
    size_t  i, len = p[0] < 0xc2 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4 : 1;

    /* What can't go on is none, however little of it has come. */
    for (i = 1; i < len && i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 1;
        }
    }

    return len <= n ? len : 0;
}


static size_t
utf16_size(const uint8_t *p, size_t n, bool big)
{
    if (n < 2) {
        return 0;
    }

    /* The first of two surrogates. */
    if ((p[big ? 0 : 1] & 0xfc) != 0xd8) {
        return 2;
    }

    return n < 4 ? 0 : 4;
}


static size_t
size_of(unsigned page, const uint8_t *p, size_t n)
{
    size_t  len;

    switch (page) {

    case UTF8:
        return utf8_size(p, n);

    case UTF16:
    case UTF16_BE:
        return utf16_size(p, n, page == UTF16_BE);

    case GB18030:
        len = p[0] < 0x81 ? 1 : n < 2 ? 0 : lun_is_digit((char) p[1]) ? 4 : 2;
        return len <= n ? len : 0;

    default:
        len = IsDBCSLeadByteEx(page, p[0]) ? 2 : 1;
        return len <= n ? len : 0;
    }
}


/* UTF-16 of one character of n bytes; 0: it is none. */
static size_t
decode(unsigned page, const uint8_t *p, size_t n, uint16_t units[CHARACTER])
{
    int        count;
    bool       big = page == UTF16_BE;
    size_t     i;
    ptrdiff_t  got;

    if (page == UTF8) {
        got = lun_utf16_from(units, lun_str_of((const char *) p, n));
        return got > 0 ? (size_t) got : 0;
    }

    if (page == UTF16 || big) {
        for (i = 0; i < n / 2; i++) {
            units[i] = (uint16_t) (p[2 * i + !big] << 8 | p[2 * i + big]);
        }

        return (n == 2) == ((units[0] & 0xf800) != 0xd800)
               && (n == 2 || (units[1] & 0xfc00) == 0xdc00) ? n / 2 : 0;
    }

    count = MultiByteToWideChar(page, MB_ERR_INVALID_CHARS, (const char *) p,
                                (int) n, (wchar_t *) units, CHARACTER);
    return count > 0 ? (size_t) count : 0;
}


/* --- and goes ------------------------------------------------------------ */

/* Its bytes; 0: the encoding has it not. */
static size_t
encode(unsigned page, const uint16_t *units, size_t n,
    char bytes[4 * CHARACTER])
{
    int     len;
    BOOL    missing = FALSE;
    bool    big = page == UTF16_BE, plain = page == GB18030;
    size_t  i;

    if (page == UTF8) {
        return lun_utf16_to(bytes, units, n);
    }

    if (page == UTF16 || big) {
        for (i = 0; i < n; i++) {
            bytes[2 * i + !big] = (char) (units[i] >> 8);
            bytes[2 * i + big] = (char) (units[i] & 0xff);
        }

        return 2 * n;
    }

    len = WideCharToMultiByte(page, plain ? 0 : WC_NO_BEST_FIT_CHARS,
                              (const wchar_t *) units, (int) n, bytes,
                              4 * CHARACTER, NULL, plain ? NULL : &missing);
    return len > 0 && !missing ? (size_t) len : 0;
}


/*
 * A character at a time by way of UTF-16: what has no counterpart is BAD, where
 * Windows would put a question mark.
 */
lun_iconv_verdict
lun_iconv_run(lun_iconv *c, lun_str *text, char **out, const char *end)
{
    char      bytes[4 * CHARACTER];
    size_t    size, n, len;
    uint16_t  units[CHARACTER];

    LUN_CHECK(c != NULL && end >= *out);

    while (text->len != 0) {
        size = size_of(c->from, (const uint8_t *) text->data, text->len);

        if (size == 0) {
            return LUN_ICONV_SHORT;
        }

        n = decode(c->from, (const uint8_t *) text->data, size, units);
        len = n != 0 ? encode(c->to, units, n, bytes) : 0;

        if (len == 0) {
            return LUN_ICONV_BAD;
        }

        if (len > (size_t) (end - *out)) {
            return LUN_ICONV_FULL;
        }

        memcpy(*out, bytes, len);
        *out += len;
        *text = lun_str_of(text->data + size, text->len - size);
    }

    return LUN_ICONV_DONE;
}


lun_iconv_verdict
lun_iconv_finish(lun_iconv *c, char **out, const char *end)
{
    return LUN_ICONV_DONE;
}
