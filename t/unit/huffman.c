/*
 * huffman.c -- each byte and each text comes back; what is no text does not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/huffman.c"

#include "base/check.h"
#include "tap.h"


static bool
comes_back(lun_str s)
{
    char    packed[1024], text[1024], *end;
    size_t  n = lun_huffman_len(s);

    LUN_CHECK(n <= sizeof(packed) && LUN_HUFFMAN_ROOM(n) <= sizeof(text));
    end = lun_huffman_put(packed, s);

    if ((size_t) (end - packed) != n) {
        return false;
    }

    end = lun_huffman_read(text, (const uint8_t *) tap_edge(packed, n), n, 7);
    return end != NULL
           && lun_str_eq(s, lun_str_of(text, (size_t) (end - text)));
}


static void
brings_all_back(void)
{
    int       byte, good = 0, text = 0;
    char      s[64];
    size_t    i, n;
    uint32_t  seed = 7;

    for (byte = 0; byte < 256; byte++) {
        s[0] = s[1] = s[2] = (char) byte;

        for (n = 1; n <= 3; n++) {
            good += comes_back(lun_str_of(s, n));
        }
    }

    is_int(good, 3 * 256, "one, two and three of each byte");

    for (i = 0; i < 1000; i++) {
        for (n = 0; n < i % sizeof(s); n++) {
            seed = seed * 1103515245u + 12345;
            s[n] = (char) (i % 2 ? 'a' + (seed >> 16) % 26 : seed >> 16);
        }

        text += comes_back(lun_str_of(s, n));
    }

    is_int(text, 1000, "letters and any bytes, of all lengths");
}


static const struct {
    const char  *name;
    lun_str      packed;
    unsigned     filling;
    const char  *text;                 /* NULL: it is none */
} cases[] = {
    { "the RFC's example (C.4.1)", LUN_STR_INIT("\xf1\xe3\xc2\xe5\xf2\x3a\x6b"
      "\xa0\xab\x90\xf4\xff"), 7, "www.example.com" },
    { "nothing", LUN_STR_INIT(""), 7, "" },
    { "filled up with ones", LUN_STR_INIT("\x1f"), 7, "a" },
    { "filled up with a zero", LUN_STR_INIT("\x1e"), 7, NULL },
    { "filled up with a byte", LUN_STR_INIT("\xff"), 7, NULL },
    { "filled up with a byte, where that is borne", LUN_STR_INIT("\xff"), 8,
      "" },
    { "filled up with two", LUN_STR_INIT("\xff\xff"), 8, NULL },
    { "its end said", LUN_STR_INIT("\xff\xff\xff\xff"), 8, NULL },
    { "its end said behind a letter", LUN_STR_INIT("\x1f\xff\xff\xff\xff"), 8,
      NULL },
    { "a long code cut off", LUN_STR_INIT("\xff\xff\xfe"), 7, NULL },
};


int
main(void)
{
    char    text[64], *end;
    size_t  i, n;

    brings_all_back();

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        n = cases[i].packed.len;
        end = lun_huffman_read(text, (const uint8_t *)
                               tap_edge(cases[i].packed.data, n), n,
                               cases[i].filling);
        ok(cases[i].text == NULL ? end == NULL
           : end != NULL && lun_str_eq(lun_str_z(cases[i].text),
                                       lun_str_of(text, (size_t)
                                                  (end - text))),
           "%s", cases[i].name);
    }

    return done_testing();
}
