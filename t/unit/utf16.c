/*
 * utf16.c -- UTF-8 and UTF-16.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/utf16.c"

#include "tap.h"


/* Compares texts in UTF-16; `want` ends with a zero. */
static void
is_wide(const uint16_t *got, size_t n, const uint16_t *want, const char *name)
{
    size_t  len = 0;

    while (want[len] != 0) {
        len++;
    }

    is_mem(got, n * sizeof(uint16_t), want, len * sizeof(uint16_t), "%s",
           name);
}


static const struct {
    const char      *name;
    const char      *text;
    const uint16_t  *wide;         /* NULL: malformed */
} texts[] = {
    { "plain", "index.html", u"index.html" },
    { "two bytes", "\xc3\xa9", u"\u00e9" },
    { "three bytes", "\xe2\x82\xac", u"\u20ac" },
    { "four bytes", "\xf0\x9f\x8c\x99", u"\xd83c\xdf19" },
    { "the last of two bytes", "\xdf\xbf", u"\u07ff" },
    { "the first of three", "\xe0\xa0\x80", u"\u0800" },
    { "before the surrogates", "\xed\x9f\xbf", u"\ud7ff" },
    { "behind the surrogates", "\xee\x80\x80", u"\ue000" },
    { "the last of three bytes", "\xef\xbf\xbf", u"\uffff" },
    { "the first of four", "\xf0\x90\x80\x80", u"\xd800\xdc00" },
    { "the last character", "\xf4\x8f\xbf\xbf", u"\xdbff\xdfff" },
    { "overlong, two bytes", "\xc0\xaf", NULL },
    { "overlong, the last of two", "\xc1\xbf", NULL },
    { "overlong, three bytes", "\xe0\x80\xaf", NULL },
    { "overlong, the last of three", "\xe0\x9f\xbf", NULL },
    { "overlong, four bytes", "\xf0\x80\x80\xaf", NULL },
    { "overlong, the last of four", "\xf0\x8f\xbf\xbf", NULL },
    { "the first surrogate", "\xed\xa0\x80", NULL },
    { "the last surrogate", "\xed\xbf\xbf", NULL },
    { "past the last character", "\xf4\x90\x80\x80", NULL },
    { "five bytes", "\xf8\x88\x80\x80\x80", NULL },
    { "a continuation alone", "\x80", NULL },
    { "a bad continuation", "\xc3\xe9", NULL },
    { "a bad second of three", "\xe2\x82g", NULL },
    { "a bad third of four", "\xf0\x9f\x8cg", NULL },
    { "cut after one byte", "\xe2", NULL },
    { "cut after two bytes", "\xe2\x82", NULL },
    { "cut after three bytes", "\xf0\x9f\x8c", NULL },
    { "good, then not", "index\xff", NULL },
    { "0xff", "\xff", NULL }
};


static void
utf8_is_taken_strictly(void)
{
    size_t      i, len;
    lun_str     text;
    uint16_t    wide[32];
    ptrdiff_t   n;

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        len = strlen(texts[i].text);
        text = lun_str_of(tap_edge(texts[i].text, len), len);
        n = lun_utf16_from(wide, text);

        if (texts[i].wide == NULL) {
            is_int(n, -1, "%s is malformed", texts[i].name);

        } else if (ok(n >= 0, "%s is good", texts[i].name)) {
            is_wide(wide, (size_t) n, texts[i].wide, texts[i].name);
        }
    }

    is_int(lun_utf16_from(wide, LUN_STR("")), 0, "nothing");
    is_int(lun_utf16_from(wide, LUN_STR("a\0b")), 3, "a zero is a byte");
}


static void
utf16_comes_back(void)
{
    char    text[32];
    size_t  i, n;

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        if (texts[i].wide == NULL) {
            continue;
        }

        for (n = 0; texts[i].wide[n] != 0; n++) { /* void */ }

        n = lun_utf16_to(text, texts[i].wide, n);
        is_mem(text, n, texts[i].text, strlen(texts[i].text),
               "%s comes back", texts[i].name);
    }

    n = lun_utf16_to(text, u"a\xd800z", 3);
    is_mem(text, n, "a\xef\xbf\xbdz", 5, "a lone high surrogate");
    n = lun_utf16_to(text, u"\xdc00", 1);
    is_mem(text, n, "\xef\xbf\xbd", 3, "a lone low surrogate");
    n = lun_utf16_to(text, u"\xd83c", 1);
    is_mem(text, n, "\xef\xbf\xbd", 3, "a high surrogate at the end");
    n = lun_utf16_to(text, u"\xd83c\xdf19", 1);
    is_mem(text, n, "\xef\xbf\xbd", 3, "and does not look behind that");
}


int
main(void)
{
    utf8_is_taken_strictly();
    utf16_comes_back();

    return done_testing();
}
