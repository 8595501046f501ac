/*
 * idna.c -- names of hosts in other scripts, in ASCII.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/idna.c"
#include "tap.h"


static lun_pool  *pool;

#define is_ascii(host, want, ...)                                             \
    ok(lun_str_eq(ascii_of(host, strlen(host)), lun_str_z(want)), __VA_ARGS__)


static lun_str
ascii_of(const char *host, size_t len)
{
    lun_str  ascii;

    return lun_idna_to_ascii(pool, lun_str_of(tap_edge(host, len), len),
                             &ascii) ? ascii : LUN_STR("no name");
}


static void
names(void)
{
    size_t  i;

    /* Most of these are RFC 3492's own. */
    static const struct {
        const char  *host, *ascii;
    } pairs[] = {
        { "a.example", "a.example" }, { "", "" },
        { "b\xc3\xbc" "cher.example", "xn--bcher-kva.example" },
        { "*.m\xc3\xbcnchen.de", "*.xn--mnchen-3ya.de" },
        { ".\xc3\xbc.x", ".xn--tda.x" },
        { "\xe4\xbb\x96\xe4\xbb\xac\xe4\xb8\xba\xe4\xbb\x80\xe4\xb9\x88\xe4"
          "\xb8\x8d\xe8\xaf\xb4\xe4\xb8\xad\xe6\x96\x87",
          "xn--ihqwcrb4cv8a8dqg056pqjye" },
        { "pro\xc4\x8dprost\xc4\x9bnemluv\xc3\xad\xc4\x8d" "esky",
          "xn--proprostnemluvesky-uyb24dma41a" },
        { "3\xe5\xb9\xb4" "b\xe7\xb5\x84\xe9\x87\x91\xe5\x85\xab\xe5\x85\x88"
          "\xe7\x94\x9f", "xn--3b-ww4c5e180e575a65lsy2b" },
        { "\xf0\x9f\x98\x80.test", "xn--e28h.test" },
    };

    for (i = 0; i < LUN_ARRAY_LEN(pairs); i++) {
        is_ascii(pairs[i].host, pairs[i].ascii, "%s", pairs[i].ascii);
    }
}


static void
others(void)
{
    char     text[256];
    size_t   i;
    lun_str  none = LUN_STR("no name");

    static const char *const  bad[] = {
        "\xc3", "\xc3x", "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xff", "a.\xc3.b", "\xf0\x9f\x98"
    };

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        is_ascii(bad[i], "no name", "no UTF-8: %d", (int) i);
    }

    memset(text, 'a', sizeof(text));
    memcpy(text, "\xc3\xbc", 2);
    is_int((int64_t) ascii_of(text, 57).len, 63, "63 bytes of a label");
    ok(lun_str_eq(ascii_of(text, 58), none), "are the most");
    ok(lun_str_eq(ascii_of(text, 200), none), "and do not run over");

    for (i = 0; i + 1 < sizeof(text); i += 2) {
        memcpy(text + i, i % 4 == 0 ? "\xc3\xbc" : "\xdf\xbf", 2);
    }

    ok(lun_str_eq(ascii_of(text, 120), none), "nor do 60 letters");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    names();
    others();
    lun_pool_free(pool);
    return done_testing();
}
