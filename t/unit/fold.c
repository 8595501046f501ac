/*
 * fold.c -- letters of one kind, in any case.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/fold.c"

#include "base/digest.h"
#include "tap.h"


/* Texts that are one, and such that are not; ASCII is not folded here. */
static const struct {
    const char  *a;
    const char  *b;
    bool         same;
} pairs[] = {
    { "été", "ÉTÉ", false },
    { "é", "É", true },
    { "é", "è", false },
    { "éx", "ÉX", false },
    { "äöü", "ÄÖÜ", true },
    { "ÿ", "Ÿ", true },
    { "×", "÷", false },
    { "ß", "ẞ", false },
    { "ł", "Ł", true },
    { "ő", "Ő", true },
    { "ž", "Ž", true },
    { "ǆ", "Ǆ", true },
    { "ơ", "Ơ", true },
    { "άς", "ΆΣ", true },
    { "σ", "ς", true },
    { "жщё", "ЖЩЁ", true },
    { "ӑ", "Ӑ", true },
    { "ա", "Ա", true },
    { "ḁ", "Ḁ", true },
    { "ệ", "Ệ", true },
    { "ᾳ", "ᾼ", true },
    { "ⅷ", "Ⅷ", true },
    { "ⅎ", "Ⅎ", true },
    { "ↄ", "Ↄ", true },
    { "ⱡ", "Ⱡ", true },
    { "ⱳ", "Ⱳ", true },
    { "ⱶ", "Ⱶ", true },
    { "ⳬ", "Ⳬ", true },
    { "ⳳ", "Ⳳ", true },
    { "ⴧ", "Ⴧ", true },
    { "ⴭ", "Ⴭ", true },
    { "ꞌ", "Ꞌ", true },
    { "ⓐ", "Ⓐ", true },
    { "ｚ", "Ｚ", true },
    { "中", "文", false },
    { "あ", "ア", false },
    { "ı", "i", false },
    { "ſ", "s", false },
    { "K", "k", false },
    { "é", "e\xcc\x81", false },
    { "\xc3", "\xe3", false },
    { "\xc3\xa9\xc3", "\xc3\x89\xc3", true },
    { "\xe0\x83\xa9", "\xe0\x83\x89", false },
    { "\xf0\x9f\x8c\x99", "\xf0\x9f\x8c\x98", false }
};


static bool
one(lun_pool *pool, const char *a, const char *b)
{
    size_t   n = strlen(a), m = strlen(b);
    lun_str  x = lun_fold(pool, lun_str_of(tap_edge(a, n), n));
    lun_str  y = lun_fold(pool, lun_str_of(tap_edge(b, m), m));

    return lun_str_eq(x, y);
}


/* All letters: folded twice is folded once, and the length stays. */
static void
all(lun_pool *pool)
{
    char      text[3];
    size_t    n, wrong = 0, folded = 0;
    uint32_t  crc = 0;
    lun_str   s, once;
    uint32_t  c;

    for (c = 0x80; c < 0x10000; c++) {
        n = c < 0x800 ? 2 : 3;
        text[n - 2] = (char) (0x80 | (c >> 6 & 0x3f));
        text[0] = (char) (n == 2 ? 0xc0 | c >> 6 : 0xe0 | c >> 12);
        text[n - 1] = (char) (0x80 | (c & 0x3f));

        s = lun_str_of(text, n);
        once = lun_fold(pool, s);
        folded += !lun_str_eq(once, s);
        crc = lun_crc32_more(crc, once);
        wrong += once.len != n || !lun_str_eq(lun_fold(pool, once), once);
    }

    is_int((int64_t) wrong, 0, "all letters are folded in one step");
    ok(folded > 1000, "%d of them", (int) folded);
    is_int(crc, 401604200, "all become what Unicode 14 says");
}


int
main(void)
{
    size_t     i;
    lun_str    s = LUN_STR("Plain");
    lun_pool  *pool = lun_pool_new_sized(4096);

    ok(lun_fold(pool, s).data == s.data, "ASCII stays where it is");

    for (i = 0; i < LUN_ARRAY_LEN(pairs); i++) {
        is_int(one(pool, pairs[i].a, pairs[i].b), pairs[i].same,
               "%s and %s", pairs[i].a, pairs[i].b);
    }

    all(pool);
    lun_pool_free(pool);
    return done_testing();
}
