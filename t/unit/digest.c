/*
 * digest.c -- known answers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/digest.c"

#include "tap.h"


static void
is_hex(const unsigned char *have, size_t n, const char *want, const char *name)
{
    char  b[64];

    *lun_hex(b, have, n) = '\0';
    is_str(b, want, "%s", name);
}


static void
digests(void)
{
    char           key[80];
    unsigned char  out[LUN_SHA1_SIZE];

    lun_md5(LUN_STR(""), out);
    is_hex(out, 16, "d41d8cd98f00b204e9800998ecf8427e", "md5 of nothing");
    lun_md5(LUN_STR("abc"), out);
    is_hex(out, 16, "900150983cd24fb0d6963f7d28e17f72", "md5");
    lun_sha1(LUN_STR("abc"), out);
    is_hex(out, 20, "a9993e364706816aba3e25717850c26c9cd0d89d", "sha1");
    lun_sha1(LUN_STR_NULL, out);
    is_hex(out, 20, "da39a3ee5e6b4b0d3255bfef95601890afd80709",
           "sha1 of nothing");

    lun_hmac_sha1(LUN_STR("Jefe"), LUN_STR("what do ya want for nothing?"),
                  out);
    is_hex(out, 20, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79", "hmac");
    memset(key, 0xaa, sizeof(key));
    lun_hmac_sha1(lun_str_of(key, 80),
                  LUN_STR("Test Using Larger Than Block-Size Key - Hash Key"
                          " First"), out);
    is_hex(out, 20, "aa4ae5e15272d00e95705637ce8a3b55ed402112",
           "hmac, a long key");
    lun_hmac_sha1(LUN_STR_NULL, LUN_STR_NULL, out);
    is_hex(out, 20, "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d",
           "hmac of nothing");

    ok(lun_crc32(LUN_STR("123456789")) == 0xcbf43926, "crc32");
    ok(lun_crc32(LUN_STR_NULL) == 0, "crc32 of nothing");
}


static void
base64(void)
{
    size_t   i, n;
    char     b[64];
    static const char *const  rows[][2] = {
        { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" }, { "\xfb\xff\xfe", "+//+" }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        *lun_base64_encode(b, lun_str_z(rows[i][0]), false, true) = '\0';
        is_str(b, rows[i][1], "encode");
        is_int(strlen(b), lun_base64_len(strlen(rows[i][0])), "its length");

        n = 99;
        ok(lun_base64_decode(b, &n, lun_str_of(
            tap_edge(rows[i][1], strlen(rows[i][1])), strlen(rows[i][1])),
            false, false) == LUN_OK, "decode");
        is_mem(b, n, rows[i][0], strlen(rows[i][0]), "to what it was");
    }

    *lun_base64_encode(b, LUN_STR("\xfb\xff\xfe" "a"), true, false) = '\0';
    is_str(b, "-__-YQ", "url, without padding");
    ok(lun_base64_decode(b, &n, LUN_STR("-__-YQ"), true, false) == LUN_OK
       && n == 4 && b[3] == 'a', "and back");

    ok(lun_base64_decode(b, &n, LUN_STR("+//+"), true, false) == LUN_ERROR,
       "the other alphabet");
    ok(lun_base64_decode(b, &n, LUN_STR("Zm9v\n"), false, false) == LUN_ERROR,
       "strict");
    ok(lun_base64_decode(b, &n, LUN_STR("Z\nm\r9 v"), false, true) == LUN_OK
       && n == 3 && memcmp(b, "foo", 3) == 0, "mime skips");
    ok(lun_base64_decode(b, &n, LUN_STR("Zm9vY"), false, false) == LUN_ERROR,
       "one digit left over");
    ok(lun_base64_decode(b, &n, LUN_STR("Zg=!"), false, false) == LUN_OK
       && n == 1, "what follows '=' does not matter");
}


static void
murmur(void)
{
    /* Of Python's mmh2, and of nginx's split_clients. */
    ok(lun_murmur(LUN_STR("")) == 0, "of nothing");
    ok(lun_murmur(lun_str_of(tap_edge("a", 1), 1)) == 0x92685f5e, "a byte");
    ok(lun_murmur(lun_str_of(tap_edge("hello", 5), 5)) == 0xe56129cb, "five");
}


int
main(void)
{
    digests();
    murmur();
    base64();
    return done_testing();
}
